"""A connection to a server for queries: PyMySQL does handshake, authentication, TLS and the text protocol.

What a server sends is bounded, in bytes by a budget and in time by a timer that shuts the socket down. All failures are
raised as `ServerError`.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from typing import Any

from binlogcli.errors import DEFECTS, ServerError
from binlogcli.sources.server.options import Account, TlsOptions

# PyMySQL imports `cryptography` for one thing, a password under a server's own RSA key: see `_load_ciphers`. Without it
# a connection starts 29 ms sooner and takes 9.5 MiB less (of 27).
_CIPHERS = "cryptography"
_held = sys.modules.get(_CIPHERS)
if _held is None:
    sys.modules[_CIPHERS] = None  # type: ignore[assignment]

import pymysql  # noqa: E402
from pymysql.connections import Connection  # noqa: E402
from pymysql.constants import CR  # noqa: E402
from pymysql.protocol import FieldDescriptorPacket, MysqlPacket  # noqa: E402

if _held is None:
    del sys.modules[_CIPHERS]

LARGEST_ANSWER = 16 << 20  # bytes of the handshake, or of the answer to one question,
_READ_COST = 64  # where each reading counts as some more: a row takes more memory than bytes,
COLUMN_COST = 1 << 14  # and a column's definition much more
LONGEST_REASON = 500  # characters of a server's error that are shown
_LOWEST_CODE = 1000  # of a server's errors; those between CR_ERROR_FIRST and CR_ERROR_LAST are the client's
ER_ACCESS_DENIED = 1045
_HINTS = {
    ER_ACCESS_DENIED: "check user and password (--password, --password-file, MYSQL_PWD)",
    CR.CR_SSL_CONNECTION_ERROR: "use --skip-ssl to connect without TLS",
}
WHERE = "check host and port"
_SOCKET = "check that the server is running and that this is its socket; otherwise pass --socket FILE or --host HOST"
# Errors of a server that stops, starts, or has no room now: ER_CON_COUNT, ER_SERVER_SHUTDOWN, ER_NORMAL_SHUTDOWN,
# ER_ABORTING_CONNECTION, ER_NET_READ and its INTERRUPTED, ER_NET_ERROR_ON_WRITE, ER_NET_WRITE_INTERRUPTED,
# ER_NEW_ABORTING_CONNECTION, ER_TOO_MANY_USER_CONNECTIONS, MariaDB's ER_CONNECTION_KILLED; CR_CONN_HOST_ERROR,
# CR_SERVER_GONE_ERROR, CR_SERVER_LOST
_PASSING = {1040, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1927, 2003, 2006, 2013}
_SENDS_PASSWORDS = {b"mysql_clear_password", b"dialog", b"mysql_old_password"}
_KEY_REQUESTS = {b"\1", b"\2"}  # of sha256_password and caching_sha2_password: for a key without a certificate
# what PyMySQL raises for packets that are none
_NONSENSE = (*DEFECTS, RuntimeError, EOFError)


class _LimitedConnection(Connection):  # type: ignore[misc]
    """PyMySQL's connection with a limit on what is read, and with more care for the password."""

    def __init__(self, account: Account, timeout: float, **options: Any) -> None:
        self.budget = LARGEST_ANSWER
        self.careful = True
        self.keys_allowed = account.get_server_public_key
        self._secure = bool(account.socket)
        # TLS that was only offered verifies no certificate: too little for the password itself
        self._trusted = bool(account.socket) or account.tls.wanted
        super().__init__(
            host=account.host,
            port=account.port,
            unix_socket=account.socket or None,
            user=account.user,
            password=account.password.encode("utf-8", "surrogateescape"),
            connect_timeout=timeout,
            read_timeout=2 * timeout,  # the timer is to come first
            write_timeout=2 * timeout,
            charset="utf8mb4",
            autocommit=None,
            program_name="binlogcli",
            defer_connect=True,
            **options,
        )

    def _read_packet(self, packet_type: Any = MysqlPacket) -> Any:
        if packet_type is FieldDescriptorPacket:
            self.budget -= COLUMN_COST
        return super()._read_packet(packet_type)

    def _read_bytes(self, num_bytes: int) -> bytes:
        self.budget -= num_bytes + _READ_COST
        if self.budget < 0:
            self._force_close()
            raise pymysql.OperationalError(CR.CR_MALFORMED_PACKET, "the server's answer does not end")
        data: bytes = super()._read_bytes(num_bytes)
        return data

    def write_packet(self, payload: bytes) -> None:
        """Send a packet; refuse the one that asks an unverified server for the key to encrypt the password with."""
        if self.careful and not self._secure and not self.keys_allowed and payload in _KEY_REQUESTS and self.password:
            raise pymysql.OperationalError(
                CR.CR_AUTH_PLUGIN_ERR,
                "the server requires the password to be encrypted with its own key; use TLS (--ssl)",
            )
        super().write_packet(payload)

    def _process_auth(self, plugin_name: bytes, auth_packet: Any, handler: Any = None) -> Any:
        if plugin_name in _SENDS_PASSWORDS and not (self._secure and self._trusted):
            raise pymysql.OperationalError(
                CR.CR_AUTH_PLUGIN_ERR,
                f"the server requires the password in clear text ({plugin_name.decode()}); use TLS (--ssl)",
            )
        return super()._process_auth(plugin_name, auth_packet, handler)

    @property
    def wire(self) -> socket.socket:
        """The socket in use; TLS wraps the one that was given."""
        found: socket.socket = self._sock
        return found


