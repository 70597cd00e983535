"""A private MariaDB server for tests: its own temporary directory, one unix socket, no network, a binary log.

    with MariaServer(["--binlog-format=ROW"]) as server:
        server.sql("CREATE DATABASE shop")

The server belongs to the test alone: only the process started here is ever signalled, and all its files are
removed with it.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from support.network import HOST, free_port, url_of

START_SECONDS = 60.0
STOP_SECONDS = 30.0
LONGEST_SOCKET_PATH = 100  # sun_path holds 108 bytes on Linux, 104 elsewhere

# The data lives as long as a test: nothing of it needs to survive a power cut.
QUICK = (
    "--innodb-buffer-pool-size=32M",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--innodb-doublewrite=0",
    "--innodb-buffer-pool-dump-at-shutdown=0",
    "--sync-binlog=0",
)
# As root the server refuses to run unless root is named; anyone else cannot change user.
AS_ROOT = ("--user=root",) if os.geteuid() == 0 else ()
MARIADB_QUICK = (*QUICK, "--innodb-log-file-size=8M")


class ServerError(RuntimeError):
    """The server did not start, or refused a statement."""


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def find_program(name: str) -> str | None:
    """Return the path of a server program; system directories are searched after PATH."""
    path = os.environ.get("PATH", os.defpath)
    return shutil.which(name, path=f"{path}:/usr/sbin:/usr/local/sbin:/usr/local/mysql/bin")


def server_available() -> bool:
    """Return True if all programs that `MariaServer` runs are installed."""
    return all(find_program(name) for name in ("mariadbd", "mariadb-install-db", "mariadb"))


def need_program(name: str) -> str:
    path = find_program(name)
    if path is None:
        raise ServerError(f"{name} is not installed")
    return path


def short_temporary_directory() -> Path:
    """Make a directory with a name so short that a socket in it can be opened."""
    directory = Path(tempfile.mkdtemp(prefix="maria-"))
    if len(os.fsencode(directory)) + len("/socket") <= LONGEST_SOCKET_PATH:
        return directory
    directory.rmdir()
    return Path(tempfile.mkdtemp(prefix="maria-", dir="/tmp"))


class LiveServer:
    """A running server from construction until `stop()`, or for the length of a `with` block.

    `options` come last on the server's command line, so they override what is set here. Those who inherit say which
    programs these are.
    """

    def __init__(self, options: Sequence[str] = ()) -> None:
        self.directory = short_temporary_directory()
        self.datadir = self.directory / "data"
        self.socket = self.directory / "socket"
        self.error_log = self.directory / "error.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._options = options
        try:
            self._install()
            self._start(options)
        except BaseException:  # an interrupt, too, must leave no server behind
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def status(self) -> str:
        """The words after SHOW in the statement that gives the current log's name."""
        return "MASTER STATUS"

    def client(self) -> list[str]:
        """The client as root, in binary mode and utf8mb4; it reads statements from stdin."""
        raise NotImplementedError

    def server(self) -> list[str]:
        """The server's command line, without the options given by the test."""
        raise NotImplementedError

    def places(self) -> list[str]:
        """Options of both families: where the server's files are, and a binary log."""
        return [
            "--no-defaults",
            f"--datadir={self.datadir}",
            f"--socket={self.socket}",
            f"--pid-file={self.directory / 'pid'}",
            f"--log-error={self.error_log}",
            f"--tmpdir={self.directory}",
            *AS_ROOT,
            "--skip-networking",
            "--log-bin=shop-bin",
            "--server-id=101",
            "--max-allowed-packet=1G",
        ]

    def sql(self, text: str, database: str | None = None) -> str:
        """Run statements; return what the client prints: tab-separated lines, values unescaped, in utf8mb4.

        The client runs in binary mode: `\\r` and NUL inside the text reach the server, and of the client's
        own commands only DELIMITER works. Output that is no UTF-8 comes back with surrogate escapes.
        """
        command = [*self.client(), "--batch", "--raw", "--skip-column-names", "--max-allowed-packet=1G"]
        if database is not None:
            command.append(f"--database={database}")
        done = subprocess.run(command, input=text.encode("utf-8", "surrogateescape"), capture_output=True, check=False)
        if done.returncode:
            raise ServerError(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout.decode("utf-8", "surrogateescape")

    def current_log(self) -> Path:
        """Return the path of the binary log that the server writes."""
        return self.datadir / self.sql(f"SHOW {self.status}").split("\t")[0].strip()

    def flush_logs(self) -> Path:
        """End the current binary log and begin the next; return the path of the complete one."""
        log = self.current_log()
        self.sql("FLUSH BINARY LOGS")
        return log

    def crash(self) -> None:
        """End the server as kill -9 does; its files stay."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
        self.socket.unlink(missing_ok=True)

    def shut_down(self) -> None:
        """End the server in order; its files stay."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            process.wait(STOP_SECONDS)

    def start_again(self) -> None:
        """Start the server that was ended, on what it has left."""
        self._start(self._options)

    def stop(self) -> None:
        """End the server and remove its files; harmless when done twice."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, options: Sequence[str]) -> None:
        command = [*self.server(), *options]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait_until_it_answers(self._process)

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            if process.poll() is not None:
                raise ServerError(f"the server ended with status {process.returncode}: {self._last_errors()}")
            if self.socket.exists():
                try:
                    self.sql("SELECT 1")
                except ServerError:
                    if time.monotonic() > deadline:
                        raise
                else:
                    return
            if time.monotonic() > deadline:
                raise ServerError(f"the server did not answer within {START_SECONDS:.0f} s: {self._last_errors()}")
            time.sleep(0.02)

    def _last_errors(self) -> str:
        if not self.error_log.exists():
            return "it wrote no error log"
        return "\n".join(self.error_log.read_text(errors="replace").splitlines()[-20:])

    def _install(self) -> None:
        """Make the files of a server that has not run yet."""
        raise NotImplementedError


class MariaServer(LiveServer):
    """A MariaDB server."""

    def client(self) -> list[str]:
        """The client as root. It runs in binary mode."""
        options = ["--no-defaults", f"--socket={self.socket}", "--user=root", "--binary-mode"]
        return [need_program("mariadb"), *options, "--default-character-set=utf8mb4"]

    def server(self) -> list[str]:
        """The server's command line."""
        return [need_program("mariadbd"), *self.places(), *MARIADB_QUICK]

    def _install(self) -> None:
        shutil.copytree(_installed(), self.datadir)


@functools.cache
def _installed() -> Path:
    """Return the files of a server that has not run yet, made once in a process: copies take no time."""
    directory = short_temporary_directory()
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    command = [
        need_program("mariadb-install-db"),
        "--no-defaults",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        f"--datadir={directory / 'data'}",
        *AS_ROOT,
        *MARIADB_QUICK,
    ]
    # temporary tables of two installations at the same time would get in each other's way
    own = {**os.environ, "TMPDIR": str(directory)}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=own)
    if done.returncode:
        raise ServerError(f"mariadb-install-db failed: {(done.stdout + done.stderr).decode(errors='replace')}")
    return directory / "data"


class NetworkedMariaServer(MariaServer):
    """A MariaDB server that listens on 127.0.0.1."""

    def __init__(self, options: Sequence[str] = ()) -> None:
        self.port = free_port()
        network = ["--skip-networking=0", f"--port={self.port}", f"--bind-address={HOST}", "--binlog-format=ROW"]
        super().__init__([*network, *options])

    @property
    def url(self) -> str:
        return url_of(self.port)

    def logs(self) -> list[Path]:
        """Return the paths of all its logs, the newest last."""
        index = (self.datadir / "shop-bin.index").read_text().split()
        return [self.datadir / Path(name).name for name in index]
