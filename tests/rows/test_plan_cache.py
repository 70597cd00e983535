"""What is remembered of tables, and that it ends."""

from __future__ import annotations

from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import COLUMNS_KEPT, PlanCache
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from support.bodies import WRITE_V1
from support.hostile_logs import wide_tables_log
from support.reading import events, stream_of


def plan_of(width: int) -> TablePlan:
    definition = TableDefinition("shop", "t", b"\x03" * width, mariadb=True)
    definition.columns = [ColumnInfo(index, 3, b"") for index in range(width)]
    return TablePlan(definition, [])


def test_is_bounded_by_the_columns_of_all_tables() -> None:
    kept: PlanCache[int] = PlanCache()
    plans = [plan_of(width) for width in [4000] * 20 + [1] * 5000]
    most = 0
    for number, plan in enumerate(plans):
        assert kept.keep(plan, number) == number
        assert kept.get(plan) == number
        most = max(most, sum(known.width for known in kept))
    assert COLUMNS_KEPT / 2 < most <= COLUMNS_KEPT + 4000
    assert len(kept) < 5000


def test_rows_are_read_by_table_maps_that_stand_far_before_them() -> None:
    tables = 20
    stream = stream_of(bytes(wide_tables_log(tables).log))
    rows = [event for event in events(list(stream)) if event.type_code == WRITE_V1]
    assert [(event.table, event.plan.width) for event in rows] == [(f"t{number}", 4096) for number in range(tables)]
    assert sum(plan.width for plan in stream.context.tables.values()) <= COLUMNS_KEPT + 4096
