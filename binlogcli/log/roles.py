"""What a statement does to its transaction, by its first or last words: the values that `boundaries.role_of` returns.

Their order is part of their meaning: from RELEASE_SAVEPOINT on a statement is transaction control, from BEGIN on it
begins or ends a transaction, from COMMIT on it ends one, from ROLLBACK on it takes the transaction back.
"""

from __future__ import annotations

PLAIN = 0  # any other statement: a transaction by itself, unless one is open
OPENS_GROUP = 1  # CREATE TABLE ... START TRANSACTION: how MySQL 8.0.21 logs CREATE TABLE ... SELECT
RELEASE_SAVEPOINT = 2
XA_OTHER = 3  # XA END, XA PREPARE
SAVEPOINT = 4
ROLLBACK_TO = 5
BEGIN = 6  # START TRANSACTION too, which servers do not write
XA_START = 7  # or XA BEGIN
COMMIT = 8
XA_COMMIT = 9
ROLLBACK = 10
XA_ROLLBACK = 11
