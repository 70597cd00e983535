"""GTIDs, rows and events as a live server counts them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.program import run

if TYPE_CHECKING:
    from support.live_mariadb import MariaServer

SQL = """
CREATE DATABASE IF NOT EXISTS figures;
CREATE OR REPLACE TABLE figures.a (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40));
CREATE OR REPLACE TABLE figures.b (id INT PRIMARY KEY, amount DECIMAL(9,2) NULL) ENGINE=MyISAM;
INSERT INTO figures.a (name) VALUES ('one'), ('two'), ('three');
SET gtid_domain_id = 7;
INSERT INTO figures.b VALUES (1, 1.5), (2, NULL);
UPDATE figures.a SET name = CONCAT(name, name) WHERE id > 1;
SET gtid_domain_id = 0, server_id = 55;
DELETE FROM figures.b WHERE id = 1;
SET SESSION gtid_seq_no = 90000;
DELETE FROM figures.a WHERE id = 3;
"""


def report_of(*arguments: str | Path) -> dict[str, Any]:
    done = run("stats", "--format", "json", *arguments)
    assert done.stderr == b""
    assert done.returncode == 0
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_gtids_rows_and_events_are_those_of_the_server(maria: MariaServer) -> None:
    maria.flush_logs()
    log = maria.current_log()
    maria.sql("SET SESSION binlog_format=ROW;" + SQL)
    position = maria.sql("SELECT @@gtid_binlog_pos").strip()
    listed = Counter(line.split("\t")[2] for line in maria.sql(f"SHOW BINLOG EVENTS IN '{log.name}'").splitlines())
    status = maria.sql("SHOW MASTER STATUS").split("\t")
    maria.flush_logs()

    report = report_of(log)
    gtids = report["gtids"]
    assert set(gtids["binlog_pos"].split(",")) == set(position.split(","))
    assert gtids["files"][0]["file"] == str(log)
    assert report["summary"]["bytes"] >= int(status[1])
    counts = {row["type"]: row["count"] for row in report["events"]}
    assert counts["GTID_EVENT"] == listed["Gtid"] == gtids["count"]
    assert counts["TABLE_MAP_EVENT"] == listed["Table_map"]
    rows = {row["table"]: (row["inserted"], row["updated"], row["deleted"]) for row in report["tables"]}
    assert rows["a"] == (3, 2, 1)
    assert rows["b"] == (2, 0, 1)
    assert report["summary"]["rows"] == 9
    assert gtids["gaps_count"] == 1  # the number that was set by hand
    assert gtids["gaps"][0]["gtid"] == "0-55-90000"
    assert gtids["duplicates_count"] == gtids["out_of_order_count"] == 0


def test_the_history_of_several_logs_ends_where_the_server_stands(maria: MariaServer) -> None:
    logs = []
    for number in range(3):
        logs.append(maria.current_log())
        maria.sql(f"CREATE OR REPLACE TABLE history{number} (id INT PRIMARY KEY)", "mysql")
        maria.flush_logs()
    position = maria.sql("SELECT @@gtid_binlog_pos").strip()
    report = report_of("--section", "gtids", "--section", "problems", *reversed(logs))
    assert set(report["gtids"]["binlog_pos"].split(",")) == set(position.split(","))
    assert [row["file"] for row in report["gtids"]["files"]] == [str(log) for log in logs]
    assert [row["kind"] for row in report["problems"] if row["kind"].startswith("missing")] == []
    assert [row["kind"] for row in report["problems"] if row["kind"] == "file_order"] == ["file_order"]

    without = report_of("--section", "problems", logs[0], logs[2])["problems"]
    missing = [row for row in without if row["kind"] == "missing_file"]
    assert [row["file"] for row in missing] == [logs[1].name]
    assert any(row["kind"] == "gtid_gaps" for row in without)
