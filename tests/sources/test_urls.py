"""URLs where a path is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

import binlogcli
from binlogcli.errors import SourceError
from binlogcli.sources.urls import local_path
from support.golden import GOLDEN
from support.program import run

LOG = GOLDEN / "mariadb-11.8" / "gtid" / "shop-bin.000001"
URLS = ("s3://bucket/x", "S3A://bucket/x", "hdfs://node:8020/x", "gs://bucket/x", "file://other/x", "abfs://x")
COMMANDS = (
    ("dump", LOG, "--result-file"),
    ("dump", LOG, "--key-file"),
    ("dump", LOG, "--schema"),
    ("decrypt", LOG, "-o"),
    ("decrypt", LOG, "--output-dir"),
    ("hexdump", LOG, "--export"),
    ("stats", LOG, "--html"),
    ("to-parquet", LOG, "-o"),
    ("pull", "mysql://repl@127.0.0.1:1/", "--output-dir"),
)


@pytest.mark.parametrize("url", URLS)
def test_urls_are_refused_by_name(url: str) -> None:
    with pytest.raises(SourceError) as caught:
        local_path(url)
    words = "a file on the host other" if "other" in url else f"{url.partition(':')[0].lower()}:// is not supported"
    assert caught.value.line().startswith(f"{url}: {words}")
    with pytest.raises(SourceError, match=words):
        binlogcli.open(url)


def test_a_url_of_a_local_file_is_its_path() -> None:
    for url in ("file:///a/b", "file:/a/b", "file://localhost/a/b", "FILE://LOCALHOST/a/b"):
        assert local_path(url) == "/a/b"
    for path in ("a/b", "file:a", "./s3://b", "/a://b", "c:/x", "-", ""):
        assert local_path(path) == path
    assert run("stats", f"file://{LOG}").stdout == run("stats", LOG).stdout


@pytest.mark.parametrize("command", ["dump", "hexdump", "stats", "decrypt", "schema", "to-parquet"])
def test_no_command_reads_from_a_url(command: str, tmp_path: Path) -> None:
    done = run(command, "s3://key:secret@bucket/log.000001", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "binlogcli: s3://key:...@bucket/log.000001: s3:// is not supported; "
        "pass a path on a disk or a mounted file system\n"
    )


@pytest.mark.parametrize("words", COMMANDS)
def test_no_command_writes_to_a_url(words: tuple[str | Path, ...], tmp_path: Path) -> None:
    done = run(*words, "gs://bucket/x", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"binlogcli: gs://bucket/x: gs:// is not supported")
    assert not list(tmp_path.iterdir())
