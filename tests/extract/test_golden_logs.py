"""Every log of golden/ written anew: well-formed, with the same transactions, byte for byte, and the same text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from support.golden import golden_logs, golden_name
from support.log_structure import content_of, form_of
from support.logs import raw_events

WRITTEN_ANEW = {1, 3, 4, 15, 27, 35, 161, 163, 164}  # at the head of a log, at its end, on the network
ENCRYPTED = ("enc-", "encrypted")
PLAIN = [path for path in golden_logs() if not path.parent.name.startswith(ENCRYPTED) or path.name.startswith("plain-")]


def run(captured: pytest.CaptureFixture[bytes], *arguments: str | Path) -> tuple[int, bytes, str]:
    status = main(list(map(str, arguments)))
    out, err = captured.readouterr()
    return status, out, err.decode()


def statements(captured: pytest.CaptureFixture[bytes], *paths: Path) -> list[bytes]:
    """The text without comments, which have positions, and without the end of an unfinished transaction."""
    _, out, _ = run(captured, "dump", "-v", "--base64-output", "decode-rows", *paths)
    lines = [line for line in out.split(b"\n") if line.startswith(b"###") or not line.startswith(b"#")]
    return [line for line in lines if b"added by" not in line]


@pytest.mark.parametrize("path", PLAIN, ids=golden_name)
def test_a_log_has_the_same_transactions_and_text(
    path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / path.name
    status, report, said = run(capfdbinary, "extract", "--json", "-o", out, path)
    if not report:
        assert "no transaction was extracted" in said
        assert not out.exists()
        return
    made = form_of(out.read_bytes())
    found = json.loads(report)
    assert (found["name"], found["bytes"], found["events"]) == (str(out), out.stat().st_size, len(made.events))
    if status == 0:
        kept = [content_of(one, checked=made.checked) for one in made.events if one[4] not in WRITTEN_ANEW]
        events = [one for _, one in raw_events(path.read_bytes()) if one[4] not in WRITTEN_ANEW]
        assert kept == [content_of(one, checked=made.checked) for one in events]
        assert statements(capfdbinary, out) == statements(capfdbinary, path)
        assert said == ""
