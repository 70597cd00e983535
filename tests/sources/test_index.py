"""Index files: which logs they stand for, and what a hostile one cannot do."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from binlogcli.errors import SourceError
from binlogcli.sources.opening import expand, open_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three logs and, beside it, the one that the working directory is."""
    folder = tmp_path / "data"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"shop-bin.{number:06}").write_bytes(b"\xfebin")
    return folder


def listed(folder: Path, content: bytes, name: str = "shop-bin.index") -> list[str]:
    (folder / name).write_bytes(content)
    return [os.path.relpath(path, folder) for path in expand([str(folder / name)])]


def refused(folder: Path, content: bytes) -> SourceError:
    with pytest.raises(SourceError) as caught:
        listed(folder, content)
    assert caught.value.file == str(folder / "shop-bin.index")
    assert caught.value.hint
    return caught.value


LOGS = ["shop-bin.000001", "shop-bin.000002", "shop-bin.000003"]


def test_the_logs_come_in_the_order_of_the_index(folder: Path) -> None:
    assert listed(folder, b"./shop-bin.000002\n./shop-bin.000001\n") == [LOGS[1], LOGS[0]]


@pytest.mark.parametrize(
    "content",
    [
        b"./shop-bin.000001\n./shop-bin.000002\n./shop-bin.000003\n",
        b"shop-bin.000001\nshop-bin.000002\nshop-bin.000003",
        b"./shop-bin.000001\r\n./shop-bin.000002\r\n./shop-bin.000003\r\n",
        b"\n\n./shop-bin.000001\n\r\n./shop-bin.000002\n./shop-bin.000003\n\n",
        b"/var/lib/mysql/shop-bin.000001\n/nowhere/shop-bin.000002\nlogs/shop-bin.000003\n",
        b".\\shop-bin.000001\nC:\\ProgramData\\MySQL\\shop-bin.000002\n..\\shop-bin.000003\n",
    ],
    ids=["usual", "bare", "crlf", "blank lines", "of another place", "of windows"],
)
def test_all_forms_of_lines_find_the_logs_beside_the_index(folder: Path, content: bytes) -> None:
    assert listed(folder, content) == LOGS


def test_an_absolute_path_that_exists_is_taken(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "shop-bin.000001"
    other.touch()
    assert listed(folder, os.fsencode(other) + b"\n") == ["../shop-bin.000001"]


def test_a_missing_log_stays_in_the_list_and_is_reported_when_opened(folder: Path) -> None:
    paths = listed(folder, b"./shop-bin.000001\n./shop-bin.000009\n/gone/shop-bin.000010\n")
    assert paths[1] == "shop-bin.000009"
    assert paths[2].endswith("/gone/shop-bin.000010")
    with pytest.raises(SourceError, match="no such file"):
        open_source(str(folder / paths[1]))


def test_an_index_in_the_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("shop-bin.index").write_bytes(b"./shop-bin.000001\n")
    assert expand(["shop-bin.index"]) == ["shop-bin.000001"]
    assert expand(["./shop-bin.index"]) == ["./shop-bin.000001"]


def test_other_sources_are_kept_in_place(folder: Path) -> None:
    index = folder / "shop-bin.index"
    index.write_bytes(b"./shop-bin.000002\n")
    given = ["-", str(folder / LOGS[0]), str(index), "mysql://root@db/", "missing.000001"]
    assert expand(given) == [*given[:2], str(folder / LOGS[1]), *given[3:]]


@pytest.mark.parametrize("name", ["relay-channel.index", "shop-bin.index_crash_safe", ".index"])
def test_the_names_that_servers_give(folder: Path, name: str) -> None:
    assert listed(folder, b"./shop-bin.000001\n", name) == LOGS[:1]


def test_a_compressed_index_is_read_through(folder: Path) -> None:
    assert listed(folder, gzip.compress(b"./shop-bin.000001\n")) == LOGS[:1]


@pytest.mark.parametrize("magic", [b"\xfebin", b"\xfdbin"])
def test_a_log_named_like_an_index_is_a_log(folder: Path, magic: bytes) -> None:
    assert listed(folder, magic + bytes(100)) == ["shop-bin.index"]


def test_an_index_within_an_index_is_not_expanded(folder: Path) -> None:
    assert listed(folder, b"shop-bin.index\n") == ["shop-bin.index"]


@pytest.mark.parametrize("byte", [0, 1, 9, 0x0D, 0x1B, 0x7F])
def test_control_characters_are_refused_with_their_line(folder: Path, byte: int) -> None:
    error = refused(folder, b"./shop-bin.000001\n\n./shop" + bytes([byte]) + b"bin.000002\n")
    assert "line 3 contains control characters" in error.reason


def test_a_line_too_long_for_a_path_is_refused(folder: Path) -> None:
    assert "line 2 is longer" in refused(folder, b"a\n" + b"x" * 5000).reason


def test_an_index_too_large_is_refused(folder: Path) -> None:
    assert "larger than 16 MiB" in refused(folder, b"x\n" * (9 << 20)).reason


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\r\n"])
def test_an_index_without_logs_is_refused(folder: Path, content: bytes) -> None:
    assert refused(folder, content).reason == "lists no logs"


@pytest.mark.parametrize("line", ["-", "mysql://root@db/other-bin.000001"])
def test_a_line_is_never_stdin_or_a_server(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("x.index").write_text(line + "\n")
    assert expand(["x.index"]) == [f"./{line}"]
    with pytest.raises(SourceError, match="no such file"):
        open_source(f"./{line}")


def test_a_line_that_is_a_folder_stays_as_it_is(folder: Path) -> None:
    assert listed(folder, b"gone/\n") == ["gone"]  # not the folder of the index itself


def test_names_that_are_no_utf_8_reach_their_file(folder: Path) -> None:
    name = os.fsencode(folder) + b"/b\xe9ta.000001"
    Path(os.fsdecode(name)).write_bytes(b"\xfebin")
    (folder / "x.index").write_bytes(b"./b\xe9ta.000001\n")
    (path,) = expand([str(folder / "x.index")])
    assert os.fsencode(path) == name
    with open_source(path) as source:
        assert source.read(4) == b"\xfebin"


def test_a_missing_index_or_a_folder_of_its_name_is_an_error(folder: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        expand([str(folder / "none.index")])
    (folder / "dir.index").mkdir()
    with pytest.raises(SourceError, match="is a directory"):
        expand([str(folder / "dir.index")])
