"""The errors of the program, each with its place; `cli` alone turns them into lines for the user.

Damage inside a log is a value in the stream of events (`log.gaps.Damage`), not an error. A `DecodeError` is caught
where the event is decoded that it was raised in, and so is whatever else a decoder raises: `DEFECTS`.
"""

from __future__ import annotations

import struct


class BinlogError(Exception):
    """An error with a reason and, if known, the file, an offset in bytes, and a hint at what to do."""

    def __init__(self, reason: str, *, file: str = "", offset: int | None = None, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        return self.line()

    def line(self) -> str:
        """Return the message for the user: `FILE: at OFFSET: reason; hint`."""
        parts = [self.file] if self.file else []
        if self.offset is not None:
            parts.append(f"at {self.offset}")
        return ": ".join([*parts, self.reason]) + (f"; {self.hint}" if self.hint else "")


class SourceError(BinlogError):
    """A source cannot be opened or read, or is not a binary log."""


class KeyNeededError(SourceError):
    """A log is encrypted, and no key for it was given."""


class ServerError(SourceError):
    """A server cannot be reached, refuses a request, or breaks the protocol.

    `code` is the server's error number, or 0; `passing` is True if a later try may succeed.
    """

    def __init__(self, reason: str, *, file: str = "", hint: str = "", code: int = 0, passing: bool = False) -> None:
        super().__init__(reason, file=file, hint=hint)
        self.code = code
        self.passing = passing


class WireError(ServerError):
    """What a server sent cannot be right; another connection may bring it as it is. `log` is what it was part of."""

    def __init__(self, reason: str, *, file: str, hint: str, log: str = "", offset: int | None = None) -> None:
        super().__init__(reason, file=file, hint=hint)
        self.log = log
        self.offset = offset


class ChecksumError(WireError):
    """The event of `log` at `offset` does not fit its checksum as a server sent it."""


class KeyFileError(BinlogError):
    """A key file, keyring or key cannot be used."""


class OutputError(BinlogError):
    """A file cannot be written. `passing` is True if a later try may succeed, as on a full disk."""

    def __init__(
        self, reason: str, *, file: str = "", offset: int | None = None, hint: str = "", passing: bool = False
    ) -> None:
        super().__init__(reason, file=file, offset=offset, hint=hint)
        self.passing = passing


class SchemaError(BinlogError):
    """A schema file cannot be read."""


class DecodeError(Exception):
    """The bytes of an event do not fit its format. `hint` says what a user can do."""

    hint = ""


class EndOfEvent(DecodeError):  # noqa: N818 - like EOFError
    """A field of `need` bytes exceeds the `have` bytes up to the end of its event."""

    def __init__(self, name: str, need: int, have: int) -> None:
        super().__init__(f"{name} needs {counted(need, 'byte')}, {max(have, 0)} left")
        self.name = name
        self.need = need
        self.have = have


class DefectError(DecodeError):
    """A decoder or the rendering of an event failed as no bytes should make it: a defect of the program."""

    hint = "please report it, if possible with the log"

    def __init__(self, error: Exception) -> None:
        super().__init__(f"{DEFECT}: {type(error).__name__}: {error}")


DEFECT = "internal error"
# What a wrong decoder raises. None of them may end a command: the event is damage (`undecodable`), the rest is read.
DEFECTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)
UNDECODABLE = (DecodeError, *DEFECTS)


def undecodable(error: Exception) -> DecodeError:
    """Return one of UNDECODABLE as a DecodeError; defects as `DefectError`, with words that ask for a report."""
    return error if isinstance(error, DecodeError) else DefectError(error)


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1: `3 bytes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
