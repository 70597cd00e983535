"""Tables by time as a map: a line for each table, a cell for each stretch of time, the more bytes the hotter.

Each step of heat has twice the bytes of the one before, so that small tables show beside large ones.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from binlogcli.render.escape import visible
from binlogcli.render.fitting import start_of
from binlogcli.render.palette import MANY, RESET
from binlogcli.render.report.cells import human, size_text, span_text
from binlogcli.render.report.sheet_columns import TIME
from binlogcli.render.report.sheets import OTHER_TABLES

SPARKS = "▁▂▃▄▅▆▇█"
HEATS = len(SPARKS)
COLORS = (25, 31, 30, 64, 100, 136, 166, 160)  # of 256, from cold to hot; seen on dark and on light backgrounds
_WIDEST_CELL = 4  # columns
_SIZE_WIDTH = 10  # of the bytes of a table


class HeatMap(NamedTuple):
    """The map: names of tables, and for each of them the bytes by cell."""

    names: list[str]
    bytes: list[list[int]]
    times: list[str]  # at which the cells begin; empty where nothing happened
    last: str  # the time of the last bucket
    seconds: int  # that a cell has

    def hottest(self) -> int:
        """Return the most bytes of a cell."""
        return max(map(max, self.bytes))

    def heat(self, size: int) -> int:
        """Return the heat of a cell with so many bytes: 0 for none, up to HEATS."""
        if size <= 0:
            return 0
        return max(HEATS - (self.hottest() // size).bit_length() + 1, 1)


def heat_map_of(made: dict[str, Any], top: int, most: int) -> HeatMap | None:
    """Return the map of the first tables of a report with at most so many cells; None where there is nothing."""
    tables = [(_name(table), table["buckets"]) for table in made["tables"][:top]]
    if "other_tables" in made:
        tables.append((OTHER_TABLES, made["other_tables"]["buckets"]))
    texts = sorted({bucket["time"] for _, buckets in tables for bucket in buckets}, key=_second)
    if not texts:
        return None
    width, first = made["bucket_seconds"], _second(texts[0])
    # days on which clocks are changed have an hour more or less
    places = {text: round((_second(text) - first) / width) for text in texts}
    joined = places[texts[-1]] // most + 1  # buckets a cell
    times = [""] * (places[texts[-1]] // joined + 1)
    for text in reversed(texts):
        times[places[text] // joined] = text
    sums = [[0] * len(times) for _ in tables]
    for row, (_, buckets) in zip(sums, tables, strict=True):
        for bucket in buckets:
            row[places[bucket["time"]] // joined] += bucket["bytes"]
    return HeatMap([name for name, _ in tables], sums, times, texts[-1], joined * width)


def draw_heat_map(made: dict[str, Any], *, top: int, width: int, painted: bool) -> list[str]:
    """Return the lines of the map for a terminal of that width; none where there is nothing."""
    from rich.cells import cell_len  # only on a terminal

    names = [visible(_name(table)) for table in made["tables"][:top]]
    label = min(max(map(cell_len, [*names, OTHER_TABLES])), width // 3)
    room = width - label - _SIZE_WIDTH - 3
    found = heat_map_of(made, top, room)
    if found is None:
        return []
    wide = min(room // len(found.times), _WIDEST_CELL)
    lines = []
    for name, sizes in zip(found.names, found.bytes, strict=True):
        shown = start_of(visible(name), label, cell_len)
        cells = "".join(_cell(found.heat(size), wide, painted=painted) for size in sizes)
        lines.append(
            f"{shown}{' ' * (label - cell_len(shown))} {size_text(sum(sizes)):>{_SIZE_WIDTH}}  {cells}".rstrip()
        )
    lines.append(" " * (label + _SIZE_WIDTH + 3) + _axis(found, wide * len(found.times), room))
    steps = "".join(_cell(heat, 1, painted=painted) for heat in range(1, HEATS + 1))
    hot = size_text(found.hottest() // 2 + 1)
    lines.append(f"{steps}  bytes in {span_text(found.seconds)}: each step doubles, the last is {hot} and more")
    return lines


def _cell(heat: int, wide: int, *, painted: bool) -> str:
    """Return a cell, hotter by its height, or by its colour."""
    if heat == 0:
        return " " * wide
    if not painted or not MANY:
        return SPARKS[heat - 1] * wide
    return f"\x1b[38;5;{COLORS[heat - 1]}m{'█' * wide}{RESET}"


def _axis(found: HeatMap, drawn: int, room: int) -> str:
    """Return the times of the first and the last bucket, below the first and the last cell if there is room."""
    first, last = human(found.times[0], TIME), human(found.last, TIME)
    if first == last:
        return first
    day, _, clock = last.partition(" ")
    if day == first.partition(" ")[0]:
        last = clock
    if len(first) + len(last) + 1 > room:
        return first
    return first + last.rjust(max(drawn - len(first), len(last) + 1))


def _name(table: dict[str, Any]) -> str:
    """Return the name of a table with its database."""
    return f"{table['database']}.{table['table']}"


def _second(text: str) -> float:
    """Return the seconds since the epoch of a time in a report."""
    return datetime.fromisoformat(text).timestamp()
