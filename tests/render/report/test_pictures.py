"""The page of `stats` looks as in the pictures of golden/stats/page: layout and colours, on screens and on paper.

`BINLOGCLI_REWRITE=1` rewrites the pictures; look at them before you commit them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.browser import Browser, browser_available
from support.golden import GOLDEN
from support.pictures import Picture
from support.program import missing, run

CHAIN = GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.index"
PICTURES = GOLDEN / "stats" / "page"
HEIGHT = 2400  # of the part of the page that is compared
ALIKE = {1280: 0.05, 400: 0.2}  # by width: another font wraps lines of a narrow page elsewhere, up to 0.15
VIEWS = {
    "1280-light": (1280, "light", ""),
    "1280-dark": (1280, "dark", ""),
    "400-light": (400, "light", ""),
    "400-dark": (400, "dark", ""),
    "print": (1280, "light", "print"),
}
BREAKS = {  # a section, the dark colours, the columns
    "1280-light": "document.querySelector('section').remove()",
    "1280-dark": "document.body.style.filter = 'invert(1)'",
    "400-light": "document.body.style.width = '600px'",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not browser_available():
        missing("no chromium with chromedriver is installed")
    with Browser() as window:
        yield window


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    done = run("stats", "--html", path, "--timezone", "UTC", "mariadb-11.8/rotation/shop-bin.index", cwd=GOLDEN)
    assert (done.returncode, done.stderr) == (0, b"")
    return path


def show(browser: Browser, page: Path, view: str) -> None:
    width, scheme, media = VIEWS[view]
    browser.resize(width, HEIGHT)
    browser.prefer(scheme, media)
    browser.open(page)


def shot(browser: Browser, view: str) -> Picture:
    return Picture.read(browser.picture(VIEWS[view][0], HEIGHT, scale=0.25))


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_looks_as_in_the_picture(view: str, browser: Browser, page: Path) -> None:
    show(browser, page, view)
    found = shot(browser, view)
    kept = PICTURES / f"{view}.png"
    if os.environ.get("BINLOGCLI_REWRITE"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(found.png())
    assert found.difference(Picture.read(kept.read_bytes())) < ALIKE[VIEWS[view][0]]


@pytest.mark.parametrize("view", BREAKS)
def test_a_broken_page_does_not_look_so(view: str, browser: Browser, page: Path) -> None:
    show(browser, page, view)
    browser.run(BREAKS[view])
    kept = Picture.read((PICTURES / f"{view}.png").read_bytes())
    assert shot(browser, view).difference(kept) > 1.5 * ALIKE[VIEWS[view][0]]


@pytest.mark.parametrize("view", ["1280-light", "400-dark"])
def test_another_font_is_no_difference(view: str, browser: Browser, page: Path) -> None:
    show(browser, page, view)
    browser.run("document.body.style.fontFamily = 'DejaVu Sans Mono, monospace'")
    kept = Picture.read((PICTURES / f"{view}.png").read_bytes())
    assert shot(browser, view).difference(kept) < ALIKE[VIEWS[view][0]]
