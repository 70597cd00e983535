"""What is to become of an event, as a chooser of events says (see `events.stream.Chooser`)."""

from __future__ import annotations

# C numbers where a .pxd declares them `cdef int`
SKIP, SHOW, HOLD, JUMP, END, RELEASE = range(6)
