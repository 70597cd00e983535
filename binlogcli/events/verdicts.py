"""The verdicts of a chooser on an event (see `stream.Chooser`): C numbers where a .pxd declares them `cdef int`."""

from __future__ import annotations

SKIP, SHOW, HOLD, JUMP, END = range(5)
