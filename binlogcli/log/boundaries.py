"""What opens and what ends a transaction: by event type, and by the words of a statement.

A transaction opens with a GTID event; without GTIDs with BEGIN, or with its first event. It ends with an XID or
XA_PREPARE event, with COMMIT or ROLLBACK, or with its only statement where nothing said that more follow: neither BEGIN
or XA START nor a MariaDB GTID without FL_STANDALONE. Texts in the form of the servers' tools follow the tools' rules.
"""

from __future__ import annotations

import re
from functools import cache

from binlogcli.log.roles import (
    BEGIN,
    COMMIT,
    OPENS_GROUP,
    PLAIN,
    RELEASE_SAVEPOINT,
    ROLLBACK,
    ROLLBACK_TO,
    SAVEPOINT,
    XA_COMMIT,
    XA_OTHER,
    XA_ROLLBACK,
    XA_START,
)
from binlogcli.names import event_types
from binlogcli.names.event_types import type_table

OPENING_TYPES = type_table(event_types.GTID_EVENTS)
ENDING_TYPES = type_table((event_types.XID_EVENT, event_types.XA_PREPARE_LOG_EVENT))
_HEAD = event_types.FORMAT_EVENTS | {
    event_types.ROTATE_EVENT,
    event_types.PREVIOUS_GTIDS_LOG_EVENT,
    event_types.BINLOG_CHECKPOINT_EVENT,
    event_types.GTID_LIST_EVENT,
    event_types.START_ENCRYPTION_EVENT,
}
HEAD_TYPES = type_table(_HEAD)  # what is before a log's first transaction
OUTSIDE_TYPES = type_table(
    _HEAD | event_types.HEARTBEAT_EVENTS | {event_types.STOP_EVENT, event_types.INCIDENT_EVENT}
)  # what is part of no transaction

_BEGINNINGS = (
    (b"BEGIN", BEGIN),
    (b"COMMIT", COMMIT),
    (b"ROLLBACK TO", ROLLBACK_TO),
    (b"ROLLBACK", ROLLBACK),
    (b"SAVEPOINT", SAVEPOINT),
    (b"XA START", XA_START),
    (b"XA BEGIN", XA_START),
    (b"XA COMMIT", XA_COMMIT),
    (b"XA ROLLBACK", XA_ROLLBACK),
    (b"XA ", XA_OTHER),
    (b"RELEASE SAVEPOINT", RELEASE_SAVEPOINT),
    (b"START TRANSACTION", BEGIN),
)
_FIRST_LETTERS = bytes(byte in b"bcrsxBCRSX" for byte in range(256))
_DEFINING = (b"CREATE", b"ALTER", b"DROP", b"RENAME", b"SET STATEMENT")
_DEFINING_LETTERS = bytes(byte in b"cadrsCADRS/-# \t\n\r\f\v" for byte in range(256))
_UPPER = bytes(range(256)).upper()
_ENDING = b"START TRANSACTION"
_TRUNCATE = b"TRUNCATE"


def role_of(text: bytes, start: int, end: int) -> int:
    """Return what the statement text[start:end] does to its transaction, as a constant of `log.roles`."""
    if start >= end:
        return PLAIN
    if _FIRST_LETTERS[text[start]]:
        for word, role in _BEGINNINGS:
            if _begins(text, start, end, word):
                return role
    if text[end - 1] == 0x4E and text[max(start, end - len(_ENDING)) : end] == _ENDING:
        return OPENS_GROUP
    return PLAIN


def may_define(text: bytes, start: int, end: int) -> bool:
    """Return whether the statement text[start:end] may make, change or remove the definition of a table."""
    if start >= end or not _DEFINING_LETTERS[text[start]]:
        return False
    if text[start] < 0x41:  # white space or a comment
        return _commented_definition().match(text, start, end) is not None
    for word in _DEFINING:  # noqa: SIM110 - compiled, it is a loop without objects
        if _begins(text, start, end, word):
            return True
    return False


def may_truncate(text: bytes, start: int, end: int) -> bool:
    """Return whether the statement text[start:end] may be a TRUNCATE."""
    if start >= end or text[start] >= 0x41:
        return _begins(text, start, end, _TRUNCATE)
    return _commented(rb"truncate").match(text, start, end) is not None


def _commented_definition() -> re.Pattern[bytes]:
    """Return the pattern of a definition after comments and white space."""
    return _commented(rb"(?:create|alter|drop|rename|set)")


@cache
def _commented(words: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a statement with such a word after comments and white space: it is rarely needed."""
    before = rb"(?:[\s\x00]|--(?=\s)[^\n]*|#[^\n]*|/\*(?!M?!)(?s:.*?)\*/|/\*M?!\d*)*+"
    return re.compile(before + words + rb"\b", re.IGNORECASE)


def _begins(text: bytes, start: int, end: int, word: bytes) -> bool:
    """Whether text[start:end] begins with an upper-case word, in either case."""
    size = len(word)
    if end - start < size:
        return False
    for at in range(size):  # noqa: SIM110 - compiled, it is a loop without objects
        if _UPPER[text[start + at]] != word[at]:
            return False
    return True
