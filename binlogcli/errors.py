"""The errors of the program: raised once, with their place, and turned into a line by `cli` alone.

What is wrong inside a log is no error but a value (`log.Damage`); `DecodeError` ends at the event it was raised in.
"""

from __future__ import annotations


class BinlogError(Exception):
    """Something the user is told in one line: what, where, and what to do now."""

    def __init__(self, reason: str, *, file: str = "", offset: int | None = None, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.offset = offset
        self.hint = hint

    def line(self) -> str:
        """The message as it is shown: `FILE: at OFFSET: reason; hint`."""
        parts = [self.file] if self.file else []
        if self.offset is not None:
            parts.append(f"at {self.offset}")
        return ": ".join([*parts, self.reason]) + (f"; {self.hint}" if self.hint else "")


class SourceError(BinlogError):
    """A source that cannot be opened or read, or that is no binary log."""


class ServerError(SourceError):
    """A server that cannot be reached, refuses, or sends what cannot be right.

    `code` is the server's own number of the error, 0 where it gave none; `passing` says that another try may help.
    """

    def __init__(self, reason: str, *, file: str = "", hint: str = "", code: int = 0, passing: bool = False) -> None:
        super().__init__(reason, file=file, hint=hint)
        self.code = code
        self.passing = passing


class KeyFileError(BinlogError):
    """A key file, keyring or key that cannot be used."""


class OutputError(BinlogError):
    """A file that cannot be written. `passing` says that another try may help: a disk that is full gets room again."""

    def __init__(
        self, reason: str, *, file: str = "", offset: int | None = None, hint: str = "", passing: bool = False
    ) -> None:
        super().__init__(reason, file=file, offset=offset, hint=hint)
        self.passing = passing


class SchemaError(BinlogError):
    """A schema file that cannot be read."""


class DecodeError(Exception):
    """Bytes of one event that do not hold what its format says."""


class EndOfEvent(DecodeError):  # noqa: N818 - named as what it is, like EOFError
    """A field that runs over the end of its event."""

    def __init__(self, name: str, need: int, have: int) -> None:
        super().__init__(f"{name} needs {counted(need, 'byte')}, {max(have, 0)} {'is' if have == 1 else 'are'} left")
        self.name = name
        self.need = need
        self.have = have


def counted(count: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
