"""Comparison of the lake's values with those of `dump --format json` and of the servers, type by type."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import json
import math
import struct
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.crypto.keys import load_keys
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.history import LogHistory
from binlogcli.lake.model import Batch, LakeOptions, LogGap, Split
from binlogcli.lake.tables.types import LABEL, UTC, LakeColumn
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.schema.catalog import Catalog
from support.corpus import logs
from support.golden import golden_logs

OPERATIONS = {(False, True): "insert", (True, True): "update", (True, False): "delete"}
EPOCH = dt.datetime(1970, 1, 1)


def key_options(folder: Path) -> KeyOptions:
    """Return the keys that lie beside a log of the corpus."""
    if (folder / "keyring_data").exists():
        return KeyOptions(keyring=str(folder / "keyring_data"))
    if (folder / "keys.enc").exists():
        return KeyOptions(key_file=str(folder / "keys.enc"), password_file=str(folder / "filekey.txt"))
    if (folder / "keys.txt").exists():
        return KeyOptions(key_file=str(folder / "keys.txt"))
    return KeyOptions()


def json_of(path: Path, keys: KeyOptions, schema: Catalog | None = None) -> list[dict[str, Any]]:
    """Return the lines of `dump --format json` of a log, whose statements tell of tables."""
    schema = schema or Catalog()
    stream = io.BytesIO()
    if keys.given:
        with load_keys(keys, None) as opened, Log(str(path), ReadOptions(keys=opened), schema) as log:
            JsonLines(TextBuffer()).run(log, stream.write, lambda damage: None)
    else:
        with Log(str(path), None, schema) as log:
            JsonLines(TextBuffer()).run(log, stream.write, lambda damage: None)
    return [json.loads(line, parse_float=decimal.Decimal) for line in stream.getvalue().decode().split("\n")[:-1]]


def lake_of(
    split: Split, options: LakeOptions, history: LogHistory | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[LogGap]]:
    """Return a split's events, changes (each with its columns' types as `types`) and gaps, in the log's order."""
    events: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    gaps: list[LogGap] = []
    for item in decode_split(split, options, history):
        if isinstance(item, LogGap):
            gaps.append(item)
        if not isinstance(item, Batch) or item.xa:
            continue
        item.data.validate(full=True)
        if item.schema is None:
            events += item.data.to_pylist()
        else:
            changes += changes_of(item)
    return sorted(events, key=lambda one: one["seq"]), sorted(changes, key=lambda one: one["_seq"]), gaps


