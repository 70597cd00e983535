"""`python -m binlogcli`, and the entry point of the `binlogcli` program."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the program and end the process with its status."""
    from binlogcli.cli.main import main as run  # noqa: PLC0415 - an interrupt while importing is an interrupt too

    sys.exit(run())


if __name__ == "__main__":
    main()
