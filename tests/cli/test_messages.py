"""Every message that the program can raise is provoked by some test that shows its words, so that somebody has read it.

The words are looked for in the strings of the tests and in the transcripts. That a string is there does not prove that
its test is a good one; that none is there proves that the message was never seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.golden import GOLDEN, ROOT

TELLING = 12  # characters of a message that some test must have in one piece, or all of a shorter one
CLICK = {"UsageError", "BadParameter", "fail"}


def trees(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def family() -> set[str]:
    """BinlogError and all that is derived from it."""
    bases = {
        node.name: {name_of(base) for base in node.bases}
        for _, tree in trees("binlogcli")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    known = {"BinlogError"}
    while more := {name for name, its in bases.items() if its & known} - known:
        known |= more
    return known


def pieces(message: ast.expr) -> list[str]:
    """The words of a message that do not depend on what happened."""
    parts = message.values if isinstance(message, ast.JoinedStr) else [message]
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """The values that names have somewhere in a module: a long message is written before it is raised."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    return values


def messages() -> Iterator[tuple[str, str]]:
    """Where each message is raised, and the longest piece of it."""
    raised = family() | CLICK
    for path, tree in trees("binlogcli"):
        values = assigned(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name_of(node.func) in raised and node.args:
                first = node.args[0]
                for message in values.get(first.id, []) if isinstance(first, ast.Name) else [first]:
                    words = max((piece.strip(" :;,()'") for piece in pieces(message)), key=len, default="")
                    if words:
                        yield f"{path}: {words}", words


MESSAGES = dict(messages())


@pytest.fixture(scope="module")
def shown() -> list[str]:
    """What the tests have strings of, and the transcripts."""
    here = Path(__file__)
    texts = [path.read_text(encoding="utf-8") for path in GOLDEN.glob("*/*.txt")]
    for path, tree in trees("tests"):
        if path.name != here.name:
            texts += [
                node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
            texts += [
                node.value.decode("utf-8", "replace")
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, bytes)
            ]
    return texts


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_provoked_and_shown_by_a_test(message: str, shown: list[str]) -> None:
    words = MESSAGES[message]
    assert any(words in text or (len(text) >= TELLING and text in words) for text in shown)
