"""Which transactions a set of GTIDs chooses."""

from __future__ import annotations

from binlogcli.events.event import Transaction
from binlogcli.gtids.text import GtidSet, Source


class GtidChoice:
    """A set of GTIDs that transactions are looked up in; `found` is set once one of them was in it."""

    def __init__(self, sets: GtidSet) -> None:
        self.sets = sets
        self.found = False

    def contains(self, source: Source, number: int) -> bool:
        """Return whether a GTID is in the set."""
        numbers = self.sets.get(source)
        inside = numbers is not None and numbers.contains(number)
        self.found = self.found or inside
        return inside

    def holds(self, transaction: Transaction) -> bool:
        """Return whether a transaction is in the set; one without a GTID is in none."""
        if transaction.mariadb_gtid:
            return self.contains((transaction.domain_id, transaction.server_id), transaction.seq_no)
        if transaction.sid is not None:
            return self.contains((transaction.sid, transaction.tag), transaction.gno)
        return False
