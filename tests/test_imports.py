"""Which room may import which, the circles of modules that are allowed, and what a small dump must not import."""

from __future__ import annotations

import ast
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import binlogcli

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "binlogcli"

# Each room with those that it may import besides itself: names, errors <- binary <- gtids, sources, crypto <- log
# <- schema, rows <- events <- select <- render, stats, lake, compare, extract <- cli; archive <- sources
FOUNDATION = {"names", "errors"}
BELOW_LOG = FOUNDATION | {"binary", "gtids", "sources", "crypto"}
DEFINED = BELOW_LOG | {"log", "schema", "rows"}
DECODED = DEFINED | {"events"}
CONSUMERS = DECODED | {"select"}
MAY_IMPORT = {
    "names": {"errors"},
    "errors": set(),
    "binary": FOUNDATION,
    "gtids": FOUNDATION | {"binary"},
    "sources": BELOW_LOG,
    "crypto": BELOW_LOG,
    "log": BELOW_LOG,
    "schema": DEFINED,
    "rows": BELOW_LOG | {"log"},
    "events": DEFINED,
    "select": DECODED,
    "render": CONSUMERS,
    "stats": CONSUMERS,
    "extract": CONSUMERS,
    "lake": CONSUMERS,
    "compare": CONSUMERS,
    "archive": BELOW_LOG,
    "pyspark_binlog": {"lake", "__main__"},  # a front door of its own, kept in the lake
    "carve": BELOW_LOG | {"log"},
    "cli": CONSUMERS | {"render", "stats", "lake", "compare", "archive", "extract", "carve"},
}
# Modules of others, and the only places that may import them
ONLY_IN = {
    "click": ("cli",),
    "rich": ("cli", "render"),
    "tabulate": ("render/report/tables",),
    "cryptography": ("crypto",),
    "pymysql": ("sources",),
    "dpkt": ("sources",),
    "pyarrow": ("lake",),
    "pyspark": ("lake/spark",),
}
# Circles of modules that import one another, each with its reason
CIRCLES = {
    "types alone: a sink is handed the plan of the rows that come, whose columns have their readers": {
        "rows.column",
        "rows.plan",
        "rows.readers.decimal",
        "rows.readers.numbers",
        "rows.readers.reads",
        "rows.readers.strings",
        "rows.readers.temporal",
    }
}
HEAVY = ("rich", "pyarrow", "pyspark", "cryptography", "tabulate", "pymysql", "dpkt", "zstandard", "asyncio")
START_SECONDS = 0.12


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports for use, at its head or later; not those it only has for its types."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for inner in ast.walk(node):
                inner.skipped = True  # type: ignore[attr-defined]
        if getattr(node, "skipped", False):
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "binlogcli":
                yield from (f"binlogcli.{name.name}" for name in node.names)
            yield node.module


def room_of(path: Path) -> str:
    """The room that a module belongs to; the package's own two modules are the front door."""
    parts = path.relative_to(PACKAGE).parts
    if parts[:2] == ("lake", "pyspark_binlog"):
        return "pyspark_binlog"
    return parts[0] if len(parts) > 1 else path.stem


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_rooms_below_its_own(path: Path) -> None:
    room = room_of(path)
    if room in {"__init__", "__main__"}:
        return
    allowed = MAY_IMPORT[room] | {room}
    rooms = {name.split(".")[1] for name in imported(path) if name.startswith("binlogcli.")}
    assert rooms - {"__version__"} <= allowed


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_library_is_imported_only_where_it_belongs(path: Path) -> None:
    place = path.relative_to(PACKAGE).with_suffix("").as_posix()
    for name in imported(path):
        rooms = ONLY_IN.get(name.split(".")[0])
        assert rooms is None or place.startswith(rooms), name


def test_zstandard_is_imported_where_bytes_are_decompressed() -> None:
    users = [path.stem for path in modules() if "zstandard" in {name.split(".")[0] for name in imported(path)}]
    assert set(users) == {"compressed"}


def name_of(path: Path) -> str:
    """A module's name within the package: `log.walker`; of a folder, the folder's."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def arrows() -> dict[str, set[str]]:
    """Each module of the package with those that it imports: at its head, in a function, or for its types alone."""
    paths = {name_of(path): path for path in modules()}
    found: dict[str, set[str]] = {}
    for module, path in paths.items():
        ends: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                ends |= {part.name for part in node.names}
            elif isinstance(node, ast.ImportFrom):
                parts = {f"{node.module}.{part.name}" for part in node.names}
                ends |= {part if part.removeprefix("binlogcli.") in paths else str(node.module) for part in parts}
        found[module] = {end.removeprefix("binlogcli.") for end in ends} & paths.keys() - {module}
    return found


def reached_from(start: str, graph: dict[str, set[str]]) -> set[str]:
    """Every module that importing one brings along."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = graph.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def test_modules_import_one_another_in_no_circle_but_the_listed_ones() -> None:
    graph = arrows()
    reached = {name: reached_from(name, graph) for name in graph}
    circles = {frozenset(other for other in ends if name in reached[other]) for name, ends in reached.items()}
    assert {circle for circle in circles if circle} == {frozenset(circle) for circle in CIRCLES.values()}


def a_log(folder: Path) -> Path:
    from support.logs import LogBuilder

    path = folder / "small.000001"
    path.write_bytes(bytes(LogBuilder().describe().add(16, bytes(8)).add(3).log))
    return path


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(binlogcli.__file__).parents[1])}


def test_dumping_a_small_log_imports_no_heavy_library(tmp_path: Path) -> None:
    code = (
        "import sys; from binlogcli.cli.main import main;"
        f"main(['dump', '--format', 'json', {str(a_log(tmp_path))!r}]);"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment(), cwd=tmp_path
    )
    assert done.stdout.count("\n") == 3
    assert not set(HEAVY) & set(done.stderr.split())


def test_dumping_a_small_log_starts_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "binlogcli", "dump", "--format", "json", str(a_log(tmp_path))]
    empty = [sys.executable, "-c", ""]
    run(command, tmp_path)  # once to warm the caches
    spent = min(run(command, tmp_path) for _ in range(5)) - min(run(empty, tmp_path) for _ in range(5))
    # twice the promise: shared machines are slow; what it guards against is an import of seconds
    assert spent < 2 * START_SECONDS


def run(command: list[str], folder: Path) -> float:
    """A program's CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment(), cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
