"""A bounded cache of what is computed once per table."""

from __future__ import annotations

from typing import TypeVar

from binlogcli.rows.plan import TablePlan

Value = TypeVar("Value")
COLUMNS_KEPT = 1 << 14  # some hundred bytes each, with the plan that stays alive


class PlanCache(dict[TablePlan, Value]):
    """Values by table plan; cleared when its tables have `COLUMNS_KEPT` columns in all."""

    columns = 0

    def keep(self, plan: TablePlan, value: Value) -> Value:
        """Store the value and return it."""
        if self.columns > COLUMNS_KEPT:
            self.clear()
            self.columns = 0
        self.columns += plan.weight
        self[plan] = value
        return value
