"""Reads damaged copies of logs through every command, and compares what they call damaged.

accounts.py FIRST COUNT LOG...     ends with 0 when all agree; otherwise the last line of stdout is the copy

Three levels: `decrypt` checks what frames events; `dump` without -v and `stats` of sections without rows decode their
bodies; all others read each value of each row, and agree on places, words and exit status. `stats` counts rows by their
widths: it tells what of them makes counting fail, in the same words.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import binlogcli
from binlogcli.cli.environment import Environment
from binlogcli.cli.main import main
from binlogcli.errors import DEFECT, BinlogError
from binlogcli.events.stream import ReadOptions
from binlogcli.events.tables import Rows
from binlogcli.lake.decode.split_catalog import follower_of
from binlogcli.lake.decode.split_decoder import collect_split
from binlogcli.lake.decode.table_maker import TableMaker
from binlogcli.lake.model import LakeOptions, Split
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import EVENT_TYPES
from fuzz.copies import HANG_SECONDS, MAX_EVENT_SIZE, work
from fuzz.mutate import Specimen

Place = tuple[str, str]  # where, and why
Account = tuple[int, frozenset[Place]]
VALUES = (
    ("dump", "-vv"),
    ("dump", "-v", "--base64-output=decode-rows"),
    ("dump", "--format", "json"),
    ("dump", "--format", "sql"),
    ("hexdump",),
    ("hexdump", "--json"),
)
BODIES = (("dump",), ("stats", "--format", "json", "--section", "gtids"))
COUNTED = (("stats", "--format", "json"), ("stats", "--section", "summary"))
FRAMES = ("decrypt", "--allow-plain", "--force", "-o")
UNUSABLE = 2
TYPES = frozenset(EVENT_TYPES.values())


def account_of(command: tuple[str, ...], path: str, options: ReadOptions) -> Account:
    """What a command calls damaged."""
    more = [] if options.verify or command[0] == "decrypt" else ["--no-verify"]
    if command[0] != "decrypt":
        more.append(f"--max-event-size={MAX_EVENT_SIZE}")
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    TOLD.clear()
    try:
        status = main([*command, *more, path])
        said = sys.stderr.getvalue()
    finally:
        sys.stdout, sys.stderr = out, err
    if DEFECT in said:
        raise AssertionError(f"{command}:\n{said}")
    return status, frozenset(map(placed, TOLD))


def keep(environment: Environment, file: str, damage: Damage) -> None:
    """`Environment.damage`, which also keeps what it tells."""
    TOLD.append(damage)
    tell_damage(environment, file, damage)


TOLD: list[Damage] = []
tell_damage = Environment.damage
Environment.damage = keep  # type: ignore[method-assign, assignment]


def placed(damage: Damage) -> Place:
    """A Damage as the command line tells it."""
    within = "" if damage.within is None else f" within {damage.within}"
    return f"{damage.start}{within}", damage.reason


def account_of_api(path: str, options: ReadOptions) -> Account:
    """What iterating over a log and its rows calls damaged."""
    found = set()
    with binlogcli.open(path, verify=options.verify, max_event_size=MAX_EVENT_SIZE) as log:
        for item in log:
            if isinstance(item, Rows):
                list(item.rows)
            elif isinstance(item, Damage):
                found.add(placed(item))
    return int(bool(found)), frozenset(found)


def account_of_lake(path: str, options: ReadOptions) -> Account:
    """What is damaged to to-parquet."""
    given = LakeOptions(verify=options.verify, max_event_size=MAX_EVENT_SIZE, batch_bytes=1 << 16)
    items = collect_split(Split(path), given, TableMaker(given), follower_of(Split(path), given, None))
    found = frozenset(placed(item) for item in items if isinstance(item, Damage))
    return int(bool(found)), found


def agree(told: dict[str, Account], name: str, other: str) -> None:
    """Raise AssertionError unless two accounts are alike."""
    if told[name] != told[other]:
        status, places = told[name]
        other_status, other_places = told[other]
        alone = [f"{name} (status {status}) alone: {place}" for place in sorted(places - other_places)]
        alone += [f"{other} (status {other_status}) alone: {place}" for place in sorted(other_places - places)]
        raise AssertionError("\n".join([f"{name} {status}, {other} {other_status}", *alone]))


def agree_on_frames(framed: frozenset[Place], least: frozenset[Place]) -> None:
    """Raise AssertionError unless `decrypt`, which has a limit of its own for events, tells all that is not an "
    "event."""
    places = {place for place, _ in framed}
    beside = {(place, reason) for place, reason in least if place not in places and "within" not in place}
    others = [place for place, reason in beside if reason.split(":")[0] not in TYPES]
    if others or not places <= {place for place, _ in least}:
        raise AssertionError(f"decrypt: lacks {others} of {sorted(least)}, has {sorted(framed)}")


def compare(path: str, options: ReadOptions) -> None:
    """All accounts of one copy."""
    try:
        with binlogcli.open(path, verify=options.verify, max_event_size=MAX_EVENT_SIZE) as log:
            for _ in log:
                pass
    except BinlogError:
        refused = {" ".join(command): account_of(command, path, options)[0] for command in (*BODIES, *VALUES, *COUNTED)}
        if set(refused.values()) != {2}:
            raise AssertionError(f"not all refuse it: {refused}") from None
        return
    told = {" ".join(command): account_of(command, path, options) for command in (*BODIES, *VALUES, *COUNTED)}
    told["the API"] = account_of_api(path, options)
    told["to-parquet"] = account_of_lake(path, options)
    bodies, values = " ".join(BODIES[0]), " ".join(VALUES[0])
    for command in BODIES[1:]:
        agree(told, bodies, " ".join(command))
    for name in (*(" ".join(command) for command in VALUES[1:]), "the API", "to-parquet"):
        agree(told, values, name)
    agree(told, " ".join(COUNTED[0]), " ".join(COUNTED[1]))
    least, counted, most = (told[name][1] for name in (bodies, " ".join(COUNTED[0]), values))
    if not least <= counted <= most:
        raise AssertionError(f"stats: lacks {sorted(least - counted)}, has beside others {sorted(counted - most)}")
    if options.verify:
        status, framed = account_of((*FRAMES, f"{path}.plain"), path, options)
        if status != UNUSABLE:  # it refuses an encrypted log without its key, of which others tell
            agree_on_frames(framed, least)
    for status, places in told.values():
        if status != int(bool(places)):
            raise AssertionError(f"status {status} with {sorted(places)}")


if __name__ == "__main__":
    work(lambda path: Specimen(path).mutant, (compare,), 15 * HANG_SECONDS)
