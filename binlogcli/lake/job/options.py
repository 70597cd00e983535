"""What a run is to do."""

from __future__ import annotations

import json
from dataclasses import dataclass

from binlogcli.gtids.text import set_text
from binlogcli.lake.model import LakeOptions
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
            },
            sort_keys=True,
        )
