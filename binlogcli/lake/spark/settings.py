"""Settings that Spark would silently ignore: they are refused or reported before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# What is fixed when Java starts: too late under spark-submit
_OF_JAVA = frozenset(
    {
        "spark.driver.memory",
        "spark.driver.memoryOverhead",
        "spark.driver.extraJavaOptions",
        "spark.driver.defaultJavaOptions",
        "spark.driver.extraClassPath",
        "spark.driver.extraLibraryPath",
        "spark.submit.deployMode",
        "spark.jars.packages",
    }
)
# What is of executors in processes of their own: with a local master there are none
_OF_EXECUTORS = frozenset(
    {
        "spark.cores.max",
        "spark.executor.cores",
        "spark.executor.defaultJavaOptions",
        "spark.executor.extraClassPath",
        "spark.executor.extraJavaOptions",
        "spark.executor.extraLibraryPath",
        "spark.executor.instances",
        "spark.executor.memory",
        "spark.executor.memoryOverhead",
    }
)
_FOR_EXECUTORS = "spark.dynamicAllocation."


def refused(settings: Sequence[tuple[str, str]], master: str | None) -> str:
    """Return why settings cannot be used beside a `--master`; "" where they can."""
    for name, _ in settings:
        if not name.startswith("spark."):
            return f"--conf {name}: Spark's settings begin with spark., those of Hadoop with spark.hadoop."
        if name == "spark.master" and master is not None:
            return "--conf spark.master has no effect together with --master"
    return ""


def is_local(master: str) -> bool:
    """Whether tasks run in the driver's own process."""
    return master == "local" or master.startswith("local[")


def without_effect(settings: Sequence[tuple[str, str]], master: str, *, submitted: bool) -> Iterator[str]:
    """Yield a line for each setting that Spark would take no notice of. `submitted`: by spark-submit."""
    for name, _ in settings:
        if submitted and name in _OF_JAVA:
            yield f"--conf {name} has no effect: Java runs already; pass it to spark-submit"
        elif is_local(master) and (name in _OF_EXECUTORS or name.startswith(_FOR_EXECUTORS)):
            hint = "; spark.driver.memory has" if name.endswith("memory") else ""
            yield f"--conf {name} has no effect with --master {master}, which has no executors{hint}"
