"""JSON that files and options hold: a value, or a ValueError that says what is wrong with it.

`read_json` raises nothing else for any text; `check_form` compares a value with the form that it must have.
"""

from __future__ import annotations

import json
import re
from typing import Any

DEEPEST = 100  # nested levels; MySQL's own limit for a document
_LARGEST = 1 << 63  # above every integer of a form
_NAMES: dict[object, str] = {int: "a whole number", str: "a text", bool: "true or false", list: "a list", None: "null"}


def read_json(text: str | bytes | bytearray) -> Any:
    """Return the value of a JSON text. Raises ValueError where it is not valid, or nested too deeply."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    level = [value]
    for _ in range(DEEPEST):
        level = [part for one in level for part in _parts(one) if isinstance(part, (list, dict))]
        if not level:
            return value
    raise ValueError(_too_deep())


def _parts(value: object) -> list[object]:
    """Return the values that a list or an object holds."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _too_deep() -> str:
    return f"it is nested more than {DEEPEST} levels deep"


def check_form(value: object, form: object, place: str = "it") -> None:
    """Raise ValueError, which names the `place`, for a value that has another form.

    A form is int (from 0 to 2^63), str, bool, list or None; a range of whole numbers; a regular expression that a text
    matches; [FORM] for a list of such; {NAME: FORM} for an object with these keys and no others, of which NAME? may be
    absent; a tuple of forms for any of them.
    """
    if isinstance(form, dict):
        _check_object(value, form, place)
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise _misfit(value, "a list", place)
        for at, one in enumerate(value):
            check_form(one, form[0], f"{place}[{at}]")
    elif not any(_fits(value, one) for one in (form if isinstance(form, tuple) else (form,))):
        raise _misfit(value, _name_of(form), place)


def _check_object(value: object, form: dict[str, object], place: str) -> None:
    """Raise ValueError for a value that is no object with these keys."""
    if not isinstance(value, dict):
        raise _misfit(value, "an object", place)
    known = {name.removesuffix("?"): one for name, one in form.items()}
    for name in value:
        if name not in known:
            raise ValueError(f"{place} has an unknown key {_shown(name)}")
    for name, one in known.items():
        if name in value:
            check_form(value[name], one, name if place == "it" else f"{place}.{name}")
        elif f"{name}?" not in form:
            raise ValueError(f"{place} has no {name}")


def _fits(value: object, form: object) -> bool:
    """Whether a value has a form that is neither a list nor an object of forms."""
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    allowed = range(_LARGEST) if form is int else form
    if isinstance(allowed, range):
        return type(value) is int and value in allowed
    return value is None if form is None else type(value) is form


def _misfit(value: object, expected: str, place: str) -> ValueError:
    return ValueError(f"{place} is {_shown(value)}, not {expected}")


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
