"""The byte examples of the public documentation, where they lie beside the project: events of others' servers."""

from __future__ import annotations

from typing import Any

import pytest

from binlogcli.names.flags import flag_names
from support.corpus import NO_EXAMPLES, examples
from support.logs import MAGIC, LogBuilder
from support.reading import events, gaps, places, read

EXAMPLES = examples()
BY_NAME = {example["name"]: example for example in EXAMPLES}
VERSIONS = {"mariadb": "10.2.10-MariaDB-log", "mysql": "5.6.34-log"}
# fields that we name by what later versions call them, and those whose numbers we show by the names of their bits
FLAG_KINDS = {
    ("TABLE_MAP_EVENT", "flags"): "table_map",
    ("GTID_EVENT", "flags2"): "mariadb_gtid",
    ("GTID_LOG_EVENT", "gtid_flags"): "mysql_gtid",
    ("ANONYMOUS_GTID_LOG_EVENT", "gtid_flags"): "mysql_gtid",
    ("GTID_LIST_EVENT", "gl_flags"): "gtid_list",
}
WITHOUT_MEANING = {"reserved", "lt_type", "checksum_alg"}

pytestmark = pytest.mark.skipif(not EXAMPLES, reason=NO_EXAMPLES)


def whole() -> list[dict[str, Any]]:
    return [one for one in EXAMPLES if one["kind"] == "event" and one["complete"] and not one["damaged"]]


def named(examples: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", examples, ids=lambda example: example["name"])


def decoded(example: dict[str, Any]) -> Any:
    """The example's event, after a format description of its family and the table map that it needs."""
    data = bytes.fromhex(example["hex"])
    if data[4] == 15:
        return events(read(MAGIC + data))[-1]
    log = LogBuilder(VERSIONS[example["family"]], checksum=1 if example["checksum"] else 0).describe()
    if example.get("table_map"):
        log.raw(bytes.fromhex(BY_NAME[example["table_map"]]["hex"]))
    items = log.raw(data).read()
    assert gaps(items) == []
    return items[-1]


@named(whole())
def test_the_header_of_an_example(example: dict[str, Any]) -> None:
    event = decoded(example)
    header = example["decoded"]["header"]
    assert event.type == header["type"]
    assert event.timestamp == header["timestamp"]
    assert event.server_id == header["server_id"]
    assert event.length == header["event_length"]
    assert event.log_pos == header["log_pos"]
    assert event.flags == header["flags"]
    if "crc32" in example["decoded"]:
        assert event.crc32 == int(example["decoded"]["crc32"], 16)


@named([example for example in whole() if "rows" not in example["decoded"]["body"]])
def test_every_field_of_an_example(example: dict[str, Any]) -> None:
    event = decoded(example)
    found = event.as_dict()
    for name, expected in example["decoded"]["body"].items():
        if name in WITHOUT_MEANING:
            continue
        kind = FLAG_KINDS.get((event.type, name))
        value = flag_names(kind, expected) if kind else expected
        if name == "status_vars":
            mode = "mariadb_sql_mode" if example["family"] == "mariadb" else "mysql_sql_mode"
            value = expected | {
                "flags2": flag_names("flags2", expected["flags2"]),
                "sql_mode": flag_names(mode, expected["sql_mode"]),
            }
        assert plain(found[name]) == plain(value), name


@named([example for example in whole() if "rows" in example["decoded"]["body"]])
def test_the_rows_of_an_example(example: dict[str, Any]) -> None:
    event = decoded(example)
    body = example["decoded"]["body"]
    assert (event.table_id, event.row_flags, event.width) == (body["table_id"], body["flags"], body["width"])
    assert event.present.hex() == body["cols"]
    assert event.present_after.hex() == body.get("cols_ai", body["cols"])
    rows = []
    for row in event.rows:
        images = (("before", row.before), ("after", row.after))
        rows.append({name: [plain(v) for v in image.values()] for name, image in images if image is not None})
    assert rows == body["rows"]


def plain(value: Any) -> Any:
    """A value as the examples write it: bytes in hex, decimals as text."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if name != "gtid"}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def test_the_head_of_a_log() -> None:
    example = BY_NAME["mariadb_file_head_10_1_24_repaired"]
    expected = [(one["type"], one["start"], one["end"]) for one in example["decoded"]["events"]]
    assert list(places(read(bytes.fromhex(example["hex"])))) == expected


@named([example for example in EXAMPLES if example["kind"] == "event" and example["damaged"]])
def test_an_example_that_is_damaged_in_print_is_damage(example: dict[str, Any]) -> None:
    data = bytes.fromhex(example["hex"])
    log = LogBuilder(VERSIONS[example["family"]]).describe().raw(data)
    assert gaps(log.read())
