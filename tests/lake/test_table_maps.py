"""The table maps that a walk over headers keeps of one table."""

from __future__ import annotations

from pathlib import Path

from binlogcli.lake.model import LakeOptions
from binlogcli.lake.plan.cut_points import NOWHERE
from binlogcli.lake.plan.log_plan import LogTask, plan_log
from support.logs import TABLE_MAP
from support.undescribed_logs import CREATE, UndescribedLogs


def kept(log: Path, table: str = "t") -> list[int]:
    """The sizes of the maps that are kept of `shop.TABLE`."""
    plan = plan_log(LogTask(str(log), LakeOptions(), NOWHERE, final=True, maps_of=("shop", table)))
    assert plan.error is None
    assert plan.maps is not None
    return [len(data) for _, data in plan.maps]


def test_each_different_map_is_kept_once(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    for _ in range(3):
        logs.put(1, 2).put(1, 2, 3).put(1, table="u").put(1, 2)
    two, three = kept(logs.write())
    assert two < three
    assert len(kept(logs.write(), "u")) == 1
    assert kept(logs.write(), "none") == kept(logs.write(), "") == []


def test_a_map_is_kept_again_behind_a_statement(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin().put(1, 2).put(1, 2).statement(CREATE).put(1, 2).put(1, 2)
    assert len(kept(logs.write())) == 2


def test_a_damaged_map_does_not_hide_a_sound_one(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin().put(1, 2).statement(CREATE).put(1, 2).put(1, 2)
    log = logs.write()
    content = bytearray(log.read_bytes())
    start = [at for at in logs.log.starts if content[at + 4] == TABLE_MAP][1]
    content[start + 19 + 6] ^= 1  # a flag of the map: the first one after the statement
    log.write_bytes(content)
    assert len(kept(log)) == 2
    content[start + 19 + 6] ^= 1
    content[start + 5] ^= 1  # its header, which is not compared
    log.write_bytes(content)
    assert len(kept(log)) == 2
