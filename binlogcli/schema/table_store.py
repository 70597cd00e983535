"""Keeps the definitions of many tables in little memory.

A definition of forty columns takes 10 KB as objects, 2.3 KB pickled, 700 bytes compressed, and 200 compressed against
another definition. Those that were used last stay as they are, up to a number of columns; the others are packed, and
unpacked again when they are asked for, which takes much less time than reading their CREATE TABLE statement.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Collection, Iterator, MutableMapping

from binlogcli.schema.table import SchemaTable

_Name = tuple[str, str]  # database and table
_COLUMNS_KEPT = 8192  # columns of tables that are not packed: 2 MB
_WINDOW = 1 << zlib.MAX_WBITS  # what zlib looks back at


class TableStore(MutableMapping[_Name, SchemaTable | None]):
    """Tables by database and name, in the order in which they came; None for one whose definition is not known."""

    def __init__(self) -> None:
        self._names: dict[_Name, bytes | None] = {}  # the packed definition, where it is not in `_used`
        self._used: dict[_Name, SchemaTable] = {}  # the one that was used last is the last
        self._columns = 0  # of the tables in `_used`
        self._with_foreign_keys: dict[_Name, frozenset[_Name]] = {}  # and the tables that these refer to
        self._sample = b""  # the first packed definition as it was pickled: the others are compressed against it

    def copy(self) -> TableStore:
        """Return the same tables in a store that changes on its own."""
        made = TableStore()
        made._names = dict(self._names)
        made._used = dict(self._used)
        made._columns = self._columns
        made._sample = self._sample
        made._with_foreign_keys = dict(self._with_foreign_keys)
        return made

    def with_foreign_keys(self) -> Iterator[SchemaTable]:
        """Yield the tables that refer to others."""
        for name in self._with_foreign_keys:
            if (table := self[name]) is not None:
                yield table

    def referring_to(self, parents: Collection[_Name]) -> list[_Name]:
        """Return the names of the tables that have foreign keys which refer to one of these."""
        return [name for name, known in self._with_foreign_keys.items() if not known.isdisjoint(parents)]

    def knows(self, name: _Name) -> bool:
        """Whether there is a definition of this table, without unpacking it."""
        return name in self._used or self._names.get(name) is not None

    def __getitem__(self, name: _Name) -> SchemaTable | None:
        table = self._used.pop(name, None)
        if table is not None:
            self._used[name] = table
            return table
        packed = self._names[name]
        if packed is None:
            return None
        table = self._unpacked(packed)
        self._use(name, table)
        return table

    def __setitem__(self, name: _Name, table: SchemaTable | None) -> None:
        self._forget(name)
        self._names[name] = None
        if table is not None:
            if table.foreign_keys:
                parents = ((key.database or name[0], key.table) for key in table.foreign_keys)
                self._with_foreign_keys[name] = frozenset(parents)
            self._use(name, table)

    def __delitem__(self, name: _Name) -> None:
        self._forget(name)
        del self._names[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[_Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _use(self, name: _Name, table: SchemaTable) -> None:
        self._used[name] = table
        self._columns += len(table.declared)
        while self._columns > _COLUMNS_KEPT and len(self._used) > 1:
            oldest = next(iter(self._used))
            if self._names[oldest] is None:
                self._names[oldest] = self._packed(self._used[oldest])
            self._leave(oldest)

    def _forget(self, name: _Name) -> None:
        self._leave(name)
        self._with_foreign_keys.pop(name, None)

    def _leave(self, name: _Name) -> None:
        if (table := self._used.pop(name, None)) is not None:
            self._columns -= len(table.declared)

    def _packed(self, table: SchemaTable) -> bytes:
        pickled = pickle.dumps(table, pickle.HIGHEST_PROTOCOL)
        self._sample = self._sample or pickled[-_WINDOW:]
        packer = zlib.compressobj(1, wbits=-zlib.MAX_WBITS, zdict=self._sample)
        return packer.compress(pickled) + packer.flush()

    def _unpacked(self, packed: bytes) -> SchemaTable:
        pickled = zlib.decompressobj(-zlib.MAX_WBITS, zdict=self._sample).decompress(packed)
        table: SchemaTable = pickle.loads(pickled)  # noqa: S301 - made by `_packed` in this process
        return table
