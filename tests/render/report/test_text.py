"""Names and statements of a log are hostile: they steer no terminal, break out of no field, and end no table."""

from __future__ import annotations

import csv
import io
import json
import struct
from pathlib import Path

import pytest

from binlogcli.render.escape import visible
from binlogcli.render.fitting import end_of, start_of
from binlogcli.render.report.cells import bar, duration_text, size_text
from binlogcli.render.report.sheet_columns import COUNT, TEXT, SheetColumn
from binlogcli.render.report.sheets import Sheet
from binlogcli.render.report.tables import escaped
from binlogcli.render.report.text import as_fields
from support.logs import TimedLog
from support.program import run

DATABASE = 'a\x1b]0;taken\x07\x9b31m"b,\t|c\n<i>\u202e'
TABLE = "t`t\x1b[2J"
CONTROLS = set(map(chr, [*range(9), *range(11, 32), *range(127, 160)])) | {"\u202e"}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    log = TimedLog()
    log.transaction(1000, 1, f"UPDATE `{TABLE.replace('`', '``')}` SET a = '\x1b[31m' WHERE b > 1", DATABASE)
    log.gtid(1000, 2, standalone=True)
    log.place(2, 1000, struct.pack("<IIBHH", 7, 0, 2, 0, 0) + b"\xff\xfe\x00DELETE FROM \xff\xfe")
    path = tmp_path / "log.000001"
    path.write_bytes(bytes(log.log))
    return path


@pytest.mark.parametrize(
    "options", ["", "--width=80", "--format=markdown", "--format=csv", "--format=tsv", "--format=json"]
)
def test_nothing_of_a_log_steers_a_terminal(options: str, hostile: Path) -> None:
    done = run("stats", *options.split(), hostile)
    assert done.returncode == 0
    text = done.stdout.decode("utf-8")
    assert not CONTROLS & set(text) - ({"\t"} if "tsv" in options else set())


@pytest.mark.parametrize("width", [80, 160])
def test_a_report_on_a_terminal_ends_with_what_to_look_at_next(width: int, tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(1000, 1)
    (tmp_path / "log.000001").write_bytes(bytes(log.log))
    report = run("stats", "--width", str(width), "log.000001", cwd=tmp_path).stdout.decode()
    last = report.split("\n\n")[-1]
    assert last.startswith("Look at next\n")
    assert "\n    binlogcli dump -vv --transaction-at " in last
    assert "Look at next" not in run("stats", "log.000001", cwd=tmp_path).stdout.decode()


@pytest.mark.parametrize(("format_", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_each_row_has_the_fields_of_its_header(format_: str, delimiter: str, hostile: Path) -> None:
    done = run("stats", "--format", format_, hostile)
    text = done.stdout.decode("utf-8")
    assert "\n\n" in text
    for sheet in text.removesuffix("\n").split("\n\n"):
        header, *rows = csv.reader(io.StringIO(sheet), delimiter=delimiter)
        assert header[0] == "section"
        assert all(len(row) == len(header) for row in rows)
        if rows and rows[0][0] == "tables":
            assert rows[0][1:3] == [visible(DATABASE), visible(TABLE)]


def test_json_keeps_names_as_they_are(hostile: Path) -> None:
    report = json.loads(run("stats", "--format", "json", hostile).stdout)
    names = {(row["database"], row["table"]) for row in report["tables"]}
    assert (DATABASE, TABLE) in names
    assert report["events"][0]["share"] <= 1


def test_markdown_takes_names_for_nothing_else() -> None:
    assert escaped("a|b `c` *d* <e> [f](g) h_i _j_ \\") == "a\\|b \\`c\\` \\*d\\* &lt;e&gt; \\[f\\](g) h_i \\_j\\_ \\\\"


def test_numbers_for_people() -> None:
    assert [size_text(count) for count in (0, 1023, 1024, 1536, 5 << 40)] == [
        "0 B",
        "1,023 B",
        "1.0 KiB",
        "1.5 KiB",
        "5.0 TiB",
    ]
    assert [duration_text(seconds) for seconds in (0, 60, 61, 3725, 90061)] == [
        "0 s",
        "1 min",
        "61 s",
        "1 h 2 min 5 s",
        "1 d 1 h 1 min 1 s",
    ]
    assert bar(1, 1) == "█" * 10
    assert bar(1, 10_000) == "▏"
    assert bar(0, 5) == ""


def test_texts_are_cut_to_their_cells() -> None:
    assert start_of("abcdef", 4, len) == "abc…"
    assert end_of("abcdef", 4, len) == "…def"
    assert start_of("abc", 4, len) == end_of("abc", 4, len) == "abc"
    wide = lambda text: 2 * len(text)  # noqa: E731
    assert start_of("日本語", 5, wide) == "日本…"


@pytest.mark.parametrize("format_", ["csv", "tsv"])
@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\uff1d"])
def test_a_text_that_a_spreadsheet_would_run_stands_behind_an_apostrophe(
    first: str, format_: str, tmp_path: Path
) -> None:
    log = TimedLog()
    name = f"{first}HYPERLINK(1)"
    log.transaction(1000, 1, f"UPDATE `{name}` SET a = 1", name)
    path = tmp_path / "log.000001"
    path.write_bytes(bytes(log.log))
    cells = {raw: cells_of(path, format_, *(["--raw-cells"] if raw else [])) for raw in (False, True)}
    assert name in cells[True]
    assert f"'{name}" in cells[False]
    assert not [cell for cell in cells[False] if cell.startswith(first)]


def cells_of(path: Path, format_: str, *options: str) -> list[str]:
    """Return all cells of a report."""
    text = run("stats", "--format", format_, *options, path).stdout.decode()
    return [cell for row in csv.reader(io.StringIO(text), delimiter="," if format_ == "csv" else "\t") for cell in row]


def test_numbers_stay_numbers() -> None:
    sheet = Sheet(
        "wire", "wire", "", (SheetColumn("a", "a", COUNT), SheetColumn("b", "b", TEXT)), [{"a": -5, "b": "-5"}]
    )
    assert as_fields([sheet], ",", raw=False) == "section,a,b\nwire,-5,'-5\n"


@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--format", "csv", "--html", "page.html")])
def test_raw_cells_go_with_cells_alone(options: tuple[str, ...], hostile: Path) -> None:
    done = run("stats", "--raw-cells", *options, hostile)
    assert done.returncode == 2
    assert b"--raw-cells requires" in done.stderr
