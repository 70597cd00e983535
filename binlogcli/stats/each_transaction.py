"""The collector that passes each transaction on, at its end or where it breaks off."""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.stats.collector import SectionCollector


class EachTransaction(SectionCollector):
    """Calls `put` with the facts of each transaction, which are those of the next one afterwards."""

    def __init__(self, put: Callable[[TransactionFacts], object]) -> None:
        self.put = put

    def close(self, work: TransactionFacts) -> None:
        """Pass one transaction on."""
        self.put(work)
