"""Every log of the corpus, read to its end: each byte accounted for, each event that the server lists, valid JSON."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import binlogcli
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import SourceError
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage, Padding
from binlogcli.render.ndjson.events import JsonLines
from support.corpus import CORPUS, beside, logs, name_of, odd_logs

pytestmark = pytest.mark.skipif(not logs(), reason="no corpus beside the project")

MAGIC_SIZE = 4
KEYS = ["file", "pos", "end", "time", "type", "type_code", "server_id", "flags", "crc32", "transaction", "body"]
EVENT_KEYS = [KEYS, [*KEYS[:3], "within", *KEYS[3:]]]
DAMAGE_KEYS = [["file", "pos", "end", "damage"], ["file", "pos", "end", "within", "damage"]]
ENCRYPTED = "the log is encrypted from this position"
RUNS_OVER = "extend past the end of the log or into other events"

# The logs that are damaged, and where: what their README says of them, or what their hexdump shows.
DAMAGED = {
    "mariadb-10.11/crash-torn/torn-shop-bin.000001": (1164, 163840, RUNS_OVER),
    "mariadb-10.11/incident-midfile/shop-bin.000001": (8661, 8691, RUNS_OVER),
    "mariadb-10.5/incident-midfile/shop-bin.000001": (8643, 8673, RUNS_OVER),
    "mysql-5.6/crash-torn/torn-shop-bin.000001": (771, 40960, RUNS_OVER),
    "mysql-8.4/torn/torn.000001": (1753, 1766, "inside an event header"),
    "mysql-9.7/crash-torn/torn-shop-bin.000001": (1256, 81920, RUNS_OVER),
    "mysql-9.7/incident-midfile/shop-bin.000001": (8911, 9024, RUNS_OVER),
    "odd/binlog_truncated_prev_gtid_event.000001": (120, 129, "inside an event header"),
    "odd/corrupt-relay-bin.000624": (91204, 91375, "QUERY_EVENT: status_vars"),
}
# Lengths added up from the magic bytes on: what a walk by event lengths alone gives. One event of the relay log cannot
# be decoded.
ODD_EVENTS = {
    "binlog_savepoint.000001": 12,
    "binlog_transaction_with_GTID.000001": 11,
    "binlog_truncated_prev_gtid_event.000001": 1,
    "bug16266.000001": 6,
    "bug27213339-bin.000001": 95,
    "bug33029-slave-relay-bin.000001": 43,
    "bug40482-bin.000001": 3,
    "corrupt-relay-bin.000624": 874 - 1,
    "json.binlog.000001": 36,
    "minimal_row_metadata.000001": 8,
    "mysql-enum-string-set.000001": 21,
    "transaction_compression.000001": 5,
    "update-partial-row.binlog": 10,
    "vector.binlog": 38,
    "ver_5_1-wl2325_s.001": 15,
    "ver_5_1_23.001": 24,
}
# SHOW BINLOG EVENTS and the corpus's table have words of their own
SHOWN = {
    "Format_desc": "FORMAT_DESCRIPTION",
    "User var": "USER_VAR",
    "Anonymous_Gtid": "ANONYMOUS_GTID",
    "Update_rows_partial": "PARTIAL_UPDATE_ROWS",
    "Gtid_tagged_log_event": "GTID_TAGGED",
}
TABLED = {"FORMAT_DESC": "FORMAT_DESCRIPTION", "GTID(maria)": "GTID"}


def plain_name(event_type: str) -> str:
    """An event type without the words that all of them share."""
    return event_type.replace("_LOG_EVENT", "").replace("_EVENT", "")


def everything(path: Path) -> list[Event | Damage | Padding]:
    with binlogcli.open(str(path)) as log:
        return list(log)


def sealed(path: Path) -> bool:
    """Whether MySQL has encrypted the whole of the log."""
    with path.open("rb") as file:
        return file.read(4) == b"\xfdbin"


def by_log(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=map(name_of, paths))


@by_log([path for path in logs() if not sealed(path)])
def test_each_byte_of_a_log_belongs_to_an_event_to_damage_or_to_padding(path: Path) -> None:
    place = MAGIC_SIZE
    for item in everything(path):
        if getattr(item, "within", None) is None:
            assert item.start == place
            assert item.end > place
            place = item.end
    assert place == path.stat().st_size


@by_log([path for path in logs() if not sealed(path)])
def test_a_log_is_damaged_where_it_is_known_to_be_and_nowhere_else(path: Path) -> None:
    gaps = [item for item in everything(path) if not isinstance(item, Event)]
    expected = DAMAGED.get(name_of(path))
    if expected is not None:
        (gap,) = gaps
        assert isinstance(gap, Damage)
        assert (gap.start, gap.end) == expected[:2]
        assert expected[2] in gap.reason
    elif "/enc" in name_of(path) and not path.name.startswith(("plain-", "master-")) and "mysql" not in name_of(path):
        (gap,) = gaps
        assert isinstance(gap, Damage)
        assert gap.reason == ENCRYPTED
        assert gap.end == path.stat().st_size
    else:
        assert gaps == []


@by_log([path for path in logs() if sealed(path)])
def test_a_log_that_mysql_has_encrypted_asks_for_its_keyring(path: Path) -> None:
    with pytest.raises(SourceError, match="encrypted by MySQL") as refused:
        everything(path)
    assert "--keyring" in refused.value.hint


@by_log([path for path in logs() if not sealed(path) and b"(encrypted" not in (beside(path, ".vv.txt") or b"")])
def test_every_event_that_the_server_lists_is_found_at_its_place(path: Path) -> None:
    table = beside(path, ".events.tsv")
    items = everything(path)
    if table is None or any(getattr(item, "reason", "") == ENCRYPTED for item in items):
        pytest.skip("the server did not list this log's events, or they are encrypted")
    listed = []
    for line in table.decode("utf-8", "replace").split("\n")[1:-1]:
        _, listed_at, kind, server_id, *_ = line.split("\t")
        listed.append((int(listed_at), SHOWN.get(kind, kind).upper(), int(server_id)))
    found = []
    for item in items:
        if isinstance(item, Event):
            # the server places the content of a payload at the payload's end
            place = item.start if item.within is None else outer_end(items, item.within)
            found.append((place, plain_name(item.type), item.server_id))
    assert found == listed


def outer_end(items: list[Event | Damage | Padding], start: int) -> int:
    return next(item.end for item in items if isinstance(item, Event) and item.start == start and item.within is None)


def tabled_counts() -> list[tuple[str, str, Counter[str]]]:
    """The events of each scenario as the corpus's README counts them."""
    readme = CORPUS / "README.md"
    server, rows = "", []
    for line in readme.read_text().splitlines() if readme.exists() else ():
        if line.startswith("### "):
            server = line.split()[1]
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and (CORPUS / server / cells[1] / "info.json").exists():
            counts: Counter[str] = Counter()
            for entry in cells[5].split(", "):
                if match := re.fullmatch(r"(\S+|\(encrypted rest\)) (\d+)", entry):
                    name = TABLED.get(match[1], match[1])
                    counts[name] += int(match[2])
            rows.append((server, cells[1], counts))
    return rows


