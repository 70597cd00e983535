"""The meanings of packet fields in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from binlogcli.binary.explained import Explained
from binlogcli.names.collations import collation_words
from binlogcli.names.column_types import column_type_name
from binlogcli.names.event_types import event_type_name
from binlogcli.names.flags import flag_names
from binlogcli.names.protocol import (
    CAPABILITIES,
    COLUMN_FLAGS,
    DUMP_FLAGS,
    MARIADB_CAPABILITIES,
    SERVER_STATUS,
    STATUS,
    bit_names,
)
from binlogcli.sources.protocol.requests import COMMANDS

_HIGH = 16  # the first bit of the second half of the capabilities
_COLUMN_DEFINITION = "column definition"


def _charset(value: int) -> str:
    return collation_words(value, mariadb=False) or collation_words(value, mariadb=True)


_BITS: dict[str, Callable[[int], str]] = {
    "capabilities": lambda value: bit_names(CAPABILITIES, value),
    "capabilities_low": lambda value: bit_names(CAPABILITIES, value),
    "capabilities_high": lambda value: bit_names(CAPABILITIES, value, _HIGH),
    "mariadb_capabilities": lambda value: bit_names(MARIADB_CAPABILITIES, value),
    "server_status": lambda value: bit_names(SERVER_STATUS, value),
}
_NUMBERS: dict[str, Callable[[int], str]] = {
    "command": lambda value: COMMANDS.get(value, ""),
    "status": lambda value: STATUS.get(value, ""),
    "character_set": _charset,
    "type_code": event_type_name,
}


def _flags(packet: str, family: str, value: int) -> str:
    """Return the names of the bits of a packet's field `flags`; elsewhere they are those of an event."""
    if packet == _COLUMN_DEFINITION:
        return bit_names(COLUMN_FLAGS, value)
    if packet == "COM_BINLOG_DUMP":
        return bit_names(DUMP_FLAGS[family], value)
    if packet == "COM_BINLOG_DUMP_GTID":  # MySQL's alone
        return bit_names(DUMP_FLAGS["MySQL"], value)
    return ", ".join(flag_names("header", value))


def explained(packet: str, name: str, value: object, size: int, family: str = "") -> Explained:
    """Return a field's value with its meaning; numbers of bits in hex. `family` is that of the server, if known."""
    if value is None:
        return Explained(None, "NULL")
    if not isinstance(value, int):
        return Explained(value, "")
    describe = _BITS.get(name)
    if name == "flags":
        describe = partial(_flags, packet, family)
    if describe is not None:
        return Explained(value, describe(value), f"0x{value:0{2 * size}x}")
    if name == "type" and packet == _COLUMN_DEFINITION:
        return Explained(value, column_type_name(value))
    return Explained(value, _NUMBERS[name](value) if name in _NUMBERS else "")
