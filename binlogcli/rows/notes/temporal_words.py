"""The parts of a packed time in words; `rows.readers.temporal` reads these bytes as values."""

from __future__ import annotations

from functools import lru_cache

from binlogcli.binary.explained import Explained, drawn

_DATETIME_ZERO = 0x8000000000
_TIME_ZERO = 0x800000
_SECOND = 1000000  # microseconds


@lru_cache(maxsize=4096)
def describe_parts(kind: str, raw: bytes, width: int, micros: int) -> tuple[Explained, Explained]:
    """Describe the packed number and the fraction in the last `width` bytes, whose unit is `micros` microseconds."""
    split = len(raw) - width
    below = kind == "TIME" and raw[0] & 0x80 == 0
    return _describe_packed(kind, raw[:split]), _describe_fraction(raw[split:], micros, below=below)


def _describe_packed(kind: str, raw: bytes) -> Explained:
    """Describe the part before the fraction: seconds of a TIMESTAMP, else numbers side by side in its bits."""
    value = int.from_bytes(raw, "big")
    if kind == "TIMESTAMP":
        return Explained(value, "seconds since 1970")
    if kind == "TIME":
        side = "below" if value < _TIME_ZERO else "above"
        return drawn(f"0x{value:06x}", f"{_clock(abs(value - _TIME_ZERO), 1023)} {side} 0x{_TIME_ZERO:x}")
    bits = value - _DATETIME_ZERO
    months = bits >> 22
    date = f"{months // 13}*13 + {months % 13} months, day {bits >> 17 & 31}"
    return drawn(f"0x{value:010x}", f"{date}, {_clock(bits, 31)}")


def _clock(bits: int, hours: int) -> str:
    """Return hours (under a mask), minutes and seconds (six bits each)."""
    return f"{bits >> 12 & hours:02}:{bits >> 6 & 63:02}:{bits & 63:02}"


def _describe_fraction(raw: bytes, micros: int, *, below: bool) -> Explained:
    """Describe the fraction in units of `micros` microseconds; of a negative TIME it counts up to the next second."""
    value = int.from_bytes(raw, "big")
    units = _SECOND // micros
    if below and value:
        whole = 1 << 8 * len(raw)
        return Explained(value, f"{whole - value}/{units} s, as {whole} - {whole - value}")
    return Explained(value, f"{value}/{units} s" if value else "")
