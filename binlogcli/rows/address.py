"""UUID, INET4 and INET6 of MariaDB as text: types that have no code of their own in a log."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from uuid import UUID

V4_COMPATIBLE = 12  # leading zero bytes of an IPv6 address that holds an IPv4 one


def address_text(type_name: str, raw: bytes) -> str | None:
    """The value as SELECT prints it, or None where the type is none of these."""
    if type_name == "uuid" and len(raw) == 16:
        return str(UUID(bytes=raw))
    if type_name == "inet4" and len(raw) == 4:
        return str(IPv4Address(raw))
    if type_name == "inet6" and len(raw) == 16:
        return _inet6(raw)
    return None


def _inet6(raw: bytes) -> str:
    """The servers print addresses that hold an IPv4 one with its dots: ::1.2.3.4 and ::ffff:1.2.3.4."""
    last = IPv4Address(raw[V4_COMPATIBLE:])
    if raw[:10] == bytes(10) and raw[10:12] == b"\xff\xff":
        return f"::ffff:{last}"
    if raw[:V4_COMPATIBLE] == bytes(V4_COMPATIBLE) and int(last) > 0xFFFF:
        return f"::{last}"
    return str(IPv6Address(raw))
