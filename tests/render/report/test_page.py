"""The web page of `stats`, as markup and in a real browser: it loads nothing, says nothing to the console, and works.

`BINLOGCLI_SCREENSHOT=FILE` keeps the picture, to be looked at.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from binlogcli.render.report.page.overview import tiles
from support.browser import Browser, browser_available
from support.golden import GOLDEN
from support.logs import TimedLog
from support.program import missing, run

CHAIN = GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.index"
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">&amp;\x1b[31m"
COLUMN = "return Array.from(document.querySelectorAll('#t-events tbody tr')).map(row => row.cells[{}].{})"
CLICK = "document.querySelectorAll('#t-events th button')[{}].click()"
WIDEST = "return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
OUTSIDE = """
const left = (element) => element.getBoundingClientRect().left;
return Array.from(document.querySelectorAll(".card p, .card h3, .next p"))
  .filter((element) => element.getClientRects().length && left(element) < left(element.closest(".card, .next")))
  .map((element) => element.outerHTML);
"""
CUT = """
return Array.from(document.querySelectorAll(".cmd code")).filter((code) => {
  const style = getComputedStyle(code);
  const inner = code.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  const lines = inner / parseFloat(style.lineHeight);
  return code.clientHeight && Math.abs(lines - Math.round(lines)) > 0.1;
}).map((code) => code.textContent);
"""
BESIDE = """
for (const fold of document.querySelectorAll("details")) fold.open = true;
return Array.from(document.querySelectorAll("dd, dd *"))
  .filter((one) => one.getBoundingClientRect().right > one.closest("dl").getBoundingClientRect().right + 1)
  .map((one) => one.outerHTML);
"""
LABELS = """
return Array.from(document.querySelectorAll(".axis text")).filter((label) => label.getClientRects().length)
  .map((label) => label.getBoundingClientRect()).map((box) => [box.left, box.right]);
"""
VOID = {"meta", "link", "wbr", "input"}
CONTRAST = """
const lightness = (text) => {
  const parts = text.match(/[\\d.]+/g).slice(0, 3).map(Number).map((one) => one / 255);
  const [r, g, b] = parts.map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const below = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
  }
  return "rgb(255, 255, 255)";
};
const poor = [];
for (const element of document.querySelectorAll("body *")) {
  const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || element.closest("svg, script, style") || !element.getClientRects().length) continue;
  const [a, b] = [lightness(getComputedStyle(element).color), lightness(below(element))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(element.outerHTML.slice(0, 200));
}
return poor;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not browser_available():
        missing("no chromium with chromedriver is installed")
    with Browser() as window:
        yield window


def page_of(folder: Path, *sources: str | Path, environment: dict[str, str] | None = None) -> Path:
    page = folder / "report.html"
    done = run("stats", "--force", "--html", page, *sources, environment=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return page


def hostile_log(folder: Path) -> Path:
    log = TimedLog()
    log.transaction(1000, 1, f"DELETE FROM `{HOSTILE}` WHERE a = 1", HOSTILE)
    log.transaction(1060, 2, f"UPDATE `{HOSTILE}` SET\n\ta = '{{since}} $& </code>'", HOSTILE)
    path = folder / "<b>shop&-bin.000001"
    path.write_bytes(bytes(log.log))
    return path


def test_the_page_sorts_its_tables_and_keeps_the_console_clean(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path, CHAIN))
    browser.run(CLICK.format(1))
    counts = [int(text) for text in browser.run(COLUMN.format(1, "dataset.v"))]
    assert len(counts) > 5
    assert counts == sorted(counts, reverse=True)
    browser.run(CLICK.format(1))
    assert [int(text) for text in browser.run(COLUMN.format(1, "dataset.v"))] == sorted(counts)
    browser.run(CLICK.format(0))
    names = browser.run(COLUMN.format(0, "textContent"))
    assert names == sorted(names, reverse=True)
    assert browser.run("return document.querySelector('#t-events th').getAttribute('aria-sort')") == "descending"
    picture = browser.screenshot()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000
    kept = os.environ.get("BINLOGCLI_SCREENSHOT")
    if kept:
        Path(kept).write_bytes(picture)
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.console() == []


