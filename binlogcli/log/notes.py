"""What a decoder read, field by field: the tree behind the annotated hexdump and the proof that no byte was missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Field:
    """A named stretch of an event, in offsets of the buffer that holds it; `children` tile it where there are any.

    `derived` marks content that does not stand in the log as it is: it was decompressed from this field's bytes.
    """

    name: str
    start: int
    end: int
    value: object = None
    children: list[Field] = field(default_factory=list)
    derived: bytes | None = None

    def leaves(self) -> Iterator[Field]:
        """The fields that have no fields below them, in order."""
        if not self.children or self.derived is not None:
            yield self
            return
        for child in self.children:
            yield from child.leaves()
