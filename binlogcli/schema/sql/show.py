"""Writes a table's definition as a CREATE TABLE statement, like SHOW CREATE TABLE, and as plain data for JSON.

The statement has what definitions hold: columns, types, signs, character sets, keys and foreign keys, but no defaults
and no table comments. What is not known is in it as a comment. `create_table` reads it back to an equal definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from binlogcli.names.collations import Collation, collation
from binlogcli.names.column_types import BLOB_COMPRESSED, VARCHAR_COMPRESSED
from binlogcli.schema.sql.charsets import Collations
from binlogcli.schema.sql.sizes import DISPLAY_WIDTHS
from binlogcli.schema.sql.types import TYPES, Family
from binlogcli.schema.table import ForeignKey, SchemaColumn, SchemaKey, SchemaTable

_ENGINES = {"innodb": "InnoDB", "myisam": "MyISAM", "aria": "Aria", "memory": "MEMORY", "heap": "MEMORY"}
_KEYS = {"primary": "PRIMARY KEY", "": "KEY"}
_COLLATED = frozenset((Family.TEXT, Family.LABELS))
_COMPRESSED = frozenset((VARCHAR_COMPRESSED, BLOB_COMPRESSED))
_LENGTH_NEEDED = frozenset(("varchar", "varbinary"))
_ALWAYS = frozenset(("columns", "keys", "name", "nullable", "table", "type", "visible"))  # in plain data
_STRING_ESCAPES = str.maketrans({"\\": "\\\\", "'": "''", "\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z"})


def create_table_statement(table: SchemaTable) -> str:
    """Return the statement that creates the table, without a delimiter."""
    lines = [_column(column, table) for column in table.declared if _is_known(column)]
    if table.period is not None:
        lines.append(f"PERIOD FOR SYSTEM_TIME ({quoted(table.period[0])}, {quoted(table.period[1])})")
    if table.application_period is not None:
        name, *columns = table.application_period
        lines.append(f"PERIOD FOR {quoted(name)} {_names(columns)}")
    lines += [_key(key, table) for key in table.keys]
    lines += [_foreign_key(key) for key in table.foreign_keys]
    body = "".join(f"  {_comment(text)}\n" for text in _gaps(table)) + "  " + ",\n  ".join(lines)
    return f"CREATE TABLE {_table_name(table.database, table.table)} (\n{body}\n){_options(table)}"


def _is_known(column: SchemaColumn) -> bool:
    """Whether so much is known of a column that it can be in a statement."""
    return bool(column.name) and column.type_name in TYPES


def _gaps(table: SchemaTable) -> Iterator[str]:
    """Yield what the statement leaves out as it is not known."""
    for place, column in enumerate(table.declared, 1):
        if not column.name:
            yield f"column {place}: its name is not known"
        elif not _is_known(column):
            yield f"column {place}, {quoted(column.name)}: its type is not known"
    for other in table.unplaced:
        there = "it may be missing" if other.optional else "its place is not known"
        yield f"column {quoted(other.column.name)}: {there}"
    if not table.keys_known:
        yield "there may be more keys"


def quoted(name: str) -> str:
    """Return a name as SQL."""
    return "`" + name.replace("`", "``") + "`"


def _word(name: str) -> str:
    """Return the name of an engine or a character set as SQL."""
    return name if name.isascii() and name.replace("_", "").isalnum() else quoted(name)


def _table_name(database: str, table: str) -> str:
    return f"{quoted(database)}.{quoted(table)}" if database else quoted(table)


def _comment(text: str) -> str:
    """Return text as a comment on one line that ends where it should."""
    shown = "".join(char if char.isprintable() else "?" for char in text)
    return f"/* {shown.replace('*/', '* /').replace('/*', '/ *')} */"


def type_text(column: SchemaColumn, *, mariadb: bool) -> str:
    """Return a column's type with its arguments and sign, as SHOW CREATE TABLE prints it."""
    text = column.type_name + _arguments(column, mariadb=mariadb)
    if column.unsigned and column.type_name != "year":
        text += " unsigned"
    elif column.unsigned is None and column.type_name in DISPLAY_WIDTHS:
        text += f" {_comment('unsigned or not is not known')}"
    return text + (" zerofill" if column.zerofill else "")


def _arguments(column: SchemaColumn, *, mariadb: bool) -> str:
    if column.type_name not in TYPES:
        return ""
    family, name = TYPES[column.type_name].family, column.type_name
    if family is Family.LABELS:
        labels = ",".join(f"'{label.translate(_STRING_ESCAPES)}'" for label in column.labels)
        return f"({labels or _comment('labels not known')})"
    if column.scale is not None:
        return f"({column.length},{column.scale})"
    if family is Family.TEMPORAL and not column.length:
        return ""
    if column.length is not None:
        return f"({column.length})"
    if name in DISPLAY_WIDTHS and (mariadb or column.zerofill):
        return f"({DISPLAY_WIDTHS[name][bool(column.unsigned)]})"
    if name == "year" and mariadb:
        return "(4)"
    return f"({_comment('length not known')})" if name in _LENGTH_NEEDED else ""