def test_long_lists_are_folded_to_ten_and_filtered(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path, CHAIN))
    shown = "return Array.from(document.querySelectorAll('#t-events tbody tr')).filter(row => row.offsetHeight).length"
    rows = browser.run("return document.querySelectorAll('#t-events tbody tr').length")
    assert rows > 10
    assert browser.run(shown) == 10
    bar = "document.querySelector('#events .bar-row')"
    browser.run(f"{bar}.querySelector('button').click()")
    assert browser.run(shown) == rows
    browser.run(f"const box = {bar}.querySelector('input'); box.value = 'rows_'; box.dispatchEvent(new Event('input'))")
    assert browser.run(shown) == browser.run(COLUMN.format(0, "textContent.includes('ROWS_')")).count(True) > 0


def test_the_timeline_narrows_by_keys_and_says_the_command(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path, CHAIN))
    press = "document.getElementById('plot').dispatchEvent(new KeyboardEvent('keydown', {key: '%s'}))"
    box = "return document.querySelector('.view').getAttribute('viewBox')"
    whole = browser.run(box)
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        browser.run(press % key)
    assert browser.run(box) != whole
    assert "00:33:41" in browser.run("return document.querySelector('.tip').textContent")
    command = browser.run("return document.querySelector('.plot-tools code').textContent")
    assert re.search(r"^binlogcli dump --oneline --since \S+Z --until \S+Z \S+shop-bin.index$", command)
    browser.run(press % "Escape")
    assert browser.run(box) == whole
    assert browser.console() == []


def test_a_drag_over_the_timeline_narrows_it(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path, CHAIN))
    browser.run(
        "document.documentElement.style.scrollBehavior = 'auto'; document.getElementById('plot').scrollIntoView()"
    )
    browser.drag(".view", 0.4, 0.75)
    assert browser.run("return document.querySelector('.view').getAttribute('viewBox')") == "2 0 3 1000"
    status = "return document.querySelector('.plot-tools [role=status]').textContent"
    assert browser.run(status) == "2026-11-21T00:33:41Z to 2026-11-21T00:33:44Z"
    assert browser.run("return document.querySelector('.tip').hidden") is True
    browser.run("document.querySelector('.plot-tools button').click()")
    assert browser.run("return document.querySelector('.view').getAttribute('viewBox')") == "0 0 6 1000"


@pytest.mark.parametrize("way", ["print", "without scripts"])
def test_all_is_there_in_print_and_without_scripts(way: str, browser: Browser, tmp_path: Path) -> None:
    browser.disable_scripts(way == "without scripts")
    browser.prefer("light", "print" if way == "print" else "")
    try:
        browser.open(page_of(tmp_path, CHAIN))
        hidden = (
            "return Array.from(document.querySelectorAll('#t-events tbody tr')).filter(row => !row.offsetHeight).length"
        )
        assert browser.run(hidden) == 0
        assert browser.run("return document.querySelectorAll('#t-events tbody tr').length") > 10
        assert browser.run("return document.querySelectorAll('th button').length > 0") is (way == "print")
    finally:
        browser.disable_scripts(False)
        browser.prefer("light")


def test_hostile_names_are_nothing_but_text_on_the_page(browser: Browser, tmp_path: Path) -> None:
    path = hostile_log(tmp_path)
    browser.open(page_of(tmp_path, path))
    assert browser.run("return document.title") == "binlogcli stats: <b>shop&-bin.000001"
    assert browser.run("return document.querySelectorAll('script, img').length") == 1
    shown = browser.run("return document.querySelector('#t-tables tbody').innerText")
    assert HOSTILE.replace("\x1b", "\\x1b") in shown
    texts = browser.run("return Array.from(document.querySelectorAll('#t-statements pre')).map(one => one.textContent)")
    assert any("SET\n    a = '{since} $& </code>'" in text for text in texts)
    report = json.loads(run("stats", "--json", path).stdout)
    copied = browser.run(
        "return Array.from(document.querySelectorAll('#tables .cmd code')).map(one => one.textContent)"
    )
    assert copied == [row["command"] for row in report["tables"]]
    assert browser.console() == []


