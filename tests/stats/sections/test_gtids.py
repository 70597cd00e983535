"""GTIDs of both families in one report."""

from __future__ import annotations

from support.golden import GOLDEN
from support.reports import stats

MARIADB = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
MYSQL = GOLDEN / "mysql-9.7" / "gtid-tagged" / "shop-bin.000001"


def test_logs_of_both_families_are_reported_together() -> None:
    alone = [stats("--section", "gtids", log)["gtids"] for log in (MARIADB, MYSQL)]
    both = stats("--section", "gtids", MARIADB, MYSQL)["gtids"]
    assert both["all"] == f"{alone[0]['all']},{alone[1]['all']}"
    assert both["binlog_pos"] == f"{alone[0]['binlog_pos']},{alone[1]['binlog_pos']}"
    assert both["count"] == alone[0]["count"] + alone[1]["count"]
    assert both["domains"] == alone[0]["domains"]
