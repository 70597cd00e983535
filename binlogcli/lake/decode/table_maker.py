"""The empty columns of a table, made from its plan: how wide each is, what stands beside it, which labels it has."""

from __future__ import annotations

from binlogcli.lake.decode.batches import TableRows
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.tables.types import ADDRESSES, LABEL, WIDTHS, LakeColumn, TableSchema, describe
from binlogcli.names.column_types import ENUM
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer
from binlogcli.rows.sinks.arrow_columns import BINARY, ERROR, NULL, RAW, REPLACE, ColumnSink
from binlogcli.rows.sinks.utf8_tables import utf8_table
from binlogcli.rows.table.definition import ColumnInfo, TableDefinition

DATES = {"null": NULL, "raw": RAW, "error": ERROR}
TEXTS = {"binary": BINARY, "replace": REPLACE, "error": ERROR}
SCHEMAS_KNOWN = 1 << 12


class TableMaker:
    """Makes tables as the options say."""

    def __init__(self, options: LakeOptions) -> None:
        self.columns_only = options.columns_only
        self.dates = DATES[options.zero_dates]
        self.texts = TEXTS[options.invalid_text]
        self.schemas: dict[tuple[TablePlan, frozenset[int]], TableSchema] = {}

    def columns_of(self, plan: TablePlan, turned: set[int]) -> TableRows:
        """No rows yet of a table; `turned` are the columns that hold text which is no text."""
        schema = self.schema_of(plan, turned)
        sink = ColumnSink(make_buffers(plan.definition, schema), [], mariadb=plan.definition.mariadb)
        sink.dates = self.dates
        sink.texts = self.texts
        return TableRows(plan, schema, sink)

    def expect_updates(self, rows: TableRows) -> None:
        """Columns for the rows before updates, of which most tables of a batch have none."""
        rows.sink.expect_updates(make_buffers(rows.plan.definition, rows.schema))

    def final_schema(self, rows: TableRows) -> TableSchema:
        """Return the schema of rows that are handed out: text columns that got invalid text are binary in it."""
        turned = rows.sink.turned()
        if any(rows.schema.own[at].type != "binary" for at in turned):
            return self.schema_of(rows.plan, turned)
        return rows.schema

    def schema_of(self, plan: TablePlan, turned: set[int]) -> TableSchema:
        """The description of a table."""
        key = (plan, frozenset(turned))
        known = self.schemas.get(key)
        if known is None:
            if len(self.schemas) >= SCHEMAS_KNOWN:
                self.schemas.clear()
            raw_dates = self.dates == RAW
            known = describe(plan.definition, columns_only=self.columns_only, raw_dates=raw_dates, binary=turned)
            self.schemas[key] = known
        return known


def make_buffers(definition: TableDefinition, schema: TableSchema) -> list[ColumnBuffer]:
    """A buffer for each column of the log, with those of its companions."""
    buffers: list[ColumnBuffer] = []
    for column in schema.columns:
        if column.companion:
            buffers[-1].more = new_buffer(column)
        else:
            info = definition.columns[len(buffers)]
            buffers.append(fit(new_buffer(column), info, column, mariadb=definition.mariadb))
    return buffers


def new_buffer(column: LakeColumn) -> ColumnBuffer:
    """An empty column of a type."""
    if column.type.startswith("list<"):
        return ColumnBuffer(0, 4)
    if column.type.startswith("decimal("):
        return ColumnBuffer(16)
    return ColumnBuffer(WIDTHS.get(column.type, 0))


def fit(buffer: ColumnBuffer, info: ColumnInfo, column: LakeColumn, *, mariadb: bool) -> ColumnBuffer:
    """What a column needs beside its type: labels, and how its characters become UTF-8."""
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
