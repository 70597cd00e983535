"""The drawn name of a field, made once per name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.events.event import Event
from binlogcli.render.escape import visible
from binlogcli.render.hexdump.drawing.layout import columns_of

_MEANINGS_KEPT = 4096
_IN_HEADING = ("timestamp", "type_code")  # the event's heading says what these mean


class Label:
    """A field's drawn name, kind and describer, if any; `pure`: it needs only the value; `known` caches its words."""

    def __init__(
        self, name: str, kind: int, describe: Callable[[Any, Any], Any] | None, *, pure: bool, hexed: bool = False
    ) -> None:
        shown = visible(name)
        self.name = name
        self.text = shown.encode("utf-8", "backslashreplace")
        self.width = len(shown) if shown.isascii() else sum(columns_of(char) for char in shown)
        self.kind = kind
        self.describe = describe
        self.pure = pure
        self.hexed = hexed
        self.in_heading = name in _IN_HEADING
        self.is_end = name == "log_pos"  # described only where it differs from the event's end
        self.known: dict[object, object] = {}

    def words(self, value: object, event: Event) -> Any:
        """Return the meaning of a value: text, or a `Explained` that also replaces the value.

        Empty where an event that was not read to its end lacks what the describer needs.
        """
        if self.describe is None:
            return ""
        if self.pure and value in self.known:
            return self.known[value]
        try:
            words = self.describe(value, event)
        except (AttributeError, TypeError, IndexError, ValueError):
            return ""
        if self.pure:
            if len(self.known) >= _MEANINGS_KEPT:
                self.known.clear()
            self.known[value] = words
        return words
