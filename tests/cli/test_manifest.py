"""`--manifest` and `binlogcli verify`: each input is hashed once and to its end, whichever way it is read."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from binlogcli.cli.manifest.form import without_secrets
from binlogcli.sources.files import open_raw
from binlogcli.sources.recording import InputRecorder, recorded
from support.golden import GOLDEN
from support.live_mariadb import NetworkedMariaServer, server_available
from support.logs import MARIADB, rotated_log, small_log
from support.program import end, run, start, until
from support.terminal import on_a_terminal

ROTATION = GOLDEN / "mariadb-11.8" / "rotation"
ENCRYPTED = GOLDEN / "mariadb-11.8" / "enc-cbc-128"
NAMES = [f"shop-bin.00000{number}" for number in range(1, 6)]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A directory with five logs of a server and their index file."""
    for name in (*NAMES, "shop-bin.index"):
        shutil.copy(ROTATION / name, tmp_path)
    return tmp_path


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def manifest_of(folder: Path, *arguments: str | Path, given: bytes | None = None, status: int = 0) -> dict[str, Any]:
    """Run a command in the folder, and return its manifest; its stdout must be the one that is recorded."""
    (folder / "m.json").unlink(missing_ok=True)
    done = run(*arguments, "--manifest", "m.json", given=given, cwd=folder)
    assert done.returncode == status, done.stderr
    found: dict[str, Any] = json.loads((folder / "m.json").read_text())
    assert found["exit_status"] == status
    outputs = {entry["path"]: entry for entry in found["outputs"]}
    if done.stdout:
        assert (outputs["-"]["sha256"], outputs["-"]["size"]) == (digest(done.stdout), len(done.stdout))
    return found


def checked(folder: Path, found: dict[str, Any]) -> list[str]:
    """The names of the inputs that are files; each has the hash and size that the file has."""
    entries = [entry for entry in found["inputs"] if entry["kind"] == "file"]
    for entry in entries:
        path = folder / entry["path"]
        assert entry["sha256"] == digest(path.read_bytes()), entry
        assert entry["size"] == path.stat().st_size
        assert (entry["inode"], entry["mtime_ns"]) == (path.stat().st_ino, path.stat().st_mtime_ns)
        assert not {"hashed_bytes", "changed_while_read"} & entry.keys()
    return [entry["path"] for entry in entries]


WAYS = {
    "whole": ("dump", *NAMES),
    "from a position": ("dump", "--format", "json", "--start-position", "4000", NAMES[2]),
    "up to a position": ("dump", "--stop-position", "600", NAMES[0], NAMES[2]),
    "the last events": ("dump", "--format", "json", "--last", "2", NAMES[2]),
    "a few events": ("dump", "--oneline", "--limit", "1", NAMES[0]),
    "by time": ("dump", "--since", "2026-11-21 00:33:42", *NAMES),
    "whole transactions, read twice": ("dump", "--format", "json", "--transaction-at", "1024", NAMES[2]),
    "one event": ("hexdump", "-j", "256", "-n", "1", NAMES[2]),
    "headers alone": ("stats", "--section", "summary", "--jobs", "1", *NAMES),
    "in other processes": ("stats", "--jobs", "3", *NAMES),
    "definitions": ("schema", *NAMES),
    "an index file": ("dump", "shop-bin.index"),
    "fields searched": ("dump", "--format", "sql", "--where", "id = 1", "-T", "shop.parcels", *NAMES[:2]),
    "found in a file of any content": ("stats", "--carve", "--section", "summary", NAMES[2]),
}


@pytest.mark.parametrize("way", WAYS)
def test_inputs_are_hashed_whichever_way_they_are_read(logs: Path, way: str) -> None:
    arguments = WAYS[way]
    given = [word for word in arguments if word.startswith("shop-bin.0")] or ["shop-bin.index", *NAMES]
    assert sorted(checked(logs, manifest_of(logs, *arguments))) == sorted(given)


def test_a_log_that_was_not_read_is_not_an_input(logs: Path) -> None:
    assert checked(logs, manifest_of(logs, "dump", "--limit", "1", *NAMES)) == [NAMES[0]]


def test_of_a_compressed_log_the_compressed_bytes_are_hashed(logs: Path) -> None:
    (logs / "a.gz").write_bytes(gzip.compress((logs / NAMES[0]).read_bytes()))
    found = manifest_of(logs, "dump", "a.gz", NAMES[1])
    assert checked(logs, found) == ["a.gz", NAMES[1]]
    assert [one["next_log"] for one in found["chain"]] == [NAMES[1], NAMES[2]]


