"""The web page of `stats` in a real browser: it loads nothing, says nothing to the console, and sorts its tables.

`BINLOGCLI_SCREENSHOT=FILE` keeps the picture, to be looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.browser import Browser, browser_available
from support.golden import GOLDEN
from support.logs import TimedLog
from support.program import missing, run

HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">&amp;\x1b[31m"
COLUMN = "return Array.from(document.querySelectorAll('#events tbody tr')).map(row => row.cells[{}].dataset.v)"
CLICK = "document.querySelectorAll('#events th button')[{}].click()"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not browser_available():
        missing("no chromium with chromedriver is installed")
    with Browser() as window:
        yield window


def page_of(folder: Path, *sources: Path) -> Path:
    page = folder / "report.html"
    done = run("stats", "--html", page, *sources)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return page


def test_the_page_sorts_its_tables_and_keeps_the_console_clean(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path, GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.index"))
    browser.run(CLICK.format(1))
    counts = [int(text) for text in browser.run(COLUMN.format(1))]
    assert len(counts) > 5
    assert counts == sorted(counts, reverse=True)
    browser.run(CLICK.format(1))
    assert [int(text) for text in browser.run(COLUMN.format(1))] == sorted(counts)
    browser.run(CLICK.format(0))
    names = browser.run(COLUMN.format(0))
    assert names == sorted(names, reverse=True)
    assert browser.run("return document.querySelector('#events th').getAttribute('aria-sort')") == "descending"
    picture = browser.screenshot()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000
    kept = os.environ.get("BINLOGCLI_SCREENSHOT")
    if kept:
        Path(kept).write_bytes(picture)
    assert browser.run("return document.querySelectorAll('svg rect').length") > 5
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.console() == []


def test_hostile_names_are_nothing_but_text_on_the_page(browser: Browser, tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(1000, 1, f"DELETE FROM `{HOSTILE}` WHERE a = 1", HOSTILE)
    path = tmp_path / "<b>shop&-bin.000001"
    path.write_bytes(bytes(log.log))
    browser.open(page_of(tmp_path, path))
    assert browser.run("return document.title") == "binlogcli stats: <b>shop&-bin.000001"
    assert browser.run("return document.querySelectorAll('script, img, b').length") == 1
    shown = browser.run("return document.querySelector('#tables tbody').innerText")
    assert HOSTILE.replace("\x1b", "\\x1b") in shown
    assert browser.console() == []


def test_the_page_names_no_other_place(tmp_path: Path) -> None:
    text = page_of(tmp_path, GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001").read_text()
    assert re.findall(r"https?://|\bsrc=|url\(|@import", text) == []
    assert "default-src &#x27;none&#x27;" in text
