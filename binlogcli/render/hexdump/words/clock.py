"""Points in time in the annotated hexdump, and the fields that hold some."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from binlogcli.events.event import Event
from binlogcli.events.mysql import HAS_ORIGINAL_TIME
from binlogcli.render.hexdump.words.meanings import Describer

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class HexClock:
    """Formats points in time, in the user's zone; None is the machine's."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.zone = zone

    def second(self, seconds: int) -> str:
        """Return seconds since 1970 as date, time and zone."""
        return self.moment(_EPOCH + timedelta(seconds=seconds), "seconds")

    def micro(self, micros: int) -> str:
        """Return microseconds since 1970 as date, time and zone."""
        try:
            return self.moment(_EPOCH + timedelta(microseconds=micros), "microseconds")
        except OverflowError:
            return "out of range"

    def moment(self, moment: datetime, precision: str) -> str:
        """Return a moment as date, time and zone."""
        local = moment.astimezone(self.zone)
        text = local.isoformat(" ", precision)
        offset = text[len(local.replace(tzinfo=None).isoformat(" ", precision)) :]
        return f"{text.removesuffix(offset)} {'UTC' if offset == '+00:00' else offset}"


def describers_of_time(clock: HexClock) -> dict[str, Describer]:
    """Return the describers of fields that hold points in time."""

    def commit(value: int, _event: Event) -> str:
        moment = clock.micro(value & (HAS_ORIGINAL_TIME - 1))
        return f"{moment}; the original time follows" if value & HAS_ORIGINAL_TIME else moment

    def second(value: int, _event: Event) -> str:
        return clock.second(value) if value else ""

    return {
        "timestamp": second,
        "created": second,
        "immediate_commit_timestamp": commit,
        "original_commit_timestamp": commit,
    }


def describers_of_fractions(clock: HexClock) -> dict[str, Describer]:
    """Return the describers of fields that hold the microseconds of the header's second."""

    def fraction(value: int, event: Event) -> str:
        return clock.micro(event.timestamp * 1000000 + value)

    return {"microseconds": fraction, "hrnow": fraction}
