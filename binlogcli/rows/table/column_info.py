"""What is known of one column of a table: from its TABLE_MAP event, and from a schema file if there is one."""

from __future__ import annotations

from binlogcli.names import column_types
from binlogcli.names.charsets import decode as decode_text
from binlogcli.names.collations import collation
from binlogcli.names.column_types import column_type_name
from binlogcli.rows.table.metadata import GEOMETRY_TYPES


class ColumnInfo:
    """A column: `code` is its real type (ENUM and SET unpacked), `stored_code` the one in the event."""

    __slots__ = (
        "code",
        "collation",
        "dimension",
        "former",
        "fsp",
        "generated",
        "geometry_type",
        "index",
        "labels",
        "length",
        "metadata",
        "name",
        "nullable",
        "stored_code",
        "type_name",
        "unsigned",
        "visible",
    )

    def __init__(self, index: int, code: int, metadata: bytes) -> None:
        self.index = index
        self.code = code
        self.stored_code = code
        self.metadata = metadata
        self.nullable = True
        self.name = ""
        self.length = 0
        self.unsigned: bool | None = None
        self.collation: int | None = None
        self.labels: list[bytes] | None = None
        self.geometry_type: int | None = None
        self.visible = True
        self.dimension: int | None = None
        self.type_name = ""  # from a schema: what the type code does not tell, such as uuid
        self.fsp: int | None = None  # from a schema: digits of a second
        self.generated = False  # from a schema: the server computes it
        self.former: tuple[str, ...] = ()  # from statements: its earlier names

    def copy(self) -> ColumnInfo:
        """Return a copy that may be changed."""
        made = ColumnInfo(self.index, self.code, self.metadata)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        return made

    @property
    def shown_name(self) -> str:
        """The column's name, or `@` and its number where the log has no names."""
        return self.name or f"@{self.index + 1}"

    @property
    def sign_unknown(self) -> bool:
        """Whether it is an integer of which neither the log nor a schema says if it is unsigned."""
        return self.unsigned is None and self.code in column_types.INTEGER_TYPES

    def as_unsigned(self, value: int) -> int:
        """Return the number that the bytes of a negative integer of this column stand for if it is unsigned."""
        return value + (1 << 8 * column_types.INTEGER_WIDTHS[self.code])

    def charset(self, *, mariadb: bool) -> str | None:
        """Return the name of the column's character set, or None where it is not known."""
        known = collation(self.collation, mariadb=mariadb) if self.collation is not None else None
        return known.charset if known is not None else None

    def label_texts(self, *, mariadb: bool) -> list[str] | None:
        """Return the labels of an ENUM or SET as text, or None where they are not known."""
        if self.labels is None:
            return None
        charset = self.charset(mariadb=mariadb) or "utf8mb4"
        texts = [decode_text(label, charset) for label in self.labels]
        return [
            label.decode("utf-8", "surrogateescape") if text is None else text
            for label, text in zip(self.labels, texts, strict=True)
        ]

    def as_dict(self, *, mariadb: bool) -> dict[str, object]:
        """Return what is known of the column."""
        found: dict[str, object] = {
            "name": self.shown_name,
            "type": column_type_name(self.code),
            "metadata": self.metadata,
            "nullable": self.nullable,
            "unsigned": self.unsigned,
            "charset": self.charset(mariadb=mariadb),
            "collation": None,
            "labels": self.label_texts(mariadb=mariadb),
            "dimension": self.dimension,
        }
        known = collation(self.collation, mariadb=mariadb) if self.collation is not None else None
        if known is not None:
            found["collation"] = known.name
        if self.geometry_type is not None and self.geometry_type < len(GEOMETRY_TYPES):
            found["geometry_type"] = GEOMETRY_TYPES[self.geometry_type]
        if not self.visible:
            found["visible"] = False
        return {name: value for name, value in found.items() if value is not None}
