"""duckdb's view of the rows that are in a table after all its changes.

A change has the columns that its images have: with `binlog_row_image` MINIMAL or NOBLOB not all of them. What the last
change of a row lacks is looked for in the earlier ones, back to the insert that made the row, under earlier values of
its primary key, too. A column that none of them has is NULL, and named in the column `_unknown` of the row.

Without a primary key, a row is known by all its values. Where images lack some of them so that a change fits no row,
and where the log does not tell the key of a changed row, or whether a change was rolled back, the query ends with an
error: what is left is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from binlogcli.lake.tables.logical import LogicalTable
from binlogcli.lake.tables.sql_text import quoted, text, texts
from binlogcli.lake.tables.types import free_name

_THERE, _COUNT = '"_binlog there"', '"_binlog count"'  # columns that no table has
_MOVED, _LOST, _LACKING = '"_binlog moved"', '"_binlog lost"', '"_binlog lacking"'
_BEGAN, _ENDED, _LIFE, _DEPTH = '"_binlog began"', '"_binlog ended"', '"_binlog life"', '"_binlog depth"'
_UNKNOWN = "_unknown"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the log, with the columns that belong to it; `number` distinguishes it."""

    number: int
    names: tuple[str, ...]  # its own comes first

    @property
    def name(self) -> str:
        """The name that the column has in the log."""
        return self.names[0]

    @property
    def own(self) -> str:
        """Its name as SQL has it."""
        return quoted(self.name)

    @property
    def state(self) -> str:
        """The name of the struct that has its values and whether they are known; NULL where an image lacks it."""
        return f'"_binlog state {self.number}"'

    @property
    def new_key(self) -> str:
        """The name of its value after a change; of columns of the primary key."""
        return f'"_binlog key {self.number}"'

    @property
    def old_key(self) -> str:
        """The name of its value before a change; of columns of the primary key."""
        return f'"_binlog old key {self.number}"'

    @property
    def absent(self) -> str:
        """The condition that an image after a change lacks it, or has of a document only what was changed."""
        return f"list_contains(_absent, {text(self.name)})"

    @property
    def absent_before(self) -> str:
        """The condition that the image before an update lacks it."""
        return f"list_contains(_absent, {text('_before.' + self.name)})"


def latest_view(name: str, rows: str, logical: LogicalTable) -> str:
    """Return the query; `rows` has all changes, and in `_absent` also the columns that a version lacks."""
    columns = list(_columns(logical))
    key = [one for wanted in logical.primary_key for one in columns if one.name == wanted]
    taken = {name.lower() for one in columns for name in one.names}
    unknown = quoted(free_name(_UNKNOWN, taken))
    emptied = "(SELECT coalesce(max(_seq), -1) FROM logged WHERE _op IN ('truncate', 'drop'))"
    changes = (
        f"WITH RECURSIVE logged AS (\n{rows}\n), changes AS (\n"
        f"SELECT *{_keys(key)} FROM logged WHERE _op IN ('insert', 'update', 'delete') AND _seq > {emptied}\n"
        "AND _outcome = 'committed'\n)"
    )
    doubtful = f"logged WHERE _outcome = 'unknown' AND _seq > {emptied}"
    reason = f"{name} has changes that may have been rolled back or not: the remaining rows are unknown"
    left = _by_key(name, columns, key, unknown) if key else _by_values(name, columns, unknown)
    return f"{changes}, {left}\nAND {_or_error('count(*) > 0', doubtful, reason)}"


def _columns(logical: LogicalTable) -> Iterator[_Column]:
    """Yield the columns that the table has in the end."""
    groups: list[list[str]] = []
    for column in logical.current:
        if column.sources[logical.last].companion:
            groups[-1].append(column.name)
        else:
            groups.append([column.name])
    for number, names in enumerate(groups):
        yield _Column(number, tuple(names))


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts)


def _any(conditions: Sequence[str]) -> str:
    return f"({' OR '.join(conditions)})"


def _named(cases: Sequence[str]) -> str:
    """Return the list of those of these texts that are not NULL."""
    return f"list_filter([{_listed(cases)}]::VARCHAR[], lambda name: name IS NOT NULL)"


def _or_error(condition: str, source: str, reason: str) -> str:
    """Return the condition that is true, or ends the query with an error where the first one holds for the rows."""
    return f"(SELECT CASE WHEN {condition} THEN error({text(reason)}) ELSE true END FROM {source})"


# by key -------------------------------------------------------------------------------------------------------------


