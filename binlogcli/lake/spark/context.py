"""A Spark context for a run: on a JVM of our own, else by PySpark's launcher, or that of spark-submit."""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from binlogcli.errors import BinlogError
from binlogcli.lake.errors import JobError, LakeError
from binlogcli.lake.spark.cluster import check_master, wait_for_executors
from binlogcli.lake.spark.java import NO_JAVA, find_java
from binlogcli.lake.spark.jvm import Jvm, start_jvm
from binlogcli.lake.spark.settings import without_effect

if TYPE_CHECKING:
    from pyspark import SparkContext

Item = TypeVar("Item")
Result = TypeVar("Result")
_MASTER = "local[*,3]"  # local[*] would not repeat a task whose worker was killed
_GATEWAY = "PYSPARK_GATEWAY_PORT"
_LOST = re.compile(
    r"Task (?P<task>\d+) in stage .*? \(TID \d+\) \((?P<host>\S+) executor \S+\): (?P<rest>.*)", re.DOTALL
)
_OWN_ERROR = re.compile(r"\Abinlogcli(?:\.\w+)+: ")  # the class of an error, before its message
_TRACEBACK = "Traceback (most recent call last):"
_QUIET = {
    "spark.ui.showConsoleProgress": "false",
    "spark.app.name": "binlogcli to-parquet",
    "spark.python.worker.faulthandler.enabled": "false",
    "spark.python.worker.reuse": "true",
    "spark.shuffle.compress": "false",
}

_KEPT_MEMORY = {  # freed memory is kept: workers need it again, and to get it anew is some percent of their work
    "MALLOC_MMAP_THRESHOLD_": str(1 << 28),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 28),
    "MIMALLOC_PURGE_DELAY": "10000",  # milliseconds; Arrow's own
}


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """Where and how Spark runs; `settings` are the user's."""

    master: str | None = None
    settings: tuple[tuple[str, str], ...] = ()
    ui: bool = False
    log: str | None = None

    def remarks(self) -> Iterator[str]:
        """Yield a line for each setting without effect."""
        submitted = _GATEWAY in os.environ
        master = self.master or dict(self.settings).get("spark.master") or ("" if submitted else _MASTER)
        return without_effect(self.settings, master, submitted=submitted)


