"""What was made of tables, once each: a memory that ends, however many tables a log has and however wide they are."""

from __future__ import annotations

from typing import TypeVar

from binlogcli.rows.plan import TablePlan

Value = TypeVar("Value")
COLUMNS_KEPT = 1 << 14  # some hundred bytes each, with the plan that stays alive
PLAN_WEIGHT = 4  # what a table takes itself, in columns


class PlanCache(dict[TablePlan, Value]):
    """By the plan of a table; bounded by the columns of all, and begun anew above."""

    columns = 0

    def keep(self, plan: TablePlan, value: Value) -> Value:
        """Remember the value, and give it back."""
        if self.columns > COLUMNS_KEPT:
            self.clear()
            self.columns = 0
        self.columns += plan.width + PLAN_WEIGHT
        self[plan] = value
        return value
