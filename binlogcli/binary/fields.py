"""The fields of an event as nested objects, made by `Notes.tree`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from binlogcli.binary.records import CONTENT


class Field(NamedTuple):
    """A named range of an event, in offsets of the buffer that holds it; `children` cover it where there are any."""

    name: object
    start: int
    end: int
    value: object
    kind: int
    prefix: int
    children: list[Field]

    @property
    def derived(self) -> bool:
        """Whether the field is in decompressed bytes of its own (`value`), not in the log."""
        return self.kind == CONTENT

    def leaves(self) -> Iterator[Field]:
        """Yield the fields without fields below them in these bytes, in order."""
        below = [child for child in self.children if not child.derived]
        if not below:
            yield self
        for child in below:
            yield from child.leaves()

    def contents(self) -> Iterator[Field]:
        """Yield all decompressed content below."""
        for child in self.children:
            if child.derived:
                yield child
            yield from child.contents()
