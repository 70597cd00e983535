"""`_key`: the values of the primary key after each change, where a statement or the log's metadata tells the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from binlogcli.lake.lake_table import read_table
from support.corpus import CORPUS
from support.golden import GOLDEN
from support.lake_runs import job, table_rows

MINIMAL = [
    *(GOLDEN / name for name in ("mysql-5.6/image-minimal", "mysql-8.4/image_minimal_full")),
    *(CORPUS / name for name in ("mariadb-11.8/image-minimal", "mysql-9.7/image-minimal")),
]
FULL = [GOLDEN / name for name in ("mysql-9.7/rows", "mysql-9.7/types-full", "mariadb-11.8/types-full")]


def converted(folder: Path, output: Path) -> list[dict[str, Any]]:
    logs = sorted(path for path in folder.glob("*.0*") if path.suffix[1:].isdigit())
    if not logs:
        pytest.skip("no corpus beside the project")
    job(output, *logs, final=True)
    return table_rows(output)


def wanted(row: dict[str, Any], name: str) -> Any:
    """The value of a column of the key after a change, out of both images."""
    return row["_before"][name] if row["_op"] == "update" and name in row["_absent"] else row[name]


@pytest.mark.parametrize("folder", MINIMAL + FULL, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_each_row_has_its_key(folder: Path, tmp_path: Path) -> None:
    with_key = [row for row in converted(folder, tmp_path) if row.get("_key") is not None]
    assert with_key
    for row in with_key:
        assert row["_key"] == {name: wanted(row, name) for name in row["_key"]}
        assert None not in row["_key"].values()
    if folder in MINIMAL:
        assert any(set(row["_key"]) & set(row["_absent"]) for row in with_key)


def test_a_table_as_one_has_the_keys_of_all_versions(tmp_path: Path) -> None:
    rows = converted(GOLDEN / "mysql-8.4/image_minimal_full", tmp_path)
    names = {"/".join(path.relative_to(tmp_path / "tables").parts[:2]) for path in tmp_path.glob("tables/*/*/*")}
    found = 0
    for name in names:
        table = read_table(tmp_path, name.replace("/", ".")).read_all()
        if "_key" in table.schema.names:
            found += sum(key is not None for key in table["_key"].to_pylist())
    assert found == sum(row.get("_key") is not None for row in rows)
