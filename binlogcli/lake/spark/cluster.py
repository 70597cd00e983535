"""A cluster that cannot take the job: found out before the job is given to it, which would wait forever."""

from __future__ import annotations

import re
import socket
import time
from typing import TYPE_CHECKING

from binlogcli.lake.errors import JobError

if TYPE_CHECKING:
    from pyspark import SparkContext

_CONNECT_SECONDS = 5
_WAITING_TIME = "spark.scheduler.maxRegisteredResourcesWaitingTime"
_WAIT = "25s"  # for the first executor, unless the user's setting says otherwise
_SPARK = "spark://"
_ADDRESS = re.compile(r"\A(?:\[(?P<six>[^]]+)\]|(?P<host>[^:/]+)):(?P<port>\d{1,5})\Z")
_DEFAULT = {"https": 443, "http": 80}


def check_master(master: str) -> None:
    """Raise JobError if no master answers; only those of Spark itself and of Kubernetes have addresses."""
    reasons = []
    for host, port in _addresses(master):
        try:
            socket.create_connection((host, port), _CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            reasons.append(f"{host}:{port}: {(getattr(error, 'strerror', None) or str(error)).lower()}")
        else:
            return
    if reasons:
        raise JobError(
            f"no Spark master answers ({', '.join(reasons)})",
            file=master,
            hint="check --master, and that the master is running",
        )


def _addresses(master: str) -> list[tuple[str, int]]:
    """Return the hosts and ports of masters; none where the URL has none, or is not of this form."""
    if master.startswith(_SPARK):
        places = master.removeprefix(_SPARK).split(",")
    elif master.startswith("k8s://"):
        scheme, _, place = master.removeprefix("k8s://").rpartition("://")
        place = place.rstrip("/")
        places = [place if _ADDRESS.match(place) else f"{place}:{_DEFAULT.get(scheme or 'https', 0)}"]
    else:
        return []
    found = [_ADDRESS.match(place) for place in places]
    return [(one["six"] or one["host"], int(one["port"])) for one in found if one is not None]


def wait_for_executors(context: SparkContext, master: str) -> None:
    """Wait for the first executor of a cluster of Spark's own. Raises JobError if none comes in time.

    With dynamic allocation there is none before there is work. Other clusters start executors when they have room.
    """
    if not master.startswith((_SPARK, "local-cluster[")):
        return
    conf = context.getConf()
    if conf.get("spark.dynamicAllocation.enabled") == "true":
        return
    jvm = context._jvm  # noqa: SLF001 - PySpark has no other way
    limit = conf.get(_WAITING_TIME, _WAIT)
    end = time.monotonic() + jvm.org.apache.spark.network.util.JavaUtils.timeStringAsSec(limit)  # type: ignore[union-attr]
    spark = context._jsc.sc()  # noqa: SLF001
    while spark.getExecutorMemoryStatus().size() < 2:  # the driver is one of them
        if spark.isStopped() or time.monotonic() > end:
            memory, cores = conf.get("spark.executor.memory", "1g"), conf.get("spark.executor.cores", "1")
            raise JobError(
                f"no worker accepted the job within {limit}: none is running, or none has {cores} processors and "
                f"{memory} free",
                file=master,
                hint=f"start workers, request less with --conf, or wait longer: --conf {_WAITING_TIME}=10m",
            )
        time.sleep(0.1)
