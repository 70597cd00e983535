"""Reads a server's small files beside its logs, of the kinds that `sources.sniff` recognizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from binlogcli.errors import SourceError
from binlogcli.sources.opening import open_source
from binlogcli.sources.sniff import AUTO_CNF, GTID_INDEX, GTID_STATE, RELAY_POSITION, SOURCE_INFO, witness_of
from binlogcli.stats.witnesses.gtid_files import read_gtid_index, read_gtid_state
from binlogcli.stats.witnesses.replica_files import read_auto_cnf, read_relay_position, read_source_info

HEAD = 1 << 16  # first bytes by which a file is recognized
_LARGEST = 1 << 26
_READERS = {
    SOURCE_INFO: ("servers", read_source_info),
    RELAY_POSITION: ("servers", read_relay_position),
    AUTO_CNF: ("servers", read_auto_cnf),
    GTID_STATE: ("gtids", read_gtid_state),
    GTID_INDEX: ("gtids", read_gtid_index),
}


@dataclass(slots=True)
class Witness:
    """What one of these files says. `section` is that of the report; `values` are empty until the file was read."""

    file: str
    kind: str
    section: str
    values: dict[str, Any] = field(default_factory=dict)

    def read(self) -> None:
        """Read the file. Raises SourceError where it cannot be read, or is damaged; what is sound of it is kept."""
        with open_source(self.file) as source:
            parts = []
            left = _LARGEST
            while left > 0 and (part := source.read(min(left, HEAD))):
                parts.append(part)
                left -= len(part)
        values, problem = _READERS[self.kind][1](b"".join(parts), self.file)
        self.values = values
        if problem:
            raise SourceError(problem, file=self.file, hint="copy it again from the server or the backup")

    def row(self) -> dict[str, Any]:
        """Return what the report says of the file."""
        return {"file": self.file, "kind": self.kind, "values": self.values}


def find_witness(path: str) -> Witness | None:
    """Return the witness that a file is, not read yet; None for other files, and those that cannot be read."""
    try:
        with open_source(path) as source:
            kind = witness_of(source.head(HEAD), path)
    except SourceError:
        return None
    return None if kind is None else Witness(path, kind, _READERS[kind][0])