def _keys(key: Sequence[_Column]) -> str:
    """Return the columns with the keys of changed rows after and before a change, and whether the log tells them."""
    if not key:
        return ""
    found = [
        f"CASE WHEN _op = 'update' AND {one.absent} THEN _before.{one.own} ELSE {one.own} END AS {one.new_key}"
        for one in key
    ]
    found += [f"CASE WHEN _op = 'update' THEN _before.{one.own} ELSE {one.own} END AS {one.old_key}" for one in key]
    moved = _any([f"{one.new_key} IS DISTINCT FROM {one.old_key}" for one in key])
    lost = [f"CASE WHEN _op = 'update' THEN {one.absent_before} ELSE {one.absent} END" for one in key]
    return ",\n" + ",\n".join([*found, f"_op = 'update' AND {moved} AS {_MOVED}", f"{_any(lost)} AS {_LOST}"])


def _by_key(name: str, columns: Sequence[_Column], key: Sequence[_Column], unknown: str) -> str:
    """Return the rows of the last change of each key, unless it is a delete; of an update the old key's is one."""
    new, old = _listed([one.new_key for one in key]), _listed([one.old_key for one in key])
    own = _listed([quoted(each) for one in columns for each in one.names])
    partly = f"list_has_any(_absent, {texts(one.name for one in columns)})"
    reason = f"{name} has changes of rows whose primary key is not in the log: the remaining rows are unknown"
    return (
        f"states AS (\n"
        f"SELECT max(_seq) AS _seq, arg_max({_THERE}, _seq) AS {_THERE} FROM (\n"
        f"SELECT {new}, _seq, _op <> 'delete' AS {_THERE} FROM changes\n"
        f"UNION ALL SELECT {old}, _seq, false FROM changes WHERE {_MOVED}\n"
        f") GROUP BY {new}\n"
        f"), last AS (\n"
        f"SELECT changes.* FROM changes SEMI JOIN states ON changes._seq = states._seq AND states.{_THERE}\n"
        f"), partly AS (\nSELECT _seq, false AS {_LOST} FROM last WHERE {partly}\n), {_filled(columns, new, old)}\n"
        f"SELECT * FROM (\n"
        f"SELECT {own}, []::VARCHAR[] AS {unknown} FROM last WHERE NOT {partly}\n"
        f"UNION ALL {_told_rows(columns, unknown)}\n"
        f") WHERE {_or_error('count(*) > 0', f'changes WHERE {_LOST}', reason)}"
    )


def _filled(columns: Sequence[_Column], new: str, old: str) -> str:
    """Return the rows whose last change lacks columns, with the last known value of each column, as `filled`.

    The changes of a key are split into lives: from an insert, or an update that gave a row this key, to a delete, or
    the update that took the key from the row. A row continues from the life that such an update has ended.
    """
    state = _listed([one.state for one in columns])
    window = f"(PARTITION BY {new} ORDER BY _seq ROWS UNBOUNDED PRECEDING)"
    newest = _listed([f"arg_max({one.state}, _seq) AS {one.state}" for one in columns])
    goes_on = _listed([f"coalesce(filled.{one.state}, origin.{one.state})" for one in columns])
    lacking = _any([f"filled.{one.state} IS NULL" for one in columns])
    nothing = _listed(["NULL"] * len(columns))
    return (
        f"entries AS (\n"
        f"SELECT {new}, _seq, _op = 'insert' OR {_MOVED} AS {_BEGAN}, _op = 'delete' AS {_ENDED},\n"
        f"{_listed([_state_of(one) for one in columns])}\n"
        f"FROM changes SEMI JOIN partly ON (changes._seq IS NULL) = partly.{_LOST}\n"
        f"UNION ALL SELECT {old}, _seq, false, true, {nothing}\n"
        f"FROM changes SEMI JOIN partly ON (changes._seq IS NULL) = partly.{_LOST} WHERE {_MOVED}\n"
        f"), numbered AS (\n"
        f"SELECT *, sum({_BEGAN}::INT + {_ENDED}::INT) OVER {window} - {_ENDED}::INT AS {_LIFE} FROM entries\n"
        f"), lives AS (\n"
        f"SELECT max(_seq) FILTER (NOT {_ENDED}) AS _seq, max(_seq) FILTER ({_BEGAN}) AS {_BEGAN},\n"
        f"max(_seq) FILTER ({_ENDED}) AS {_ENDED}, {newest} FROM numbered GROUP BY {new}, {_LIFE}\n"
        f"), filled AS (\n"
        f"SELECT _seq, {_BEGAN}, 0 AS {_DEPTH}, {state}\n"
        f"FROM lives SEMI JOIN partly USING (_seq) WHERE {_ENDED} IS NULL\n"
        f"UNION ALL SELECT filled._seq, origin.{_BEGAN}, filled.{_DEPTH} + 1, {goes_on}\n"
        f"FROM filled JOIN lives AS origin ON origin.{_ENDED} = filled.{_BEGAN} WHERE {lacking}\n"
        f")"
    )


