"""Names, signs, labels and character sets that statements of the logs tell: the lake has them as from full metadata."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import binlogcli
from binlogcli.errors import BinlogError
from binlogcli.events.event import Event
from binlogcli.events.tables import TableMap
from binlogcli.lake.decode import collector, split_catalog
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import Batch, LakeOptions, Split
from binlogcli.lake.plan.log_plan import LogTask, defined_by, known_to, plan_log
from support.bodies import query
from support.golden import GOLDEN
from support.hidden_metadata import without_metadata
from support.lake_runs import columns_of, job, table_rows
from support.logs import IN_USE
from support.program import HOME
from support.undescribed_logs import CREATE, LARGE, UndescribedLogs

SCRIPT = Path(__file__).with_name("killed_run.py")
COMPILED = not str(collector.__file__).endswith(".py")
QUERY_COMPRESSED = 165
PLACES = {"_pos", "_seq", "_file", "_row"}  # where events stand is another place without metadata


class Quiet:
    """A watcher that shows nothing."""

    shows = False

    @contextmanager
    def begin(self, size: int, stage: Path) -> Iterator[None]:
        yield


class Here:
    """A runner in this process."""

    parallelism = 2

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return [function(item) for item in items]


def run(output: Path, *logs: Path, final: bool = True, **settings: Any) -> JobReport:
    @contextmanager
    def here(_lock: int) -> Iterator[Here]:
        yield Here()

    lake = LakeOptions(schemas=settings.pop("schemas", ()))
    return Job(JobOptions(str(output), lake, final=final, **settings), here).run([str(log) for log in logs], Quiet())


def content(output: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows by table, in the logs' order, each with its column's names and types; without places in the log."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for path in output.glob("tables/**/*.parquet"):
        table = pq.read_table(path, partitioning=None)
        names = [name for name in table.column_names if name not in PLACES]
        kinds = tuple((name, str(table.schema.field(name).type)) for name in names)
        order = table.column("_seq").to_pylist()
        rows = table.select(names).to_pylist()
        name = "/".join(path.relative_to(output / "tables").parts[:2])
        found.setdefault(name, []).extend(zip(order, [kinds] * len(rows), rows, strict=True))
    return {name: [one[1:] for one in sorted(rows, key=lambda one: one[0])] for name, rows in found.items()}


def versions(output: Path) -> dict[str, Any]:
    """The versions of all tables in schema.json, without places in the log."""
    return {
        str(path.relative_to(output)): [
            {name: value for name, value in one.items() if name != "pos"}
            for one in json.loads(path.read_text())["versions"]
        ]
        for path in output.glob("_binlog/tables/*/*/schema.json")
    }


# logs of servers, with their metadata and without it ------------------------------------------------------------------


def described(path: Path) -> bool:
    with path.open("rb") as file:
        if file.read(4) != b"\xfebin":
            return False
    with binlogcli.open(str(path)) as log:
        found = list(log)
    sound = all(isinstance(one, Event) and getattr(one, "damage", None) is None for one in found)
    return sound and any(isinstance(one, TableMap) and one.definition.named for one in found)


LOGS = [path for path in sorted(GOLDEN.glob("m*/*/*.[0-9]*")) if described(path)]
LOGS = LOGS if COMPILED else [path for path in LOGS if path.stat().st_size < 1 << 13]


def hidden(path: Path, folder: Path) -> Path:
    """Write the log without metadata of its tables."""
    folder.mkdir()
    checksums = any(one.crc32 is not None for one in list(binlogcli.open(str(path)))[1:] if isinstance(one, Event))
    target = folder / path.name
    target.write_bytes(without_metadata(path.read_bytes(), checksums=checksums))
    return target


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_a_log_without_metadata_gives_what_it_gives_with_it(path: Path, tmp_path: Path) -> None:
    log = hidden(path, tmp_path / "logs")
    run(tmp_path / "full", path)
    full, told = content(tmp_path / "full"), versions(tmp_path / "full")
    assert full
    report = run(tmp_path / "hidden", log)
    assert content(tmp_path / "hidden") == full
    assert versions(tmp_path / "hidden") == told
    assert not report.remarks
    assert not report.unsure
    report = run(tmp_path / "pieces", log, split_size=100)
    assert content(tmp_path / "pieces") == full
    assert versions(tmp_path / "pieces") == told
    assert not report.remarks


@pytest.mark.parametrize("path", LOGS[:3], ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_a_run_knows_what_earlier_runs_have_read_of_a_growing_log(path: Path, tmp_path: Path) -> None:
    log = hidden(path, tmp_path / "logs")
    whole = log.read_bytes()
    run(tmp_path / "full", path)
    for end in (len(whole) // 3, len(whole) // 2, len(whole) * 3 // 4, len(whole)):
        log.write_bytes(whole[:end])
        try:
            run(tmp_path / "grown", log, final=False)
        except BinlogError as error:
            pytest.fail(str(error))
    assert content(tmp_path / "grown") == content(tmp_path / "full")


# logs made here -------------------------------------------------------------------------------------------------------


@pytest.fixture
def history(tmp_path: Path) -> UndescribedLogs:
    return UndescribedLogs(tmp_path).begin()


def rows(output: Path) -> list[dict[str, int]]:
    """The table's own columns, in the logs' order."""
    found = content(output)["shop/t"]
    return [{name: value for name, value in row.items() if not name.startswith("_")} for _, row in found]


def test_each_version_of_a_table_has_its_names_from_its_statement_on(history: UndescribedLogs, tmp_path: Path) -> None:
    history.row().statement(CREATE).row().statement("ALTER TABLE t RENAME COLUMN count TO number").row()
    history.statement("ALTER TABLE t ADD extra INT UNSIGNED FIRST").row(width=3)
    expected = [
        {"c1": LARGE - (1 << 32), "c2": 1},
        {"id": LARGE, "count": 2},
        {"id": LARGE, "number": 3},
        {"extra": LARGE, "id": 4, "number": 4},
    ]
    for number, size in enumerate((1 << 30, 300, 1)):
        output = tmp_path / f"lake-{number}"
        report = run(output, history.write(), split_size=size)
        assert rows(output) == expected
        assert [bool(report.unsure), report.remarks] == [True, {}]
        (found,) = versions(output).values()
        assert [version["columns"][0]["name"] for version in found] == ["c1", "id", "id", "extra"]


def test_a_statement_between_two_epochs_is_known_in_the_second(history: UndescribedLogs, tmp_path: Path) -> None:
    logs = [history.statement(CREATE).row().write()]
    logs.append(history.begin().row().statement("ALTER TABLE t RENAME COLUMN count TO number").write())
    logs.append(history.begin().row().write())
    expected = [{"id": LARGE, "count": 1}, {"id": LARGE, "count": 2}, {"id": LARGE, "number": 3}]
    run(tmp_path / "epochs", *logs, epoch_size=1)
    assert rows(tmp_path / "epochs") == expected
    for log in logs:
        run(tmp_path / "runs", log)
    assert rows(tmp_path / "runs") == expected
    run(tmp_path / "late", *logs[1:])
    run(tmp_path / "late", *logs)
    run(tmp_path / "late", *logs, history.begin().row().write())
    assert {"id": LARGE, "number": 4} in rows(tmp_path / "late")  # by all logs in their order, not in that of the runs


def test_the_full_record_has_the_history_of_all_epochs(history: UndescribedLogs, tmp_path: Path) -> None:
    logs = [history.statement(CREATE).row().write()]
    logs += [history.begin().row().write() for _ in range(40)]
    run(tmp_path / "lake", *logs[:-1], epoch_size=1)
    for path in sorted((tmp_path / "lake/_binlog/epochs").iterdir())[:30]:
        path.unlink()
    run(tmp_path / "lake", logs[-1])
    assert rows(tmp_path / "lake") == [{"id": LARGE, "count": number} for number in range(1, 42)]


def test_an_output_of_an_earlier_version_goes_on_without_earlier_statements(
    history: UndescribedLogs, tmp_path: Path
) -> None:
    logs = [history.statement(CREATE).row().write()]
    run(tmp_path / "lake", *logs)
    (record,) = (tmp_path / "lake/_binlog/epochs").iterdir()
    known = json.loads(record.read_text())
    del known["history"], known["state"]["history"]
    record.write_text(json.dumps(known))
    logs.append(history.begin().row().statement("ALTER TABLE t ADD extra INT").write())
    run(tmp_path / "lake", *logs)
    assert rows(tmp_path / "lake") == [{"id": LARGE, "count": 1}, {"c1": LARGE - (1 << 32), "c2": 2}]


def test_a_missing_log_is_told_once_and_what_fits_is_used(history: UndescribedLogs, tmp_path: Path) -> None:
    logs = [history.statement(CREATE).row().write()]
    history.begin()
    logs.append(history.begin().row().row().row(width=3).row().row(width=3).write())
    for size in (1 << 30, 1):
        output = tmp_path / f"lake-{size}"
        report = run(output, *logs, split_size=size)
        assert [set(row) for row in rows(output)] == [
            {"id", "count"},
            {"id", "count"},
            {"id", "count"},
            {"c1", "c2", "c3"},
            {"id", "count"},
            {"c1", "c2", "c3"},
        ]
        gap, misfit = report.remarks.values()
        assert gap == "bin.000003 does not follow bin.000001: column names from before are used where their types match"
        assert "the known definition of table shop.t does not match it" in misfit


def test_servers_in_folders_of_their_own_have_definitions_of_their_own(tmp_path: Path) -> None:
    logs = []
    for number, name in enumerate(("one", "other")):
        (tmp_path / name).mkdir()
        history = UndescribedLogs(tmp_path / name).begin()
        logs.append(history.statement(f"CREATE TABLE t (id INT, {name} INT)").row().write())
        history.rows += number  # logs of equal names and heads would be one
        logs.append(history.begin().row().write())
    report = run(tmp_path / "lake", logs[0], logs[2])
    assert sorted(list(row)[1] for row in rows(tmp_path / "lake")) == ["one", "other"]
    report = run(tmp_path / "lake", logs[3], logs[1])
    assert sorted(list(row)[1] for row in rows(tmp_path / "lake")) == ["one", "one", "other", "other"]
    assert not report.remarks


def test_a_schema_file_holds_before_the_first_log(history: UndescribedLogs, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text("USE shop;\n" + CREATE + ";\nCREATE TABLE u (;\n")
    history.row().statement("ALTER TABLE t RENAME COLUMN count TO number").row()
    for size in (1 << 30, 1):
        report = run(tmp_path / str(size), history.write(), schemas=(str(dump),), split_size=size)
        assert rows(tmp_path / str(size)) == [{"id": LARGE, "count": 1}, {"id": LARGE, "number": 2}]
        assert len(report.remarks) == 1


def test_the_data_source_knows_the_same(history: UndescribedLogs, tmp_path: Path) -> None:
    history.statement(CREATE).row().write()
    history.begin().statement("ALTER TABLE t ADD extra INT").row(width=3).write()
    struct = columns_of({"path": f"{tmp_path}/bin.*", "table": "shop.t"})
    assert [(one["name"], one["type"]) for one in struct["fields"][:3]] == [
        ("id", "long"),
        ("count", "integer"),
        ("extra", "integer"),
    ]


def test_the_data_source_warns_once_of_what_does_not_fit(history: UndescribedLogs, tmp_path: Path) -> None:
    history.statement(CREATE).row(width=3).row().row(width=3).write()
    with pytest.warns(UserWarning, match=r"the known definition of table shop\.t does not match it") as warned:
        columns_of({"path": f"{tmp_path}/bin.*", "table": "shop.t"})
    assert len(warned) == 1


def test_a_split_is_the_same_whatever_its_process_has_read_before(history: UndescribedLogs, tmp_path: Path) -> None:
    history.statement(CREATE).row().statement("RENAME TABLE t TO u").statement("CREATE TABLE t (a INT, b INT)").row()
    history.statement("CREATE TEMPORARY TABLE t (x INT, y INT)").row().statement("DROP TEMPORARY TABLE t")
    history.statement("RENAME TABLE t TO v, u TO t").row().statement("ALTER TABLE t DROP count, ADD last INT").row()
    log = history.write()
    plan = plan_log(LogTask(str(log), LakeOptions(), 1, final=True))
    known = known_to([plan], defined_by([plan]))

    def found(split: Split) -> list[list[str]]:
        batches = [one for one in decode_split(split, LakeOptions(), known) if isinstance(one, Batch)]
        return [one.schema.names for one in batches if one.schema is not None]

    alone = []
    for split in plan.splits:
        split_catalog._replay_of.cache_clear()
        alone.append(found(split))
    assert [names for one in alone for names in one] == [
        ["id", "count"],
        ["a", "b"],
        ["a", "b"],
        ["id", "count"],
        ["id", "last"],
    ]
    assert [found(split) for split in plan.splits] == alone
    assert [found(split) for split in reversed(plan.splits)] == alone[::-1]


def test_a_damaged_statement_defines_nothing(history: UndescribedLogs, tmp_path: Path) -> None:
    history.statement(CREATE)
    history.log.log[-6] ^= 1
    run(tmp_path / "lake", history.row().write(), split_size=1)
    assert rows(tmp_path / "lake") == [{"c1": LARGE - (1 << 32), "c2": 1}]


def test_behind_a_damaged_statement_its_table_is_unknown_in_later_logs_and_runs_until_it_is_repaired(
    history: UndescribedLogs, tmp_path: Path
) -> None:
    whole = history.statement(CREATE).row().statement("ALTER TABLE t RENAME COLUMN count TO number").row().write()
    sound = whole.read_bytes()
    later = history.begin().row().write()
    whole.write_bytes(sound.replace(b"number", b"NUMBER"))
    unknown = {"c1": LARGE - (1 << 32)}
    expected = [{"id": LARGE, "count": 1}, unknown | {"c2": 2}, unknown | {"c2": 3}]
    run(tmp_path / "together", whole, later)
    assert rows(tmp_path / "together") == expected
    output = tmp_path / "lake"
    for log in (whole, later):
        run(output, log)
    assert rows(output) == expected
    whole.write_bytes(sound)
    run(output, whole, retry_gaps=True)
    run(output, later, history.begin().row().write())
    named = [{"id": LARGE, "number": number} for number in (2, 3, 4)]
    assert rows(output) == [expected[0], *named]


def test_behind_a_lost_stretch_names_are_used_with_a_warning_until_it_is_repaired(
    history: UndescribedLogs, tmp_path: Path
) -> None:
    history.statement(CREATE).row()
    at = len(history.log.log)
    log = history.statement("ALTER TABLE t RENAME COLUMN count TO number").row().row().write()
    sound = log.read_bytes()
    log.write_bytes(sound[:at] + b"\xff" * 200 + sound[at + 200 :])
    later = history.begin().row().write()
    run(tmp_path / "lake", log)
    report = run(tmp_path / "lake", later)
    (remark,) = report.remarks
    assert remark == f"bin.000001 is damaged at {at}: column names from before are used where their types match"
    log.write_bytes(sound)
    run(tmp_path / "lake", log, retry_gaps=True)
    report = run(tmp_path / "lake", later, history.begin().row().write())
    assert not report.remarks
    assert rows(tmp_path / "lake")[-1] == {"id": LARGE, "number": 5}


def test_a_log_that_its_server_did_not_close_is_followed_by_the_next(history: UndescribedLogs, tmp_path: Path) -> None:
    log = history.statement(CREATE).row().write()
    content = bytearray(log.read_bytes())
    content[4 + 17] |= IN_USE  # which the checksum of the format description does not have
    log.write_bytes(content)
    run(tmp_path / "lake", log, history.begin().row().write())
    assert rows(tmp_path / "lake") == [{"id": LARGE, "count": 1}, {"id": LARGE, "count": 2}]


def test_a_compressed_statement_is_known_behind_it(history: UndescribedLogs, tmp_path: Path) -> None:
    text = b"\x81" + bytes([len(CREATE)]) + zlib.compress(CREATE.encode())
    history.log.gtid(5, 1, standalone=True)
    history.log.place(QUERY_COMPRESSED, 5, query(text=text))
    run(tmp_path / "lake", history.row().write(), split_size=1)
    assert rows(tmp_path / "lake") == [{"id": LARGE, "count": 1}]


def test_a_killed_run_leaves_definitions_with_its_rows_or_not_at_all(history: UndescribedLogs, tmp_path: Path) -> None:
    logs = [history.statement(CREATE).row().write()]
    logs.append(history.begin().row().statement("ALTER TABLE t RENAME COLUMN count TO number").row().write())
    logs.append(history.begin().row().write())
    whole = killed_run(0, tmp_path / "whole", *logs)
    assert whole.returncode == 0, whole.stderr
    expected = rows(tmp_path / "whole")
    assert [list(row) for row in expected] == [["id", "count"]] * 2 + [["id", "number"]] * 2
    for step in range(3, int(whole.stdout), 9):
        output = tmp_path / f"killed-{step}"
        assert killed_run(step, output, *logs).returncode == -signal.SIGKILL
        assert killed_run(0, output, *logs).returncode == 0
        assert rows(output) == expected


def killed_run(at: int, output: Path, *logs: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", str(SCRIPT), str(at), str(output), *map(str, logs)]
    environment = {**os.environ, "PYTHONPATH": str(HOME), "EPOCH_SIZE": "1", "SPLIT_SIZE": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def test_logs_before_the_one_that_defines_their_table_are_converted_again(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin().statement("CREATE TABLE t (id INT UNSIGNED, count INT)").row()
    logs.write()
    logs.begin().row().statement("ALTER TABLE t RENAME COLUMN count TO number").row().write()
    logs.begin().row().write()
    first, second, third = logs.paths
    job(tmp_path / "wanted", *logs.paths, final=True)
    wanted = rows_of(tmp_path / "wanted")
    job(tmp_path / "kept", third, final=True)
    assert set(rows_of(tmp_path / "kept")[0]) == {"c1", "c2"}
    job(tmp_path / "kept", second, final=True)
    assert not job(tmp_path / "kept", first, final=True).moved
    assert rows_of(tmp_path / "kept") == wanted
    job(tmp_path / "moved", third, second, final=True)
    third.rename(tmp_path / "elsewhere")
    for _ in range(2):
        report = job(tmp_path / "moved", first, final=True)
        assert [error.line() for error in report.moved] == [
            f"{third}: must be converted again, because an earlier log of its server with table definitions was added, "
            "but it is no longer there; pass it from its new place"
        ]
    assert rows_of(tmp_path / "moved")[:3] == wanted[:3]
    (tmp_path / "elsewhere").rename(third)
    for _ in range(2):
        assert not job(tmp_path / "moved", third, final=True).moved
        assert rows_of(tmp_path / "moved") == wanted
    assert job(tmp_path / "moved", *logs.paths, final=True).epochs == 0


def rows_of(output: Path) -> list[dict[str, Any]]:
    """The rows of all tables, without where they stand."""
    return [{name: row[name] for name in row if not name.startswith("_")} for row in table_rows(output)]
