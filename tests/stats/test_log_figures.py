"""The figures of logs that are encrypted, packed or read in part."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.golden import GOLDEN
from support.program import run
from support.reports import chain, stats, without_commands


@pytest.mark.parametrize(
    ("folder", "options"),
    [("mariadb-11.8/enc-cbc-128", ("--key-file", "keys.txt")), ("mysql-9.7/enc-mysql", ("--keyring", "keyring_data"))],
)
def test_encrypted_logs_have_the_figures_of_the_plain_ones(
    folder: str, options: tuple[str, str], tmp_path: Path
) -> None:
    key = tmp_path / options[1]
    shutil.copy(GOLDEN / folder / options[1], key)
    key.chmod(0o600)
    for path in sorted((GOLDEN / folder).glob("shop-bin.0*")):
        if not path.suffix[1:].isdigit():
            continue
        plain = stats(path.with_name(f"plain-{path.name}"), "--section", "tables", "--section", "transactions")
        found = stats(options[0], key, path, "--section", "tables", "--section", "transactions")
        assert without_commands(found["tables"]) == without_commands(plain["tables"])
        assert all(options[1] in row["command"] for row in found["tables"])
        assert found["transactions"]["count"] == plain["transactions"]["count"]


def test_filters_choose_what_is_counted_and_what_is_skipped() -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    whole = stats(log)
    some = stats("-T", "shop.orders", "-E", "*ROWS*", log)
    assert [(row["database"], row["table"]) for row in some["tables"]] == [("shop", "orders")]
    (table,) = (row for row in whole["tables"] if row["table"] == "orders")
    assert some["tables"][0]["inserted"] == table["inserted"]
    summary = some["summary"]
    assert summary["bytes_skipped"] > 0
    assert summary["bytes_decoded"] + summary["bytes_skipped"] == summary["bytes_seen"] == log.stat().st_size


def test_standard_input_and_packed_logs_are_counted_too(tmp_path: Path) -> None:
    log = chain()[0]
    whole = stats(log, "--section", "events")
    done = run("stats", "--format", "json", "--section", "events", "-", given=log.read_bytes())
    assert json.loads(done.stdout) == whole
