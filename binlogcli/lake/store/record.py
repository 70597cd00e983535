"""The form of a commit record. What does not have it, a damaged file or a changed one, is refused before it is used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from binlogcli.binary.json_reader import check_form, read_json
from binlogcli.lake.errors import LakeError
from binlogcli.lake.history import NO_HISTORY
from binlogcli.lake.table_marks import MARK_FORM, RENAME

FORMAT = 2  # of the records
PARTITION = "partition_by"  # in the options of a run, where files are of one day each
_PART = r"(?!\.{1,2}(?:/|\Z))[^/\0]+"  # of a path; neither `.` nor `..`
_NAME = re.compile(_PART)
_PATH = re.compile(f"{_PART}(?:/{_PART})*")
_SIMPLE = r"bool|int8|int16|int32|int64|float32|float64|date32|timestamp\[us(?:,UTC)?\]|string|label|json|binary"
_TYPE = re.compile(rf"(?:{_SIMPLE}|decimal\(\d{{1,2}},\d{{1,2}}\)|list<(?:{_SIMPLE})>)")

_SOURCE = {
    "name": str,
    "path": str,
    "server_id": int,
    "created": int,
    "head_size": int,
    "head_sha256": re.compile("[0-9a-f]{64}"),
    "end": int,
    "size": int,
    "packed": bool,
    "stopped": bool,
    "places": [int],
    "file": str,
    "tables": [str],
    "some_tables": [str],
    "server": str,
    "overtaken?": bool,
    "gaps": [{"start": int, "end": int, "reason": str, "hint": str, "within": (int, None), "tried": str}],
}
_COLUMN = {
    "name": str,
    "column": str,
    "source": str,
    "type": _TYPE,
    "companion": bool,
    "sign_unknown?": bool,
    "former": [str],
}
_VERSION = {
    "generation": int,
    "columns_only": bool,
    "primary_key": [str],
    "origin": {"file": str, "position": int, "statement": str, "created?": int},
    "columns": [_COLUMN],
}
_TABLE = {"database": str, "table": str, "directory": _PATH, "versions": [_VERSION]}
_TOLD = {"name": str, "head_sha256": re.compile("[0-9a-f]{64}"), "folder": str, "events": str}
_RECORD = {
    "format": range(FORMAT, FORMAT + 1),
    "epoch": int,
    "options": (str, None),
    "staging": _NAME,
    "sources": [_SOURCE],
    "tables": [_TABLE],
    "history?": [_TOLD],
    "files": [{"staged": _NAME, "path": _PATH, "rows": int, "bytes": int}],
    "gaps": list,
    "marks": [MARK_FORM],
    "state?": {
        "sources": [_SOURCE],
        "tables": [_TABLE],
        "history?": [_TOLD],
        "marks": {"waiting": [MARK_FORM], "renames": [MARK_FORM]},
    },
}


def options_in(fingerprint: str) -> dict[str, Any]:
    """Return the options of a record's `options`; of a text that no run has written, what fits no other."""
    try:
        found: dict[str, Any] = read_json(fingerprint)
        check_form(found["tables"], [str])
    except (ValueError, KeyError, TypeError):
        return {"tables": []}
    return found


def read_record(path: Path) -> dict[str, Any]:
    """Return the commit record in a file. Raises OSError, ValueError if it is invalid, LakeError for an older form."""
    record: dict[str, Any] = read_json(path.read_bytes())
    if isinstance(record, dict) and record.get("format") in range(1, FORMAT):
        reason = "was written by an earlier version, whose tables have other columns"
        raise LakeError(reason, file=str(path), hint="convert the logs into a new directory")
    check_form(record, _RECORD)
    later = record.get("state", {}).get("marks", {"waiting": [], "renames": []})
    for mark in (*record["marks"], *later["waiting"], *later["renames"]):
        if mark["op"] == RENAME and len(mark["new"]) != len(("database", "table")):
            raise ValueError(f"new is {mark['new']}, not a database and a table")
    NO_HISTORY.with_record([*record.get("history", ()), *record.get("state", {}).get("history", ())])
    if record["epoch"] != int(path.stem):
        raise ValueError(f"it is that of epoch {record['epoch']}")
    return record
