"""The messages between replica and server beside the events, as JSON lines or as comments in the text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from binlogcli.binary.json_writer import json_bytes
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.names import event_types
from binlogcli.render.escape import controls
from binlogcli.select.times import iso_text
from binlogcli.sources.protocol.messages import Message, SentEvent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = (1 << 62) - 1  # nanoseconds; a damaged capture may hold any number
# Packets that only frame the rows of an answer, left out of the text
_FRAMES = frozenset({"column count", "column definition", "EOF"})
_NEW_LINES = {ord("\n"): "\\n", ord("\t"): "\\t", **controls()}


class JsonDialogue:
    """Writes messages as lines among those of the events, with their fields in `body`."""

    def __init__(self, out: TextBuffer, file: str, zone: tzinfo | None = None) -> None:
        self.out = out
        self.file = file
        self.zone = zone

    def message(self, message: Message) -> None:
        """Write the line of a packet."""
        place = message.place
        line = {
            "file": self.file,
            "packet": place.number,
            "time": moment(place.time, self.zone),
            "from": place.source,
            "to": place.target,
            "dialogue": message.name,
            "sequence": message.sequence,
            "body": message.body,
        }
        self.out.put(json_bytes(line) + b"\n")

    def sent(self, event: SentEvent) -> None:
        """Write nothing: events have lines of their own."""


class TextDialogue:
    """Collects messages as comments and writes them between statements, never inside one of several events."""

    def __init__(self, out: TextBuffer, zone: tzinfo | None = None) -> None:
        self.out = out
        self.zone = zone
        self.comments: list[str] = []

    def message(self, message: Message) -> None:
        """Collect a packet's comment, except for packets that only frame rows."""
        if message.name in _FRAMES:
            return
        place = message.place
        said = " ".join(f"{name}={value!r}" for name, value in message.body.items())
        where = f"# packet {place.number} at {moment(place.time, self.zone)} {place.source} > {place.target}"
        self.comments.append(f"{where} {message.name} {said}".rstrip())

    def sent(self, event: SentEvent) -> None:
        """Write the collected comments before an event that begins something new."""
        if self.comments and event.event[4] in _BEGINNINGS:
            self.release()

    def release(self) -> None:
        """Write the collected comments, with escapes for all that could end their lines."""
        for comment in self.comments:
            self.out.put(comment.translate(_NEW_LINES).encode("utf-8", "backslashreplace") + b"\n")
        self.comments.clear()


# Event types before which no statement is open: starts and ends of logs, starts of transactions
_BEGINNINGS = frozenset(
    {
        *event_types.FORMAT_EVENTS,
        event_types.STOP_EVENT,
        event_types.ROTATE_EVENT,
        event_types.GTID_LOG_EVENT,
        event_types.ANONYMOUS_GTID_LOG_EVENT,
        event_types.ANNOTATE_ROWS_EVENT,
        event_types.GTID_EVENT,
        event_types.GTID_LIST_EVENT,
    }
)


def moment(nanoseconds: int, zone: tzinfo | None) -> str:
    """Return a capture's time, in nanoseconds since 1970, as ISO 8601 with microseconds."""
    when = _EPOCH + timedelta(microseconds=max(min(nanoseconds, _LATEST), 0) // 1000)
    return iso_text(when.astimezone(zone), "microseconds")