def test_relay_logs_are_linked_by_their_own_rotate_events(tmp_path: Path) -> None:
    folder = GOLDEN / "mariadb-11.8" / "relay"
    found = manifest_of(tmp_path, "dump", folder / "shop-relay.index")
    names = [f"shop-relay.00000{number}" for number in range(1, 6)]
    assert [Path(path).name for path in checked(tmp_path, found)] == ["shop-relay.index", *names]
    assert [one.get("link", {}).get("kind") for one in found["chain"]] == [*["follows"] * 4, None]
    assert {one["first_position"] for one in found["chain"]} == {4}


def test_no_byte_is_read_for_the_hash_alone_where_a_log_is_read_to_its_end(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra: list[int] = []
    pread = os.pread

    def counted(descriptor: int, size: int, offset: int) -> bytes:
        data = pread(descriptor, size, offset)
        extra.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counted)
    recorder = InputRecorder()
    with recorded(recorder), open_raw(str(logs / NAMES[0])) as source:
        while source.read(1000):
            pass
    recorder.finish()
    assert sum(extra) == 0
    assert recorder.entries()[0]["sha256"] == digest((logs / NAMES[0]).read_bytes())


def test_verify_writes_columns_on_a_terminal(logs: Path) -> None:
    manifest_of(logs, "dump", "--result-file", "out.sql", NAMES[0])
    shown = on_a_terminal("verify", str(logs / "m.json")).decode()
    assert f"same         input   {logs / NAMES[0]}" in shown
    assert f"same         output  {logs / 'out.sql'}" in shown


def test_schema_files_are_inputs_too(logs: Path) -> None:
    shutil.copy(GOLDEN / "shop.sql", logs)
    found = manifest_of(logs, "dump", "--format", "json", "--schema", "shop.sql", NAMES[0])
    assert sorted(checked(logs, found)) == [NAMES[0], "shop.sql"]


def test_of_a_pipe_what_was_received_is_hashed(logs: Path) -> None:
    data = (logs / NAMES[2]).read_bytes()
    (entry,) = manifest_of(logs, "stats", "-", given=data)["inputs"]
    assert (entry["kind"], entry["sha256"], entry["size"], entry["ended"]) == ("pipe", digest(data), len(data), True)


def test_an_encrypted_log_and_its_plain_form_are_recorded_and_no_key_is(logs: Path) -> None:
    keys = logs / "keys.txt"
    shutil.copy(ENCRYPTED / "keys.txt", keys)
    keys.chmod(0o600)
    shutil.copy(ENCRYPTED / NAMES[0], logs / "sealed.000001")
    found = manifest_of(logs, "decrypt", "--key-file", "keys.txt", "-o", "plain", "sealed.000001")
    assert checked(logs, found) == ["sealed.000001"]
    assert found["outputs"] == [
        {"path": "plain", "given_as": "plain", "size": (logs / "plain").stat().st_size}
        | {"sha256": digest((logs / "plain").read_bytes())}
    ]
    assert found["chain"][0]["next_log"] == NAMES[1]
    read = manifest_of(logs, "dump", "--key-file", "keys.txt", "--start-position", "1000", "sealed.000001")
    assert checked(logs, read) == ["sealed.000001"]
    assert "keys.txt" in found["arguments"]
    assert digest(keys.read_bytes()) not in json.dumps(found)


def test_the_chain_of_logs_says_what_links_them_and_what_is_missing(logs: Path) -> None:
    chain = manifest_of(logs, "stats", NAMES[0], NAMES[1], NAMES[3], NAMES[4])["chain"]
    assert [(one["file"], one["first_position"], one["last_position"]) for one in chain[:2]] == [
        (NAMES[0], 4, 4553),
        (NAMES[1], 4, 387),
    ]
    assert [one["previous_gtids"] for one in chain] == ["", "0-101-9", "0-101-24", "0-101-24"]
    assert [one.get("link", {}).get("kind") for one in chain] == ["follows", "gap", "follows", None]
    assert chain[1]["link"]["missing"] == [NAMES[2]]
    assert [one["ends"] for one in chain] == ["rotated", "rotated", "server stopped", "server stopped"]


def test_both_sides_of_a_comparison_are_inputs_with_chains_of_their_own(logs: Path) -> None:
    found = manifest_of(logs, "compare", *NAMES[:2], "--", NAMES[2], status=1)
    assert checked(logs, found) == NAMES[:3]
    assert [one.get("link", {}).get("kind") for one in found["chain"]] == ["follows", None, None]
    assert found["arguments"] == [*NAMES[:2], "--", NAMES[2], "--manifest", "m.json"]


