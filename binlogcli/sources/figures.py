"""How events came over a wire, whether from a server or out of a capture: plain numbers, for the statistics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class WireFigures:
    """What a file cannot tell. Delays are seconds; an event's own time has no fractions."""

    events: int = 0
    heartbeats: int = 0
    reconnects: int = 0
    delay_sum: float = 0  # from the times of events to their arrival
    delay_max: float = 0
    acknowledgements: int = 0
    ack_delay_sum: float = 0  # from the arrival of an event that is to be acknowledged to the acknowledgement
    ack_delay_max: float = 0

    def acknowledged(self, delay: float) -> None:
        """An acknowledgement was sent, so long after its event had come."""
        self.acknowledgements += 1
        self.ack_delay_sum += delay
        self.ack_delay_max = max(self.ack_delay_max, delay)
