"""UUID, INET4 and INET6 of MariaDB as text: types that have no code of their own in a log."""

from __future__ import annotations

V4_COMPATIBLE = 12  # leading zero bytes of an IPv6 address that holds an IPv4 one


def address_text(type_name: str, raw: bytes) -> str | None:
    """The value as SELECT prints it, or None where the type is none of these."""
    if type_name == "uuid" and len(raw) == 16:
        return dashed(raw.hex())
    if type_name == "inet4" and len(raw) == 4:
        return dotted(raw)
    if type_name == "inet6" and len(raw) == 16:
        return _inet6(raw)
    return None


def dashed(digits: str) -> str:
    """The digits of a UUID."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def dotted(raw: bytes) -> str:
    """The four bytes of an IPv4 address."""
    return ".".join([str(byte) for byte in raw])


def _inet6(raw: bytes) -> str:
    """As the servers print it: the first longest run of zero groups as ::, even of one group, which others write as 0.

    Addresses that hold an IPv4 one are printed with its dots: ::1.2.3.4 and ::ffff:1.2.3.4.
    """
    last = dotted(raw[V4_COMPATIBLE:])
    if raw[:10] == bytes(10) and raw[10:12] == b"\xff\xff":
        return f"::ffff:{last}"
    if raw[:V4_COMPATIBLE] == bytes(V4_COMPATIBLE) and int.from_bytes(raw[V4_COMPATIBLE:]) > 0xFFFF:
        return f"::{last}"
    groups = [f"{raw[at] << 8 | raw[at + 1]:x}" for at in range(0, 16, 2)]
    start, length = _longest_run_of_zeros(groups)
    if length == 0:
        return ":".join(groups)
    return ":".join(groups[:start]) + "::" + ":".join(groups[start + length :])


def _longest_run_of_zeros(groups: list[str]) -> tuple[int, int]:
    """Where the first of the longest runs begins, and how long it is."""
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
