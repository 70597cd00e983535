"""One epoch of a run: convert the splits of some logs into files in staging, merge what is small, commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from binlogcli.errors import counted
from binlogcli.lake.errors import DamagedInputError, LakeError
from binlogcli.lake.history import History, LogHistory, LogKey, SchemaPlace
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.overtaken import with_overtaken
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.runner import Runner, Watcher
from binlogcli.lake.model import BEHIND_ALL, XA_KEY, LogGap, Split
from binlogcli.lake.plan.gap_retry import checksum_of_schemas
from binlogcli.lake.plan.log_plan import LogPlan, defined_by, known_to, read_head
from binlogcli.lake.sequence import created_of
from binlogcli.lake.store.epochs import FULL_EVERY, Store, epoch_name
from binlogcli.lake.store.paths import date_folder
from binlogcli.lake.store.record import FORMAT
from binlogcli.lake.store.state import LakeState, TakenGap, TakenLog, checksum, plain_name
from binlogcli.lake.store.table_choice import TablePatterns, common, joined, patterns_of
from binlogcli.lake.table_marks import RENAME, TableMark, TableName
from binlogcli.lake.tables.types import TableSchema, VersionOrigin

if TYPE_CHECKING:
    from binlogcli.lake.job.results import EpochResults
    from binlogcli.lake.job.tasks import Key
    from binlogcli.lake.tables.trimming import TrimmedFile

_NOTHING = "nothing of this epoch was published"


class EpochRun:
    """Some logs of a run, published together. `state` and `report` are brought up to date when the epoch is."""

    def __init__(
        self, options: JobOptions, store: Store, state: LakeState, plans: Sequence[LogPlan], report: JobReport
    ) -> None:
        self.options = options
        self.store = store
        self.state = state
        self.plans = plans
        self.report = report
        self.stage = Path()
        self.replaced: list[TrimmedFile] = []  # published files that lose rows
        self.forgets = False  # whether the state lacks what earlier records have: the record has all of it then

    def run(self, runner: Runner, watcher: Watcher) -> None:
        """Convert and commit; where that fails or is interrupted, nothing of the epoch is left.

        Logs that change meanwhile are left for the next run. Small logs share files, so the others are converted again.
        """
        while self.plans:
            self.stage = self.store.stage()
            splits = [split for plan in self.plans for split in plan.splits]
            try:
                history = defined_by(self.plans, self.state.history)
                results = self._converted(splits, history, runner, watcher)
            except BaseException:
                self.store.discard(self.stage)
                raise
            if not results.changed:
                self._commit(results, history)
                self._count(splits, results)
                return
            self.store.discard(self.stage)
            self.plans = [plan for plan in self.plans if plan.path not in results.changed]
            self.report.changed += results.changed.values()

    def _converted(self, splits: Sequence[Split], history: History, runner: Runner, watcher: Watcher) -> EpochResults:
        """Run the tasks, those that merge only where no log has changed.

        Raises DamagedInputError for gaps and for changed logs, where the options say so.
        """
        from binlogcli.lake.job.results import LOT, EpochResults  # imports pyarrow

        results = EpochResults(str(self.stage), runner, by_date=self.options.lake.by_date)
        with watcher.begin(sum(plan.size for plan in self.plans), self.stage):
            lot = min(self.options.split_size or LOT, LOT)
            known = self._known(history)
            results.convert(splits, self.options.lake, known, lot=lot, progress=watcher.shows)
        if results.changed:
            if self.options.stop_on_damage:
                first = next(iter(results.changed.values()))
                raise DamagedInputError(first.reason, file=first.file, hint=_NOTHING)
            return results
        if results.gaps and self.options.stop_on_damage:
            _refuse(results.gaps)
        results.merge()
        return results

    def _known(self, history: History) -> LogHistory:
        """Return what the tasks need to know of definitions. Raises LakeError if --schema-at names no place."""
        schema_at = self.options.lake.schema_at
        if schema_at is None:
            return known_to(self.plans, defined_by((plan for plan in self.report.plans if not plan.splits), history))
        path, position = schema_at
        place = SchemaPlace() if schema_at == BEHIND_ALL else SchemaPlace(self._key_of(path), position)
        return known_to(self.plans, defined_by(self.report.plans, history), place)

    def _key_of(self, path: str) -> LogKey:
        """Return what identifies a log of the run in the history."""
        name, head = plain_name(path), read_head(path)
        taken = [plan.taken for plan in (*self.plans, *self.report.plans) if plan.taken is not None]
        for one in (*taken, *self.state.taken.get(name, ())):
            if one.name == name and checksum(head, one.head_size) == one.head_sha256:
                return one.name, one.head_sha256
        raise LakeError(
            "--schema-at specifies a position in it, but it is not converted",
            file=path,
            hint="specify another position",
        )

    def _commit(self, results: EpochResults, history: History) -> None:
        """Publish the epoch's files and its commit record."""
        state = self.state
        epoch = state.epoch
        with_rows = {key for key, _ in results.files()}
        there = set(state.tables)
        new_versions = self._new_versions([one for one in results.schemas if one.key in with_rows])
        new_names = self._write_marks(results, state.tables.keys() - there)
        files = results.files()
        tables = [*new_versions, *new_names]
        sources = [self._entry(plan.taken, plan, results.gaps) for plan in self.plans if plan.taken is not None]
        sources = with_overtaken(sources, self.plans, self.options.lake, history, state)
        for taken in sources:
            state.take(taken)
        state.epoch = epoch + 1
        state.options = self.options.fingerprint()
        state.history, before = history, state.history
        record: dict[str, Any] = {
            "format": FORMAT,
            "epoch": epoch,
            "options": state.options,
            "staging": self.stage.name,
            "sources": [asdict(taken) for taken in sources],
            "tables": tables,
            "history": history.as_record(before),
            "files": [
                {"staged": made.staged, "path": path, "rows": made.rows, "bytes": made.size}
                for path, made in (
                    *((one.path, one.made) for one in self.replaced),
                    *((self._path(key, made.date, epoch, at), made) for at, (key, made) in enumerate(files)),
                )
            ],
            "gaps": [asdict(gap) for gap in results.gaps],
            "marks": [mark.as_record() for mark in results.marks],
        }
        if epoch % FULL_EVERY == 0 or self.forgets:
            record["state"] = state.as_record()
        self.store.commit(record, state)
        self.report.published += [entry["path"] for entry in record["files"]]

    def _write_marks(self, results: EpochResults, new: Iterable[TableName]) -> list[dict[str, Any]]:
        """Write the rows of TRUNCATE, DROP and RENAME into their tables; return those with another past by a RENAME.

        `new` are the tables that this epoch has added. What is returned is as the commit record has it.
        """
        state = self.state
        found: dict[TableName, list[TableMark]] = {}
        renamed: dict[TableName, int] = {}  # how many of their versions are known
        for mark, name in state.marks.settle(results.marks, state.tables, new):
            if name not in state.tables:
                last = state.tables[mark.old_name(state.tables)].versions[-1]
                origin = VersionOrigin(plain_name(mark.file), mark.position, created=created_of(mark.seq))
                table = state.table(version := replace(last, database=name[0], table=name[1], origin=origin))
                table.add(version)
                renamed[name] = 0
            elif mark.op == RENAME:
                renamed.setdefault(name, len(state.tables[name].versions))
            found.setdefault(name, []).append(mark)
        for name, marks in sorted(found.items()):
            results.write_marks(state.tables[name].versions[-1], marks)
        return [state.tables[name].as_record(known) for name, known in renamed.items()]

    def _entry(self, taken: TakenLog, plan: LogPlan, gaps: Sequence[LogGap]) -> TakenLog:
        """Return the entry of a log with its tables and its gaps: found now, or known outside of what was converted."""
        before = self.state.current(taken)
        known = () if before is None else before.gaps
        all_of, some_of = self._tables_of(plan, before)
        schema = checksum_of_schemas(self.options.lake) if gaps else ""
        found = [
            TakenGap(gap.start, gap.end, gap.reason, gap.hint, gap.within, schema)
            for gap in gaps
            if gap.file == plan.path
        ]
        left = (gap for gap in known if not plan.start <= gap.place < plan.end)
        there = (*left, *(gap for gap in found if gap.place < taken.end))
        return replace(taken, gaps=there, tables=all_of, some_tables=some_of)

    def _tables_of(self, _plan: LogPlan, before: TakenLog | None) -> tuple[TablePatterns, TablePatterns]:
        """Return the tables whose rows are there once the epoch is: of all of a log, and of some part of it."""
        wanted = patterns_of(self.options.lake.choice.tables)
        if before is None:
            return wanted, wanted
        return common(before.tables, wanted), joined(before.some_tables, wanted)

    def _new_versions(self, schemas: Sequence[TableSchema]) -> list[dict[str, Any]]:
        """Number the versions of tables that are new; return them as the commit record has them."""
        known: dict[tuple[str, str], int] = {}
        for schema in schemas:
            table = self.state.table(schema)
            known.setdefault((schema.database, schema.table), len(table.versions))
            if table.number(schema.fingerprint) < 0:
                table.add(schema)
        return [
            self.state.tables[key].as_record(since)
            for key, since in known.items()
            if since < len(self.state.tables[key].versions)
        ]

    def _path(self, key: Key, date: str, epoch: int, number: int) -> str:
        """Return the final path of a file, below the output."""
        name = f"{epoch_name(epoch)}-{number:05}.parquet"
        if key is None:
            return f"events/{date_folder(date)}{name}"
        if key == XA_KEY:
            return f"xa/{name}"
        table = self.state.tables[key[:2]]
        version = table.number(key[2])
        columns = [column.name for column in table.versions[version].columns]
        return f"tables/{table.folder(version)}/{date_folder(date, columns)}{name}"

    def _count(self, splits: Sequence[Split], results: EpochResults) -> None:
        """Add the epoch to the report."""
        report = self.report
        files = results.files()
        report.epochs += 1
        report.files += len(files)
        report.gaps += results.gaps
        report.unsure |= results.unsure
        for remark in results.remarks:
            report.remarks.setdefault(remark.cause, remark.text)
        report.input_size += sum(split.size for split in splits)
        for key, made in files:
            report.output_size += made.size
            if key is None:
                report.events += made.rows
            elif key != XA_KEY:
                report.rows += made.rows
                report.tables.add(key[:2])


def _refuse(gaps: Sequence[LogGap]) -> NoReturn:
    """Raise DamagedInputError for the first gap."""
    first = min(gaps, key=lambda gap: (gap.file, gap.start))
    more = f" (and {counted(len(gaps) - 1, 'more place')})" if len(gaps) > 1 else ""
    raise DamagedInputError(f"{first.reason}{more}", file=first.file, offset=first.start, hint=_NOTHING)
