"""Text of logs made safe to look at: what steers a terminal, turns the direction of text or is invisible is escaped.

Every output goes through here. `visible` is for values and messages, which are one line: all that is not printable is
escaped. `visible_line` is for the lines of a text, which keep their tabs; `visible_json` for JSON,
where an escape means the character.
"""

from __future__ import annotations

from functools import cache

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
# Unicode's separators of lines and characters of class Cf: they turn the direction of text, or are invisible
_FORMATS = (
    *(0x00AD, 0x061C, 0x180E, 0xFEFF, 0xE0001),
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF9, 0xFFFC),
    *range(0xE0020, 0xE0080),
)
# Beginnings of texts that spreadsheets take for formulas; those in full width are U+FF1D, U+FF0B, U+FF0D, U+FF20
FORMULAS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_C1 = range(0x7F, 0xA0)  # DEL, and the controls of eight bits


def _escape(char: str) -> str:
    """Return the escape of a character, such as \\x1b; bytes that are not UTF-8 are characters U+DC80 to U+DCFF."""
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    """Return the escape of a character in JSON: two surrogates for one above U+FFFF."""
    units = chr(code).encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


@cache
def controls() -> dict[int, str]:
    """Return the escapes of the characters that no line of text may hold, by code."""
    return {code: _escape(chr(code)) for code in [*range(32), *_C1, *_FORMATS] if chr(code) not in "\t\n"}


@cache
def _controls_in_json() -> dict[int, str]:
    """Return the escapes of the same characters in JSON, but for those that JSON itself does not allow raw."""
    return {code: _json_escape(code) for code in [*_C1, *_FORMATS]}


def visible(text: str) -> str:
    """Return text as one line, with escapes for all characters that are not printable."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else _SHORT.get(char) or _escape(char) for char in text])


def visible_line(line: bytes) -> str:
    """Return a line as text, with escapes for control characters and for bytes that are not UTF-8."""
    return line.decode("utf-8", "backslashreplace").translate(controls())


def visible_json(text: str) -> str:
    """Return JSON with escapes for the control characters that it allows raw."""
    return text.translate(_controls_in_json())
