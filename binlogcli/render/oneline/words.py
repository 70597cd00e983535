"""What a line tells of a transaction in words: how it ended, its tables, the beginning of its statement."""

from __future__ import annotations

from binlogcli.events.statements import Query, StatementText, client_text
from binlogcli.events.transaction_facts import TABLES_COUNTED, TransactionFacts
from binlogcli.events.transactions import xid_text
from binlogcli.log.boundaries import may_define
from binlogcli.render.escape import visible
from binlogcli.rows.plan import TablePlan

TEXT_SIZE = 200  # bytes of a statement that are read


def outcome_of(work: TransactionFacts) -> str:
    """Return how the transaction ended: commit, rollback, prepared, xa-commit, xa-rollback or unfinished."""
    outcome = "" if work.transaction is None else work.transaction.outcome.lower()
    if work.prepared is None or not outcome:
        return outcome or "unfinished"
    return "prepared" if work.prepared[0] else f"xa-{outcome}"


def xid_of(work: TransactionFacts) -> str:
    """Return the number in the XID event, or the identifier of an XA transaction; `-` without one."""
    if work.prepared is not None:
        return xid_text(*work.prepared[1])
    xid = None if work.transaction is None else work.transaction.xid
    return "-" if xid is None else str(xid)


def table_name(plan: TablePlan) -> str:
    """Return a table's name with its database, as one line."""
    return visible(f"{plan.definition.database}.{plan.definition.table}")


def tables_of(work: TransactionFacts) -> list[str]:
    """Return the names of the first tables whose rows changed, and the number of the others."""
    found = list(dict.fromkeys(map(table_name, work.tables)))
    if work.other_tables:
        found.append(others_text(work.other_tables))
    return found


def others_text(others: set[int]) -> str:
    """Return the number of the tables that are not named; from some thousand on they are counted as one."""
    return f"+{len(others)} tables" + (" or more" if len(others) == TABLES_COUNTED else "")


def statement_of(work: TransactionFacts) -> str:
    """Return the beginning of the first statement as one line; `-` where the log has none."""
    event = work.statement
    if event is None:
        return "-"
    number, mariadb = (event.status.character_set_client, event.mariadb) if isinstance(event, Query) else (None, True)
    raw = event.query if isinstance(event, Query | StatementText) else b""
    shown = raw[:TEXT_SIZE]
    text = client_text(shown, number, mariadb) or shown.decode("utf-8", "backslashreplace")
    return visible(" ".join(text.split()) + ("…" if len(raw) > TEXT_SIZE else "")) or "-"


def is_counted(work: TransactionFacts) -> bool:
    """Whether all rows that the transaction changed are row events that were read."""
    if work.unread:
        return False
    if work.statements == 0:
        return True
    event = work.statement
    return work.statements == 1 and isinstance(event, Query) and may_define(event.query, 0, len(event.query))


def lag_of(work: TransactionFacts) -> int | None:
    """Return the microseconds from the commit to that on the server that wrote the log; None where it is the same."""
    if not work.commit_micro or not work.here_micro or work.here_micro == work.commit_micro:
        return None
    return work.here_micro - work.commit_micro
