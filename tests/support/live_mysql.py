"""A private MySQL server for tests, like `live_mariadb`'s: its own temporary directory, one unix socket.

MySQL's programs are taken from the folder that BINLOGCLI_MYSQL names (mysqld, mysql, mysqldump, mysqlbinlog, each
perhaps a script that starts the real one): their names are those of MariaDB's, too, and a machine has one or the other
on its PATH. Without the variable there is no MySQL. The server may be of 5.7 or newer, and older than mysqlbinlog.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from support.live_mariadb import QUICK, LiveServer, ServerError

FOLDER = "BINLOGCLI_MYSQL"
MYSQL_QUICK = (*QUICK, "--loose-innodb-redo-log-capacity=8M", "--loose-mysqlx=0", "--performance-schema=OFF")


def mysql_program(name: str) -> str | None:
    """Return the path of one of MySQL's own programs, or None."""
    folder = os.environ.get(FOLDER)
    return shutil.which(name, path=folder) if folder else None


def mysql_available() -> bool:
    """Return True if all programs of a MySQL server are installed."""
    return all(mysql_program(name) for name in ("mysqld", "mysql", "mysqldump", "mysqlbinlog"))


def need_mysql(name: str) -> str:
    path = mysql_program(name)
    if path is None:
        raise ServerError(f"MySQL's {name} is not in the folder that {FOLDER} names")
    return path


@cache
def version(name: str = "mysqld") -> tuple[int, int]:
    """Return the version of one of MySQL's programs: (9, 7)."""
    said = subprocess.run([need_mysql(name), "--version"], capture_output=True, check=True, text=True).stdout
    numbers = said.split("Ver ")[1].split(".")
    return int(numbers[0]), int(numbers[1])


@cache
def template() -> tempfile.TemporaryDirectory[str]:
    """Return a data directory before a server's first start, to be copied; it is removed when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="mysql-")
    user = ["--user=root"] if os.geteuid() == 0 else []
    options = ["--no-defaults", "--initialize-insecure", f"--datadir={folder.name}", *user, *MYSQL_QUICK]
    done = subprocess.run([need_mysql("mysqld"), *options], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        raise ServerError(f"mysqld --initialize failed: {done.stderr.decode(errors='replace')}")
    return folder


class MysqlServer(LiveServer):
    """A MySQL server."""

    @property
    def status(self) -> str:
        return "BINARY LOG STATUS" if version() >= (8, 2) else "MASTER STATUS"

    def client(self) -> list[str]:
        """The client as root, in binary mode."""
        options = ["--no-defaults", f"--socket={self.socket}", "--user=root", "--binary-mode", "--local-infile=1"]
        return [need_mysql("mysql"), *options, "--default-character-set=utf8mb4"]

    def server(self) -> list[str]:
        """The server's command line."""
        files = ("--local-infile=1", "--secure-file-priv=")
        return [need_mysql("mysqld"), *self.places(), *files, *MYSQL_QUICK]

    def _install(self) -> None:
        shutil.copytree(template().name, self.datadir)
        (self.datadir / "auto.cnf").unlink()  # the server's UUID: each makes its own

    def logs(self) -> list[Path]:
        """Return the paths of all its logs, the newest last."""
        index = (self.datadir / "shop-bin.index").read_text().split()
        return [self.datadir / Path(name).name for name in index]


def tool(*arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Run mysqlbinlog."""
    command: Sequence[str | Path] = [need_mysql("mysqlbinlog"), "--no-defaults", *arguments]
    return subprocess.run(command, capture_output=True, env={**os.environ, "TZ": "UTC"}, check=check)
