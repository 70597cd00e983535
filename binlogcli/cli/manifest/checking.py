"""Reads a manifest, and compares the files that it lists with what they are now."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Any, NamedTuple

from binlogcli.binary.json_reader import read_json
from binlogcli.cli.manifest.form import STDOUT, VERSION
from binlogcli.errors import BinlogError

SAME, CHANGED, MISSING, UNCHECKED = "same", "changed", "missing", "not checked"
_LARGEST = 1 << 28  # bytes of a manifest
_PIECE = 1 << 20
_HINT = "pass a file that was written by --manifest"


class Checked(NamedTuple):
    """What became of an input or output: `why` says what has changed, or why it was not checked."""

    status: str
    role: str  # "input" or "output"
    path: str  # where it was looked for
    why: str = ""


class Manifest:
    """A manifest that was read. Raises `BinlogError` for a file that is none."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.content = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            with open(self.path, "rb") as file:
                text = file.read(_LARGEST + 1)
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise BinlogError(reason, file=self.path, hint="check the name") from error
        try:
            content = read_json(text)
        except ValueError as error:
            raise BinlogError(f"is not a manifest: {error}", file=self.path, hint=_HINT) from error
        version = content.get("manifest") if isinstance(content, dict) else None
        if not isinstance(version, int) or isinstance(version, bool):
            raise BinlogError("is not a manifest", file=self.path, hint=_HINT)
        if version != VERSION:
            hint = "use the version of binlogcli that wrote it, or a newer one"
            raise BinlogError(f"is a manifest of version {version}, not {VERSION}", file=self.path, hint=hint)
        for name in ("inputs", "outputs"):
            entries = content.get(name)
            if not isinstance(entries, list) or not all(map(_is_entry, entries)):
                raise BinlogError(f"is not a valid manifest: {name}", file=self.path, hint=_HINT)
        return dict(content)

    def check(self, base: str | None, stdout: str | None) -> Iterator[Checked]:
        """Compare each input and output; `base` is where the files are now, `stdout` the file that stdout went to."""
        for role in ("input", "output"):
            for entry in self.content[f"{role}s"]:
                yield self._check(role, entry, base, stdout)

    def _check(self, role: str, entry: dict[str, Any], base: str | None, stdout: str | None) -> Checked:
        path = entry["path"]
        if role == "output" and stdout is not None and STDOUT in (path, entry.get("given_as")):
            return _compared(role, entry, stdout)
        if entry.get("kind") == "server":
            return Checked(UNCHECKED, role, path, "came from a server")
        if path == STDOUT:
            why = "stdout: use --stdout FILE" if role == "output" else "came from stdin"
            return Checked(UNCHECKED, role, path, why)
        if entry.get("kind") == "pipe":
            return Checked(UNCHECKED, role, path, "came from a pipe")
        return _compared(role, entry, self._place_of(path, base))

    def _place_of(self, path: str, base: str | None) -> str:
        """Return where a file is: from the manifest's directory, or in `base` under its path or its name alone."""
        if base is None:
            return os.path.normpath(os.path.join(os.path.dirname(self.path), path))
        for place in (path.lstrip("/"), os.path.basename(path)):
            if os.path.exists(os.path.join(base, place)):
                return os.path.join(base, place)
        return os.path.join(base, os.path.basename(path))


def _is_entry(entry: object) -> bool:
    """Whether an entry has what is compared."""
    if not isinstance(entry, dict):
        return False
    size, hashed, offset = entry.get("size"), entry.get("hashed_bytes", 0), entry.get("offset", 0)
    numbers = all(type(one) is int and one >= 0 for one in (size, hashed, offset))
    return numbers and isinstance(entry.get("path"), str) and isinstance(entry.get("sha256"), str)


def _compared(role: str, entry: dict[str, Any], path: str) -> Checked:
    """Compare one file."""
    size, offset = entry["size"], entry.get("offset", 0)
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return Checked(CHANGED, role, path, "is not a regular file")
        now = status.st_size - offset
        digest = _digest(path, offset, entry.get("hashed_bytes", size))
    except FileNotFoundError:
        return Checked(MISSING, role, path)
    except (OSError, ValueError) as error:
        return Checked(MISSING, role, path, (getattr(error, "strerror", None) or str(error)).lower())
    if now != size:
        same = " (the recorded bytes are the same)" if now > size and digest == entry["sha256"] else ""
        return Checked(CHANGED, role, path, f"size {size} -> {now}{same}")
    if digest != entry["sha256"]:
        return Checked(CHANGED, role, path, f"sha256 {entry['sha256']} -> {digest}")
    if "hashed_bytes" in entry and entry["hashed_bytes"] < size:
        return Checked(
            UNCHECKED, role, path, f"only its first {entry['hashed_bytes']} bytes were hashed, and are the same"
        )
    return Checked(SAME, role, path)


def _digest(path: str, offset: int, size: int) -> str:
    """Return the SHA-256 of a part of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        file.seek(offset)
        while size > 0 and (piece := file.read(min(_PIECE, size))):
            digest.update(piece)
            size -= len(piece)
    return digest.hexdigest()
