"""Numbers of event types and column types are in `binlogcli/names` alone; everything else imports their names.

The syntax tree of each module is searched for what would be such a number under another roof:

* a constant that is an event or column type by name and number (`QUERY = 2`, `JSON, SET = 245, 248`);
* a comparison of something named as types are (`type_code`, `code`, `info.code`, `event[4]`) with a literal;
* a table of 256 bytes made from literals (`bytes(code in (33, 34) for code in range(256))`);
* a set, or the keys of a dict, of five or more literals that are all type numbers, apart from the tables in OTHERS.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import binlogcli
from binlogcli.names.column_types import COLUMN_TYPES
from binlogcli.names.event_types import EVENT_TYPES

ROOT = Path(binlogcli.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT / "names")
TYPES = [*EVENT_TYPES.items(), *COLUMN_TYPES.items()]
NUMBERS = {number for number, _ in TYPES}
COMMON_WORDS = {"EVENT", "LOG", "TYPE", "V1", "V2", "V3", "ROWS"}
TYPED_NAMES = {"type_code", "last_code", "last_type", "stored_code", "code"}
MANY = 5
OTHERS = {  # dicts by small numbers that are something else, by file and first key
    ("events/status.py", 7): "status variables",
    ("rows/table/metadata.py", 1): "fields of optional metadata",
    ("rows/notes/json_parts.py", 0): "types of JSON's binary form",
    ("rows/readers/jsonb.py", 5): "types of JSON's binary form",
    ("render/mysqlbinlog/shared/session.py", 5): "releases of MariaDB 10",
    ("render/sql/quoting.py", 0): "control characters",
    ("sources/protocol/requests.py", 0): "commands of the client-server protocol",
}


def literals(node: ast.expr) -> list[int]:
    """The int literals of a number, or of a tuple, list or set of numbers."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [node.value]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return [number for item in node.elts for number in literals(item)]
    return []


def words(name: str) -> set[str]:
    """The words of a constant's name that say which type it is."""
    return set(name.upper().split("_")) - COMMON_WORDS


def constants(node: ast.AST) -> Iterator[str]:
    """Assignments to names of types."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        for name, value in pairs:
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                for number, server_name in TYPES:
                    if value.value == number and type(value.value) is int and words(name.id) & words(server_name):
                        yield f"{name.id} = {number} is {server_name}"


def is_typed(node: ast.expr) -> bool:
    """Whether an expression is named as types are; event[4] is the type in a header."""
    if isinstance(node, ast.Subscript):
        place = node.slice.right if isinstance(node.slice, ast.BinOp) else node.slice
        return isinstance(place, ast.Constant) and place.value == 4
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in TYPED_NAMES


def comparisons(node: ast.AST) -> Iterator[str]:
    """Comparisons of types with literals."""
    if not isinstance(node, ast.Compare):
        return
    sides = [node.left, *node.comparators]
    numbers = [number for side in sides for number in literals(side)]
    ordered = any(isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for operator in node.ops)
    bare_code = any(isinstance(side, ast.Name) and side.id == "code" for side in sides)
    if any(is_typed(side) for side in sides) and NUMBERS & set(numbers) - {0} and not (ordered and bare_code):
        yield ast.unparse(node)


def tables(node: ast.AST) -> Iterator[str]:
    """Tables of 256 bytes from literals."""
    if isinstance(node, ast.GeneratorExp) and ast.unparse(node.generators[0].iter) == "range(256)":
        target = ast.unparse(node.generators[0].target)
        for inner in ast.walk(node.elt):
            if isinstance(inner, ast.Compare) and target != "byte":
                numbers = [number for side in (inner.left, *inner.comparators) for number in literals(side)]
                if NUMBERS & set(numbers):
                    yield ast.unparse(node)


def groups(node: ast.AST, file: str) -> Iterator[str]:
    """Sets and dicts of many type numbers."""
    if isinstance(node, ast.Set):
        numbers = literals(node)
    elif isinstance(node, ast.Dict):
        numbers = [number for key in node.keys if key is not None for number in literals(key)]
    else:
        return
    if len(numbers) >= MANY and set(numbers) <= NUMBERS and (file, numbers[0]) not in OTHERS:
        yield f"{sorted(numbers)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_type_number_outside_of_names(path: Path) -> None:
    file = path.relative_to(ROOT).as_posix()
    found = [
        f"{file}:{node.lineno}: {what}"  # type: ignore[attr-defined] # each of these nodes has a line
        for node in ast.walk(ast.parse(path.read_text()))
        for what in (*constants(node), *comparisons(node), *tables(node), *groups(node, file))
    ]
    assert not found


def test_each_type_has_a_number_of_its_own() -> None:
    assert sorted(EVENT_TYPES) == [*range(44), *range(160, 173)]
    assert sorted(COLUMN_TYPES) == [*range(21), 140, 141, *range(242, 256)]
