"""Bytes that are changed on the way from a server: no archive takes them for the log."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from binlogcli.errors import DecodeError
from binlogcli.sources.protocol.packets import LARGEST_CHUNK, LOG_START, frame
from binlogcli.sources.protocol.requests import Acknowledgement
from binlogcli.sources.server.checksums import MismatchError
from binlogcli.sources.server.incoming import MORE, Incoming
from support.fake_mysql import FakeMySQL, artificial, format_description
from support.logs import CRC32, IN_USE, MARIADB, MYSQL, NO_CHECKSUM, XID, LogBuilder, raw_event, raw_events
from support.network import url_of
from support.program import run, start, until
from support.proxy import Proxy

NAME = b"shop-bin.000001"
EOF = b"\xfe\0\0\0\0"
FAMILIES = {"mariadb": ("5.5.5-10.11.6-MariaDB", MARIADB), "mysql": ("8.4.3", MYSQL)}


def small_log(version: str, *, checksum: int = CRC32, events: int = 4, size: int = 30) -> LogBuilder:
    log = LogBuilder(version, checksum=checksum)
    log.describe()
    for number in range(events):
        log.add(XID, bytes([number]) * size)
    return log


def sent(log: bytes, position: int = LOG_START, marks: bytes = b"") -> tuple[bytes, bytes]:
    """What a server sends of a log from a position on: before the format description, and from it on."""
    events = list(raw_events(log))
    checksums = events[0][1][-5] == 1
    payloads = [artificial(4, position.to_bytes(8, "little") + NAME, 0, False, 0x20)]
    payloads.append(format_description(events[0][1], LOG_START, position, checksums))
    payloads += [event for at, event in events[1:] if at >= position]
    payloads.append(artificial(4, LOG_START.to_bytes(8, "little") + b"shop-bin.000002", 0, checksums, 0x20))
    first, *rest = (frame(b"\0" + marks + one, number) for number, one in enumerate(payloads))
    return first, b"".join(rest) + frame(EOF, 9)


def received(data: bytes, position: int = LOG_START, most: int = 1 << 16, **options: Any) -> tuple[bytes, int, bool]:
    """The log's bytes from `position` on that count, in pieces of at most this size; the place of a mismatch, or -1.

    The last one is whether the bytes were refused.
    """
    incoming = Incoming(position, 1 << 26, **{"verify": True, **options})
    out, place, refused = b"", -1, False
    try:
        while data:
            space = incoming.space()
            size = min(len(space), most, len(data))
            space[:size] = data[:size]
            incoming.filled(size, 1005)
            data = data[size:]
            while incoming.advance() != MORE:
                pass
            out += incoming.take()
    except DecodeError as error:
        refused = True
        place = error.place if isinstance(error, MismatchError) else -1
    out += incoming.take()
    return out[: (incoming.proven() if refused else incoming.boundary) - position], place, refused


@pytest.mark.parametrize("marks", [b"", b"\xef\0"], ids=["plain", "semi-sync"])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_bit_that_is_changed_gets_into_the_log(family: str, marks: bytes) -> None:
    log = bytes(small_log(FAMILIES[family][1], size=8).log)
    for position in (LOG_START, next(at for at, event in list(raw_events(log))[2:])):
        head, data = sent(log, position, marks)
        whole = log[position:]
        assert received(head + data, position) == (whole, -1, False)
        mismatches = 0
        for bit in range(8 * len(data)):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            out, place, refused = received(head + bytes(changed), position)
            if position == LOG_START:  # the copy has the flag of a log in use as it needs it
                out = out[:17] + bytes(byte & ~IN_USE for byte in out[17:18]) + out[18:]
            assert whole.startswith(out), bit
            mismatches += place >= 0
            if not refused:  # the number of a packet, a semi-sync flag, a status that says the server has ended
                assert out == whole or bit // 8 > len(data) - len(whole) or out == whole[: len(out)]
        assert mismatches > 4 * len(whole)


@pytest.mark.parametrize("most", [1, 7, 64, 1 << 16])
@pytest.mark.parametrize("family", FAMILIES)
def test_an_event_that_comes_in_parts_is_verified(family: str, most: int) -> None:
    log = bytes(small_log(FAMILIES[family][1], size=200).log)
    places = [at for at, _ in raw_events(log)]
    assert received(b"".join(sent(log)), most=most) == (log[LOG_START:], -1, False)
    for at, event in list(raw_events(log))[1:]:
        for byte in (at + 25, at + len(event) - 5, at + len(event) - 4, at + len(event) - 1):
            changed = bytearray(log)
            changed[byte] ^= 4
            assert received(b"".join(sent(bytes(changed))), most=most) == (log[LOG_START:at], at, True)
    changed = bytearray(log)
    changed[places[0] + 30] ^= 1  # a letter of the server's version
    assert received(b"".join(sent(bytes(changed))), most=most) == (b"", LOG_START, True)


@pytest.mark.parametrize("size", [LARGEST_CHUNK - 24, LARGEST_CHUNK - 20, LARGEST_CHUNK + 3])
def test_an_event_of_several_packets_is_verified(size: int) -> None:
    log = bytes(small_log(MARIADB, events=2, size=size - 19).log)
    places = [at for at, _ in raw_events(log)]
    head, _ = sent(log[:300])
    for changed_at in (-1, places[1] + 1000, places[2] - 1):
        data = bytearray(log)
        if changed_at >= 0:
            data[changed_at] ^= 1
        packets = b"".join(frame(b"\0" + bytes(event), 0) for _, event in raw_events(bytes(data)))
        out, place, refused = received(head + packets)
        assert (place, refused) == ((-1, False) if changed_at < 0 else (places[1], True))
        assert out == (log[LOG_START:] if changed_at < 0 else log[LOG_START : places[1]])


@pytest.mark.parametrize("family", FAMILIES)
def test_logs_without_checksums_are_taken_as_they_come(family: str) -> None:
    version = FAMILIES[family][1]
    log = bytes(small_log(version, checksum=NO_CHECKSUM).log)
    assert received(b"".join(sent(log)))[0] == log[LOG_START:]
    old = bytearray(log)
    old[60:] = old[60:]
    first = next(raw_events(log))[1]
    no_checksum_yet = log[:LOG_START] + raw_event(15, first[19:-5], 0, timestamp=1, checksum=False)
    for number in range(40):  # more than may prove the opposite
        no_checksum_yet += raw_event(XID, bytes([number]) * 8, 0, timestamp=1, checksum=False)
    assert received(b"".join(sent(no_checksum_yet)))[0] == no_checksum_yet[LOG_START:]


def test_what_an_earlier_connection_brought_stays_proven() -> None:
    """A log of more than 4 GiB is asked for from its beginning, and the bytes that are known are skipped."""
    log = bytes(small_log(MARIADB).log)
    events = list(raw_events(log))
    known = events[2][0]
    head, data = sent(log)
    incoming = Incoming(LOG_START, 1 << 26, verify=True)
    incoming.begin(LOG_START, known)
    assert incoming.proven() == known
    incoming.space()[: len(head + data)] = head + data
    incoming.filled(len(head + data), 0)
    while incoming.advance() != MORE:
        pass
    assert incoming.take() == log[known:]
    assert incoming.proven() == len(log)


def test_without_verification_everything_is_taken() -> None:
    log = bytearray(small_log(MARIADB).log)
    log[-10] ^= 1
    assert received(b"".join(sent(bytes(log))), verify=False) == (bytes(log[LOG_START:]), -1, False)


# the command ----------------------------------------------------------------------------------------------------------

Serve = Callable[..., tuple[FakeMySQL, Proxy]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    opened: list[FakeMySQL | Proxy] = []
    folder = tmp_path / "server"
    folder.mkdir()

    def new(family: str, *, damaged: int = 0, **options: Any) -> tuple[FakeMySQL, Proxy]:
        """A server of two logs, in the first of which a byte may be damaged, and a proxy before it."""
        handshake, version = FAMILIES[family]
        for number in (1, 2):
            log = small_log(version, events=200, size=100)
            log.add(4, LOG_START.to_bytes(8, "little") + b"shop-bin.000002") if number == 1 else log.add(3)
            content = bytearray(log.log)
            if damaged and number == 1:
                content[damaged] ^= 1
            (folder / f"shop-bin.00000{number}").write_bytes(content)
        server = FakeMySQL(sorted(folder.iterdir()), version=handshake, **options)
        proxy = Proxy(server.port)
        opened.extend((server, proxy))
        return server, proxy

    yield new
    for one in opened:
        one.close()


def pull(archive: Path, port: int, *options: str) -> tuple[int, str]:
    done = run("pull", "--output-dir", archive, url_of(port), *options)
    return done.returncode, done.stderr.decode()


def same(server: FakeMySQL, archive: Path) -> bool:
    """Whether the archive has the server's logs, apart from the flag of one that is in use."""
    for log in server.logs:
        copy = bytearray((archive / log.name).read_bytes())
        copy[21] &= 0xFE
        if copy != log.read_bytes():
            return False
    return True


