"""A Spark context, started in our own way where that works and in Spark's where it does not; the runner on it."""

from __future__ import annotations

import importlib.util
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from binlogcli.errors import BinlogError
from binlogcli.lake.errors import JobError, LakeError
from binlogcli.lake.spark.jvm import NO_JAVA, Jvm, find_java, start_jvm

if TYPE_CHECKING:
    from pyspark import SparkContext

Item = TypeVar("Item")
Result = TypeVar("Result")
MASTER = "local[*,3]"  # a task that is killed is tried again
GATEWAY = "PYSPARK_GATEWAY_PORT"
TRACEBACK = "Traceback (most recent call last):"
QUIET = {
    "spark.ui.showConsoleProgress": "false",
    "spark.app.name": "binlogcli to-parquet",
    "spark.python.worker.faulthandler.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.shuffle.compress": "false",
}

KEPT_MEMORY = {  # workers need it again and again: to give it back and get it anew is some percent of their work
    "MALLOC_MMAP_THRESHOLD_": str(1 << 28),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 28),
    "MIMALLOC_PURGE_DELAY": "10000",  # milliseconds; Arrow's own
}


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """Where and how Spark runs."""

    master: str | None = None
    settings: tuple[tuple[str, str], ...] = ()
    ui: bool = False
    log: str | None = None


class SparkRunner:
    """Calls a function on each item in a task of its own."""

    def __init__(self, context: SparkContext) -> None:
        self.context = context
        self.parallelism = context.defaultParallelism

    def run(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """The results in the order of the items."""
        if not items:
            return []
        from py4j.protocol import Py4JError, Py4JJavaError  # comes with pyspark

        try:
            return self.context.parallelize(list(items), len(items)).map(function).collect()
        except Py4JJavaError as error:
            heed(error)
            raise JobError(f"a task of Spark failed: {reason_of(str(error.java_exception))}", hint=MORE) from error
        except (Py4JError, OSError, EOFError) as error:
            heed(error)
            raise JobError("Spark's Java process has gone", hint=MORE) from error


def heed(error: BaseException) -> None:
    """What goes wrong while PySpark clears up after an interrupt is the interrupt."""
    before = error.__context__
    while before is not None:
        if isinstance(before, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        before = before.__context__


MORE = "run it again; --spark-log FILE says more; nothing of this epoch is visible"


def reason_of(text: str) -> str:
    """The one line of a Java exception that says what happened; of a Python error in it, that error."""
    before, trace, after = text.partition(TRACEBACK)
    lines = [line for line in (after if trace else before).splitlines() if line.strip()]
    told = [line for line in lines if not line[0].isspace()]
    return (told or lines or ["it gave no reason"])[0].strip().removesuffix(".")


@contextmanager
def spark_runner(options: SparkOptions, keep: tuple[int, ...]) -> Iterator[SparkRunner]:
    """Spark for the length of a run; its Java process inherits the descriptors."""
    jvm = None
    settings = settings_of(options)
    submitted = GATEWAY in os.environ  # spark-submit started us, and has a Java process already
    try:
        if not submitted:
            jvm = start(settings, options.log, keep)
        before = signal.getsignal(signal.SIGINT)
        context = make_context(settings, options.log, keep, submitted=submitted)
        signal.signal(signal.SIGINT, before)  # Spark's handler would talk to Java in the middle of what is being said
        try:
            yield SparkRunner(context)
        finally:
            stop(context)
    finally:
        if not submitted:
            leave(jvm)


def settings_of(options: SparkOptions) -> dict[str, str]:
    """Spark's settings: ours, then the user's."""
    settings = {**QUIET, "spark.ui.enabled": str(options.ui).lower()}
    settings.update(options.settings)
    if options.master is not None or GATEWAY not in os.environ:
        settings["spark.master"] = options.master or settings.get("spark.master", MASTER)
    return settings


def start(settings: dict[str, str], log: str | None, keep: tuple[int, ...], *, archive: bool = False) -> Jvm | None:
    """Our own start of the JVM; None where Spark has to start in its way."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise LakeError("PySpark is not installed", hint="pip install 'pyspark==4.3.*'")
    prepare_workers()
    find_java()
    try:
        return start_jvm(Path(found.origin).parent, log=log, settings=settings, keep=keep, make_archive=archive)
    except (OSError, LakeError):
        return None


def prepare_workers() -> None:
    """Python workers are like this process: same Python, same package, nothing of the directory they start in."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONSAFEPATH"] = "1"
    for name, value in KEPT_MEMORY.items():
        os.environ.setdefault(name, value)
    home = str(Path(__file__).resolve().parents[3])
    places = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([home, *places]))


def make_context(settings: dict[str, str], log: str | None, keep: tuple[int, ...], *, submitted: bool) -> SparkContext:
    """The context on the JVM that listens, or on one that Spark starts."""
    logging.disable(logging.CRITICAL)  # py4j tells the root logger of interrupts, with tracebacks
    from py4j.protocol import Py4JError  # comes with pyspark
    from pyspark import SparkConf, SparkContext  # a run without anything new does without
    from pyspark.errors import PySparkException

    conf = SparkConf(loadDefaults=submitted)
    for name, value in settings.items():
        conf.set(name, value)
    try:
        if submitted:
            return SparkContext.getOrCreate(conf)
        if GATEWAY in os.environ:
            return SparkContext(conf=conf)
        from pyspark.java_gateway import launch_gateway

        with open(log or os.devnull, "ab") as output:
            words = {"stdout": output, "stderr": output, "pass_fds": keep}
            gateway = launch_gateway(conf, words)  # type: ignore[no-untyped-call]
            return SparkContext(conf=conf, gateway=gateway)
    except (Py4JError, PySparkException, OSError) as error:
        reason = f"Spark did not start: {reason_of(str(error))}"
        raise LakeError(reason, hint="--spark-log FILE says why; check --master and --conf") from error


def stop(context: SparkContext) -> None:
    """Whatever state it is in."""
    from py4j.protocol import Py4JError  # comes with pyspark

    try:
        context.stop()
    except (Py4JError, OSError, BinlogError):
        return


def prepare_java() -> None:
    """Make the archive of Spark's classes, which later starts use."""
    settings = settings_of(SparkOptions(master="local[1]"))
    jvm = start(settings, None, (), archive=True)
    if jvm is None:
        raise LakeError("Spark did not start", hint=NO_JAVA)
    try:
        context = make_context(settings, None, (), submitted=False)
        try:
            SparkRunner(context).run(str, [1])
        finally:
            stop(context)
    finally:
        leave(jvm)


def leave(jvm: Jvm | None) -> None:
    """End the JVM, and forget it."""
    for name in (GATEWAY, "PYSPARK_GATEWAY_SECRET"):
        os.environ.pop(name, None)
    if jvm is not None:
        jvm.stop()
