"""JSON that is read back: a file that holds anything else is one message with the file and what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from binlogcli.archive.directory import STATE, ArchiveState, Directory
from binlogcli.binary.json_reader import DEEPEST, check_form, read_json
from binlogcli.crypto.keyring import read_keyring
from binlogcli.errors import BinlogError, KeyFileError, OutputError
from binlogcli.lake.errors import LakeError
from binlogcli.lake.spark.table_view import TableView
from binlogcli.lake.store.epochs import Store
from binlogcli.select.values.operands import Document, as_document
from binlogcli.select.values.where import Condition
from support.golden import ROOT

DEEP = "[" * 100_000
DEEP_OBJECT = '{"a":' * 100_000


@pytest.mark.parametrize("text", [DEEP, DEEP_OBJECT, "[" * 500 + "]" * 500, "", "{", b"\xff\xfe\xff", "9" * 5000])
def test_a_text_that_is_no_value_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_json(text)


def test_a_text_as_deep_as_it_may_be_is_read() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST)
    with pytest.raises(ValueError, match="nested more than 100 levels"):
        read_json("[" * DEEPEST + "[]" + "]" * DEEPEST)


@pytest.mark.parametrize(
    ("value", "form", "message"),
    [
        (1.5, int, "it is 1.5, not a whole number"),
        (True, int, "it is true, not a whole number"),
        (-1, int, "it is -1, not a whole number"),
        (1 << 63, int, "it is 9223372036854775808, not a whole number"),
        (256, range(256), "it is 256, not 0 to 255"),
        (2, range(1, 2), "it is 2, not 1"),
        (1, (str, None), "it is 1, not a text or null"),
        ("x" * 100, re.compile("y"), 'it is "' + "x" * 39 + "..., not of its form"),
        ({}, {"a": int}, "it has no a"),
        ({"b": 1}, {"a?": int}, 'it has an unknown key "b"'),
        ({"a?": 1}, {"a?": int}, 'it has an unknown key "a?"'),
        ([{"a": "x"}], [{"a": int}], 'it[0].a is "x", not a whole number'),
        ([], {"a": int}, "it is a list, not an object"),
        ({}, [int], "it is an object, not a list"),
        ({"a": [{"b": [1, "x"]}]}, {"a": [{"b": [int]}]}, 'a[0].b[1] is "x", not a whole number'),
    ],
)
def test_a_value_of_another_form_is_named_with_its_place(value: object, form: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_form(value, form)


STATE_FIELDS = {
    "version": 1,
    "server_id": 1,
    "server_uuid": "",
    "log": "shop-bin.000001",
    "position": 4,
    "last_event": 15,
    "gaps": [{"log": "a", "position": 4, "next_log": "b", "reason": "c"}],
}
RECORD_FIELDS = {
    "format": 2,
    "epoch": 0,
    "options": None,
    "staging": "0123",
    "sources": [
        {
            "name": "shop-bin.000001",
            "path": "/shop-bin.000001",
            "server_id": 1,
            "created": 1,
            "head_size": 200,
            "head_sha256": "0" * 64,
            "end": 300,
            "size": 300,
            "packed": False,
            "stopped": False,
            "places": [4],
            "file": "shop-bin.000001",
            "tables": ["*"],
            "some_tables": ["*"],
            "server": "",
            "gaps": [{"start": 100, "end": 120, "reason": "a", "hint": "", "within": None, "tried": ""}],
        }
    ],
    "tables": [
        {
            "database": "shop",
            "table": "orders",
            "directory": "shop/orders",
            "versions": [
                {
                    "generation": 0,
                    "columns_only": False,
                    "primary_key": ["c1"],
                    "origin": {"file": "shop-bin.000001", "position": 4, "statement": ""},
                    "columns": [
                        {
                            "name": "c1",
                            "column": "c1",
                            "source": "INT",
                            "type": "decimal(20,0)",
                            "companion": False,
                            "former": [],
                        }
                    ],
                }
            ],
        }
    ],
    "files": [{"staged": "x.parquet", "path": "events/00000000-00000.parquet", "rows": 1, "bytes": 5}],
    "gaps": [],
    "marks": [
        {
            "op": "rename",
            "database": "shop",
            "table": "orders",
            "new": ["shop", "old_orders"],
            "seq": "7",
            "time": 1,
            "commit": 1,
            "gtid": None,
            "xid": None,
            "server_id": 1,
            "thread_id": 7,
            "file": "shop-bin.000001",
            "position": 200,
        }
    ],
}


def read_state(folder: Path, text: str) -> object:
    (folder / STATE).write_text(text)
    with Directory(str(folder)) as directory:
        return directory.read_state()


def read_epochs(folder: Path, text: str) -> object:
    epochs = folder / "_binlog" / "epochs"
    epochs.mkdir(parents=True, exist_ok=True)
    (epochs / "00000000.json").write_text(text)
    return Store(str(folder)).look()


def changed(fields: Any) -> list[Any]:
    """The fields with each value in turn replaced by others, and each key left out or one put in."""
    found: list[Any] = []
    if isinstance(fields, dict):
        found.append({**fields, "unknown": 1})
        for name, value in fields.items():
            found.append({key: one for key, one in fields.items() if key != name})
            found += [{**fields, name: one} for one in changed(value)]
    elif isinstance(fields, list):
        found += [[one] for value in fields for one in changed(value)]
    return [*found, 1.5, -1, [[[]]], {"a": 1}, "../x"]


@pytest.mark.parametrize(("read", "fields"), [(read_state, STATE_FIELDS), (read_epochs, RECORD_FIELDS)])
def test_a_file_with_any_field_changed_is_read_or_refused(
    read: Callable[[Path, str], object], fields: dict[str, Any], tmp_path: Path
) -> None:
    assert read(tmp_path, json.dumps(fields)) is not None
    refused: list[BinlogError] = []
    for one in changed(fields):
        try:
            read(tmp_path, json.dumps(one))
        except (OutputError, LakeError) as error:
            refused.append(error)
    assert len(refused) > len(changed(fields)) * 0.7
    assert all(str(tmp_path) in error.file and "restore it" in error.hint for error in refused)


def test_a_position_that_is_no_whole_number_and_a_deep_state_are_one_line(tmp_path: Path) -> None:
    for text, reason in (
        (json.dumps({**STATE_FIELDS, "position": 1.5}), "position is 1.5, not a whole number"),
        (json.dumps({**STATE_FIELDS, "gaps": [[]]}), "gaps[0] is a list, not an object"),
        (DEEP, "it is nested more than 100 levels deep"),
    ):
        with pytest.raises(OutputError) as caught:
            read_state(tmp_path, text)
        place = tmp_path / STATE
        assert caught.value.line() == (
            f"{place}: is not a valid state file of pull: {reason}; restore it, or choose another directory"
        )


def test_a_record_that_is_not_of_its_epoch_or_deep_is_one_line(tmp_path: Path) -> None:
    for text, reason in (
        (json.dumps({**RECORD_FIELDS, "epoch": 3}), "it is that of epoch 3"),
        (json.dumps({**RECORD_FIELDS, "staging": ".."}), 'staging is "..", not of its form'),
        (DEEP_OBJECT, "it is nested more than 100 levels deep"),
    ):
        with pytest.raises(LakeError) as caught:
            read_epochs(tmp_path, text)
        place = tmp_path / "_binlog" / "epochs" / "00000000.json"
        assert caught.value.line() == f"{place}: is not a valid commit record: {reason}; restore it from a copy"


def test_an_output_of_an_earlier_version_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LakeError) as caught:
        read_epochs(tmp_path, json.dumps({**RECORD_FIELDS, "format": 1}))
    assert caught.value.line() == (
        f"{tmp_path / '_binlog/epochs/00000000.json'}: was written by an earlier version, whose tables have other "
        f"columns; convert the logs into a new directory"
    )


def test_a_state_that_was_written_is_read(tmp_path: Path) -> None:
    state = ArchiveState(1, "", "shop-bin.000001", 4, 15)
    with Directory(str(tmp_path)) as directory:
        directory.write_state(state)
        assert directory.read_state() == state


def test_deep_json_in_a_keyring_and_in_options_is_one_line(tmp_path: Path) -> None:
    ring = tmp_path / "keyring"
    ring.write_text('{"elements":' + DEEP)
    with pytest.raises(KeyFileError):
        read_keyring(str(ring), None)
    with pytest.raises(BinlogError, match="the option paths is not a list of names"):
        TableView.from_options({"paths": DEEP})


def test_json_is_read_in_one_place() -> None:
    """Else a text of many brackets is a traceback again."""
    users = [path for path in (ROOT / "binlogcli").rglob("*.py") if re.search(r"\bjson\.loads?\(", path.read_text())]
    assert [path.name for path in users] == ["json_reader.py"]


def test_a_condition_on_a_document_with_deep_json_is_a_text() -> None:
    assert as_document(Condition(1, "=", DEEP)) == Document(DEEP)