@pytest.mark.parametrize("family", FAMILIES)
def test_an_event_that_was_changed_on_the_way_is_fetched_again(family: str, serve: Serve, tmp_path: Path) -> None:
    server, proxy = serve(family)
    proxy.flip_after(12_000, 9_000, 20_000, 30_000)
    status, told = pull(tmp_path / "archive", proxy.port)
    assert status == 0, told
    assert "an event does not match its checksum; the server's log is damaged there" in told
    assert "retrying" in told
    assert "connected again, continuing" in told
    assert proxy.connections >= 3
    assert same(server, tmp_path / "archive")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_line_that_changes_bytes_all_the_time_gives_the_logs_in_the_end(
    family: str, serve: Serve, tmp_path: Path
) -> None:
    server, proxy = serve(family)
    proxy.flip_every(15_013)
    status, told = pull(tmp_path / "archive", proxy.port, "--retries", "20")
    assert status == 0, told
    assert same(server, tmp_path / "archive")


@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_an_event_that_is_damaged_on_the_server_is_named(
    family: str, serve: Serve, tmp_path: Path, *, follow: bool
) -> None:
    archive = tmp_path / "archive"
    server, _ = serve(family, damaged=5000)
    log = server.logs[0].read_bytes()
    place = max(at for at, _ in raw_events(log) if at <= 5000)
    status, told = pull(archive, server.port, "--retries", "1", *(["--follow"] if follow else []))
    assert status == 1, told
    last = told.splitlines()[-1]
    assert f": {server.logs[0].name}: at {place}: an event does not match its checksum; " in last
    assert "--no-verify to archive it as it is" in last
    assert (archive / server.logs[0].name).stat().st_size == place
    assert pull(archive, server.port, "--no-verify") == (0, "")
    assert same(server, archive)
    assert pull(archive, server.port) == (0, "")


