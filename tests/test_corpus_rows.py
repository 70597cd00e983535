"""The rows that a replay of each log leaves, held against the server's own; and why some tables cannot agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import binlogcli
from support.corpus import CORPUS

FIDELITY = CORPUS.parent / "check" / "fidelity.py"

BLACKHOLE = "the log holds the rows, the engine threw them away"
CASCADE = "rows deleted or changed by a foreign key's cascade are not logged as rows"
SEQUENCE = "each row of a sequence replaces the one before, a replay adds them up"
VERSIONED = "the log holds the history of a system-versioned table, SELECT shows the current rows without its columns"
STATEMENTS = "some changes were logged as statements, or DDL changed rows that were logged before"
ZEROFILL = "ZEROFILL stands in no log, and the scenario has no schema file"
ODD_HEX = "the truth holds BIT values as an odd number of hex digits, which the check cannot read"
OVERFLOW = "the truth's text of the largest double, -1.797693134862316e308, is -inf when it is read back"

TYPES = ("types-full", "types-minimal-meta", "types-no-log")
CANNOT_AGREE = {
    "mariadb-10.11/compress shop.notes": STATEMENTS,
    "mariadb-11.8/compress shop.notes": STATEMENTS,
    "mysql-8.4/compress_small cz.t": STATEMENTS,
    "mysql-8.4/compress_small cz.u": STATEMENTS,
    "mysql-9.7/payload shop.parcels": STATEMENTS,
    "mysql-8.4/types_dec_full t2.decs": ZEROFILL,
    "mysql-8.4/types_json_full t7.src": ODD_HEX,
    "mysql-8.4/types_time_full t3.bits": ODD_HEX,
    "mysql-9.7/types-full shop.t_float": OVERFLOW,
    "mysql-9.7/types-minimal-meta shop.t_float": OVERFLOW,
    **{
        f"{scenario} shop.bh": BLACKHOLE
        for scenario in (
            "mariadb-10.11/rows",
            "mariadb-10.11/rows-split",
            "mariadb-10.5/rows-split",
            "mariadb-11.8/rows",
            "mysql-9.7/payload",
            "mysql-9.7/rows",
            "mysql-9.7/rows-split",
        )
    },
    **{
        f"{scenario} shop.orders": CASCADE
        for scenario in (
            "mariadb-10.11/rows",
            "mariadb-10.11/rows-split",
            "mariadb-10.5/rows-split",
            "mariadb-11.8/rows",
        )
    },
    **{
        f"{server}/{types} shop.{table}": reason
        for table, reason in (("m_seq", SEQUENCE), ("m_ver", VERSIONED))
        for server, types in (
            *(("mariadb-10.11", types) for types in TYPES),
            ("mariadb-10.5", "types-full"),
            ("mariadb-11.8", "types-full"),
            ("mariadb-11.8", "types-no-log"),
        )
    },
}


@pytest.mark.skipif(not FIDELITY.exists(), reason="no corpus beside the project")
def test_rows_are_the_servers_own_but_for_tables_whose_log_says_too_little() -> None:
    package = Path(binlogcli.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package), "BINLOGCLI": f"{sys.executable} -m binlogcli"}
    command = [sys.executable, str(FIDELITY), str(CORPUS), "rows"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    *differing, total = done.stdout.splitlines()
    assert {line.removeprefix("differs").strip() for line in differing} <= set(CANNOT_AGREE), done.stderr
    assert total.split()[0] != "0"
