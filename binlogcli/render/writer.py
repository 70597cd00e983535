"""The loop that the formats share which write event by event: a log read to its end."""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage


class EventWriter:
    """Writes the events of logs into `out`; base of the formats JSON and SQL."""

    def __init__(self, out: TextBuffer) -> None:
        self.out = out

    def run(self, log: Log, write: Callable[[memoryview], object], report: Callable[[Damage], None]) -> None:
        """Write all of a log through `write` and report damage; what was decoded is written even if reading fails."""
        out = self.out
        out.drain = write
        self.begin_log(log)
        try:
            while True:
                event = log.advance()
                if event is not None:
                    begun, drained = out.size, out.drained
                    try:
                        damage = self.put_event(event)
                    except DEFECTS as error:
                        out.held = False
                        if out.drained == drained:
                            out.size = begun
                        else:
                            out.put(b"\n")
                        damage = damage_in(event, error)
                        self.put_damage(damage)
                    if damage is not None:
                        report(damage)
                else:
                    gap = log.take_gap()
                    if gap is None:
                        return
                    if isinstance(gap, Damage):
                        self.put_damage(gap)
                        report(gap)
                if out.full():
                    write(out.content())
                    out.clear()
        finally:
            out.drain = None
            write(out.content())
            out.clear()

    def begin_log(self, log: Log) -> None:
        """Prepare for a log's events."""
        raise NotImplementedError

    def put_event(self, event: Event) -> Damage | None:
        """Write an event; return the damage where its rows could not all be read."""
        raise NotImplementedError

    def put_damage(self, damage: Damage) -> None:
        """Write a damaged stretch."""
        raise NotImplementedError
