"""The plain characters in a regular expression without which it cannot match.

The syntax is read only as far as that is safe: what is not understood ends a run of characters, or has the whole
expression count as one that may match anything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_QUANTIFIER = re.compile(r"[*?]|\{\d*,?\d*\}")
_HARMLESS_ESCAPES = "dDwWsSbBAZ"  # classes and places; others may stand for a character, a number of digits or a group
_ODD_GROUP = re.compile(r"\(\?(?!:|P<)")  # with flags, or not of what is matched
# where a match in a value need not be one in a longer text that holds it
_UNSTEADY = re.compile(r"\(\?[!>]|\(\?<!|\\[AZ]|[*+?}]\+")


class Branch(NamedTuple):
    """An alternative of an expression: its runs of characters, and whether one of them is all of it."""

    runs: tuple[str, ...]
    whole: bool


def branches(pattern: str) -> list[Branch] | None:
    """Return the alternatives of a pattern at its top level; None where its syntax is not followed here."""
    reader = _Reader(pattern)
    while reader.at < len(pattern):
        if not reader.step():
            return None
    reader.end_branch()
    return reader.branches


def is_steady(pattern: str) -> bool:
    """Return whether a match in a line remains one where other lines stand before and after it, with re.MULTILINE."""
    return _UNSTEADY.search(pattern) is None


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.branches: list[Branch] = []
        self.runs: list[str] = []
        self.run = ""
        self.whole = True

    def step(self) -> bool:
        """Read what is next; return False where it is not understood."""
        char = self.pattern[self.at]
        quantifier = _QUANTIFIER.match(self.pattern, self.at)
        self.at += 1
        if quantifier is not None:
            self.run = self.run[:-1]  # its last character may be absent
            self.at = quantifier.end()
            self.end_run()
        elif char in "+.^${":
            self.end_run()
        elif char == "|":
            self.end_branch()
        elif char == "[":
            self.at = _class_end(self.pattern, self.at)
            self.end_run()
        elif char == "(":
            return self.group()
        elif char == "\\":
            return self.escape()
        else:
            self.run += char
        return True

    def escape(self) -> bool:
        """Read what follows a backslash."""
        char = self.pattern[self.at]
        self.at += 1
        if not char.isalnum() or not char.isascii():
            self.run += char
            return True
        self.end_run()
        return char in _HARMLESS_ESCAPES

    def group(self) -> bool:
        """Pass a group: none of its characters need be there."""
        start = self.at - 1
        depth = 1
        while depth > 0:
            char = self.pattern[self.at]
            self.at += 1
            if char == "\\":
                self.at += 1
            elif char == "[":
                self.at = _class_end(self.pattern, self.at)
            else:
                depth += (char == "(") - (char == ")")
        self.end_run()
        return _ODD_GROUP.search(self.pattern, start, self.at) is None

    def end_run(self) -> None:
        """End a run of characters before something else."""
        if self.run:
            self.runs.append(self.run)
        self.run = ""
        self.whole = False

    def end_branch(self) -> None:
        """End an alternative."""
        whole = self.whole and bool(self.run)
        self.end_run()
        self.branches.append(Branch(tuple(self.runs), whole))
        self.runs = []
        self.whole = True


def _class_end(pattern: str, at: int) -> int:
    """Return the end of a class of characters, whose opening bracket is before `at`."""
    at += pattern.startswith("^", at)
    at += pattern.startswith("]", at)  # the first one is a member
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1