def changes_of(batch: Batch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch as Python objects, temporal values as numbers."""
    import pyarrow as pa

    assert batch.schema is not None
    columns = [plain_numbers(column, pa).to_pylist() for column in batch.data.columns]
    for values in zip(*columns, strict=True):
        row = dict(zip(batch.data.schema.names, values, strict=True))
        yield row | {"table": (batch.schema.database, batch.schema.table), "types": batch.schema}


def plain_numbers(column: Any, pa: Any) -> Any:
    """Turn timestamps into microseconds, also inside of `_before`: Python's dates have a smaller range."""
    if pa.types.is_timestamp(column.type):
        return column.view(pa.int64())
    if pa.types.is_struct(column.type):
        parts = [plain_numbers(column.field(at), pa) for at in range(column.type.num_fields)]
        names = [column.type.field(at).name for at in range(column.type.num_fields)]
        return pa.StructArray.from_arrays(parts, names, mask=column.is_null())
    return column


def microseconds(text: str) -> int | None:
    """Return the microseconds of a date and time as the servers print it; None where the day does not exist."""
    head, _, fraction = text.partition(".")
    try:
        moment = dt.datetime.strptime(head, "%Y-%m-%d %H:%M:%S" if " " in head else "%Y-%m-%d")
    except ValueError:
        return None
    return (moment - EPOCH) // dt.timedelta(microseconds=1) + int(fraction.ljust(6, "0") or 0)


def time_of(text: str) -> int:
    """Return the microseconds of a TIME as the servers print it."""
    head, _, fraction = text.lstrip("-").partition(".")
    hours, minutes, seconds = map(int, head.split(":"))
    value = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + int(fraction.ljust(6, "0") or 0)
    return -value if text.startswith("-") else value


def same(value: Any, shown: Any, kind: str, source: str) -> bool:
    """Return True if a value of the lake is the one in the JSON."""
    if kind == "json" and shown is None:
        return value in (None, "null")  # the lake tells NULL from a document that is null
    if shown is None or value is None:
        return value is None and (shown is None or is_undated(shown, kind) or "VECTOR" in source)
    if kind in {UTC, "timestamp[us]"}:
        return bool(value == microseconds(shown))
    if kind == "date32":
        return bool(value.isoformat() == shown)
    if source.startswith("TIME") and kind == "int64":
        return bool(value == time_of(shown))
    if kind == "bool":
        return bool(value == bool(shown))
    if kind in {"float32", "float64"}:
        return same_float(value, shown, kind)
    if kind.startswith("decimal"):
        return bool(value == decimal.Decimal(shown))
    return same_text(value, shown, kind)


def is_undated(shown: Any, kind: str) -> bool:
    return kind in {UTC, "timestamp[us]", "date32"} and microseconds(shown) is None


def same_float(value: float, shown: Any, kind: str) -> bool:
    layout = "<f" if kind == "float32" else "<d"
    if isinstance(shown, dict):
        return struct.pack(layout, value) == bytes.fromhex(shown["hex"])
    return struct.pack(layout, value) == struct.pack(layout, float(shown)) and math.isfinite(value)


def same_text(value: Any, shown: Any, kind: str) -> bool:
    if kind == "binary":
        raw = bytes.fromhex(shown["wkb"] if "wkb" in shown else shown["hex"]) if isinstance(shown, dict) else None
        return bool(value == (shown.encode() if raw is None else raw))
    if kind == "json":
        return bool(json.loads(value, parse_float=decimal.Decimal) == shown)
    if kind == "list<string>":
        return ",".join(value) == str(shown)
    if kind == "list<float32>":
        return [struct.pack("<f", one) for one in value] == [struct.pack("<f", float(one)) for one in shown]
    return bool(value == (str(shown) if kind == LABEL else shown))


# a log of the lake beside its JSON --------------------------------------------------------------------------------


def check_log(events: list[dict[str, Any]], changes: list[dict[str, Any]], lines: list[dict[str, Any]]) -> None:
    """Assert that the lake has each JSON line of a log as an event, each of its rows as a change, and nothing else."""
    assert [(one["pos"], one["end"], one["within"]) for one in events] == [
        (line["pos"], line["end"], line.get("within")) for line in lines
    ]
    remaining = iter(changes)
    for event, line in zip(events, lines, strict=True):
        check_event(event, line)
        for change in (line.get("body") or {}).get("rows", []) if is_rows(line) else ():
            if "hex" not in change:
                check_change(next(remaining), change, line)
    assert next(remaining, None) is None


def is_rows(line: dict[str, Any]) -> bool:
    kind: str = line.get("type", "")
    return kind.startswith(("WRITE_ROWS", "UPDATE_ROWS", "DELETE_ROWS", "PARTIAL_UPDATE_ROWS"))


def check_event(event: dict[str, Any], line: dict[str, Any]) -> None:
    if "damage" in line:
        assert event["damage"] == line["damage"]
        return
    assert event["type"] == line["type"]
    assert event["time"].strftime("%Y-%m-%dT%H:%M:%SZ") == line["time"]
    assert (event["type_code"], event["server_id"], event["flags"]) == (
        line["type_code"],
        line["server_id"],
        line["flags"],
    )
    assert event["crc32"] == (None if line["crc32"] is None else int(line["crc32"], 16))
    assert event["gtid"] == (line["transaction"] or {}).get("gtid")
    if is_rows(line):
        unread = [row for row in line["body"]["rows"] if "hex" in row]
        assert event["rows"] == len(line["body"]["rows"]) - len(unread)
        assert (event["database"], event["table"]) == (line["body"]["database"], line["body"]["table"])
        assert (event["body"] is not None) == bool(unread)
    else:
        assert json.loads(event["body"], parse_float=decimal.Decimal) == line["body"]


def check_change(row: dict[str, Any], change: dict[str, Any], line: dict[str, Any]) -> None:
    """Assert that a row of the lake is the one in the JSON."""
    assert row["table"] == (line["body"]["database"], line["body"]["table"])
    assert row["_op"] == OPERATIONS["before" in change, "after" in change]
    assert row["_pos"] == line.get("within", line["pos"])
    assert row["_gtid"] == (line["transaction"] or {}).get("gtid")
    assert row["_server_id"] == line["server_id"]
    check_image(row, change["after"] if "after" in change else change["before"], row, "")
    if row["_op"] == "update":
        check_image(row["_before"], change["before"], row, "_before.")
    else:
        assert row["_before"] is None


def check_image(found: dict[str, Any], shown: dict[str, Any], row: dict[str, Any], prefix: str) -> None:
    own: list[LakeColumn] = row["types"].own
    assert {column.column for column in own} >= set(shown)
    for column in own:
        if column.column not in shown:
            assert found[column.name] is None
            assert prefix + column.name in row["_absent"]
        else:
            value = found[column.name]
            assert same(value, shown[column.column], column.type, column.source), (column, value, shown[column.column])
            patched = isinstance(shown[column.column], dict) and "diff" in shown[column.column]
            assert (prefix + column.name in row["_absent"]) == patched


def logs_by_keys() -> dict[KeyOptions, list[Path]]:
    """The corpus where it is there, else the project's own logs, by the keys that they need."""
    found: dict[KeyOptions, list[Path]] = defaultdict(list)
    for path in logs() or golden_logs():
        keys = KeyOptions() if path.name.startswith("plain-") else key_options(path.parent)
        if keys.given or path.read_bytes()[:4] != b"\xfdbin":
            found[keys].append(path)
    return found
