"""Figures on how events came over a wire, from a server or out of a capture, for the statistics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class WireFigures:
    """Counts and delays that a file cannot show. Delays are seconds; an event's own time has no fractions."""

    events: int = 0
    heartbeats: int = 0
    reconnects: int = 0
    delay_sum: float = 0  # from the times of events to their arrival
    delay_max: float = 0
    acknowledgements: int = 0
    ack_delay_sum: float = 0  # from the arrival of an event that is to be acknowledged to the acknowledgement
    ack_delay_max: float = 0

    def acknowledged(self, delay: float) -> None:
        """Count an acknowledgement that was sent `delay` seconds after its event had come."""
        self.acknowledgements += 1
        self.ack_delay_sum += delay
        self.ack_delay_max = max(self.ack_delay_max, delay)

    def report(self) -> dict[str, int | None]:
        """Return all figures by name; delays in whole microseconds, None where nothing was measured."""
        return {
            "events": self.events,
            "heartbeats": self.heartbeats,
            "reconnects": self.reconnects,
            "delay_mean_microseconds": mean(self.delay_sum, self.events),
            "delay_max_microseconds": mean(self.delay_max, min(self.events, 1)),
            "acknowledgements": self.acknowledgements,
            "ack_mean_microseconds": mean(self.ack_delay_sum, self.acknowledgements),
            "ack_max_microseconds": mean(self.ack_delay_max, min(self.acknowledgements, 1)),
        }


def mean(seconds: float, count: int) -> int | None:
    """Return the mean in microseconds; None where `count` is 0."""
    return round(seconds * 1_000_000 / count) if count else None
