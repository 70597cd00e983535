"""Bitmaps over columns in the annotated hexdump: a character per column, and the names of those that matter."""

from __future__ import annotations

from binlogcli.binary.explained import Explained, drawn
from binlogcli.events.tables import Rows, TableMap
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import SIGNED_TYPES

_FEW = 8  # up to this many columns, the names are listed even if all are nullable
_BITMAPS_KEPT = 64  # of each table
_DRAWN: PlanCache[dict[tuple[str, bytes], Explained]] = PlanCache()  # by the field's name and its bytes


def _kept_by(plan: TablePlan) -> dict[tuple[str, bytes], Explained]:
    """Return the drawings of a table's bitmaps, with room for one more."""
    known = _DRAWN.get(plan)
    if known is None:
        known = _DRAWN.keep(plan, {})
    elif len(known) >= _BITMAPS_KEPT:
        known.clear()
    return known


def describe_present(raw: bytes, event: Rows) -> Explained:
    """Describe the columns of an image (`1`), naming those present or those absent, whichever are fewer."""
    if event.plan is None or event.plan.width != event.width:
        return _columns_of(raw, event.columns, event.width)
    kept = _kept_by(event.plan)
    found = kept.get(("present", raw))
    if found is None:
        found = kept["present", raw] = _columns_of(raw, event.plan.names, event.width)
    return found


def _columns_of(raw: bytes, names: list[str], width: int) -> Explained:
    present = [bool(raw[at >> 3] >> (at & 7) & 1) for at in range(width)]
    marks = "".join("1" if bit else "-" for bit in present)
    if all(present):
        return drawn(marks, f"all {len(present)}")
    few = 2 * sum(present) <= len(present)
    listed = ", ".join([name for name, bit in zip(names, present, strict=False) if bit == few])
    said = f": {listed}" if few and listed else "" if few else f", without {listed}"
    return drawn(marks, f"{sum(present)} of {len(present)}{said}")


def describe_nullable(raw: bytes, event: TableMap) -> Explained:
    """Describe which columns may be NULL (`N`)."""
    kept = _kept_by(event.plan)
    found = kept.get(("nullable", raw))
    if found is None:
        found = kept["nullable", raw] = _nullable_of(raw, event.definition.columns)
    return found


def _nullable_of(raw: bytes, columns: list[ColumnInfo]) -> Explained:
    bits = [bool(raw[at >> 3] >> (at & 7) & 1) for at in range(len(columns))]
    marks = "".join("N" if bit else "-" for bit in bits)
    if len(bits) > _FEW and all(bits):
        return drawn(marks, f"all {len(bits)} nullable")
    names = [column.shown_name for column, bit in zip(columns, bits, strict=True) if bit]
    return drawn(marks, f"nullable: {', '.join(names)}" if names else "none nullable")


def describe_unsigned(raw: bytes, event: TableMap) -> Explained:
    """Describe which of the numeric columns are unsigned (`U`)."""
    columns = [column for column in event.definition.columns if column.code in SIGNED_TYPES]
    bits = _high_bits(raw, len(columns))
    names = [column.shown_name for column, bit in zip(columns, bits, strict=False) if bit]
    marks = "".join("U" if bit else "-" for bit in bits)
    return drawn(marks, f"unsigned: {', '.join(names)}" if names else "all signed")


def describe_visible(raw: bytes, event: TableMap) -> Explained:
    """Describe which columns SELECT * shows (`1`)."""
    columns = event.definition.columns
    bits = _high_bits(raw, len(columns))
    hidden = [column.shown_name for column, bit in zip(columns, bits, strict=False) if not bit]
    marks = "".join("1" if bit else "-" for bit in bits)
    return drawn(marks, f"invisible: {', '.join(hidden)}" if hidden else f"all {len(columns)} visible")


def _high_bits(raw: bytes, count: int) -> list[bool]:
    """Return the first `count` bits, the highest of each byte first."""
    return [bool(raw[at >> 3] << (at & 7) & 0x80) for at in range(min(count, 8 * len(raw)))]
