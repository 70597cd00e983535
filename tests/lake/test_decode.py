"""The lake holds what JSON shows: every event and every change of every log, in the log's order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import binlogcli
from binlogcli.events.event import Event
from binlogcli.events.tables import Rows
from binlogcli.lake.decode import collector
from binlogcli.lake.model import LakeOptions, Split
from binlogcli.lake.plan.cut_points import NOWHERE
from binlogcli.lake.plan.log_plan import LogTask, defined_by, known_to, plan_log
from support.corpus import CORPUS, logs, name_of
from support.golden import GOLDEN, golden_logs, golden_name
from support.lake_values import check_log, json_of, key_options, lake_of
from support.logs import TimedLog

LARGEST_UNCOMPILED = 1 << 13
COMPILED = not str(collector.__file__).endswith(".py")


def paths() -> list[Path]:
    """The corpus where it is there, else the project's own logs; uncompiled, the small ones."""
    found = logs() or golden_logs()
    return [path for path in found if COMPILED or path.stat().st_size <= LARGEST_UNCOMPILED]


def shown_name(path: Path) -> str:
    return name_of(path) if path.is_relative_to(CORPUS) else golden_name(path)


@pytest.mark.parametrize("path", paths(), ids=shown_name)
def test_the_lake_holds_every_event_and_every_change(path: Path) -> None:
    keys = key_options(path.parent)
    if path.name.startswith("plain-"):
        keys = type(keys)()
    if not keys.given and path.read_bytes()[:4] == b"\xfdbin":
        pytest.skip("encrypted, and its key is not here")
    lines = json_of(path, keys)
    events, changes, gaps = lake_of(Split(str(path)), LakeOptions(keys=keys))
    check_log(events, changes, lines)
    assert len(gaps) == sum(event["damage"] is not None for event in events)


def test_golden_logs_are_there() -> None:
    assert GOLDEN.is_dir()


# splits ---------------------------------------------------------------------------------------------------------------


def boundaries(path: Path) -> list[tuple[int, list[tuple[int, bytes]]]]:
    """Each place where a statement ends or a transaction begins, with what a split from then on must know."""
    found: list[tuple[int, list[tuple[int, bytes]]]] = []
    head: list[tuple[int, bytes]] = []
    opening: list[tuple[int, bytes]] = []
    with binlogcli.open(str(path)) as log:
        for event in log:
            if not isinstance(event, Event) or event.within is not None:
                continue
            if event.type_code in (15, 164):
                head = [*(one for one in head if one[1][4] != event.type_code), (event.start, event.raw)]
            elif event.type_code in (33, 34, 42, 162):
                found.append((event.start, list(head)))
                opening = [(event.start, event.raw)]
            elif isinstance(event, Rows) and event.ends_statement:
                found.append((event.end, head + opening))
            elif event.type == "QUERY_EVENT":
                if event.transaction is not None and event.transaction.outcome:
                    opening = []
                    found.append((event.end, list(head)))
                else:
                    opening.append((event.start, event.raw))
            elif event.type == "XID_EVENT":
                opening = []
    return found


SPLIT = [
    path for path in paths() if path.parent.name in {"rows", "xa", "partial_json_full", "compress", "types_int_full"}
]


@pytest.mark.parametrize("path", SPLIT, ids=shown_name)
def test_a_log_in_splits_is_the_log(path: Path) -> None:
    whole_events, whole_changes, _ = lake_of(Split(str(path)), LakeOptions())
    cuts = [(0, []), *boundaries(path)][:: 1 if COMPILED else 7]
    ends = [start for start, _ in cuts[1:]] + [path.stat().st_size]
    events, changes = [], []
    plan = plan_log(LogTask(str(path), LakeOptions(), NOWHERE, final=True))
    history = known_to([plan], defined_by([plan]))
    for (start, prelude), end in zip(cuts, ends, strict=True):
        split = Split(str(path), start, end, tuple(prelude), tail_of(path, end))
        some, more, _ = lake_of(split, LakeOptions(), history)
        events += some
        changes += more
    assert events == whole_events
    assert [without_schema(change) for change in changes] == [without_schema(change) for change in whole_changes]


def without_schema(change: dict[str, Any]) -> dict[str, Any]:
    """A change without its types: a column that holds some bytes which are no text is one of bytes in that batch."""
    return {name: as_bytes(value) for name, value in change.items() if name != "types"}


def as_bytes(value: Any) -> Any:
    if isinstance(value, dict):
        return without_schema(value)
    return value.encode() if isinstance(value, str) else value


def tail_of(path: Path, end: int) -> tuple[tuple[int, bytes], ...]:
    """The event that ends the transaction which is open at a place."""
    with binlogcli.open(str(path)) as log:
        for event in log:
            if isinstance(event, Event) and event.start >= end and event.within is None:
                if event.type_code in (33, 34, 42, 162):
                    return ()
                if event.transaction is not None and event.transaction.outcome:
                    return ((event.start, event.raw),)
    return ()


def test_rows_of_the_epochs_first_second_have_that_time(tmp_path: Path) -> None:
    log = TimedLog(0)
    log.insert(0, 1, 20, 2)
    log.write(tmp_path / "log")
    _, changes, gaps = lake_of(Split(str(tmp_path / "log")), LakeOptions())
    assert not gaps
    assert [change["_ts"] for change in changes] == [0]


def test_small_batches_hold_the_same_and_know_the_end_of_their_transaction() -> None:
    for path in SPLIT:
        whole = lake_of(Split(str(path)), LakeOptions())
        small = lake_of(Split(str(path)), LakeOptions(batch_bytes=1, held_bytes=1))
        assert small[0] == whole[0]
        assert [without_schema(change) for change in small[1]] == [without_schema(change) for change in whole[1]]
