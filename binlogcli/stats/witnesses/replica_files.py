"""The text files of a replica: master.info, relay-log.info, and MySQL's auto.cnf.

master.info and relay-log.info begin with the number of their lines; what a line holds depends on its number alone.
Later versions added lines. MariaDB uses only the first lines of master.info; the others, up to the 33rd, are empty, and
lines NAME=VALUE follow them, up to END_MARKER. A file of MySQL 4.0, or a relay-log.info without a delay, has no number.

The fourth value of master.info, after the user, is a password in clear text: it is never returned.
"""

from __future__ import annotations

import re
from typing import Any

Read = tuple[dict[str, Any], str]  # values, and what is wrong with the file; "" for nothing

_SECRET = "password"  # noqa: S105 - the name of a line
# sql/rpl_mi.cc, in the order of the lines after the first
_OF_SOURCE = (
    *("source_log", "source_position", "host", "user", _SECRET, "port", "connect_retry", "ssl", "ssl_ca"),
    *("ssl_capath", "ssl_cert", "ssl_cipher", "ssl_key", "ssl_verify_server_cert", "heartbeat_period", "bind"),
    *("ignore_server_ids", "source_uuid", "retry_count", "ssl_crl", "ssl_crlpath"),
)
_OF_SOURCE_4_0 = _OF_SOURCE[:7]
_OF_SOURCE_IN_MYSQL = (
    *("auto_position", "channel", "tls_version", "public_key_path", "get_public_key", "network_namespace"),
    *("compression_algorithms", "zstd_compression_level", "tls_ciphersuites", "connection_auto_failover"),
    "gtid_only",
)
# sql/rpl_rli.cc
_OF_POSITION = (
    *("relay_log", "relay_position", "source_log", "source_position", "delay", "workers", "id", "channel"),
    *("privilege_checks_user", "privilege_checks_host", "require_row_format", "require_table_primary_key_check"),
    *("assign_gtids_to_anonymous_transactions_type", "assign_gtids_to_anonymous_transactions_value"),
)
_LISTS = {"ignore_server_ids", "do_domain_ids", "ignore_domain_ids"}  # numbers, of which the first is their count
_USING_GTID = {"0": "No", "1": "Current_Pos", "2": "Slave_Pos"}
_CONNECTION = re.compile(r"(?:master|relay-log)-(.+)\.info$")
_END = "END_MARKER"
_OPTION = re.compile(r"[a-z_]+=")  # of MariaDB's lines NAME=VALUE
_LOG = re.compile(r"[^/\s]{1,240}\.\d{3,10}")
_UUID = re.compile(r"(?m)^\s*server[-_]uuid\s*=\s*([0-9A-Fa-f-]{36})\s*$")


def _lines_of(data: bytes) -> list[str]:
    return [line.removesuffix("\r") for line in data.decode("utf-8", "backslashreplace").split("\n")]


def _named(names: tuple[str, ...], lines: list[str]) -> dict[str, Any]:
    """Return the values of lines that are not empty; a password is replaced."""
    found: dict[str, Any] = {}
    for name, line in zip(names, lines, strict=False):
        if name in _LISTS:
            if numbers := line.split()[1:]:
                found[name] = " ".join(numbers)
        elif name == _SECRET:
            found[name] = "(set, not shown)" if line else "(empty)"
        elif line:
            found[name] = int(line) if re.fullmatch(r"\d{1,19}", line) else line
    return found


def _connection_of(file: str) -> dict[str, Any]:
    """Return the name of the connection or channel that the name of the file holds."""
    found = _CONNECTION.search(file.rpartition("/")[2])
    return {"connection": found[1]} if found else {}


def read_source_info(data: bytes, file: str) -> Read:
    """Return what a master.info says; of a file that lost or got lines only what cannot be the password."""
    lines = _lines_of(data)
    counted = lines[0].isdecimal()
    count = int(lines[0]) if counted else len(_OF_SOURCE_4_0) + 1
    body = lines[1:] if counted else lines
    tail = next((at for at, line in enumerate(body) if line == _END or _OPTION.match(line)), -1)
    found = len(body) if tail < 0 else tail + 1  # the last line of MySQL's ends in a line break, too
    if found != count:
        log, position = [*body, "", ""][:2]
        values = {"source_log": log} if _LOG.fullmatch(log) else {}
        values |= _named(("source_position",), [position]) if position.isdecimal() else {}
        reason = f"has {found} instead of {count} lines, one of which is the password: only its first two are shown"
        return _connection_of(file) | values, reason
    if tail >= 0:
        values = _connection_of(file) | _named(_OF_SOURCE, body[:tail])
        values.pop("retry_count", None)  # written as 0, never used
        ended = _END in body[tail:]
        return values | _tail(body[tail:]), "" if ended else "is truncated: END_MARKER is missing"
    names = (*_OF_SOURCE, *_OF_SOURCE_IN_MYSQL) if counted else _OF_SOURCE_4_0
    return _connection_of(file) | _named(names, body), ""


def _tail(lines: list[str]) -> dict[str, Any]:
    """Return the values of MariaDB's lines NAME=VALUE."""
    found: dict[str, Any] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if equals and _SECRET not in name:
            found |= _named((name,), [value])
    if "using_gtid" in found:
        found["using_gtid"] = _USING_GTID.get(str(found["using_gtid"]), found["using_gtid"])
    return found


def read_relay_position(data: bytes, file: str) -> Read:
    """Return what a relay-log.info says."""
    lines = _lines_of(data)
    count = int(lines[0]) if lines[0].isdecimal() else 0
    body = lines[1 : count + 1] if count else lines[:4]
    values = _connection_of(file) | _named(_OF_POSITION, body)
    short = len(lines) <= count  # the last line ends in a line break, too
    return values, f"is truncated: {len(lines)} of {count + 1} lines" if short else ""


def read_auto_cnf(data: bytes, _file: str) -> Read:
    """Return the UUID that an auto.cnf gives to its server."""
    found = _UUID.search(data.decode("latin-1"))
    return ({"server_uuid": found[1].lower()}, "") if found else ({}, "contains no valid server-uuid")
