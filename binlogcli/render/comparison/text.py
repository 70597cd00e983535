"""The summary of a comparison, and its differences, as text for reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from binlogcli.binary.json_reader import DEEPEST, read_json
from binlogcli.errors import counted
from binlogcli.render.escape import visible
from binlogcli.render.palette import BOLD, RESET

_LONGEST = 200  # characters of a value or statement
_LONGEST_SET = 100  # of a set of GTIDs
_KINDS = {
    "different": "different",
    "only_in_a": "only in A",
    "only_in_b": "only in B",
    "reordered": "reordered",
    "unknown": "unknown",
}
_REASONS = {
    ("only_in_a", "errant"): "errant: B has no transaction of this server",
    ("only_in_b", "errant"): "errant: A has no transaction of this server",
    ("only_in_a", "beyond"): "after the last transaction of B",
    ("only_in_b", "beyond"): "after the last transaction of A",
    ("only_in_a", "repeated"): "repeated: A has this GTID more often than B",
    ("only_in_b", "repeated"): "repeated: B has this GTID more often than A",
    ("only_in_a", "missing"): "missing in B",
    ("only_in_b", "missing"): "missing in A",
}
_WIDTH = 12
_AROUND = 8  # levels of a difference around a document


def summary_text(summary: dict[str, Any], limit: int, *, painted: bool) -> str:
    """Return the lines of the summary; `limit` is how many differences of each kind follow it, 0 for all."""
    found = [_side_line(name.upper(), summary[name], "BA"["ab".index(name)]) for name in ("a", "b")]
    words = {"gtid": "by GTID", "content": "by content"}[summary["matched_by"]]
    found.append(_line("matched", f"{summary['matched']:,} {words}{_in_part(summary)}"))
    found += [_line(_KINDS[kind], _kind_line(summary, kind, limit)) for kind in _KINDS]
    return "\n".join([_strong(_verdict(summary), painted=painted), "", *found, ""])


def _verdict(summary: dict[str, Any]) -> str:
    """Return what came of the comparison in a sentence."""
    if summary["nothing_chosen"]:
        return "Nothing was compared: neither side has a transaction that was selected."
    if summary["equal"]:
        return "A and B are equal."
    if summary["unknown"] and not any(summary[kind] for kind in _KINDS if kind != "unknown"):
        unknown = counted(summary["unknown"], "transaction")
        return f"No difference was found, but {unknown} could not be compared."
    return "A and B differ."


def _side_line(name: str, side: dict[str, Any], other: str) -> str:
    parts = [counted(side["transactions"], "transaction"), f"in {counted(len(side['logs']), 'log')}"]
    before = side["before_first_log_of_other"]
    more = f"; {before:,} of them before the first log of {other}" if before else ""
    gtids = f"; {_short(side['gtids'], _LONGEST_SET)}" if side["gtids"] and side["transactions"] else ""
    return _line(name, f"{' '.join(parts)}{more}{gtids}")


def _in_part(summary: dict[str, Any]) -> str:
    count = summary["matched_by_common_columns"]
    return f"; {count:,} of them compared by the columns that both have" if count else ""


def _kind_line(summary: dict[str, Any], kind: str, limit: int) -> str:
    count = summary[kind]
    parts = [f"{count:,}"]
    if kind in {"only_in_a", "only_in_b"}:
        side, other = summary[kind[-1]], "B" if kind == "only_in_a" else "A"
        if side["errant"]:
            parts.append(
                f"{side['errant']:,} errant: {_short(summary['gtids'][f'errant_in_{kind[-1]}'], _LONGEST_SET)}"
            )
        if side["beyond_other"]:
            parts.append(f"{side['beyond_other']:,} after the last transaction of {other}")
    gtids = summary["gtids"].get(kind)
    if gtids and gtids != summary["gtids"].get(f"errant_in_{kind[-1]}"):
        about = "about " if kind in summary["gtids_approximate"] else ""
        parts.append(about + _short(gtids, _LONGEST_SET))
    if limit and count > limit:
        parts.append(f"the first {'follows' if limit == 1 else f'{limit} follow'}, --limit 0 lists all")
    return "; ".join(parts)


def difference_text(raw: bytes, *, painted: bool) -> str:
    """Return the lines of a difference from its JSON."""
    line = read_json(raw, DEEPEST + _AROUND)
    return "\n".join(["", *_difference_lines(line, painted=painted), ""])


def _difference_lines(line: dict[str, Any], *, painted: bool) -> Iterator[str]:
    kind, reason = line["kind"], line.get("reason", "")
    title = " ".join(part for part in (_KINDS[kind], line["gtid"] or "") if part)
    reason = _REASONS.get((kind, reason), reason)
    yield _strong(visible(title), painted=painted) + (f": {visible(reason)}" if reason else "")
    for side in ("a", "b"):
        if line[side] is not None:
            yield f"  {side.upper()}: {_place(line[side])}"
    outcome = line.get("outcome")
    if outcome:
        yield f"  {outcome['a']} in A, {outcome['b']} in B"
    for change in line.get("changes", ()):
        yield from _change_lines(change)
    if line.get("more_changes"):
        yield f"  and {counted(line['more_changes'], 'more difference')} in it"
    for side in ("a", "b"):
        if line[side] is not None and line[side]["command"]:
            yield f"  $ {line[side]['command']}"


def _place(place: dict[str, Any]) -> str:
    parts = [f"{place['file']}:{place['pos']}", place["time"] or "", place["gtid"] or ""]
    what = [counted(place[name], word) for name, word in (("rows", "row"), ("statements", "statement")) if place[name]]
    return visible(", ".join([*(part for part in parts if part), *what]))


def _change_lines(change: dict[str, Any]) -> Iterator[str]:
    if change["difference"] == "statement":
        yield from _statement_lines(change)
        return
    table = visible(change["table"])
    if "only_in" in change:
        images = [f"{name} {_image(change[name])}" for name in ("before", "after") if name in change]
        yield f"  {table}: {change['operation']} only in {change['only_in'].upper()}: {', '.join(images)}"
        return
    key = _image(change["key"] or change.get("row", {}))
    yield f"  {table}: {change['operation']}{' of ' + key if key else ''}"
    for column in change["columns"]:
        name, image = visible(column["column"]), column["image"]
        yield f"    {name} ({image}): {_value(column['a'])} in A, {_value(column['b'])} in B"


def _statement_lines(change: dict[str, Any]) -> Iterator[str]:
    if "only_in" in change:
        yield f"  statement only in {change['only_in'].upper()}: {_value(change[change['only_in']], bare=True)}"
        return
    if change["a"] == change["b"]:
        yield f"  statement: {_value(change['a'], bare=True)}"
    else:
        yield f"  statement in A: {_value(change['a'], bare=True)}"
        yield f"  statement in B: {_value(change['b'], bare=True)}"
    for name, values in change.get("settings", {}).items():
        yield f"    {name}: {_value(values['a'])} in A, {_value(values['b'])} in B"
    if "variables" in change:
        a, b = (", ".join(change["variables"][side]) or "none" for side in ("a", "b"))
        yield visible(f"    variables: {_short(a, _LONGEST)} in A, {_short(b, _LONGEST)} in B")


def _image(image: dict[str, Any]) -> str:
    return _short(", ".join(f"{visible(name)}={_value(value)}" for name, value in image.items()), _LONGEST)


def _value(value: Any, *, bare: bool = False) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, dict) and set(value) == {"hex"}:
        return _short(f"0x{value['hex']}", _LONGEST)
    text = value if bare and isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _short(visible(text), _LONGEST)


def _line(name: str, text: str) -> str:
    return f"{name:<{_WIDTH}}{visible(text)}"


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 3]}..."


def _strong(text: str, *, painted: bool) -> str:
    return f"{BOLD}{text}{RESET}" if painted else text
