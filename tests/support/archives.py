"""Comparison of an archive that `pull` wrote with its server's own files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def differences(server: Sequence[Path], archive: Path) -> list[str]:
    """Return the names of a server's logs that are missing in its archive, or differ there."""
    return [
        log.name for log in server if not (archive / log.name).exists() or digest(log) != digest(archive / log.name)
    ]