def _load_ciphers() -> None:
    """Import `cryptography` into PyMySQL, which was imported without it."""
    import importlib  # only for RSA

    from pymysql import _auth

    importlib.reload(_auth)


class ServerConnection:
    """A connection that answers queries, until its socket is taken for a dump."""

    def __init__(self, account: Account, timeout: float) -> None:
        if account.get_server_public_key:
            _load_ciphers()
        self.place = account.place
        self.timeout = timeout
        self._connection = _LimitedConnection(account, timeout, **_tls_arguments(account))
        raw = self._connect(account)
        self._line = raw.dup()  # for the timer: TLS detaches the socket itself
        try:
            with self._guarded():
                self._connection.connect(raw)
        except BaseException:
            self.close()
            raise
        self._connection.careful = False
        self.version: str = self._connection.server_version.removeprefix("5.5.5-")

    @property
    def mariadb(self) -> bool:
        """Whether the server is of this family."""
        return "mariadb" in self.version.lower()

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query's result."""
        connection = self._connection
        connection.budget = LARGEST_ANSWER
        with self._guarded(), connection.cursor() as cursor:
            cursor.execute(question)
            return list(cursor.fetchall())

    @property
    def wire(self) -> socket.socket:
        """The socket, for use after the last query."""
        return self._connection.wire

    def close(self) -> None:
        """Shut the connection down at once; closing alone would leave PyMySQL's file object holding the socket."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()
        with contextlib.suppress(OSError):
            self._connection._force_close()  # noqa: SLF001 - its close says good-bye, which is no command any more

    def _connect(self, account: Account) -> socket.socket:
        try:
            if account.socket:
                raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                raw.settimeout(self.timeout)
                raw.connect(account.socket)
                return raw
            raw = socket.create_connection((account.host, account.port), self.timeout)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        except (OSError, UnicodeError) as error:
            raise self._unreachable(error) from error
        return raw

    def _late(self) -> ServerError:
        hint = f"{WHERE}, or allow more time with --server-timeout"
        return ServerError(f"no answer within {self.timeout:g} s", file=self.place, hint=hint, passing=True)

    def _unreachable(self, error: OSError | UnicodeError) -> ServerError:
        if isinstance(error, TimeoutError):
            return self._late()
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        hint = _SOCKET if self.place.startswith("/") else WHERE
        return ServerError(f"cannot connect: {reason}", file=self.place, hint=hint, passing=True)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Limit the time of PyMySQL's work inside, and raise its errors as `ServerError`."""
        late = threading.Event()

        def hang_up() -> None:
            late.set()
            with contextlib.suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(self.timeout, hang_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (pymysql.MySQLError, OSError, *_NONSENSE) as error:
            if late.is_set() or not self._answered(error):
                self.close()
            if late.is_set():
                raise self._late() from error
            raise self._failure(error) from error
        finally:
            timer.cancel()

    @staticmethod
    def _answered(error: Exception) -> bool:
        """Whether an error is the server's own, after which the connection can be used on."""
        code = error.args[0] if isinstance(error, pymysql.MySQLError) and error.args else 0
        return isinstance(code, int) and code >= _LOWEST_CODE and not CR.CR_ERROR_FIRST <= code <= CR.CR_ERROR_LAST

    def _failure(self, error: Exception) -> ServerError:
        cause = getattr(error, "original_exception", error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            hint = "pass its certificate authority with --ssl-ca; --skip-ssl-verify-server-cert accepts any certificate"
            return ServerError(f"its certificate cannot be trusted: {cause.verify_message}", file=self.place, hint=hint)
        if isinstance(cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):  # TLS is not to blame
            return ServerError("the connection broke", file=self.place, hint=WHERE, passing=True)
        if isinstance(cause, ssl.SSLError):
            reason = (cause.reason or str(cause)).lower().replace("_", " ")
            return ServerError(f"TLS failed: {reason}", file=self.place, hint=_HINTS[CR.CR_SSL_CONNECTION_ERROR])
        if isinstance(error, pymysql.MySQLError) and error.args and isinstance(error.args[0], int):
            code, reason = error.args[0], str(error.args[-1])[:LONGEST_REASON]
            return ServerError(reason, file=self.place, hint=_HINTS.get(code, ""), code=code, passing=code in _PASSING)
        return ServerError(f"not a MySQL or MariaDB server: {str(error)[:LONGEST_REASON]}", file=self.place, hint=WHERE)


def _tls_arguments(account: Account) -> dict[str, Any]:
    """Return PyMySQL's arguments for TLS; none over a local socket."""
    tls = account.tls
    if account.socket or tls.mode == "DISABLED":
        return {"ssl_disabled": True}
    if not tls.wanted:
        return {}
    return {"ssl": _tls_context(tls)}


def _tls_context(tls: TlsOptions) -> ssl.SSLContext:
    """Return a context that verifies certificates and host name, as far as the options do not turn that off."""
    try:
        context = ssl.create_default_context(cafile=tls.ca or None, capath=tls.capath or None)
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # authorities that servers make for themselves
        if tls.mode == "VERIFY_CA" or not tls.verify:
            context.check_hostname = False
        if not tls.verify:
            context.verify_mode = ssl.CERT_NONE
        if tls.cert:
            context.load_cert_chain(tls.cert, tls.key or None)
        if tls.cipher:
            context.set_ciphers(tls.cipher)
    except (OSError, ssl.SSLError) as error:
        named = ", ".join(name for name in (tls.ca, tls.capath, tls.cert, tls.key) if name)
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ServerError(f"the TLS options cannot be used: {reason}", file=named, hint="check these files") from error
    return context
