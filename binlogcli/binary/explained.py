"""Values with their meaning in words, for the notes of an event's fields."""

from __future__ import annotations


class Explained:
    """A value with its meaning; `shown` is its text where that is given, or was already made."""

    def __init__(self, value: object, meaning: str, shown: str | None = None) -> None:
        self.value = value
        self.meaning = meaning
        self.shown = shown


def drawn(drawing: str, meaning: str) -> Explained:
    """Return text that is shown without quotes, such as bits drawn as characters."""
    return Explained(drawing, meaning, drawing)