def _state_of(column: _Column) -> str:
    """Return the struct of what a change tells of a column: its value after the change; NULL where it tells nothing.

    What an update leaves as it is may be in the image before it alone. Of a document whose changes alone are logged
    the value is not known.
    """

    def values(known: str, owner: str = "") -> str:
        fields = [f"v{at} := {owner}{quoted(name)}" for at, name in enumerate(column.names)]
        return f"struct_pack(known := {known}, {_listed(fields)})"

    return (
        f"CASE WHEN _op = 'delete' THEN NULL WHEN NOT {column.absent} THEN {values('true')}\n"
        f"WHEN {column.own} IS NOT NULL THEN {values('false')}\n"
        f"WHEN _op = 'update' AND NOT {column.absent_before} THEN {values('true', '_before.')} END AS {column.state}"
    )


def _told_rows(columns: Sequence[_Column], unknown: str) -> str:
    """Return the rows of `filled` with the table's columns."""
    found = [
        f"CASE WHEN {one.state}.known THEN {one.state}.v{at} END AS {quoted(name)}"
        for one in columns
        for at, name in enumerate(one.names)
    ]
    unknowns = _named([f"CASE WHEN {one.state}.known THEN NULL ELSE {text(one.name)} END" for one in columns])
    newest = _listed([f"arg_max({one.state}, {_DEPTH}) AS {one.state}" for one in columns])
    return f"SELECT {_listed(found)}, {unknowns} AS {unknown}\nFROM (SELECT {newest} FROM filled GROUP BY _seq)"


# by all values ------------------------------------------------------------------------------------------------------


def _by_values(name: str, columns: Sequence[_Column], unknown: str) -> str:
    """Return what is left of all rows that came when those that went are taken out: for tables without a key."""
    own = _listed([quoted(each) for one in columns for each in one.names])
    after = _listed([_after(one, each) for one in columns for each in one.names])
    before = _listed([f"_before.{quoted(each)}" for one in columns for each in one.names])
    lacking = _named([f"CASE WHEN {_is_lacking(one)} THEN {text(one.name)} END" for one in columns])
    lacking_before = _named([f"CASE WHEN {one.absent_before} THEN {text(one.name)} END" for one in columns])
    unclear = f"bool_or(len({_LACKING}) > 0) AND bool_or({_COUNT} < 0)"
    reason = f"{name} has no primary key, and changes that lack columns of their rows: the remaining rows are unknown"
    return (
        f"remaining AS (\n"
        f"SELECT {own}, {_LACKING}, CAST(sum({_COUNT}) AS BIGINT) AS {_COUNT} FROM (\n"
        f"SELECT {after}, CASE WHEN len(_absent) = 0 THEN [] ELSE {lacking} END AS {_LACKING},\n"
        f"CASE _op WHEN 'delete' THEN -1 ELSE 1 END AS {_COUNT} FROM changes\n"
        f"UNION ALL SELECT {before}, CASE WHEN len(_absent) = 0 THEN [] ELSE {lacking_before} END, -1\n"
        f"FROM changes WHERE _op = 'update'\n"
        f") GROUP BY {own}, {_LACKING} HAVING sum({_COUNT}) <> 0\n"
        f")\n"
        f"SELECT {own}, {_LACKING} AS {unknown} FROM remaining, unnest(range({_COUNT}))\n"
        f"WHERE {_or_error(unclear, 'remaining', reason)}"
    )


def _after(column: _Column, name: str) -> str:
    """Return a column after a change, by its name or that of one that belongs to it."""
    unchanged = f"CASE WHEN _op = 'update' AND {column.own} IS NULL THEN _before.{quoted(name)} END"
    return f"CASE WHEN {column.absent} THEN {unchanged} ELSE {quoted(name)} END AS {quoted(name)}"


def _is_lacking(column: _Column) -> str:
    """Return the condition that a column after a change is not known."""
    return f"{column.absent} AND NOT (_op = 'update' AND {column.own} IS NULL AND NOT {column.absent_before})"
