"""URLs where a path is wanted: those of local files become paths, all others are refused by name.

Without this, `s3://bucket/lake` would be a directory `s3:` below the current one.
"""

from __future__ import annotations

import re

from binlogcli.errors import SourceError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_LOCAL_HOSTS = ("", "localhost")
_HINT = "pass a path on a disk or a mounted file system"


def local_path(name: str) -> str:
    """Return the path that a name or a `file:` URL stands for. Raise SourceError for every other URL."""
    found = _SCHEME.match(name)
    if found is None:
        return name.removeprefix("file:") if name.startswith("file:/") else name
    from binlogcli.sources.server.address import without_secret  # only for URLs

    scheme = found[1].lower()
    host, slash, path = name[found.end() :].partition("/")
    if scheme != "file":
        raise SourceError(f"{scheme}:// is not supported", file=without_secret(name), hint=_HINT)
    if host.lower() not in _LOCAL_HOSTS:
        raise SourceError(f"a file on the host {host}, not on this one", file=name, hint=_HINT)
    return slash + path
