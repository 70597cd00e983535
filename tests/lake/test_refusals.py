"""What the data source, the store and Spark's side of `to-parquet` refuse, each in words that say what to do now."""

from __future__ import annotations

import os
import pickle
import re
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.types import StructType

from binlogcli.errors import BinlogError
from binlogcli.lake.decode.arrow_batches import arrow_schema
from binlogcli.lake.errors import JobError, LakeError, LockedError
from binlogcli.lake.spark.context import SparkOptions, SparkRunner, spark_runner
from binlogcli.lake.spark.jvm import start_jvm
from binlogcli.lake.spark.options import refuse_stream_options
from binlogcli.lake.spark.source import DefaultSource
from binlogcli.lake.spark.table_view import TableView
from binlogcli.lake.store.epochs import Store
from binlogcli.lake.store.state import LakeState
from support.golden import GOLDEN
from support.lake_runs import columns_of
from support.program import run
from support.shop_logs import ShopLog

ENCRYPTED = GOLDEN / "mariadb-10.11" / "enc-cbc-256-filekey"
EMPTY = {"epoch": 1, "sources": [], "tables": [], "staging": "of-nobody", "files": []}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "shop-bin.000001"
    ShopLog().trade(1).stop().write(path)
    return path


def refused(options: dict[str, str]) -> str:
    with pytest.raises(BinlogError) as caught:
        columns_of(options)
    return caught.value.line()


def test_tables_paths_and_columns_that_are_not_there(log: Path) -> None:
    assert refused({"table": "shop.t0"}) == 'no path specified; .load("/logs/*.0*")'
    nothing = str(log.parent / "*.nothing")
    assert refused({"path": nothing, "table": "t"}) == (
        f"{nothing}: no logs found; specify files, a pattern or a directory"
    )
    assert refused({"path": str(log), "table": "shop.none"}) == (
        "no rows found for table shop.none; write it as DATABASE.TABLE, spelled as in the log"
    )
    line = refused({"path": str(log), "columns": "type,colour"})
    assert line.startswith("there is no column colour; use one of ")
    assert "type, " in line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tabel": "t"}, "unknown option tabel; use one of lake, table, columns, since, "),
        ({"key_file": "k", "colour": "1", "Tabel": "t"}, "unknown option Tabel, colour; use one of "),
        ({"onDamage": "ignore"}, "the option onDamage cannot be 'ignore'; it can be skip, stop"),
        ({"zeroDates": "0"}, "the option zeroDates cannot be '0'; it can be null, raw, error"),
        ({"maxBytesPerTrigger": "1g"}, "the option maxBytesPerTrigger is not a number of bytes: '1g'"),
        ({"path": "s3a://bucket/log.000001"}, "s3a://bucket/log.000001: s3a:// is not supported"),
        ({"paths": '["/x", "hdfs://n/y"]'}, "hdfs://n/y: hdfs:// is not supported"),
        ({"schema": "/a.sql,gs://b/c"}, "gs://b/c: gs:// is not supported"),
        ({"keyFile": "file://other/k"}, "file://other/k: a file on the host other"),
    ],
)
def test_options_of_the_data_source_that_cannot_be_used(options: dict[str, str], words: str, log: Path) -> None:
    assert refused({"path": str(log), **options}).startswith(words)


def test_a_directory_of_other_files_names_one(tmp_path: Path) -> None:
    folder = tmp_path / "lake" / "tables"
    folder.mkdir(parents=True)
    options = {"path": str(tmp_path), "table": "shop.orders"}
    assert "no logs found" in refused(options)
    (folder / "0-0.parquet").write_bytes(b"PAR1" + bytes(100))
    assert refused(options).startswith(f"{folder}/0-0.parquet: a Parquet file, ")
    (tmp_path / "aria_log.00000001").write_bytes(b"\xfe\xfe\x0c\x01" + bytes(100))
    assert refused(options).startswith(f"{tmp_path}/aria_log.00000001: ")


def test_errors_name_their_file_also_as_exceptions(log: Path) -> None:
    content = log.read_bytes()
    log.write_bytes(content[:-30] + b"!" + content[-29:])
    view = TableView.from_options({"path": str(log), "onDamage": "stop"})
    (plan,) = view.planned().plans
    with pytest.raises(BinlogError) as caught:
        list(view.batches(plan.splits[0], None, arrow_schema(None)))
    assert re.match(rf"{log}: at \d+: ", str(pickle.loads(pickle.dumps(caught.value))))


def test_an_option_of_streams_alone() -> None:
    with pytest.raises(LakeError, match="the option maxBytesPerTrigger is only for streams"):
        refuse_stream_options({"maxbytespertrigger": "100"})


def test_a_stream_is_of_logs() -> None:
    source = DefaultSource({"lake": "lake", "table": "shop.orders"})
    with pytest.raises(LakeError, match="a table of a lake cannot be read as a stream"):
        source.streamReader(StructType())


