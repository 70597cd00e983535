"""A run of `to-parquet` without Spark that kills itself: killed_run.py N OUTPUT LOG...

Just before the N-th call that changes the output directory the process is gone, as by `kill -9`. With N 0 it runs to
its end and prints how many such calls there were.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # of `support`

from binlogcli.gtids.parsing import read_gtids
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.select.choice import Choice
from binlogcli.select.gtids import GtidChoice
from support.lake_runs import Quiet, serial

WATCHED = ("rename", "replace", "link", "unlink", "mkdir", "rmdir", "fsync", "ftruncate", "pwrite")


class Bomb:
    """Counts calls, and goes off."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.count = 0

    def watch(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **rest: Any) -> Any:
            self.count += 1
            if self.count == self.at:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **rest)

        return watched


def main() -> None:
    bomb = Bomb(int(sys.argv[1]))
    for name in WATCHED:
        setattr(os, name, bomb.watch(getattr(os, name)))
    stop = "STOP_ON_DAMAGE" in os.environ
    epoch_size, split_size = int(os.environ["EPOCH_SIZE"]), int(os.environ.get("SPLIT_SIZE", "0")) or None
    gtids = os.environ.get("INCLUDE_GTIDS")
    choice = Choice() if gtids is None else Choice(include_gtids=GtidChoice(read_gtids(gtids)))
    sizes = {"epoch_size": epoch_size, "split_size": split_size}
    retry = "RETRY_GAPS" in os.environ
    options = JobOptions(sys.argv[2], LakeOptions(choice=choice), stop, retry_gaps=retry, **sizes)  # type: ignore[arg-type]
    Job(options, serial).run(sys.argv[3:], Quiet())
    sys.stdout.write(f"{bomb.count}\n")


if __name__ == "__main__":
    main()
