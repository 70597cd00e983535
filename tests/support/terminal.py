"""The program on a terminal of its own."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys

from support.program import COMMAND, HOME


def on_a_terminal(*arguments: str, errors: bool = False, term: str = "xterm-256color") -> bytes:
    """Return what the program sends to a terminal on stdout, with `errors` also on stderr."""
    main, side = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(HOME), "TZ": "UTC", "TERM": term}
    for name in ("NO_COLOR", "COLORTERM"):
        environment.pop(name, None)
    seen = b""
    said = side if errors else sys.stderr
    with subprocess.Popen([*COMMAND, *arguments], stdout=side, stderr=said, env=environment):
        os.close(side)
        with contextlib.suppress(OSError):  # the program has ended
            while piece := os.read(main, 4096):
                seen += piece
    os.close(main)
    return seen.replace(b"\r\n", b"\n")
