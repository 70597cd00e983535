"""Lists that many events show alike: whoever renders one keeps its text beside it. They never change."""

from __future__ import annotations

from typing import Any


class SharedList(list[Any]):
    """A list that is made once; `text` is its JSON, once somebody needed it."""

    __slots__ = ("text",)

    def __init__(self, items: list[Any]) -> None:
        super().__init__(items)
        self.text: bytes | None = None