@pytest.mark.parametrize("width", [400, 1280, 2560])
def test_the_page_itself_never_scrolls_sideways(width: int, browser: Browser, tmp_path: Path) -> None:
    browser.resize(width, 1200)
    browser.open(page_of(tmp_path, "--bucket", "1s", GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001"))
    assert browser.run(WIDEST) <= browser.run("return document.documentElement.clientWidth")
    assert browser.run(OUTSIDE) == []
    assert browser.run(BESIDE) == []
    assert browser.run(WIDEST) <= browser.run("return document.documentElement.clientWidth")
    browser.open(page_of(tmp_path, hostile_log(tmp_path)))
    assert browser.run(WIDEST) <= browser.run("return document.documentElement.clientWidth")


def test_dates_below_the_timeline_do_not_touch_in_a_narrow_window(browser: Browser, tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(1_795_000_000, 1, "DELETE FROM a", "shop")
    log.transaction(2_147_483_647, 2, "DELETE FROM a", "shop")
    path = tmp_path / "shop-bin.000001"
    path.write_bytes(bytes(log.log))
    browser.resize(400, 1200)
    browser.open(page_of(tmp_path, path))
    places = browser.run(LABELS)
    assert len(places) > 1
    assert all(end + 4 < start for (_, end), (start, _) in pairwise(places))


PAPER = 718  # CSS pixels between the margins of A4


@pytest.mark.parametrize("width", [400, 1280])
def test_commands_are_not_cut_within_a_line(width: int, browser: Browser, tmp_path: Path) -> None:
    browser.resize(width, 1200)
    browser.open(page_of(tmp_path, *sorted((GOLDEN / "mysql-9.7").glob("*/shop-bin.000001"))[:6]))
    assert browser.run("return document.querySelectorAll('.cmd code').length") > 10
    assert browser.run(CUT) == []


def test_the_printed_page_fits_the_paper(browser: Browser, tmp_path: Path) -> None:
    browser.resize(PAPER, 1200)
    browser.prefer("light", "print")
    try:
        browser.open(page_of(tmp_path, "--bucket", "1s", GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001"))
        assert browser.run(WIDEST) <= browser.run("return document.documentElement.clientWidth")
        assert browser.run(CUT) == []
    finally:
        browser.prefer("light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_the_contrast_of_wcag_aa(scheme: str, browser: Browser, tmp_path: Path) -> None:
    browser.prefer(scheme)
    browser.open(page_of(tmp_path, GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001"))
    assert browser.run(f"return matchMedia('(prefers-color-scheme: {scheme})').matches")
    assert browser.run(CONTRAST) == []


class _Elements(HTMLParser):
    """Checks that elements are closed in order, and keeps their ids and those without what a reader needs."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.names: list[str] = []
        self.poor: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.names.append(tag)
        if "id" in found:
            self.ids.append(str(found["id"]))
        if (tag == "th" and "scope" not in found) or "style" in found or any(name.startswith("on") for name in found):
            self.poor.append(self.get_starttag_text() or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_markup_is_sound_and_readable_without_its_script(tmp_path: Path) -> None:
    text = page_of(tmp_path, GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001").read_text()
    seen = _Elements()
    seen.feed(text)
    assert seen.open == []
    assert len(set(seen.ids)) == len(seen.ids)
    assert seen.poor == []
    assert seen.names.count("table") == seen.names.count("caption") > 3
    assert "hidden" not in re.sub(r"<(style|script)>.*?</\1>|aria-hidden", "", text, flags=re.DOTALL)
    assert "Time zone</dt><dd>UTC</dd>" in text
    assert "binlogcli dump -vv --transaction-at" in html.unescape(re.sub(r"<[^>]*>", "", text))


def test_the_page_names_no_other_place_and_allows_its_own_parts_alone(tmp_path: Path) -> None:
    text = page_of(tmp_path, GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001").read_text()
    shown = re.sub(r'"http://www.w3.org/2000/svg"', "", text)
    assert re.findall(r"https?://|\bsrc=|url\(|@import", shown) == []
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0])
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    for kind in ("style", "script"):
        (inner,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("kind", ["unreadable_rows", "unreadable_file"])
def test_the_page_does_not_claim_that_everything_was_read(kind: str) -> None:
    summary = dict.fromkeys(("files", "events", "bytes", "seconds", "transactions", "rows", "bytes_damaged", "gaps"), 0)
    problems = [{"kind": kind}]
    assert "everything was read" in tiles({"summary": summary, "problems": []})
    assert "everything was read" not in tiles({"summary": summary})
    shown = tiles({"summary": summary, "problems": problems})
    assert "everything was read" not in shown
    assert '<a class="tile bad" href="#problems"><span class="name">Damaged' in shown


def test_equal_inputs_make_equal_pages(tmp_path: Path) -> None:
    pages = [page_of(tmp_path, CHAIN, environment={"PYTHONHASHSEED": str(seed)}).read_bytes() for seed in (1, 2)]
    assert pages[0] == pages[1]
    assert len(pages[0]) < 200_000
