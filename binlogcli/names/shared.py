"""Lists that many events share, such as names of flags: never changed, so that their JSON is made once."""

from __future__ import annotations

from typing import Any


class SharedList(list[Any]):
    """A list made once for many events; `text` is its JSON, None until it is rendered for the first time."""

    __slots__ = ("text",)

    def __init__(self, items: list[Any]) -> None:
        super().__init__(items)
        self.text: bytes | None = None
