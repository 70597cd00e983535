"""JSON that files and options hold: a value, or a ValueError that says what is wrong with it.

`read_json` raises nothing else for any text; `check_form` compares a value with the form that it must have.
"""

from __future__ import annotations

import json
import re
from typing import Any

DEEPEST = 100  # nested levels; MySQL's own limit for a document
_HOLDERS = frozenset((list, dict))
_LARGEST = 1 << 63  # above every integer of a form
_NAMES: dict[object, str] = {int: "a whole number", str: "a text", bool: "true or false", list: "a list", None: "null"}


def read_json(text: str | bytes | bytearray, deepest: int = DEEPEST) -> Any:
    """Return the value of a JSON text. Raises ValueError if it is not valid, or nested more than `deepest` levels."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_too_deep(deepest)) from None
    level = [value] if type(value) in _HOLDERS else []
    for _ in range(deepest):
        if not level:
            return value
        parts = (one.values() if type(one) is dict else one for one in level)
        level = [part for some in parts for part in some if type(part) in _HOLDERS]
    if level:
        raise ValueError(_too_deep(deepest))
    return value


def _too_deep(deepest: int) -> str:
    return f"it is nested more than {deepest} levels deep"


def check_form(value: object, form: object) -> None:
    """Raise ValueError, which names the place in the value, for a value that has another form.

    A form is int (from 0 to 2^63), str, bool, list or None; a range of whole numbers; a regular expression that a text
    matches; [FORM] for a list of such; {NAME: FORM} for an object with these keys and no others, of which NAME? may be
    absent; a tuple of forms for any of them.
    """
    try:
        _check(value, form)
    except _MisfitError as misfit:
        raise ValueError(misfit.message()) from None


class _MisfitError(Exception):
    """What is wrong, and the keys and indexes on the way to it, the innermost first: large records are checked at each
    run, and nearly all are sound, so the place is put together only after an error.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.way: list[str | int] = []

    def message(self) -> str:
        """Return the message."""
        place = ""
        for part in reversed(self.way):
            if isinstance(part, int):
                place = f"{place or 'it'}[{part}]"
            else:
                place = f"{place}.{part}" if place else part
        return f"{place or 'it'} {self.what}"


def _check(value: object, form: object) -> None:
    """Raise _MisfitError for a value that has another form."""
    if isinstance(form, dict):
        _check_object(value, form)
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise _misfit(value, "a list")
        only = form[0]
        at = 0
        try:
            for at, one in enumerate(value):  # noqa: B007 - for the error
                _check(one, only)
        except _MisfitError as misfit:
            misfit.way.append(at)
            raise
    elif not _fits(value, form):
        raise _misfit(value, _name_of(form))


def _check_object(value: object, form: dict[str, object]) -> None:
    """Raise _MisfitError for a value that is no object with these keys."""
    if not isinstance(value, dict):
        raise _misfit(value, "an object")
    missing = ""
    known = 0
    key = ""
    try:
        for name, one in form.items():
            key = name.removesuffix("?")
            if key in value:
                known += 1
                _check(value[key], one)
            elif key == name:
                missing = missing or name
    except _MisfitError as misfit:
        misfit.way.append(key)
        raise
    if known < len(value):
        keys = {name.removesuffix("?") for name in form}
        unknown = next(name for name in value if name not in keys)
        raise _MisfitError(f"has an unknown key {_shown(unknown)}")
    if missing:
        raise _MisfitError(f"has no {missing}")


def _fits(value: object, form: object) -> bool:
    """Whether a value has a form that is neither a list nor an object of forms."""
    if form is int:
        return type(value) is int and 0 <= value < _LARGEST
    if isinstance(form, type):
        return type(value) is form
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if isinstance(form, tuple):
        return any(_fits(value, one) for one in form)
    if isinstance(form, range):
        return type(value) is int and value in form
    return value is None and form is None


def _misfit(value: object, expected: str) -> _MisfitError:
    return _MisfitError(f"is {_shown(value)}, not {expected}")


def _shown(value: object) -> str:
    """Return the beginning of a value as JSON."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:40] + "..."


def _name_of(form: object) -> str:
    if isinstance(form, tuple):
        return " or ".join(map(_name_of, form))
    if isinstance(form, range):
        return " to ".join(str(number) for number in sorted({form[0], form[-1]}))
    return _NAMES.get(form, "of its form")