@pytest.mark.parametrize(
    ("server", "scenario", "counts"), tabled_counts(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_the_events_of_a_scenario_are_as_many_as_the_corpus_says(
    server: str, scenario: str, counts: Counter[str]
) -> None:
    found: Counter[str] = Counter()
    for path in logs():
        if path.parent == CORPUS / server / scenario and not sealed(path):
            for item in everything(path):
                if isinstance(item, Damage):  # the table counts up to where the servers' tools stop
                    found["(encrypted rest)" if item.reason == ENCRYPTED else "TORN"] += 1
                    break
                if isinstance(item, Event) and item.within is None:
                    found[plain_name(item.type)] += 1
    assert found == counts


@pytest.mark.parametrize("path", odd_logs(), ids=lambda path: path.name)
def test_odd_logs_are_read_also_where_the_servers_tools_give_up(path: Path) -> None:
    events = [item for item in everything(path) if isinstance(item, Event) and item.within is None]
    assert len(events) == ODD_EVENTS[path.name]


def test_events_after_the_damage_of_a_relay_log_are_read() -> None:
    items = everything(CORPUS / "odd" / "corrupt-relay-bin.000624")
    assert [item.type for item in items if isinstance(item, Event) and item.start >= 91375] == ["ROTATE_EVENT"]


def test_event_types_of_the_first_alphas_are_named_as_today() -> None:
    items = everything(CORPUS / "odd" / "ver_5_1-wl2325_s.001")
    kinds = [plain_name(item.type) for item in items if isinstance(item, Event)]
    assert kinds[:6] == ["FORMAT_DESCRIPTION", "QUERY", "QUERY", "QUERY", "XID", "USER_VAR"]
    assert kinds[-4:] == ["BEGIN_LOAD_QUERY", "APPEND_BLOCK", "EXECUTE_LOAD_QUERY", "STOP"]


@by_log([path for path in logs() if not sealed(path)])
def test_each_line_of_json_has_the_promised_keys_in_their_order(path: Path) -> None:
    lines = json_lines(path)
    assert lines
    for line in lines:
        pairs = json.loads(line, object_pairs_hook=list, parse_constant=pytest.fail)
        keys = [key for key, _ in pairs]
        assert keys in (EVENT_KEYS if "type" in keys else DAMAGE_KEYS)
        assert dict(pairs)["file"] == str(path)


@by_log([path for path in logs() if not sealed(path)])
def test_json_has_a_line_for_every_event_and_every_damage(path: Path) -> None:
    items = [item for item in everything(path) if not isinstance(item, Padding)]
    lines = [json.loads(line) for line in json_lines(path)]
    assert [(line["pos"], line["end"], line.get("within")) for line in lines] == [
        (item.start, item.end, item.within) for item in items
    ]


def json_lines(path: Path) -> list[str]:
    stream = io.BytesIO()
    with Log(str(path)) as log:
        JsonLines(TextBuffer()).run(log, stream.write, lambda damage: None)
    return stream.getvalue().decode("utf-8").split("\n")[:-1]
