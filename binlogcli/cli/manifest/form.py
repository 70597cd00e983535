"""The form of manifests: which arguments are shown, the time that they are of, and the paths in them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from binlogcli.sources.opening import is_server

VERSION = 1
STDOUT = "-"
# as Spark hides values of properties in its own pages
_SECRET_SETTING = re.compile(r"(?i)(secret|password|passwd|token|credential|access[.]?key|private[.]?key)")
_SETTINGS = "--conf"


def without_secrets(arguments: Sequence[str]) -> list[str]:
    """Return arguments as they were typed, but for passwords in addresses and secret properties of Spark."""
    found: list[str] = []
    for at, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == _SETTINGS and equals:
            found.append(f"{name}={_setting(value)}")
        elif at and arguments[at - 1] == _SETTINGS:
            found.append(_setting(argument))
        else:
            found.append(_address(argument))
    return found


def _setting(text: str) -> str:
    name, equals, _ = text.partition("=")
    return f"{name}=..." if equals and _SECRET_SETTING.search(name) else text


def _address(argument: str) -> str:
    if not is_server(argument):
        return argument
    from binlogcli.sources.server.address import without_secret  # only for servers

    return without_secret(argument)


def now_text() -> str:
    """Return the time of the manifest: that of SOURCE_DATE_EPOCH if it is set, as for reproducible builds."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() and len(given) < 12 else int(time.time())
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def seen_from(manifest: str, path: str) -> str:
    """Return a path as seen from the directory of a manifest."""
    return os.path.relpath(os.path.abspath(path), os.path.dirname(os.path.abspath(manifest)))
