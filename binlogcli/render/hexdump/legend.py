"""The legend of the annotated hexdump: its colours and marks."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.render.hexdump.drawing.palette import FAINT, HIT, LEGEND, RESET, SGR

_MARKS = (
    (FAINT, "00", "zero byte"),
    (HIT, "[66]", "bytes that --find looks for"),
    (FAINT, "+0000012", "an offset in decompressed content, not in the file"),
    (b"", "N--N", "null bits: the first and the fourth column are NULL"),
    (b"", "1-Ud", "other bits: present, absent, unsigned, changes of a document"),
    (FAINT, "...", "bytes left out; use --max-bytes 0 to show all"),
)


def put_legend(out: TextBuffer, *, painted: bool) -> None:
    """Write a line for each kind of field and each mark."""
    for style, sample, words in [(SGR[kind], name, words) for kind, name, words in LEGEND] + list(_MARKS):
        padding = " " * (10 - len(sample))
        shown = style + sample.encode() + RESET if painted and style else sample.encode()
        out.put(b"  " + shown + f"{padding}  {words}\n".encode())
    out.put(b"\n")
