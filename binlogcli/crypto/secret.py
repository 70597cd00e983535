"""Files that hold secrets: read into memory that can be overwritten, and checked for who may read them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from binlogcli.errors import KeyFileError

LARGEST = 1 << 24  # bytes: no file of keys comes near
OTHERS = stat.S_IRWXO | stat.S_IWGRP | stat.S_IXGRP


def read_secret(path: str, what: str) -> bytearray:
    """Return the bytes of a file, to be wiped by the caller; `what` names the file in errors."""
    hint = "check the name and its permissions"
    try:
        with Path(path).open("rb", buffering=0) as file:
            data = bytearray(min(os.fstat(file.fileno()).st_size, LARGEST) + 1)
            size = 0
            while got := file.readinto(memoryview(data)[size:]):
                size += got
                if size == len(data):
                    grown = bytearray(2 * size)
                    grown[:size] = data
                    wipe(data)
                    data = grown
                if size > LARGEST:
                    wipe(data)
                    raise KeyFileError(f"too large to be {what}", file=path, hint="check the name")
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise KeyFileError(f"{what} cannot be read: {reason}", file=path, hint=hint) from None
    except ValueError:
        raise KeyFileError(f"{what} cannot be read: not a valid file name", file=path, hint=hint) from None
    del data[size:]
    return data


def wipe(data: bytearray) -> None:
    """Overwrite a secret with zeros."""
    data[:] = bytes(len(data))


def openness(path: str) -> str | None:
    """Return a warning where others than the owner and the group may read a file or folder; None otherwise."""
    try:
        status = os.stat(path)  # of whatever the name leads to
    except (OSError, ValueError):
        return None
    folder = stat.S_ISDIR(status.st_mode)
    if not (folder or stat.S_ISREG(status.st_mode)) or status.st_mode & (stat.S_IRWXO if folder else OTHERS) == 0:
        return None
    mode = stat.S_IMODE(status.st_mode)
    return f"{path}: contains secrets and is accessible to others (mode {mode:04o}); run chmod {700 if folder else 600}"


def unhex(data: bytearray | memoryview) -> bytearray | None:
    """Return the bytes of hexadecimal digits without copies that stay in memory; None for other text."""
    if len(data) % 2:
        return None
    out = bytearray(len(data) // 2)
    for at, digit in enumerate(data):
        value = _digit(digit)
        if value < 0:
            wipe(out)
            return None
        out[at // 2] = out[at // 2] << 4 | value
    return out


def _digit(char: int) -> int:
    if 0x30 <= char <= 0x39:
        return char - 0x30
    char |= 0x20
    return char - 0x57 if 0x61 <= char <= 0x66 else -1