def test_what_extract_writes_is_an_output(logs: Path) -> None:
    found = manifest_of(logs, "extract", "-o", "one", "--limit", "1", NAMES[0])
    (entry,) = (entry for entry in found["outputs"] if entry["path"] != "-")
    assert (entry["path"], entry["sha256"]) == ("one", digest((logs / "one").read_bytes()))
    assert run("verify", "m.json", cwd=logs).returncode == 0


def test_the_page_of_stats_shows_the_checksums_of_its_sources(logs: Path) -> None:
    manifest_of(logs, "stats", "--html", "page.html", *NAMES[:2])
    page = (logs / "page.html").read_text()
    assert all(digest((logs / name).read_bytes()) in page for name in NAMES[:2])
    run("stats", "--html", "plain.html", *NAMES[:2], cwd=logs)
    assert "SHA-256" not in (logs / "plain.html").read_text()
    assert run("verify", "m.json", cwd=logs).returncode == 0


REPORTS = {
    "stats": ("stats",),
    "stats --json": ("stats", "--json"),
    "stats --html": ("stats", "--jobs", "2", "--html", "out"),
    "dump": ("dump", "-vv", "--result-file", "out"),
    "dump --format json": ("dump", "--format", "json"),
    "hexdump": ("hexdump",),
    "schema": ("schema", "--history"),
    "extract": ("extract", "-o", "out"),
}


@pytest.mark.parametrize("report", REPORTS)
def test_reports_are_reproducible_byte_for_byte(logs: Path, tmp_path: Path, report: str) -> None:
    found = []
    for number, home in enumerate((tmp_path / "one", tmp_path / "two")):
        home.mkdir()
        for name in NAMES:
            shutil.copy(logs / name, home)  # with other times, inodes and places
        variables = {"PYTHONHASHSEED": str(number), "COLUMNS": "100", "HOME": str(home)}
        done = run(*REPORTS[report], *NAMES, cwd=home, environment=variables)
        assert done.returncode == 0, done.stderr
        out = home / "out"
        found.append((done.stdout, done.stderr, out.read_bytes() if out.exists() else b""))
    assert found[0] == found[1]


def test_a_log_that_was_given_twice_overlaps(logs: Path) -> None:
    shutil.copy(logs / NAMES[2], logs / "copy")
    chain = manifest_of(logs, "dump", "copy", NAMES[2])["chain"]
    assert chain[0]["link"]["kind"] == "overlap"


