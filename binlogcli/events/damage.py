"""What is damage of an event: decided here, for all commands, the Python API and to-parquet.

* Bytes that are no event: found by `log.framer`.
* A body that does not decode: found by `events.stream`, which drops the event.
* Rows: the first one that cannot be read, and all bytes behind it; rows whose table map is missing, or does not tell
  enough to read them; a value of known size that cannot be read, such as a JSON document. The event is sound, and so
  are the rows before; whoever reads its rows reports `rows_damage`. Counting rows by their widths (`stats`) finds all
  of this but illegal values.
"""

from __future__ import annotations

from binlogcli.errors import DecodeError, undecodable
from binlogcli.events.event import Event
from binlogcli.log.gaps import Damage
from binlogcli.rows.column import Sink


def damage_in(event: Event, error: Exception) -> Damage:
    """Return the damage that covers the whole event: its type, and why it, or something in it, cannot be read."""
    found = undecodable(error)
    return Damage(event.start, event.end, f"{event.type}: {found}", found.hint, event.within)


def rows_damage(event: Event, error: Exception | None, sink: Sink) -> Damage | None:
    """Return the damage of an event whose rows were read into a sink, None if there is none.

    `error` ended the reading early; without it, what counts is the first value that could not be read.
    """
    if error is None:
        return damage_in(event, DecodeError(sink.problem)) if sink.problem else None
    return damage_in(event, error)
