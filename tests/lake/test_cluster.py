"""A cluster of Spark's own that cannot do the job: what is wrong is said in time, with the host and the cause."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from binlogcli.binary import cursor
from binlogcli.lake.errors import JobError
from binlogcli.lake.history import NO_HISTORY
from binlogcli.lake.job.tasks import MapTask, convert
from binlogcli.lake.log_stamp import stamp_of
from binlogcli.lake.model import LakeOptions, Split
from binlogcli.lake.plan.log_plan import known_to
from binlogcli.lake.spark.cluster import check_master
from binlogcli.lake.spark.context import _failure
from support.program import missing, run
from support.shop_logs import ShopLog

FAILED = 3
compiled = pytest.mark.skipif(str(cursor.__file__).endswith(".py"), reason="runs once, on the compiled form")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "shop-bin.000001"
    ShopLog().trade(3).stop().write(path)
    return path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_master_that_is_not_there_is_named(log: Path, tmp_path: Path) -> None:
    master = f"spark://127.0.0.1:{free_port()}"
    begun = time.monotonic()
    done = run("to-parquet", "-o", tmp_path / "lake", "--master", master, log)
    assert time.monotonic() - begun < 30
    assert done.returncode == FAILED
    place = master.removeprefix("spark://")
    assert done.stderr.decode() == (
        f"binlogcli: {master}: no Spark master answers ({place}: connection refused); "
        "check --master, and that the master is running\n"
    )


def test_masters_that_have_no_address_are_left_to_spark() -> None:
    for master in ("local[2]", "yarn", "", "local-cluster[2,1,1024]", "spark://nonsense"):
        check_master(master)
    with socket.create_server(("127.0.0.1", 0)) as server:
        check_master(f"spark://127.0.0.1:{free_port()},127.0.0.1:{server.getsockname()[1]}")
        check_master(f"k8s://http://127.0.0.1:{server.getsockname()[1]}")
    with pytest.raises(JobError, match="no Spark master answers"):
        check_master(f"k8s://https://127.0.0.1:{free_port()}")


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """A master of Spark without workers."""
    import pyspark

    if shutil.which("java") is None:
        missing("Java is not installed")
    port = free_port()
    command = ["java", "-cp", f"{Path(pyspark.__file__).parent}/jars/*", "-XX:TieredStopAtLevel=1"]
    opened = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.lang", "java.nio", "sun.nio.ch")]
    words = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    with (tmp_path / "master.log").open("wb") as output:
        process = subprocess.Popen(
            [*command, *opened, "org.apache.spark.deploy.master.Master", *words], stdout=output, stderr=output
        )
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"spark://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@compiled
def test_a_cluster_without_workers_is_named(master: str, log: Path, tmp_path: Path) -> None:
    begun = time.monotonic()
    waits = "spark.scheduler.maxRegisteredResourcesWaitingTime=3s"
    done = run("to-parquet", "-o", tmp_path / "lake", "--master", master, "--conf", waits, log)
    assert time.monotonic() - begun < 30
    assert done.returncode == FAILED
    assert done.stderr.decode().startswith(
        f"binlogcli: {master}: no worker accepted the job within 3s: none is running, or none has 1 processors and "
        f"1g free; "
    )


LOST = """org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 0.0 failed 4 times, \
most recent failure: Lost task 1.3 in stage 0.0 (TID 7) (10.0.0.2 executor 3): {}
Driver stacktrace:
	at org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala:3000)"""


def test_a_task_that_fails_is_told_with_its_host_and_log() -> None:
    splits = [Split(f"/logs/bin.00000{number}", 4, 900 + number, name=f"bin.00000{number}") for number in range(3)]
    items = [MapTask(at, tuple(splits[at:]), LakeOptions(), "/lake") for at in range(2)]
    gone = "ExecutorLostFailure (executor 3 exited) Reason: Command exited with code 137"
    python = (
        "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
        '  File "x.py", line 1, in run\n'
        "binlogcli.lake.errors.JobError: /lake/x: on worker2: no such file or directory\n"
    )
    at = "a task of Spark failed on 10.0.0.2, with bin.000001 from 4 to 901 and 1 more part: "
    assert _failure(LOST.format(gone), items) == at + gone
    assert _failure(LOST.format(python), items) == at + "/lake/x: on worker2: no such file or directory"
    assert _failure("java.lang.IllegalStateException: gone", items) == (
        "a task of Spark failed: java.lang.IllegalStateException: gone"
    )


def test_a_log_that_an_executor_cannot_see_is_told_with_its_host(log: Path, tmp_path: Path) -> None:
    here = os.uname().nodename
    stamp = replace(stamp_of(str(log)), host="driver")
    split = Split(str(tmp_path / "elsewhere"), 0, 900, name="bin.000001", stamp=stamp)
    task = MapTask(0, (split,), LakeOptions(), str(tmp_path), host="driver")
    (error,) = convert(task, known_to((), NO_HISTORY))
    assert isinstance(error, JobError)
    assert error.line() == (
        f"bin.000001: on {here}: cannot be read: no such file; "
        "all hosts of the cluster must see the logs and --output under the same paths"
    )


def test_an_output_that_an_executor_cannot_see_is_told_with_its_host(log: Path, tmp_path: Path) -> None:
    task = MapTask(0, (Split(str(log)),), LakeOptions(), str(tmp_path / "nowhere"), alone=True, host="driver")
    with pytest.raises(JobError) as caught:
        convert(task, known_to((), NO_HISTORY))
    place, _, reason = str(caught.value).rpartition(": on ")
    assert place.startswith(str(tmp_path / "nowhere"))
    assert reason == f"{os.uname().nodename}: no such file or directory"
