"""The option `schemaAt` of the data source: of when the files of the option `schema` are, as `--schema-at` says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from binlogcli.crypto.opening import open_keys
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.lake.errors import LakeError
from binlogcli.lake.history import SchemaPlace
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.plan.log_plan import LogPlan
from binlogcli.select.baseline import scan_logs
from binlogcli.select.places import LogPlace, PlaceError, read_place

OPTION = "the option schemaAt"
_AT_START, _AT_END = "start", "end"


def read_schema_at(given: Mapping[str, str]) -> LogPlace | bool:
    """Return of when schema files are: a place, True for the end of the logs, False for their start.

    Raises LakeError for a text that names no place, and where the other options leave none.
    """
    text = given.get("schemaat", _AT_START)
    if text == _AT_START:
        return False
    if "schema" not in given:
        raise LakeError(f"{OPTION} requires the option schema: it specifies the point that those files belong to")
    if "until" in given:
        raise LakeError(f"{OPTION} cannot be combined with until: later statements are not read then")
    if text == _AT_END:
        return True
    try:
        return read_place(text, None)
    except PlaceError as error:
        raise LakeError(f"{OPTION}: {error.reason}", hint=error.hint) from error


def in_options(text: str) -> str:
    """Return a message that names the options of the data source where it named those of the command line."""
    text = text.replace("pass --schema-at", f"set {OPTION} to").replace("--schema-at", OPTION)
    return text.replace("the --schema files", "the files of the option schema")


def find_schema_place(at: LogPlace | bool, plans: Iterable[LogPlan], options: LakeOptions) -> SchemaPlace | None:
    """Return the place in planned logs. Raises PlaceError if they do not have it."""
    if isinstance(at, bool):
        return SchemaPlace() if at else None
    plans = list(plans)
    path, position = scan_logs(_logs(plans, options), at, OPTION).end
    return SchemaPlace(next(plan.key for plan in plans if plan.path == path), position)


def _logs(plans: Iterable[LogPlan], options: LakeOptions) -> Iterator[Log]:
    """Yield the logs; damage in them is reported when their rows are read."""
    with open_keys(options.keys) as keys:
        reading = ReadOptions(verify=options.verify, max_event_size=options.max_event_size, keys=keys)
        for plan in plans:
            with suppress(BinlogError), Log(plan.path, reading) as log:
                yield log
