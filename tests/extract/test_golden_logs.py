"""Every log of golden/ written anew: well-formed, with the same transactions, byte for byte, and the same text.

`BINLOGCLI_EXTRACT=corpus`: the logs beside the project, too, and what MariaDB's own tool says of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from support import corpus
from support.golden import GOLDEN, golden_logs, golden_name
from support.log_structure import FORMAT_DESCRIPTION, content_of, form_of
from support.logs import raw_events

WRITTEN_ANEW = {1, 3, 4, 15, 27, 35, 161, 163, 164}  # at the head of a log, at its end, on the network
MANY = os.environ.get("BINLOGCLI_EXTRACT") == "corpus"
OLD_NAMES = re.compile(rb"SQL_LOAD[-_\w]*")  # of files of LOAD DATA, which the tool numbers as it likes


def keys_of(path: Path, folder: Path) -> list[str | Path]:
    """The options to decrypt a log with; its keys are copied to where only their owner can read them."""
    options: list[str | Path] = []
    if not path.name.startswith("plain-"):
        for name, option in (("keys.enc", "--key-file"), ("keys.txt", "--key-file"), ("keyring_data", "--keyring")):
            if (path.parent / name).exists() and (option not in options):
                shutil.copyfile(path.parent / name, folder / name)
                (folder / name).chmod(0o600)
                options += [option, folder / name]
        if (path.parent / "keys.enc").exists():
            shutil.copyfile(path.parent / "filekey.txt", folder / "filekey.txt")
            (folder / "filekey.txt").chmod(0o600)
            options += ["--key-file-password-file", folder / "filekey.txt"]
    return options


def run(captured: pytest.CaptureFixture[bytes], *arguments: str | Path) -> tuple[int, bytes, str]:
    status = main(list(map(str, arguments)))
    out, err = captured.readouterr()
    return status, out, err.decode()


def statements(captured: pytest.CaptureFixture[bytes], *arguments: str | Path) -> list[bytes]:
    """The text without comments, which have positions, and without the end of an unfinished transaction."""
    return without_comments(run(captured, "dump", "-v", "--base64-output", "decode-rows", *arguments)[1])


def without_comments(out: bytes) -> list[bytes]:
    lines = [line for line in out.split(b"\n") if line.startswith(b"###") or not line.startswith(b"#")]
    return [line for line in lines if b"added by" not in line]


@pytest.mark.parametrize("path", [*golden_logs(), *sorted((GOLDEN / "built").glob("*.0*"))], ids=golden_name)
def test_a_log_has_the_same_transactions_and_text(
    path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    is_the_same(path, tmp_path, capfdbinary)


@pytest.mark.skipif(not MANY, reason="only with BINLOGCLI_EXTRACT=corpus")
@pytest.mark.parametrize("path", corpus.logs() if MANY else [], ids=corpus.name_of)
def test_a_log_of_the_corpus(path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    out = is_the_same(path, tmp_path, capfdbinary)
    if out is not None:
        joins_to(out, tmp_path, capfdbinary)
    if out is not None and corpus.name_of(path).startswith("mariadb"):
        source, made = printed(path), printed(out)
        if source.returncode == 0 and not keys_of(path, tmp_path) and "torn" not in path.name:
            assert (made.returncode, made.stderr) == (0, source.stderr)
            assert without_comments(made.stdout) == without_comments(source.stdout)
        elif "temporal-old" not in str(path):  # whose rows the tool cannot read
            assert (made.returncode, made.stderr) == (0, b"")


def joins_to(log: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Cut a log into transactions, and check that these are logs which together have its events."""
    parts, joined = tmp_path / "parts", tmp_path / "joined"
    assert run(capfdbinary, "extract", "--split", "transaction", "-o", parts, log)[0] == 0
    paths = sorted(parts.iterdir())
    assert run(capfdbinary, "extract", "-o", joined, *paths)[0] == 0
    if log.read_bytes()[8] != FORMAT_DESCRIPTION:  # before 5.0
        return
    forms = [form_of(path.read_bytes()) for path in (log, joined, *paths)]
    kept = [
        [content_of(event, checked=form.checked) for event in form.events if event[4] not in WRITTEN_ANEW]
        for form in forms
    ]
    assert kept[0] == kept[1] == [event for events in kept[2:] for event in events]


def printed(log: Path) -> subprocess.CompletedProcess[bytes]:
    """What MariaDB's tool prints of a log."""
    command = ["mariadb-binlog", "-v", "--base64-output=decode-rows", str(log)]
    done = subprocess.run(command, capture_output=True, check=False)
    done.stdout = OLD_NAMES.sub(b"", done.stdout)
    return done


def is_the_same(path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Path | None:
    """Extract a log, and compare the transactions; return the new log, or None where there is no transaction."""
    keys = keys_of(path, tmp_path)
    out = tmp_path / "out"
    status, report, said = run(capfdbinary, "extract", "--json", "-o", out, *keys, path)
    encrypted = f"binlogcli: {path}: the log is encrypted; what is extracted is written unencrypted\n"
    if not report:
        assert "no transaction was extracted" in said
        assert not out.exists()
        return None
    found = json.loads(report)
    assert (found["name"], found["bytes"]) == (str(out), out.stat().st_size)
    if status == 0:
        assert said in ("", encrypted)
        assert statements(capfdbinary, out) == statements(capfdbinary, *keys, path)
    if out.read_bytes()[8] != FORMAT_DESCRIPTION:  # before 5.0
        return out
    made = form_of(out.read_bytes())
    assert found["events"] == len(made.events)
    if said == "":
        kept = [content_of(one, checked=made.checked) for one in made.events if one[4] not in WRITTEN_ANEW]
        events = [one for _, one in raw_events(path.read_bytes()) if one[4] not in WRITTEN_ANEW]
        assert kept == [content_of(one, checked=made.checked) for one in events]
    return out
