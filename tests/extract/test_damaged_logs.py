"""Damaged copies of logs: what is extracted can be read, and no damage makes the command fail.

`BINLOGCLI_EXTRACT_COPIES` sets the number of copies of each log.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from binlogcli.errors import DEFECT
from fuzz.mutate import Specimen
from support.golden import GOLDEN

COPIES = int(os.environ.get("BINLOGCLI_EXTRACT_COPIES", "8"))
LOGS = (
    "mariadb-10.11/rows/shop-bin.000001",
    "mariadb-11.8/xa/shop-bin.000001",
    "mysql-8.4/gtid_tags/gtid_tags.000001",
    "mysql-9.7/payload/shop-bin.000001",
    "mysql-5.6/v1-rows/shop-bin.000001",
)
OPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("--infer-maps",),
    ("--split", "table"),
    ("-d", "shop"),
    ("--no-verify",),
    ("--split", "table", "--infer-maps", "--no-verify"),
)


@pytest.mark.parametrize("name", LOGS)
def test_what_is_extracted_of_a_damaged_log_can_be_read(
    name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    specimen = Specimen(GOLDEN / name)
    for number in range(COPIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "damaged").write_bytes(specimen.mutant(number))
        out = folder / "out"
        main(["extract", "-o", str(out), *OPTIONS[number % len(OPTIONS)], str(folder / "damaged")])
        assert DEFECT.encode() not in capfdbinary.readouterr().err, number
        for made in sorted(out.iterdir()) if out.is_dir() else [out] if out.exists() else []:
            assert main(["dump", str(made)]) in (0, 1), number
            assert DEFECT.encode() not in capfdbinary.readouterr().err, number
