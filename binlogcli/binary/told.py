"""Values with their meaning in words, as who notes the fields of an event may hand them on."""

from __future__ import annotations


class Told:
    """A value that brings its meaning along; `shown` is its text: as it was given, or once somebody needed it."""

    def __init__(self, value: object, meaning: str, shown: str | None = None) -> None:
        self.value = value
        self.meaning = meaning
        self.shown = shown


def drawn(drawing: str, meaning: str) -> Told:
    """Bits drawn as characters, and other text that stands without quotes."""
    return Told(drawing, meaning, drawing)
