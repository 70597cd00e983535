"""The text of values that all outputs write alike: dates and times, labels, the shortest number of a FLOAT."""

from __future__ import annotations

import struct

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.rows.column import Column, Moment

_DASH, _COLON, _POINT = 45, 58, 46


def date_text(moment: Moment) -> str:
    """Return a date as the server prints it."""
    return f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"


def fraction_text(moment: Moment) -> str:
    """Return the point and the digits of a second after it, or nothing."""
    return f".{moment.micro:06d}"[: moment.fsp + 1] if moment.fsp else ""


def clock_text(moment: Moment) -> str:
    """Return a time as the server prints it."""
    sign = "-" if moment.negative else ""
    return f"{sign}{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}{fraction_text(moment)}"


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


def enum_label(column: Column, index: int, *, mariadb: bool) -> str | int:
    """Return the label of an ENUM value, or its index where the label is not known."""
    labels = column.info.label_texts(mariadb=mariadb)
    if labels is None or index > len(labels):
        return index
    return labels[index - 1] if index else ""


def set_labels(column: Column, bits: int, *, mariadb: bool) -> str | int:
    """Return the labels of a SET value as the server prints them, or its bits where they are not known."""
    labels = column.info.label_texts(mariadb=mariadb)
    if labels is None or bits >> len(labels):
        return bits
    return ",".join(label for at, label in enumerate(labels) if bits >> at & 1)


def shortest_single(value: float) -> str:
    """Return the shortest number that has these four bytes as a FLOAT, as `repr` writes numbers."""
    for digits in range(6, 9):
        text = f"{value:.{digits}g}"
        if struct.unpack("<f", struct.pack("<f", float(text)))[0] == value:
            return repr(float(text))
    return repr(float(f"{value:.9g}"))
