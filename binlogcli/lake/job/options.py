"""What a run is to do."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import tzinfo

from binlogcli.gtids.text import set_text
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.store.record import PARTITION, options_in
from binlogcli.lake.store.table_choice import TablePatterns, added, given_as, patterns_of
from binlogcli.select.gtids import GtidChoice


def _text_of(gtids: GtidChoice | None) -> str | None:
    """Return a set of GTIDs as text that is the same for equal sets."""
    return None if gtids is None else set_text({source: numbers.pairs() for source, numbers in gtids.sets.items()})


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The command line of a run. Sizes are bytes; `final` takes the logs as complete."""

    output: str
    lake: LakeOptions
    stop_on_damage: bool = False
    final: bool = False
    epoch_size: int = 8 << 30
    split_size: int | None = None
    retry_gaps: bool = False  # read damaged parts of logs again
    zone: tzinfo | None = None  # in which messages name times; None: the machine's

    def with_tables(self, tables: TablePatterns) -> JobOptions:
        """Return the options with another `--table`."""
        lake = replace(self.lake, choice=self.lake.choice._replace(tables=given_as(tables)))
        return replace(self, lake=lake)

    def fits(self, fingerprint: str) -> bool:
        """Whether a run may continue in an output that was begun with other options.

        With other tables it may if the rows of a log can be distinguished from others: with all columns.
        """
        before, now = options_in(fingerprint), options_in(self.fingerprint())
        if not self.lake.columns_only:
            before["tables"] = now["tables"]
        return bool(before == now)

    def as_partitioned(self, fingerprint: str) -> bool:
        """Whether an output that was begun with other options has files by date as these options want them, or not."""
        return (PARTITION in options_in(fingerprint)) == self.lake.by_date

    def added_tables(self, fingerprint: str | None) -> TablePatterns:
        """Return what `--table` chooses and did not in the run of that fingerprint."""
        if fingerprint is None:
            return ()
        return added(patterns_of(options_in(fingerprint)["tables"]), patterns_of(self.lake.choice.tables))

    def fingerprint(self) -> str:
        """Return what all runs into one output must have in common, as JSON: which events, in which columns."""
        choice = self.lake.choice
        return json.dumps(
            {
                "columns_only": self.lake.columns_only,
                "zero_dates": self.lake.zero_dates,
                "invalid_text": self.lake.invalid_text,
                "databases": sorted(choice.databases),
                "tables": sorted(choice.tables),
                "server_ids": sorted(choice.server_ids),
                "include_gtids": _text_of(choice.include_gtids),
                "exclude_gtids": _text_of(choice.exclude_gtids),
                "events": sorted(choice.events),
            }
            | ({PARTITION: "date"} if self.lake.by_date else {}),
            sort_keys=True,
        )