def _column(column: SchemaColumn, table: SchemaTable) -> str:
    parts = [quoted(column.name), type_text(column, mariadb=table.mariadb)]
    if column.kinds & _COMPRESSED:
        parts.append("/*M!100301 COMPRESSED*/")
    if collated := _collation(column, table):
        parts.append(collated)
    if column.generated:
        expression = _comment("expression not known")
        parts.append(f"GENERATED ALWAYS AS ({expression}) {'STORED' if column.stored else 'VIRTUAL'}")
    if table.period is not None and column.name.lower() in map(str.lower, table.period):
        end = column.name.lower() == table.period[1].lower()
        parts.append(f"GENERATED ALWAYS AS ROW {'END' if end else 'START'}")
    elif column.nullable is False:
        parts.append("NOT NULL")
    elif column.nullable is None:
        parts.append(_comment("NULL or NOT NULL is not known"))
    elif column.type_name == "timestamp":
        parts.append("NULL")
    if column.visible is False:
        parts.append("INVISIBLE" if table.mariadb else "/*!80023 INVISIBLE */")
    return " ".join(parts)


def _collation(column: SchemaColumn, table: SchemaTable) -> str:
    """Return a text column's character set and collation where they are not the table's."""
    if TYPES[column.type_name].family not in _COLLATED:
        return ""
    inherited = Collations(mariadb=table.mariadb).number(table.charset)
    if column.collation == inherited:
        return "" if inherited is not None else _comment("character set not known")
    found = collation(column.collation, mariadb=table.mariadb) if column.collation is not None else None
    return f"CHARACTER SET {found.charset} COLLATE {found.name}" if found else _comment("character set not known")


def _key(key: SchemaKey, table: SchemaTable) -> str:
    words = _KEYS.get(key.kind) or f"{key.kind.upper()} KEY"
    if key.kind != "primary":
        words += f" {quoted(key.name)}"
    period = table.application_period[0] if table.application_period else None
    parts = [
        f"{quoted(name)} WITHOUT OVERLAPS" if name and name == period else _key_part(name, prefix)
        for name, prefix in key.parts
    ]
    if table.period is not None and key.kind in {"primary", "unique"}:
        parts.append(quoted(table.period[1]))  # old versions of a row have the same key
    return f"{words} ({','.join(parts)}){' USING HASH' if key.using_hash else ''}"


def _key_part(name: str, prefix: int) -> str:
    if not name:
        return f"({_comment('expression not known')})"
    return quoted(name) + (f"({prefix})" if prefix else "")


def _foreign_key(key: ForeignKey) -> str:
    text = f"FOREIGN KEY {_names(key.own_columns)} REFERENCES {_table_name(key.database, key.table)}"
    if key.name:
        text = f"CONSTRAINT {quoted(key.name)} {text}"
    if key.columns:
        text += f" {_names(key.columns)}"
    for event, action in (("DELETE", key.on_delete), ("UPDATE", key.on_update)):
        if action:
            text += f" ON {event} {action}"
    return text


def _names(names: Iterable[str]) -> str:
    return f"({', '.join(map(quoted, names))})"


def _options(table: SchemaTable) -> str:
    text = ""
    if table.engine:
        text += f" ENGINE={_ENGINES.get(table.engine) or _word(table.engine)}"
    if table.charset.name:
        text += f" DEFAULT CHARSET={_word(table.charset.name)}"
    if table.charset.collation:
        text += f" COLLATE={_word(table.charset.collation)}"
    return text + (" WITH SYSTEM VERSIONING" if table.versioned else "")


def table_data(table: SchemaTable) -> dict[str, object]:
    """Return the definition as plain data: None for what is not known; what says nothing is left out."""
    return _known(
        {
            "database": table.database,
            "table": table.table,
            "columns": [_column_data(column, table) for column in table.declared],
            "keys": [_key_data(key) for key in table.keys],
            "foreign_keys": [_foreign_key_data(key) for key in table.foreign_keys],
            "charset": table.charset.name,
            "collation": table.charset.collation,
            "engine": table.engine,
            "system_versioning": table.versioned,
            "period": list(table.period or ()),
            "application_period": list(table.application_period or ()),
            "columns_of_unknown_place": [_column_data(other.column, table) for other in table.unplaced],
            "keys_unknown": not table.keys_known,
        }
    )


def _known(data: dict[str, object]) -> dict[str, object]:
    """Leave out what says nothing."""
    return {name: value for name, value in data.items() if value or name in _ALWAYS}


def _column_data(column: SchemaColumn, table: SchemaTable) -> dict[str, object]:
    data: dict[str, object] = {"name": column.name or None, "type": None, "nullable": column.nullable}
    found: Collation | None = None
    if column.type_name in TYPES:
        data["type"] = type_text(column, mariadb=table.mariadb)
        if TYPES[column.type_name].family in _COLLATED and column.collation is not None:
            found = collation(column.collation, mariadb=table.mariadb)
    data |= {
        "unsigned": bool(column.unsigned) and column.type_name != "year",
        "sign_unknown": column.unsigned is None and column.type_name in DISPLAY_WIDTHS,
        "charset": found.charset if found else None,
        "collation": found.name if found else None,
        "labels": list(column.labels),
        "generated": ("stored" if column.stored else "virtual") if column.generated else None,
    }
    if column.visible is False:
        data["visible"] = False
    return _known(data)


def _key_data(key: SchemaKey) -> dict[str, object]:
    parts = [{"column": name or None} | ({"prefix": prefix} if prefix else {}) for name, prefix in key.parts]
    return {"kind": key.kind or "index", "name": key.name, "parts": parts}


def _foreign_key_data(key: ForeignKey) -> dict[str, object]:
    return _known(
        {
            "name": key.name,
            "columns": list(key.own_columns),
            "references": _known({"database": key.database, "table": key.table, "columns": list(key.columns)}),
            "on_delete": key.on_delete,
            "on_update": key.on_update,
        }
    )
