"""MariaDB's UUID, INET4 and INET6 as text: types without a code of their own in a log, which a schema file names."""

from __future__ import annotations

_V4_COMPATIBLE = 12  # leading zero bytes of an IPv6 address that holds an IPv4 one


def address_text(type_name: str, raw: bytes) -> str | None:
    """Return the value as SELECT prints it, or None for other types and sizes."""
    if type_name == "uuid" and len(raw) == 16:
        return _dashed(raw.hex())
    if type_name == "inet4" and len(raw) == 4:
        return _dotted(raw)
    if type_name == "inet6" and len(raw) == 16:
        return _inet6(raw)
    return None


def _dashed(digits: str) -> str:
    """Return the 32 hex digits of a UUID with its dashes."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _dotted(raw: bytes) -> str:
    """Return the four bytes of an IPv4 address with dots."""
    return ".".join([str(byte) for byte in raw])


def _inet6(raw: bytes) -> str:
    """Return an IPv6 address as the servers print it.

    The first longest run of zero groups becomes ::, even a single group, which others write as 0. Addresses that hold
    an IPv4 one are printed with its dots: ::1.2.3.4 and ::ffff:1.2.3.4.
    """
    last = _dotted(raw[_V4_COMPATIBLE:])
    if raw[:10] == bytes(10) and raw[10:12] == b"\xff\xff":
        return f"::ffff:{last}"
    if raw[:_V4_COMPATIBLE] == bytes(_V4_COMPATIBLE) and int.from_bytes(raw[_V4_COMPATIBLE:]) > 0xFFFF:
        return f"::{last}"
    groups = [f"{raw[at] << 8 | raw[at + 1]:x}" for at in range(0, 16, 2)]
    start, length = _longest_run_of_zeros(groups)
    if length == 0:
        return ":".join(groups)
    return ":".join(groups[:start]) + "::" + ":".join(groups[start + length :])


def _longest_run_of_zeros(groups: list[str]) -> tuple[int, int]:
    """Return the start and the length of the first longest run."""
    best = (0, 0)
    begun = -1
    for at, group in enumerate(groups):
        if group != "0":
            begun = -1
            continue
        if begun < 0:
            begun = at
        if at - begun + 1 > best[1]:
            best = (begun, at - begun + 1)
    return best