def test_a_format_description_that_was_changed_on_the_way_is_fetched_again(serve: Serve, tmp_path: Path) -> None:
    """Also where what is left of it is that of a server without checksums."""
    server, _ = serve("mysql")
    archive = tmp_path / "archive"
    for at in (23, 60, 100, 115):
        shutil.rmtree(archive, ignore_errors=True)
        proxy = Proxy(server.port)
        head = server.logs[0].read_bytes()[4:]
        proxy.flip_in(head[:17], at)
        status, told = pull(archive, proxy.port)
        proxy.close()
        assert status == 0, told
        assert f"{server.logs[0].name}: at 4: an event does not match its checksum" in told
        assert same(server, archive)


def test_nothing_is_acknowledged_that_does_not_fit_its_checksum(serve: Serve, tmp_path: Path) -> None:
    server, _ = serve("mysql", damaged=5000, semi_sync=True)
    place = max(at for at, _ in raw_events(server.logs[0].read_bytes()) if at <= 5000)
    puller = start(
        *("pull", "--follow", "--semi-sync", "--retries", "2", "--output-dir", tmp_path / "archive"),
        url_of(server.port),
    )
    _, told = puller.communicate(timeout=60)
    assert puller.returncode == 1, told
    acknowledged = [Acknowledgement.parse(one) for one in server.acknowledgements]
    assert all(one.log_file_pos <= place for one in acknowledged)


def test_an_archive_that_has_all_keeps_the_times_of_its_files(serve: Serve, tmp_path: Path) -> None:
    """to-parquet takes a file whose time changes, and nothing else, for one that is written over."""
    server, _ = serve("mariadb")
    archive = tmp_path / "archive"
    assert pull(archive, server.port) == (0, "")
    for log in archive.glob("shop-bin.*"):
        os.utime(log, (1, 1))
    assert pull(archive, server.port) == (0, "")
    assert {log.stat().st_mtime for log in archive.glob("shop-bin.*")} == {1}


def test_a_server_that_sends_nonsense_for_ever_is_asked_a_few_times(serve: Serve, tmp_path: Path) -> None:
    server, proxy = serve("mysql")
    event = list(raw_events(server.logs[0].read_bytes()))[50][1]
    proxy.flip_in(event, 9, times=3)  # its length
    status, told = pull(tmp_path / "archive", proxy.port, "--retries", "2")
    assert status == 2
    assert told.splitlines()[-1].count("sends invalid data") == 1
    assert until(lambda: proxy.connections == 3)
