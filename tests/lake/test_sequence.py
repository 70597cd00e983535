"""`_seq`: the order of the logs themselves, whichever run took them and in whatever order."""

from __future__ import annotations

import gzip
import itertools
import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from binlogcli.crypto.key_options import KeyOptions
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.sequence import base_of, halves_of
from support.corpus import CORPUS
from support.golden import GOLDEN
from support.lake_runs import Quiet, serial
from support.lake_values import key_options
from support.shop_logs import ShopLog

PERMUTATIONS = 20
ROTATED = [GOLDEN / "mariadb-11.8/rotation", *(CORPUS / f"{server}/rotation" for server in ("mysql-9.7", "mysql-5.6"))]
SCHEMA = """
CREATE TABLE shop.parcels (id INT PRIMARY KEY, code VARCHAR(30), weight DECIMAL(6,3), sent DATETIME(3), label BLOB);
CREATE TABLE shop.pad (a TEXT);
"""


def convert(output: Path, logs: list[Path], schema: Path | None = None, keys: KeyOptions | None = None) -> None:
    lake = LakeOptions(schemas=(str(schema),) if schema else (), keys=keys or KeyOptions())
    options = JobOptions(str(output), lake, final=True)
    assert not Job(options, serial).run(list(map(str, logs)), Quiet()).errors


def content(output: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of each table, and the events, in their order, without what tells which path a log had."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in [*output.glob("tables/**/*.parquet"), *output.glob("events/*.parquet")]:
        name = "/".join(path.relative_to(output).parts[:3])
        rows = pq.ParquetFile(path).read().to_pylist()
        found.setdefault("events" if name.startswith("events") else name, []).extend(rows)
    for name, rows in found.items():
        rows.sort(key=lambda row: row["seq" if name == "events" else "_seq"])
        for row in rows:
            row.pop("_file", None)
            row.pop("file", None)
            row.pop("body", None)  # that of a table map has names as far as they are known by then
    return found


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("folder", ROTATED, ids=lambda folder: folder.parent.name)
def test_logs_converted_in_any_order_give_the_same_tables(folder: Path, told: bool, tmp_path: Path) -> None:
    """Several of these logs begin in the same second; the first one defines the tables, if no schema does."""
    logs = sorted(path for path in folder.glob("shop-bin.0*") if path.suffix[1:].isdigit())
    if not logs:
        pytest.skip("no corpus beside the project")
    schema = tmp_path / "schema.sql" if told else None
    if schema is not None:
        schema.write_text(SCHEMA)
    convert(tmp_path / "wanted", logs, schema)
    wanted = content(tmp_path / "wanted")
    for rows in wanted.values():
        places = [row["_seq" if "_seq" in row else "seq"] for row in rows]
        assert all(one < other for one, other in itertools.pairwise(places))
    chance = random.Random(5)
    for number in range(PERMUTATIONS):
        shuffled = chance.sample(logs, len(logs))
        cut = chance.randrange(1, len(logs))
        output = tmp_path / str(number)
        convert(output, shuffled[:cut], schema)
        convert(output, shuffled[cut:], schema)
        assert content(output) == wanted


def test_rows_after_a_reset_of_the_logs_follow_those_before_it(tmp_path: Path) -> None:
    """The numbers of the logs begin anew, and what came last is converted first."""
    logs = []
    for folder, name, first, later in (
        ("new", "bin.000001", 30, 900),
        ("old", "bin.000008", 10, 0),
        ("old", "bin.000009", 20, 100),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        log = tmp_path / folder / name
        ShopLog(first=first, created=1_700_000_000 + later).trade(1, rows=3).stop().write(log)
        logs.append(log)
    for log in logs:
        convert(tmp_path / "lake", [log])
    rows = content(tmp_path / "lake")["tables/shop/orders"]
    assert [row["c1"] for row in rows] == [10, 11, 12, 20, 21, 22, 30, 31, 32]


def test_a_log_that_grows_has_the_numbers_that_it_would_have_had_at_once(tmp_path: Path) -> None:
    log = tmp_path / "bin.000001"
    content_of_log = ShopLog()
    for _ in range(3):
        content_of_log.trade(2).write(log)
        convert(tmp_path / "grown", [log])
    convert(tmp_path / "whole", [log])
    assert content(tmp_path / "grown")["tables/shop/orders"] == content(tmp_path / "whole")["tables/shop/orders"]


@pytest.mark.parametrize("folder", ["mariadb-11.8/enc-cbc-128", "mysql-9.7/enc-mysql"])
def test_encrypted_and_packed_logs_have_their_order(folder: str, tmp_path: Path) -> None:
    keys = key_options(GOLDEN / folder)
    logs = sorted(path for path in (GOLDEN / folder).glob("shop-bin.0*") if path.suffix[1:].isdigit())
    packed = [tmp_path / f"{log.name}.gz" for log in logs]
    for log, copy in zip(logs, packed, strict=True):
        copy.write_bytes(gzip.compress(log.read_bytes()))
    for name, sources in (("forwards", logs), ("packed", packed[::-1])):
        for source in sources:
            convert(tmp_path / name, [source], keys=keys)
    wanted = content(tmp_path / "forwards")["events"]
    assert content(tmp_path / "packed")["events"] == wanted
    assert [row["pos"] for row in wanted].count(4) == len(logs)
    assert all(int(row["seq"]) >> 94 > 1_700_000_000 for row in wanted)


def test_the_base_orders_logs_by_their_beginning_and_then_by_their_number() -> None:
    latest, largest = (1 << 32) - 1, (1 << 31) - 1
    names = ["bin", "bin.000001", "bin.000002", "bin.999999", "bin.1000000", f"bin.{largest // 2}"]
    bases = [base_of(name, 1, created) for created in (0, 1, 1_700_000_000, latest) for name in names]
    assert all(one + (1 << 56) <= other for one, other in itertools.pairwise(bases))
    assert base_of(f"bin.{largest}", 1, latest) + (1 << 56) < 10**38
    assert base_of("bin.000001", 1, 5) != base_of("bin.000001", 2, 5)
    low, high = halves_of(bases[3])
    assert high << 64 | low == bases[3]
    assert low >> 56 << 56 == low