def test_a_local_url_is_a_path(log: Path) -> None:
    assert TableView.from_options({"path": f"file://{log}"}).logs() == [str(log)]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["--conf", "executor.memory=1g"], "--conf executor.memory: Spark's settings begin with spark."),
        (
            ["--conf", "spark.master=local", "--master", "local"],
            "--conf spark.master has no effect together with --master",
        ),
    ],
)
def test_settings_of_spark_that_are_refused(settings: list[str], words: str, log: Path, tmp_path: Path) -> None:
    done = run("to-parquet", "-o", tmp_path / "lake", *settings, log)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"binlogcli: {words}")


def test_settings_of_spark_without_effect_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = (("spark.executor.memory", "2g"), ("spark.driver.memory", "2g"), ("spark.local.dir", "/x"))
    memory = "--conf spark.executor.memory has no effect with --master"
    told = memory + " {}, which has no executors; spark.driver.memory has"
    assert list(SparkOptions(None, settings).remarks()) == [told.format("local[*,3]")]
    assert list(SparkOptions("local", settings).remarks()) == [told.format("local")]
    assert list(SparkOptions("spark://host:7077", settings).remarks()) == []
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    late = "--conf spark.driver.memory has no effect: Java runs already; pass it to spark-submit"
    assert list(SparkOptions(None, settings).remarks()) == [late]


def test_a_file_that_was_published_and_is_gone(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "lake"))
    store.lock()
    stage = store.stage()
    record = {**EMPTY, "staging": stage.name, "files": [{"staged": "x", "path": "events/1.parquet"}]}
    with pytest.raises(LakeError) as caught:
        store.publish(record, LakeState())
    gone = tmp_path / "lake" / "events" / "1.parquet"
    assert caught.value.line() == f"{gone}: was committed, but no longer exists; use another --output"


def test_an_epoch_that_another_run_has_made(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "lake"))
    store.lock()
    for number in (1, 2):
        stage = store.stage()
        record = {**EMPTY, "staging": stage.name}
        if number == 1:
            store.commit(record, LakeState())
            continue
        with pytest.raises(LockedError) as caught:
            store.commit(record, LakeState())
        assert caught.value.reason.startswith("another run made epoch 0")


def test_a_task_that_fails_says_what_python_said() -> None:
    from py4j.protocol import Py4JJavaError

    class Explained:
        _target_id = "o1"
        _gateway_client = SimpleNamespace(converters=None, is_connected=True)

        def __str__(self) -> str:
            return (
                "org.apache.spark.SparkException: Job aborted\nTraceback (most recent call last):\n  x\nOSError: no\n"
            )

    def parallelize(items: list[int], slices: int) -> None:
        raise Py4JJavaError("", Explained())

    context: Any = SimpleNamespace(defaultParallelism=1, parallelize=parallelize)
    with pytest.raises(JobError) as caught:
        SparkRunner(context).run(str, [1])
    assert caught.value.line() == (
        "a task of Spark failed: OSError: no; run it again; see --spark-log FILE for details; nothing of this epoch "
        "was published"
    )


@pytest.fixture
def lame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java that ends as soon as it begins."""
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text('JAVA_VERSION="17.0.1"\n')
    java = home / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    return home


def test_a_java_that_does_not_start(lame: Path, log: Path, tmp_path: Path) -> None:
    import pyspark

    with pytest.raises(LakeError, match="Spark's Java process did not start"):
        start_jvm(Path(pyspark.__file__).parent, log=None, settings={}, keep=(), make_archive=False)
    done = run("to-parquet", "-o", tmp_path / "lake", log, environment={"JAVA_HOME": str(lame)})
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("binlogcli: Spark did not start: ")
    assert line.endswith("; see --spark-log FILE for the cause; check --master and --conf")


def test_a_java_that_ends_while_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # nobody listens there afterwards
        port = server.getsockname()[1]
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", str(port))
    monkeypatch.setenv("PYSPARK_GATEWAY_SECRET", "secret")
    with pytest.raises(JobError, match="Spark's Java process has died"), spark_runner(SparkOptions(), ()):
        pass


def test_what_fails_after_an_interrupt_is_the_interrupt() -> None:
    def parallelize(items: list[int], slices: int) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise OSError("the connection is gone")  # what PySpark does to clear up fails in its turn

    context: Any = SimpleNamespace(defaultParallelism=1, parallelize=parallelize)
    with pytest.raises(KeyboardInterrupt):
        SparkRunner(context).run(str, [1])


def test_tables_of_encrypted_logs_are_for_their_owner_alone(tmp_path: Path) -> None:
    for private, mode in ((True, 0o700), (False, 0o777 & ~umask())):
        lake = tmp_path / "new" / str(private)
        Store(str(lake), private=private).lock()
        assert lake.stat().st_mode & 0o777 == mode
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o777 & ~umask()


def umask() -> int:
    """Return the umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_a_directory_that_is_open_to_others_is_told_where_keys_are_given(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    Store(str(lake)).lock()
    lake.chmod(0o755)
    keys = tmp_path / "keys.txt"
    keys.write_bytes((ENCRYPTED / "keys.txt").read_bytes())
    keys.chmod(0o600)
    said = [
        run("to-parquet", "--output", lake, *options, tmp_path / "none").stderr.decode()
        for options in ((), ("--key-file", keys))
    ]
    told = f"binlogcli: {lake}: contains secrets and is accessible to others (mode 0755); run chmod 700\n"
    assert [told in line for line in said] == [False, True]
