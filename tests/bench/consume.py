"""What the benchmark measures below the commands: walk (framing and checksums), decode (every value, to nothing)."""

from __future__ import annotations

import sys

import binlogcli
from binlogcli.events.tables import Rows
from binlogcli.rows.column import Sink
from binlogcli.rows.walk import RowWalker


def walk(path: str) -> int:
    """Step over every event, its checksum verified; how many there were."""
    with binlogcli.open(path) as log:
        return int(log.stream.count())


def decode(path: str) -> int:
    """Decode every event and hand every value of every row to a sink that does nothing; how many events there were."""
    walker, sink, events = RowWalker(), Sink(), 0
    with binlogcli.open(path) as log:
        while True:
            event = log.advance()
            if event is None:
                if log.take_gap() is None:
                    return events
                continue
            events += 1
            if isinstance(event, Rows):
                event.walk(walker, sink)


WAYS = {"walk": walk, "decode": decode}

if __name__ == "__main__":
    sys.stdout.write(f"{WAYS[sys.argv[1]](sys.argv[2])} events\n")
