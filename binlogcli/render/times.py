"""Values of temporal columns as text."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.rows.column import Moment

_DASH, _COLON, _POINT = 45, 58, 46


def put_date(out: TextBuffer, moment: Moment) -> None:
    """Write YYYY-MM-DD."""
    out.put_padded(moment.year, 4)
    out.put_char(_DASH)
    out.put_padded(moment.month, 2)
    out.put_char(_DASH)
    out.put_padded(moment.day, 2)


def put_clock(out: TextBuffer, moment: Moment) -> None:
    """Write hh:mm:ss and as many digits of the fraction as the column has."""
    out.put_padded(moment.hour, 2)
    out.put_char(_COLON)
    out.put_padded(moment.minute, 2)
    out.put_char(_COLON)
    out.put_padded(moment.second, 2)
    if moment.fsp > 0:
        out.put_char(_POINT)
        out.put_padded(moment.micro, 6)
        out.size -= 6 - moment.fsp
