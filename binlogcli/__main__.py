"""`python -m binlogcli`, and the entry point of the `binlogcli` program."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
from typing import NoReturn


def main() -> None:
    """Run the program and end the process with its exit status."""
    gc.disable()  # until `run`: imports make many objects and no garbage, and the search took 5 % of a short run
    from binlogcli.cli.main import main as run  # an interrupt while importing is an interrupt too

    leave(run())


def leave(status: int) -> NoReturn:
    """End the process as `sys.exit` does, but leave its memory to the system.

    Freeing modules and objects one by one took 3 to 5 ms more of a `dump` of a small log, 4 to 12 ms of `stats`.
    """
    if threading.active_count() > 1 or sys.getprofile() is not None or sys.gettrace() is not None:
        sys.exit(status)
    atexit._run_exitfuncs()  # noqa: SLF001 - as children of multiprocessing end; there is no public name for it
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):  # the interpreter knows what to do
        sys.exit(status)
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
