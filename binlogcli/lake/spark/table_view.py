"""Logs as one table with one schema, for a session of Spark: which logs, which columns, and batches of these columns.

Without a table name it is the table of events. The columns hold all versions of a table; what a version lacks is null.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from binlogcli.binary.json_reader import check_form, read_json
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.errors import BinlogError, KeyNeededError, SourceError
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.decode.wanted_rows import ALL_ROWS, WantedRows
from binlogcli.lake.errors import LakeError
from binlogcli.lake.model import Batch, LakeOptions, LogGap, Split
from binlogcli.lake.plan.log_plan import defined_by, known_to
from binlogcli.lake.plan.planner import Planner
from binlogcli.lake.spark.log_versions import PlannedLogs, plan_in_processes, versions_of
from binlogcli.lake.spark.options import listed, read_options
from binlogcli.lake.spark.schema_place import find_schema_place, in_options, read_schema_at
from binlogcli.lake.store.state import LakeState
from binlogcli.lake.table_marks import TableMark
from binlogcli.lake.tables.logical import LogicalTable, logical_table
from binlogcli.lake.tables.spark_schema import spark_struct, spark_type
from binlogcli.select.choice import Choice
from binlogcli.select.times import read_time
from binlogcli.sources.log_names import read_log_name, without_packed_ending
from binlogcli.sources.opening import expand, open_source, refuse_other_files
from binlogcli.sources.urls import local_path

if TYPE_CHECKING:
    import pyarrow as pa

    from binlogcli.lake.history import LogHistory
    from binlogcli.select.places import LogPlace

_NAMES_KEY = "names"
_MANY = 1 << 30  # bytes of logs, whose headers are walked in some seconds
_WILD = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class TableView:
    """One table, or the events, of some logs; made of the options of a data source."""

    paths: tuple[str, ...]
    table: str | None
    columns: tuple[str, ...]  # empty: all
    lake: LakeOptions
    stop_on_damage: bool = False
    schema_at: LogPlace | bool = False  # see `read_schema_at`

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> TableView:
        """Make it of a data source's options. Raises BinlogError for those that cannot be used."""
        given = read_options(options)
        table = given.get("table")
        choice = Choice(
            start_time=_time_of(given.get("since")),
            stop_time=_time_of(given.get("until"), up=True),
            tables=() if table is None else (table,),
        )
        keys = KeyOptions(
            _file_of(given.get("keyfile")),
            _file_of(given.get("keyfilepasswordfile")),
            given.get("keyalgorithm", "auto"),
            _file_of(given.get("keyring")),
        )
        lake = LakeOptions(
            schemas=tuple(map(local_path, listed(given.get("schema")))),
            unsigned=listed(given.get("assumeunsigned")),
            keys=keys,
            choice=choice,
            zero_dates=given.get("zerodates", "null"),
            invalid_text="replace",
        )
        stop = given.get("ondamage", "skip") == "stop"
        return cls(_paths_of(given), table, listed(given.get("columns")), lake, stop, read_schema_at(given))

    def logs(self) -> list[str]:
        """Return the logs that are there now, in order. Raises SourceError without any."""
        found: list[str] = []
        for path in self.paths:
            if os.path.isdir(path):
                names = sorted(os.listdir(path))
                found += [os.path.join(path, name) for name in names if read_log_name(without_packed_ending(name))]
            elif _WILD & set(path) and not os.path.exists(path):
                found += sorted(glob.glob(path))
            else:
                found += expand([path])
        if not found:
            _refuse_other_files(self.paths)
            raise SourceError(
                "no logs found", file=" ".join(self.paths), hint="specify files, a pattern or a directory"
            )
        return list(dict.fromkeys(found))

    def planned(self) -> PlannedLogs:
        """Plan the logs that are there now: their headers are walked once. Raises BinlogError for an unreadable one."""
        planner = Planner(self.lake, LakeState(), self.logs(), final=True, split_size=None)
        name = () if self.table is None or _WILD & set(self.table) else tuple(self.table.split(".", 1))
        if len(name) == 2:
            planner.tasks = [replace(task, maps_of=(name[0], name[1])) for task in planner.tasks]
        plans = planner.plan(None if planner.size < _MANY else plan_in_processes)
        for plan in plans:
            if plan.error is not None:
                raise told_as_option(plan.error)
        try:
            place = find_schema_place(self.schema_at, plans, self.lake)
            return PlannedLogs(tuple(plans), known_to(plans, defined_by(plans), place))
        except LakeError as error:
            raise told_as_option(error) from error

    def struct(self, logical: LogicalTable | None) -> dict[str, Any]:
        """Return the columns of a table, or of the events, as the JSON of a Spark StructType.

        Raises LakeError for unknown ones.
        """
        if logical is None:
            from binlogcli.lake.decode.arrow_batches import EVENT_COLUMNS  # imports pyarrow

            fields = [{"name": name, "type": spark_type(kind), "nullable": True} for name, kind in EVENT_COLUMNS]
            struct: dict[str, Any] = {"type": "struct", "fields": [{**field, "metadata": {}} for field in fields]}
        else:
            struct = spark_struct(logical.types, unsure=logical.unsure, key=logical.primary_key)
            _note_names(struct, logical)
        return chosen(struct, self.columns)

    def logical(self, planned: PlannedLogs) -> LogicalTable | None:
        """Return the table as all its versions in the logs; None for events. Raises LakeError without any."""
        if self.table is None:
            return None
        versions = versions_of(planned, self.lake)
        if not versions:
            raise LakeError(
                f"no rows found for table {self.table}", hint="write it as DATABASE.TABLE, spelled as in the log"
            )
        return logical_table(versions)

    def batches(
        self,
        split: Split,
        history: LogHistory | None,
        target: pa.Schema,
        renames: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        rows: WantedRows = ALL_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split as batches of the schema `target`. Raises SourceError for a gap, if it is to.

        `renames` has what `renames_in` found in the columns. Columns that are not in the target are not decoded, nor
        are rows that are not in `rows`.
        """
        from binlogcli.lake.decode.mark_batches import mark_batch  # imports pyarrow
        from binlogcli.lake.tables.casting import fitted

        columns = frozenset(map(str.lower, target.names))
        wanted = replace(rows, columns=columns, renames=renames, events=self.table is None or self.stop_on_damage)
        for one in decode_split(split, self.lake, history, wanted):
            if isinstance(one, LogGap):
                if self.stop_on_damage:
                    hint = one.hint or "the option onDamage=skip continues after the damage"
                    raise SourceError(one.reason, file=one.file, offset=one.start, hint=hint)
            elif isinstance(one, TableMark) and self.table is not None and one.is_about(self.table):
                yield mark_batch(target, (one,))
            elif isinstance(one, Batch) and (one.schema is None) == (self.table is None) and not one.xa:
                names = {} if one.schema is None else renames.get(one.schema.fingerprint, {})
                yield fitted(one.data, target, names)


def _note_names(struct: dict[str, Any], logical: LogicalTable) -> None:
    """Write into the metadata of each column which other names it has in versions of the table."""
    fields = {field["name"]: field for field in struct["fields"]}
    for column in logical.columns:
        names = {
            logical.versions[at].fingerprint: one.name for at, one in column.sources.items() if one.name != column.name
        }
        if names:
            fields[column.name]["metadata"][_NAMES_KEY] = names


def renames_in(struct: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return for versions of the table, by fingerprint, the names of the columns that have others there, by these."""
    found: dict[str, dict[str, str]] = {}
    for field in struct["fields"]:
        for version, name in field["metadata"].get(_NAMES_KEY, {}).items():
            found.setdefault(version, {})[name] = field["name"]
    return found


def _refuse_other_files(paths: Sequence[str]) -> None:
    """Raise SourceError for the first file in these directories that holds something known, and no log."""
    for top in filter(os.path.isdir, paths):
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                with open_source(os.path.join(folder, name)) as source:
                    refuse_other_files(source)
                break  # one is enough: the others are like it


def told_as_option(error: BinlogError) -> BinlogError:
    """Return an error that names the data source's options where the command line's would help."""
    error.reason = in_options(error.reason)
    if isinstance(error, KeyNeededError):
        error.hint = f"set the option {'keyring' if 'keyring' in error.hint else 'keyFile'}"
    return error


def chosen(struct: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return the struct with these columns alone, in the struct's order."""
    if not columns:
        return struct
    wanted = {name.lower() for name in columns}
    fields = [field for field in struct["fields"] if field["name"].lower() in wanted]
    missing = wanted - {field["name"].lower() for field in fields}
    if missing:
        there = ", ".join(field["name"] for field in struct["fields"])
        raise LakeError(f"there is no column {', '.join(sorted(missing))}", hint=f"use one of {there}")
    return {**struct, "fields": fields}


def _file_of(text: str | None) -> str | None:
    """Return the path that an option names; None for None."""
    return None if text is None else local_path(text)


def _time_of(text: str | None, *, up: bool = False) -> int | None:
    """Read a time as the command line does; return seconds since 1970, None for None."""
    return None if text is None else read_time(text, None, up=up)


def _paths_of(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths given to `load`: one, or a list in JSON. Raises SourceError without any."""
    paths = [options["path"]] if options.get("path") else []
    if options.get("paths"):
        try:
            paths = read_json(options["paths"])
            check_form(paths, [str])
        except ValueError as error:
            raise SourceError(f"the option paths is not a list of names: {error}", hint='.load(["a", "b"])') from error
    if not paths:
        raise SourceError("no path specified", hint='.load("/logs/*.0*")')
    return tuple(map(local_path, paths))