class SparkRunner:
    """Runs each item in a task of its own (see `job.runner.Runner`)."""

    def __init__(self, context: SparkContext, master: str = "") -> None:
        from py4j.protocol import Py4JError, Py4JJavaError  # comes with pyspark

        self.context = context
        try:
            wait_for_executors(context, master)
            self.parallelism = context.defaultParallelism
        except (Py4JError, Py4JJavaError, OSError, EOFError) as error:
            _raise_interrupt_behind(error)
            raise JobError(_GONE, hint=_MORE) from error

    def run(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Return the results in the order of the items. Raises JobError if a task or Java fails."""
        if not items:
            return []
        from py4j.protocol import Py4JError, Py4JJavaError  # comes with pyspark

        try:
            return self.context.parallelize(list(items), len(items)).map(function).collect()
        except Py4JJavaError as error:
            _raise_interrupt_behind(error)
            raise JobError(_failure(str(error.java_exception), items), hint=_MORE) from error
        except (Py4JError, OSError, EOFError) as error:
            _raise_interrupt_behind(error)
            raise JobError(_GONE, hint=_MORE) from error


def _failure(text: str, items: Sequence[object]) -> str:
    """Return what a Java exception says of a task that failed: on which host, with which item, and why."""
    found = _LOST.search(text)
    if found is None:
        return f"a task of Spark failed: {_reason_of(text)}"
    number = int(found["task"])
    about = getattr(items[number], "about", "") if number < len(items) else ""
    return f"a task of Spark failed on {found['host']}{about and f', with {about}'}: {_reason_of(found['rest'])}"


def _raise_interrupt_behind(error: BaseException) -> None:
    """Re-raise a KeyboardInterrupt found in the error's context: PySpark's cleaning up after one may fail."""
    before = error.__context__
    while before is not None:
        if isinstance(before, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        before = before.__context__


_GONE = "Spark's Java process has died"
_MORE = "run it again; see --spark-log FILE for details; nothing of this epoch was published"


def _reason_of(text: str) -> str:
    """Return the line of a Java exception that has its reason; the Python error, where it reports one."""
    before, trace, after = text.partition(_TRACEBACK)
    lines = [line for line in (after if trace else before).splitlines() if line.strip()]
    own = [line for line in lines if not line[0].isspace()]
    return _OWN_ERROR.sub("", (own or lines or ["no reason given"])[0].strip().removesuffix("."))


@contextmanager
def spark_runner(options: SparkOptions, keep: tuple[int, ...]) -> Iterator[SparkRunner]:
    """Start Spark for a run, and end it; its Java process inherits the descriptors `keep`."""
    jvm = None
    settings = _settings_of(options)
    submitted = _GATEWAY in os.environ  # started by spark-submit, which has a Java process already
    master = settings.get("spark.master", "")
    check_master(master)
    try:
        if not submitted:
            jvm = _start(settings, options.log, keep)
        before = signal.getsignal(signal.SIGINT)
        context = _make_context(settings, options.log, keep, jvm, submitted=submitted)
        signal.signal(signal.SIGINT, before)  # Spark's handler would send to Java in the middle of another message
        try:
            yield SparkRunner(context, context.master or master)
        finally:
            _stop(context)
    finally:
        if not submitted:
            _leave(jvm)


def _settings_of(options: SparkOptions) -> dict[str, str]:
    """Return Spark's settings: the defaults of a run, overridden by the user's."""
    settings = {**_QUIET, "spark.ui.enabled": str(options.ui).lower()}
    settings.update(options.settings)
    if options.master is not None or _GATEWAY not in os.environ:
        settings["spark.master"] = options.master or settings.get("spark.master", _MASTER)
    return settings


def _start(settings: dict[str, str], log: str | None, keep: tuple[int, ...], *, archive: bool = False) -> Jvm | None:
    """Start a JVM by our own code; None where that fails. Raises LakeError without PySpark or Java."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise LakeError("PySpark is not installed", hint="pip install 'pyspark==4.3.*'")
    _prepare_workers()
    find_java()
    try:
        return start_jvm(Path(found.origin).parent, log=log, settings=settings, keep=keep, make_archive=archive)
    except (OSError, LakeError):
        return None


def _prepare_workers() -> None:
    """Have workers use this process's Python and package, and import nothing from their working directory."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONSAFEPATH"] = "1"
    for name, value in _KEPT_MEMORY.items():
        os.environ.setdefault(name, value)
    home = str(Path(__file__).resolve().parents[3])
    places = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([home, *places]))


def _make_context(
    settings: dict[str, str], log: str | None, keep: tuple[int, ...], jvm: Jvm | None, *, submitted: bool
) -> SparkContext:
    """Return a context on the JVM whose gateway listens, else on one that PySpark starts.

    Raises LakeError if Spark refuses, JobError where its Java process ends meanwhile.
    """
    logging.disable(logging.CRITICAL)  # py4j logs interrupts with tracebacks
    from py4j.protocol import Py4JError, Py4JNetworkError  # comes with pyspark
    from pyspark.errors import PySparkException  # a run without anything new does without

    try:
        context = _new_context(settings, log, keep, submitted=submitted)
    except (Py4JError, PySparkException, OSError, EOFError) as error:
        if isinstance(error, (Py4JNetworkError, ConnectionError, EOFError)) or (jvm is not None and jvm.has_ended()):
            raise JobError(_GONE, hint=_MORE) from error
        reason = f"Spark did not start: {_reason_of(str(error))}"
        raise LakeError(reason, hint="see --spark-log FILE for the cause; check --master and --conf") from error
    # where the JVM is killed, the thread that receives accumulators from it would print a traceback
    setattr(context._accumulatorServer, "handle_error", lambda *_: None)  # noqa: B010, SLF001 - PySpark has no other way
    return context


def _new_context(settings: dict[str, str], log: str | None, keep: tuple[int, ...], *, submitted: bool) -> SparkContext:
    """Return a context. Raises errors of PySpark and its gateway."""
    from pyspark import SparkConf, SparkContext

    conf = SparkConf(loadDefaults=submitted)
    for name, value in settings.items():
        conf.set(name, value)
    if submitted:
        return SparkContext.getOrCreate(conf)
    if _GATEWAY in os.environ:
        return SparkContext(conf=conf)
    from pyspark.java_gateway import launch_gateway

    with open(log or os.devnull, "ab") as output:
        words = {"stdout": output, "stderr": output, "pass_fds": keep}
        gateway = launch_gateway(conf, words)  # type: ignore[no-untyped-call]
        return SparkContext(conf=conf, gateway=gateway)


def _stop(context: SparkContext) -> None:
    """Stop a context, in whatever state it is."""
    from py4j.protocol import Py4JError  # comes with pyspark

    with warnings.catch_warnings():  # PySpark warns of a JVM that was killed, which the run tells in its own words
        warnings.simplefilter("ignore", RuntimeWarning)
        with suppress(Py4JError, OSError, BinlogError):
            context.stop()


def prepare_java() -> None:
    """Make the archive of Spark's classes by a small run. Raises LakeError."""
    settings = _settings_of(SparkOptions(master="local[1]"))
    jvm = _start(settings, None, (), archive=True)
    if jvm is None:
        raise LakeError("Spark did not start", hint=NO_JAVA)
    try:
        context = _make_context(settings, None, (), jvm, submitted=False)
        try:
            SparkRunner(context).run(str, [1])
        finally:
            _stop(context)
    finally:
        _leave(jvm)


def _leave(jvm: Jvm | None) -> None:
    """End the JVM, and remove its address from the environment."""
    for name in (_GATEWAY, "PYSPARK_GATEWAY_SECRET"):
        os.environ.pop(name, None)
    if jvm is not None:
        jvm.stop()
