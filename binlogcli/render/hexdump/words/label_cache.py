"""The labels of all fields met so far, each made once with its kind and describer."""

from __future__ import annotations

from datetime import tzinfo

from binlogcli.names.event_types import USER_VAR_EVENT
from binlogcli.names.flags import flag_names
from binlogcli.render.hexdump.drawing.palette import LENGTH, NUMBER, TEXT, TYPE, kind_of_column, kind_of_name
from binlogcli.render.hexdump.words.clock import HexClock, describers_of_fractions, describers_of_time
from binlogcli.render.hexdump.words.column_types import sql_type
from binlogcli.render.hexdump.words.label import Label
from binlogcli.render.hexdump.words.meanings import ASKING, BY_TYPE_ASKING, BY_TYPE_PURE, HEXED, PURE
from binlogcli.rows.column import Column

_TEXT_NAMES = frozenset(
    "name db query rows_query catalog server_version new_log_ident binlog_file_name message path key label data block"
    " dbnam tblnam column_name view_id server_uuid data_type fname field_name table_name tag time_zone updated_db_name"
    " invoker_user invoker_host log_ident log_filename master_host master_log gtrid bqual"
    " write_set read_set".split()
)
_KEPT = 20000


class LabelCache:
    """Labels of the header's fields, of each event type's fields, and of columns."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.clock = HexClock(zone)
        self.pure = PURE | describers_of_time(self.clock)
        self.asking = ASKING | describers_of_fractions(self.clock)
        self.header: dict[object, Label] = {}
        self.types: list[dict[object, Label]] = [{} for _ in range(256)]
        self.columns: dict[object, Label] = {}
        flags = Label("flags", TYPE, lambda value, _: ", ".join(flag_names("header", value)), pure=True, hexed=True)
        self.header["flags"] = flags

    def find(self, type_code: int, name: str) -> Label:
        """Return the label of a field of an event type; type -1 is the common header."""
        known = self.header if type_code < 0 else self.types[type_code]
        label = known.get(name)
        if label is None:
            if len(known) >= _KEPT:
                known.clear()
            label = self.make(type_code, name)
            known[name] = label
        return label

    def find_column(self, column: Column) -> Label:
        """Return the label of a column's values."""
        label = self.columns.get(column)
        if label is None:
            if len(self.columns) >= _KEPT:
                self.columns.clear()
            label = self.make_column(column)
            self.columns[column] = label
        return label

    def make(self, type_code: int, name: str) -> Label:
        """Make the label of a field of an event type."""
        key = (type_code, name)
        pure = BY_TYPE_PURE.get(key) or (None if key in BY_TYPE_ASKING else self.pure.get(name))
        asking = None if pure else BY_TYPE_ASKING.get(key) or self.asking.get(name)
        kind = TEXT if name in _TEXT_NAMES else kind_of_name(name)
        hexed = name in HEXED and not (type_code == USER_VAR_EVENT and name == "flags")
        if name == "length":
            kind = LENGTH
        if name[:1] == "@" or name in ("sid", "uuid"):
            kind = TYPE if name[:1] == "@" else NUMBER
        return Label(name, kind, pure or asking, pure=pure is not None, hexed=hexed)

    def make_column(self, column: Column) -> Label:
        """Make the label of a column's values, from its name and type."""
        code = column.info.code
        return Label(f"{column.name} {sql_type(column.info)}", kind_of_column(code), None, pure=True)
