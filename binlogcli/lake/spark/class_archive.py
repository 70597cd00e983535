"""Spark's classes as the JVM keeps them ready for use (class data sharing): a small run takes 2.5 CPU seconds for 4.4.

`to-parquet --prepare` makes the archive in the user's cache; without one the JVM starts all the same. `jvm` has the
other figures.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from pathlib import Path

from binlogcli.lake.spark.java import JavaRuntime

_ARCHIVE_SIZE = 32 << 20  # bytes a usable class archive has at least
SMALL = ("-Xmx1g", "-Xss4m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")  # the JVM schedules


class ClassArchive:
    """The archive for one Java and one PySpark, in the user's cache; not there until it is made."""

    def __init__(self, java: JavaRuntime, jars: Path) -> None:
        key = hashlib.sha256("\0".join([java.release, str(java.home), str(jars), *SMALL]).encode()).hexdigest()[:16]
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        self.path = Path(cache) / "binlogcli" / f"spark-{key}.jsa"
        self.base = self.path.with_suffix(".base.jsa") if java.trimmed else None
        self.java = java
        self.fresh = self.path.with_suffix(f".{os.getpid()}.tmp")
        self.making = False

    def arguments(self, *, make: bool) -> list[str]:
        """Return the arguments by which the JVM uses the archive, or makes it when it ends."""
        bases = [] if self.base is None else [str(self.base)]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.base is not None and not self.base.exists():
                self._dump_base(self.base)
        except (OSError, subprocess.SubprocessError):
            return []
        quiet = ["-Xshare:auto", "-Xlog:disable"]
        if make:
            self.making = True
            quiet.append(f"-XX:ArchiveClassesAtExit={self.fresh}")
        elif self.path.exists():
            bases.append(str(self.path))
        return [*quiet, *([f"-XX:SharedArchiveFile={os.pathsep.join(bases)}"] if bases else [])]

    def _dump_base(self, base: Path) -> None:
        """Make the archive of the runtime's own classes, without which Spark's cannot be used."""
        fresh = base.with_suffix(f".{os.getpid()}.tmp")
        command = [
            self.java.program,
            "-Xshare:dump",
            "-XX:+UseSerialGC",
            f"-XX:SharedArchiveFile={fresh}",
            "-Xlog:disable",
        ]
        subprocess.run(command, check=True, timeout=60, capture_output=True)  # noqa: S603 - java as it was found
        fresh.replace(base)

    def settle(self) -> None:
        """Move the archive that the JVM has made to its place, if it is whole."""
        if not self.making:
            return
        with contextlib.suppress(OSError):
            if self.fresh.stat().st_size >= _ARCHIVE_SIZE:
                self.fresh.replace(self.path)
        with contextlib.suppress(OSError):
            self.fresh.unlink()