def test_verify_finds_a_changed_byte_a_changed_size_and_a_missing_file(logs: Path) -> None:
    manifest_of(logs, "dump", "--result-file", "out.sql", *NAMES)
    done = run("verify", "m.json", cwd=logs)
    expected = [f"same\tinput\t{name}" for name in NAMES] + ["same\toutput\tout.sql"]
    assert (done.returncode, done.stdout.decode().splitlines(), done.stderr) == (0, expected, b"")

    for name in (NAMES[0], "out.sql"):
        data = bytearray((logs / name).read_bytes())
        data[len(data) // 2] ^= 1
        (logs / name).write_bytes(data)
    with (logs / NAMES[2]).open("ab") as log:
        log.write(b"\0")
    (logs / NAMES[3]).unlink()
    done = run("verify", "--json", "m.json", cwd=logs)
    found = {line["path"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 1
    assert {path: line["status"] for path, line in found.items()} == {
        **dict.fromkeys((NAMES[0], NAMES[2], "out.sql"), "changed"),
        **dict.fromkeys((NAMES[1], NAMES[4]), "same"),
        NAMES[3]: "missing",
    }
    assert found[NAMES[0]]["why"].startswith("sha256 ")
    assert found[NAMES[2]]["why"] == "size 4227 -> 4228 (the recorded bytes are the same)"
    assert done.stderr == b"binlogcli: m.json: 3 files changed, 1 missing, 2 the same\n"


def test_files_that_were_moved_with_their_manifest_are_found_and_others_with_base(logs: Path, tmp_path: Path) -> None:
    manifest_of(logs, "dump", "--result-file", "out.sql", NAMES[0])
    moved, elsewhere = tmp_path / "moved", tmp_path / "elsewhere"
    moved.mkdir()
    elsewhere.mkdir()
    for name in ("m.json", NAMES[0], "out.sql"):
        (logs / name).rename(moved / name)
    assert run("verify", moved / "m.json").returncode == 0
    for name in (NAMES[0], "out.sql"):
        (moved / name).rename(elsewhere / name)
    assert run("verify", moved / "m.json").returncode == 1
    assert run("verify", "--base", elsewhere, moved / "m.json").returncode == 0


def test_stdout_in_a_file_is_found_there(logs: Path) -> None:
    run("dump", "--manifest", "m.json", NAMES[0], cwd=logs)
    assert run("verify", "m.json", cwd=logs).stdout.endswith(b"not checked\toutput\t-\tstdout: use --stdout FILE\n")
    (logs / "out").write_bytes(run("dump", NAMES[0], cwd=logs).stdout)
    assert run("verify", "--stdout", "out", "m.json", cwd=logs).stdout.endswith(b"same\toutput\tout\n")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is not a manifest: "),
        ("[]", "is not a manifest; "),
        ('{"manifest": 2}', "is a manifest of version 2, not 1; "),
        ('{"manifest": 1, "inputs": [{}], "outputs": []}', "is not a valid manifest: inputs; "),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "m.json").write_text(content)
    done = run("verify", "m.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"binlogcli: m.json: {reason}")


def test_a_manifest_is_not_replaced_and_needs_a_place(logs: Path) -> None:
    manifest_of(logs, "dump", NAMES[0])
    done = run("dump", "--manifest", "m.json", NAMES[0], cwd=logs)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"m.json: exists already; a manifest is not replaced" in done.stderr
    done = run("dump", "--manifest", "-", NAMES[0], cwd=logs)
    assert done.returncode == 2
    assert b"--manifest writes a file: stdout has the output of the command" in done.stderr
    done = run("dump", "--manifest", "x", "--result-file", "x", NAMES[0], cwd=logs)
    assert done.returncode == 2
    assert b"--manifest must be a file of its own, and not the output" in done.stderr
    assert run("dump", "--manifest", "none/m.json", NAMES[0], cwd=logs).stdout == b""


def test_damage_and_errors_are_in_the_manifest(logs: Path) -> None:
    data = bytearray((logs / NAMES[0]).read_bytes())
    data[1000] ^= 1
    (logs / NAMES[0]).write_bytes(data)
    found = manifest_of(logs, "dump", NAMES[0], status=1)
    assert (found["damage"]["gaps"], found["damage"]["bytes"], found["damage"]["errors"]) == (1, 81, [])
    found = manifest_of(logs, "dump", "missing", NAMES[1], status=2)
    assert found["damage"]["errors"] == ["missing: no such file; check the name"]
    assert checked(logs, found) == [NAMES[1]]


def test_the_same_inputs_give_the_same_manifest_but_for_when_it_was_read(logs: Path) -> None:
    texts = []
    for _ in range(2):
        (logs / "m.json").unlink(missing_ok=True)
        run("dump", "--manifest", "m.json", NAMES[0], cwd=logs, environment={"SOURCE_DATE_EPOCH": "1700000000"})
        found = json.loads((logs / "m.json").read_text())
        assert found["created"] == "2023-11-14T22:13:20Z"
        found["inputs"][0].pop("atime_ns")
        texts.append(found)
    assert texts[0] == texts[1]


def test_an_interrupted_run_says_so(logs: Path) -> None:
    growing = logs / "growing.000001"
    growing.write_bytes(small_log())
    manifest = logs / "m.json"
    process = start("dump", "--follow", "--manifest", manifest, growing)
    assert process.stdout is not None
    assert any(b"COMMIT" in line for line in process.stdout)
    status, _, _ = end(process, signal.SIGTERM)
    assert until(manifest.exists)
    found = json.loads(manifest.read_text())
    assert (status, found["exit_status"], found["interrupted"]) == (130, 130, True)
    (entry,) = found["inputs"]
    assert entry["sha256"] == digest(small_log()[: entry["hashed_bytes"]])


def test_a_log_that_changes_while_it_is_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.000001"
    path.write_bytes(rotated_log(MARIADB).log)
    recorder = InputRecorder()
    with recorded(recorder), open_raw(str(path)) as source:
        source.read(100)
        with path.open("ab") as log:
            log.write(b"more")
    recorder.finish()
    (entry,) = recorder.entries()
    assert entry["sha256"] == digest(path.read_bytes())
    size = path.stat().st_size
    assert f"size {size - 4} -> {size}" in entry["changed_while_read"]
    assert entry["hashed_bytes"] == size


@pytest.mark.parametrize(
    "steps",
    [
        [(0, 100), (100, 400), (500, 1 << 20)],
        [(4000, 100), (4100, 100), (0, 50)],
        [(4400, 153), (0, 10), (10, 4543)],
        [(2000, 10), (3000, 10), (3010, 10), (100, 3000), (0, 4553)],
    ],
)
def test_each_byte_is_hashed_once_in_any_order_of_reading(logs: Path, steps: list[tuple[int, int]]) -> None:
    path = logs / NAMES[0]
    recorder = InputRecorder()
    with recorded(recorder), open_raw(str(path)) as source:
        for offset, size in steps:
            source.seek(offset)
            source.read(size)
    recorder.finish()
    assert recorder.entries()[0]["sha256"] == digest(path.read_bytes())


def test_a_file_that_was_replaced_before_it_was_read_to_its_end_is_named(tmp_path: Path) -> None:
    recorder = InputRecorder()
    path = tmp_path / "log.000001"
    path.write_bytes(bytes(5000))
    with recorded(recorder):
        with open_raw(str(path)) as source:
            source.read(100)
        for number in range(20):
            other = tmp_path / f"other.{number:06}"
            other.write_bytes(b"x")
            open_raw(str(other)).close()
        other.replace(path)
    recorder.finish()
    entry = recorder.entries()[0]
    assert entry["changed_while_read"] == ["cannot be read any more: replaced by another file"]
    assert entry["hashed_bytes"] == 100


def test_many_files_are_not_open_at_a_time(tmp_path: Path) -> None:
    recorder = InputRecorder()
    paths = [tmp_path / f"log.{number:06}" for number in range(40)]
    with recorded(recorder):
        for number, path in enumerate(paths):
            path.write_bytes(bytes([number]) * 1000)
            with open_raw(str(path)) as source:
                source.read(10)
    recorder.finish()
    assert [entry["sha256"] for entry in recorder.entries()] == [digest(path.read_bytes()) for path in paths]


def test_no_secret_is_recorded() -> None:
    given = ["--conf", "spark.hadoop.fs.s3a.secret.key=abc", "--conf=spark.x.password=abc", "--conf", "a=b"]
    shown = ["--conf", "spark.hadoop.fs.s3a.secret.key=...", "--conf=spark.x.password=...", "--conf", "a=b"]
    assert without_secrets(given) == shown
    assert without_secrets(["mysql://me:abc@host/log"]) == ["mysql://me:...@host/log"]


@pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")
def test_the_manifest_of_an_archive_is_kept_up_to_date_and_a_server_is_recorded(tmp_path: Path) -> None:
    with NetworkedMariaServer(["--log-bin=shop-bin", "--server-id=101"]) as server:
        server.sql("CREATE DATABASE a; CREATE TABLE a.t (i INT PRIMARY KEY); FLUSH BINARY LOGS")
        pull = ("pull", "--manifest", "archive/m.json", "--output-dir", "archive", server.url)
        (tmp_path / "archive").mkdir()
        archive = tmp_path / "archive"
        assert run(*pull, cwd=tmp_path).returncode == 0
        found = json.loads((archive / "m.json").read_text())
        assert [entry["path"] for entry in found["outputs"]] == [NAMES[0]]
        assert found["growing"]["log"] == NAMES[1]
        assert (found["server"]["server_id"], found["server"]["address"]) == (
            101,
            server.url.removeprefix("mysql://").rstrip("/").rpartition("@")[2],
        )
        server.sql("INSERT INTO a.t VALUES (1); FLUSH BINARY LOGS; INSERT INTO a.t VALUES (2); FLUSH BINARY LOGS")
        assert run(*pull, cwd=tmp_path).returncode == 0
        found = json.loads((archive / "m.json").read_text())
        for entry, name in zip(found["outputs"], NAMES[:3], strict=True):
            assert (entry["path"], entry["sha256"]) == (name, digest((archive / name).read_bytes()))
        assert [one.get("link", {}).get("kind") for one in found["chain"]] == ["follows", "follows", None]
        assert run("verify", archive / "m.json").returncode == 0
        data = bytearray((archive / NAMES[0]).read_bytes())
        data[-1] ^= 1
        (archive / NAMES[0]).write_bytes(data)
        assert run(*pull, cwd=tmp_path).returncode == 0  # it does not take the change over
        done = run("verify", archive / "m.json")
        assert (done.returncode, done.stdout.count(b"changed\t"), done.stdout.count(b"same\t")) == (1, 1, 2)

        found = manifest_of(tmp_path, "dump", f"{server.url}{NAMES[1]}")
        (entry,) = found["inputs"]
        assert (entry["kind"], entry["sha256"]) == ("server", digest((archive / NAMES[1]).read_bytes()))
        assert entry["server"]["server_id"] == "101"
        assert found["chain"][0]["next_log"] == NAMES[2]
        other = run("pull", "--manifest", "m.json", "--output-dir", "archive", server.url, cwd=tmp_path)
        assert b"m.json: is the manifest of another command" in other.stderr
