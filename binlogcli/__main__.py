"""`python -m binlogcli`, and the entry point of the `binlogcli` program."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the program and end the process with its status."""
    gc.disable()  # until `run`: imports make many objects and no garbage, and the search took 5 % of a short run
    from binlogcli.cli.main import main as run  # an interrupt while importing is an interrupt too

    status = run()
    gc.freeze()  # what is left goes with the process: the last search for garbage would take 3 ms
    sys.exit(status)


if __name__ == "__main__":
    main()
