"""What `to-parquet` has written, held against the ids of the rows that `ShopLog` made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path


def parquet_files(output: Path) -> list[Path]:
    """Return the files that a reader of the tables sees."""
    return sorted(path for path in output.rglob("*.parquet") if "_binlog" not in path.parts)


def ids(output: Path) -> Counter[int]:
    """Count the occurrences of each row id over all tables."""
    import pyarrow.parquet as pq

    found: Counter[int] = Counter()
    for path in parquet_files(output):
        if "tables" in path.relative_to(output).parts:
            found.update(pq.ParquetFile(path).read(columns=["c1"]).column("c1").to_pylist())
    return found


def events(output: Path) -> Iterator[tuple[str, int]]:
    """Yield the file and position of each event."""
    import pyarrow.parquet as pq

    for path in sorted((output / "events").glob("*.parquet")):
        table = pq.ParquetFile(path).read()
        yield from zip(table.column("file").to_pylist(), table.column("pos").to_pylist(), strict=True)


def check(output: Path, expected: range) -> None:
    """Assert that each row is there once, and no event twice."""
    assert ids(output) == Counter(expected)
    places = list(events(output))
    assert len(places) == len(set(places))


def check_part(output: Path, *lots: range) -> None:
    """Assert that each lot of rows is there as a whole or not at all, and nothing twice."""
    found = ids(output)
    assert not found or max(found.values()) == 1
    for lot in lots:
        assert sum(number in found for number in lot) in (0, len(lot))
    assert set(found) <= {number for lot in lots for number in lot}
