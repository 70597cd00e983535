"""The command `extract`, in a directory of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from extract.shop import Run


@pytest.fixture
def extract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run(capfdbinary)
