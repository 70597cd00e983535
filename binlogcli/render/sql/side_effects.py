"""What a server does by itself when rows change, and what that means for an undo: foreign keys and triggers.

Rows that a foreign key deletes or changes with the row that they refer to (ON DELETE CASCADE and the like) are in no
log. So an undo of the row alone leaves them lost: it is refused, unless the user takes that. A trigger's changes are in
the log as rows, and are undone as such; but the statements of the undo run triggers again, those too that were created
after the row was changed. A schema and the statements of the log tell of both; a MariaDB log also that a table has
triggers. Where nothing is known, `remarks` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from binlogcli.events.tables import Rows
from binlogcli.render.sql.session import NO_FOREIGN_KEY_CHECKS_F
from binlogcli.rows.images import DELETE, UPDATE, WRITE
from binlogcli.rows.plan import TablePlan

if TYPE_CHECKING:
    from binlogcli.schema.catalog import Catalog
    from binlogcli.schema.table import ForeignKey, Trigger

TM_BIT_HAS_TRIGGERS_F = 0x4000  # of a table map of MariaDB
_UNDONE_BY = {WRITE: "DELETE", UPDATE: "UPDATE", DELETE: "INSERT"}


class SideEffects:
    """Collects the foreign keys and triggers of the tables that an undo changes, and says what it must not ignore."""

    def __init__(self, *, parents_only: bool, without_triggers: bool) -> None:
        self.parents_only = parents_only
        self.without_triggers = without_triggers
        self.catalog: Catalog | None = None
        self.lost: dict[str, None] = {}  # child tables with rows that are not brought back
        self.taken_along: dict[str, None] = {}  # child tables with rows that the undo may delete or change
        self.to_drop: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self._changed: dict[tuple[str, str, str], None] = {}  # database, table, the event of triggers that undo runs

    def reason_against(self, event: Rows, changed: Iterable[int]) -> tuple[str, str] | None:
        """Return why the rows of an event are not to be undone, with a hint; None where they can be.

        `changed` are the indexes of the columns that an UPDATE changed.
        """
        plan = event.plan
        if plan is None:
            return None
        name = f"{event.database}.{event.table}"
        self._note_unknown(event, plan, name, changed)
        return self._reason_of_keys(event, plan, name, changed) or self._reason_of_triggers(event, plan, name)

    def _note_unknown(self, event: Rows, plan: TablePlan, name: str, changed: Iterable[int]) -> None:
        """Note a table that no schema file has, where a foreign key may have acted or a log of MySQL hides triggers."""
        definition = plan.definition
        catalog = self.catalog
        if catalog is not None and catalog.has_files and catalog.find(definition.database, definition.table):
            return
        moved = event.operation == UPDATE and not set(definition.primary_key).isdisjoint(changed)
        if event.operation == DELETE or moved or not definition.mariadb:
            self.unknown[name] = None

    def _reason_of_keys(
        self, event: Rows, plan: TablePlan, name: str, changed: Iterable[int]
    ) -> tuple[str, str] | None:
        if self.catalog is None or event.row_flags & NO_FOREIGN_KEY_CHECKS_F:
            return None
        children = self.catalog.children(plan.definition.database, plan.definition.table)
        if event.operation == UPDATE:
            same = {name.casefold() for name in plan.names} - {plan.names[index].casefold() for index in changed}
            acting = [f"{child} (ON UPDATE {key.on_update})" for child, key in children if _acts(key, same)]
        else:
            acting = [f"{child} (ON DELETE {key.on_delete})" for child, key in children if key.on_delete]
        if event.operation == WRITE:
            self.taken_along.update(dict.fromkeys(acting))
        elif acting and not self.parents_only:
            listed = ", ".join(acting)
            reason = (
                f"foreign keys may also have changed rows of {listed} along with {name}; no log contains these rows"
            )
            return reason, "use --parents-only to undo the rest, and restore these rows by other means"
        else:
            self.lost.update(dict.fromkeys(acting))
        return None

    def _reason_of_triggers(self, event: Rows, plan: TablePlan, name: str) -> tuple[str, str] | None:
        definition = plan.definition
        catalog = self.catalog
        known = () if catalog is None else catalog.triggers(definition.database, definition.table)
        all_known = catalog is not None and known and catalog.is_given(definition.database, definition.table)
        running = [one for one in known if one.event == _UNDONE_BY[event.operation]]
        self._changed[definition.database, definition.table, _UNDONE_BY[event.operation]] = None
        if not running and (all_known or not plan.map_flags & TM_BIT_HAS_TRIGGERS_F):
            return None
        return self._reason_of_running(name, running)

    def reason_at_end(self) -> tuple[str, str] | None:
        """Return why the undo of all events is not to be run, for triggers that came later than the rows."""
        if self.catalog is None:
            return None
        for database, table, event in self._changed:
            running = [one for one in self.catalog.triggers(database, table) if one.event == event]
            if running and (reason := self._reason_of_running(f"{database}.{table}", running)):
                return reason
        return None

    def _reason_of_running(self, name: str, running: Sequence[Trigger]) -> tuple[str, str] | None:
        shown = [_shown(name, one) for one in running]
        if not self.without_triggers:
            reason = f"{name} has triggers, which would fire again during the undo" + (
                f": {', '.join(shown)}" if shown else ""
            )
            return reason, "drop them before you run the undo, and pass --without-triggers"
        self.to_drop.update(dict.fromkeys(shown or [f"all of {name}"]))
        return None

    def lost_rows(self) -> str:
        """Return which rows are not brought back, or nothing."""
        if not self.lost:
            return ""
        return f"not restored: rows that foreign keys deleted or changed in {_listed(self.lost)}"

    def remarks(self) -> list[str]:
        """Return what the user has to know before running the undo, a line each."""
        found = []
        if self.lost:
            found.append(self.lost_rows())
        elif self.parents_only:
            found.append("--parents-only: no foreign key is known to have changed other rows together with these rows")
        if self.taken_along:
            found.append(
                f"the undo deletes rows, and foreign keys also delete or change the rows that refer to "
                f"them: {_listed(self.taken_along)}"
            )
        if self.to_drop:
            found.append(
                f"drop these triggers before you run the undo, and create them again after it: {_listed(self.to_drop)}"
            )
        elif self.without_triggers:
            found.append("--without-triggers: no undone table is known to have triggers that would fire")
        if self.unknown:
            found.append(
                f"{_listed(self.unknown)} may have foreign keys and triggers that the logs do not show: rows changed "
                f"by ON DELETE CASCADE or SET NULL are not restored, and triggers fire again; pass --schema with their "
                f"definitions"
            )
        return found


def _acts(key: ForeignKey, same: set[str]) -> bool:
    """Whether a foreign key may act on an update that leaves these columns, in lower case, as they were."""
    return bool(key.on_update) and not (key.columns and same.issuperset(map(str.casefold, key.columns)))


def _shown(table: str, trigger: Trigger) -> str:
    return f"{table.rpartition('.')[0]}.{trigger.name} ({trigger.time} {trigger.event})"


def _listed(names: Iterable[str]) -> str:
    """Return the first five names, and the number of the others."""
    first = list(names)
    more = f" and {len(first) - 5} more" if len(first) > 5 else ""
    return ", ".join(first[:5]) + more
