"""A name for every byte of an event: its decoder runs a second time, with a cursor that takes notes.

The notes tile the event: header, body, what the decoder left as `unknown`, checksum. If decoding fails, the rest of the
body is one field `unread`. The context must be as it was right after the event was read the first time.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained
from binlogcli.binary.notes import Notes
from binlogcli.errors import UNDECODABLE, undecodable
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event
from binlogcli.events.registry import new_event
from binlogcli.events.tables import Rows
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import event_type_name

_HEADER_SIZE = 19


class EventNoter:
    """Notes the fields of events. Offsets are those in the buffer that holds the event (`data`).

    `damage` is that of the event noted last, None if all of it could be read.
    """

    def __init__(self) -> None:
        self.cursor = Cursor()
        self.notes = Notes()
        self.cursor.listen(self.notes)
        self.damage: Damage | None = None

    def note(self, event: Event, context: LogContext) -> Event:
        """Note an event in `notes`, and return a second decoding of it, complete up to where it failed."""
        cursor = self.cursor
        notes = self.notes
        if cursor.data is not event.data:
            cursor.load(event.data)
        notes.clear(event.at)
        cursor.point(event.at, event.at + event.length)
        self._note_header(event.body_start - event.at, event.type_code)
        twin = new_event(event.type_code)
        twin.take_again(event)
        cursor.point(event.body_start, event.body_end)
        try:
            twin.decode(cursor, context)
            cursor.end = event.body_end
            if cursor.pos < cursor.end:
                twin.finish(cursor)
            self.damage = twin.damage if isinstance(twin, Rows) else None
        except UNDECODABLE as error:
            self.damage = damage_in(event, error)
            reason = str(undecodable(error))
            notes.close(0, reason)
            if notes.covered < event.body_end:
                notes.leaf("unread", notes.covered, event.body_end, reason)
        if event.crc >= 0:
            notes.number("checksum", event.body_end, event.body_end + 4, event.crc)
        return twin

    def _note_header(self, size: int, type_code: int) -> None:
        """Note the common header: 13 bytes in logs of version 1, 19 in others, more if a later version adds to it."""
        cursor = self.cursor
        cursor.u4("timestamp")
        number = cursor.view[cursor.pos]
        if number == type_code:
            cursor.u1("type_code")
        else:  # an alpha of 5.1
            cursor.pos += 1
            name = event_type_name(type_code)
            cursor.note("type_code", cursor.pos - 1, Explained(number, f"{name} in this release"))
        cursor.u4("server_id")
        cursor.u4("event_length")
        if size >= _HEADER_SIZE:
            cursor.u4("log_pos")
            cursor.u2("flags")
        if size > _HEADER_SIZE:
            cursor.skip("unknown", size - _HEADER_SIZE)
