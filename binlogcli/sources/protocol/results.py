"""The packets of a result set in text form: the number of columns, their definitions, rows, the end."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.binary.cursor import Cursor
from binlogcli.sources.protocol import answers, packets
from binlogcli.sources.protocol.encodings import lenenc_number, lenenc_text

NULL = 0xFB  # in the place of the length of a row's value
_COLUMN_FILLER = 2  # zero bytes at the end of a column's definition


@dataclass(frozen=True, slots=True)
class ColumnCount:
    """The first packet of a result set."""

    column_count: int

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ColumnCount:
        """Return a payload's number."""
        fields = fields or Cursor(payload)
        return cls(lenenc_number(fields, "column_count"))


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column of a result set."""

    catalog: str
    schema: str
    table: str
    org_table: str
    name: str
    org_name: str
    character_set: int
    length: int
    type: int
    flags: int
    decimals: int

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ColumnDefinition:
        """Return a payload's fields; a replica is sent none of MariaDB's extended metadata."""
        fields = fields or Cursor(payload)
        texts = [lenenc_text(fields, name) for name in ("catalog", "schema", "table", "org_table", "name", "org_name")]
        lenenc_number(fields, "column_definition_size")
        sizes = (("character_set", 2), ("length", 4), ("type", 1), ("flags", 2), ("decimals", 1))
        numbers = [fields.uint(name, size) for name, size in sizes]
        if fields.left():
            fields.take("filler", min(_COLUMN_FILLER, fields.left()))
        return cls(*texts, *numbers)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of a result set in text form."""

    values: list[str | None]

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ResultRow:
        """Return a payload's values, None for NULL."""
        fields = fields or Cursor(payload)
        values: list[str | None] = []
        while fields.left():
            name = f"value {len(values) + 1}"
            if payload[fields.pos] == NULL:
                fields.note(name, fields.need(name, 1), None)
                values.append(None)
            else:
                values.append(lenenc_text(fields, name))
        return cls(values)


class EndOfRows(answers.Ok):
    """The OK packet that ends rows, whose first byte is that of an EOF packet."""

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> answers.Ok:
        """Return a payload's fields."""
        return answers.Ok.parse(bytes([packets.OK]) + payload[1:], fields or Cursor(payload, 1))
