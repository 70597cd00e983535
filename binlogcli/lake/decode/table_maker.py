"""The empty columns of a table, made from its plan: their widths, companions, labels and character sets."""

from __future__ import annotations

from collections.abc import Mapping

from binlogcli.lake.decode.batches import TableRows
from binlogcli.lake.decode.columns.row_origins import LogPosition
from binlogcli.lake.decode.wanted_rows import ALL_ROWS, WantedRows
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.store.state import plain_name
from binlogcli.lake.tables.types import (
    ADDRESSES,
    LABEL,
    NO_ORIGIN,
    WIDTHS,
    LakeColumn,
    TableSchema,
    VersionOrigin,
    describe,
    readable,
)
from binlogcli.names.column_types import ENUM
from binlogcli.rows.passing import reading
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer
from binlogcli.rows.sinks.arrow_columns import BINARY, END_SIZE, ERROR, NULL, RAW, REPLACE, ColumnSink
from binlogcli.rows.sinks.utf8_tables import utf8_table
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.catalog import Catalog

_DATES = {"null": NULL, "raw": RAW, "error": ERROR}
_TEXTS = {"binary": BINARY, "replace": REPLACE, "error": ERROR}
_COLUMNS_KNOWN = 1 << 14  # in schemas that are kept for tables that come again


class TableMaker:
    """Makes the schemas and empty columns of tables as the options have them; of columns that are not wanted, too."""

    def __init__(self, options: LakeOptions, wanted: WantedRows = ALL_ROWS) -> None:
        self.wanted = wanted
        self.readers: dict[TablePlan, TablePlan] = {}  # that read the wanted columns, where others are there
        self.columns_only = options.columns_only
        self.dates = _DATES[options.zero_dates]
        self.texts = _TEXTS[options.invalid_text]
        self.schemas: dict[tuple[TablePlan, frozenset[int]], TableSchema] = {}
        self.columns = 0  # in `schemas`
        self.catalog: Catalog | None = None  # of the statements before the rows at hand
        self.file = ""
        self.begun: Mapping[str, int] = {}  # when logs were begun, by their names
        self.position: LogPosition | None = None  # of the rows at hand

    def columns_of(self, plan: TablePlan, invalid: set[int]) -> TableRows:
        """Return an empty batch of a table; `invalid` are the text columns in which invalid text was found."""
        schema = self._schema_of(plan, invalid)
        sink = ColumnSink(_make_buffers(plan.definition, schema), [], mariadb=plan.definition.mariadb)
        sink.dates = self.dates
        sink.texts = self.texts
        indexes = self.wanted.indexes_in(schema)
        if indexes is None:
            return TableRows(plan, plan, schema, sink)
        sink.row_width = sum(sink.columns[at].width or END_SIZE for at in indexes)
        if plan not in self.readers:
            self.readers[plan] = reading(plan, indexes)
        return TableRows(plan, self.readers[plan], schema, sink)

    def expect_updates(self, rows: TableRows) -> None:
        """Add the columns for rows before updates, which most batches do not need."""
        rows.sink.expect_updates(_make_buffers(rows.plan.definition, rows.schema))

    def final_schema(self, rows: TableRows) -> TableSchema:
        """Return the schema of rows that are handed out: text columns that got invalid text are binary in it."""
        invalid = rows.sink.turned()
        if any(rows.schema.own[at].type != "binary" for at in invalid):
            return self._schema_of(rows.plan, invalid)
        return rows.schema

    def _schema_of(self, plan: TablePlan, invalid: set[int]) -> TableSchema:
        """Return the schema of a table, made once."""
        key = (plan, frozenset(invalid))
        known = self.schemas.get(key)
        if known is None:
            if self.columns > _COLUMNS_KNOWN:
                self.schemas.clear()
                self.readers.clear()
                self.columns = 0
            self.columns += plan.weight
            raw_dates = self.dates == RAW
            known = describe(
                plan.definition,
                columns_only=self.columns_only,
                raw_dates=raw_dates,
                binary=invalid,
                origin=self._origin_of(plan.definition),
            )
            self.schemas[key] = known
        return known

    def _origin_of(self, definition: TableDefinition) -> VersionOrigin:
        """Return where the definition of a table begins: at its statement, or at the rows at hand."""
        made = None if self.catalog is None else self.catalog.statement_of(definition)
        if made is not None:
            text = made.text if isinstance(made.text, str) else made.text.decode("utf-8", "replace")
            name = plain_name(made.place.file)
            return VersionOrigin(name, made.place.position, readable(text), self.begun.get(name, 0))
        if self.position is None:
            return NO_ORIGIN
        name = plain_name(self.file)
        return VersionOrigin(name, self.position.place, created=self.begun.get(name, 0))


def _make_buffers(definition: TableDefinition, schema: TableSchema) -> list[ColumnBuffer]:
    """Return a buffer for each column of the log; those of its companions hang on it."""
    buffers: list[ColumnBuffer] = []
    for column in schema.columns:
        if column.companion:
            buffers[-1].more = _new_buffer(column)
        else:
            info = definition.columns[len(buffers)]
            buffers.append(_fit(_new_buffer(column), info, column, mariadb=definition.mariadb))
    return buffers


def _new_buffer(column: LakeColumn) -> ColumnBuffer:
    """Return an empty buffer for a type."""
    if column.type.startswith("list<"):
        return ColumnBuffer(0, 4)
    if column.type.startswith("decimal("):
        return ColumnBuffer(16)
    return ColumnBuffer(WIDTHS.get(column.type, 0))


def _fit(buffer: ColumnBuffer, info: ColumnInfo, column: LakeColumn, *, mariadb: bool) -> ColumnBuffer:
    """Give a buffer what its column needs beside the type: labels, and how its characters become UTF-8."""
    if column.type == LABEL or column.type == "list<string>":
        labels = list(info.label_texts(mariadb=mariadb) or [])
        buffer.labels = ["", *labels] if info.code == ENUM else labels
        buffer.label_count = len(buffer.labels)
    charset = info.charset(mariadb=mariadb)
    table = utf8_table(charset) if column.type == "string" and charset is not None else None
    if table is not None:
        buffer.recode_by(table)
    buffer.addresses = column.type == "string" and info.type_name in ADDRESSES
    buffer.turned = column.type == "binary" and charset != "binary"
    return buffer
