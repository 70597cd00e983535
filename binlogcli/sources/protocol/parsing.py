"""The interface that all classes of packets have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from binlogcli.binary.cursor import Cursor

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Packet_co = TypeVar("Packet_co", bound="DataclassInstance", covariant=True)


class PacketParser(Protocol[Packet_co]):
    """A class of packets, which parses payloads into its objects."""

    def parse(self, payload: bytes, fields: Cursor | None = None) -> Packet_co:
        """Return what a payload says; raise `DecodeError` if it is no such packet. `fields` may take notes."""
