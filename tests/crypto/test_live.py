"""A server that encrypts its logs, decrypted while it runs: what comes out is what it sends."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.live_mariadb import MariaServer, find_program, server_available
from support.logs import raw_events
from support.program import run

PASSWORD = "made up for this test"
STATEMENTS = """
CREATE DATABASE shop; USE shop;
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(40), note LONGTEXT) ENGINE=InnoDB;
INSERT INTO orders (sku, note) SELECT CONCAT('sku-', seq), REPEAT('x', seq % 700) FROM seq_1_to_3000;
UPDATE orders SET note = NULL WHERE id % 7 = 0;
INSERT INTO orders (sku, note) VALUES ('large', REPEAT('y', 300000));
DELETE FROM orders WHERE id % 3 = 0;
"""


def plugin_missing() -> bool:
    program = find_program("mariadbd")
    return program is None or not any(
        (Path(directory) / "file_key_management.so").exists()
        for directory in ("/usr/lib/mysql/plugin", "/usr/lib/mariadb/plugin", "/usr/lib64/mariadb/plugin")
    )


pytestmark = pytest.mark.skipif(
    not server_available() or plugin_missing() or not find_program("mariadb-binlog") or not shutil.which("openssl"),
    reason="no MariaDB server with file_key_management",
)


@pytest.fixture(params=[("AES_CBC", False), ("AES_CTR", False), ("AES_CBC", True), ("AES_CTR", True)], ids=str)
def encrypting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[MariaServer, list[str]]]:
    """A server, and the options that open its logs."""
    algorithm, sealed = request.param
    keys, password = tmp_path / "keys.txt", tmp_path / "password"
    for path, text in ((keys, f"1;{os.urandom(32).hex()}\n2;{os.urandom(16).hex()}\n"), (password, PASSWORD + "\n")):
        path.write_text(text)
        path.chmod(0o600)
    options = [
        "--plugin-load-add=file_key_management",
        f"--file-key-management-encryption-algorithm={algorithm}",
        "--encrypt-binlog=ON",
        "--binlog-format=ROW",
        "--skip-networking=0",
        "--port=0",
        "--bind-address=127.0.0.1",
    ]
    if sealed:
        target = tmp_path / "keys.enc"
        command = ["openssl", "enc", "-aes-256-cbc", "-md", "sha1", "-pass", f"file:{password}"]
        subprocess.run([*command, "-in", str(keys), "-out", str(target)], check=True, capture_output=True)
        target.chmod(0o600)
        options += [f"--file-key-management-filename={target}", f"--file-key-management-filekey=FILE:{password}"]
        ours = ["--key-file", str(target), "--key-file-password-file", str(password)]
    else:
        options.append(f"--file-key-management-filename={keys}")
        ours = ["--key-file", str(keys)]
    with MariaServer(options) as server:
        yield server, ours


def sent(server: MariaServer, log: str, directory: Path) -> bytes:
    """The log as the server sends it to a client that archives it."""
    program = find_program("mariadb-binlog")
    assert program is not None
    command = [program, "--no-defaults", "--read-from-remote-server", "--raw", f"--socket={server.socket}"]
    subprocess.run([*command, "--user=root", f"--result-file={directory}/sent-", log], check=True, capture_output=True)
    return (directory / f"sent-{log}").read_bytes()


def test_a_log_is_decrypted_while_its_server_writes(encrypting: tuple[MariaServer, list[str]], tmp_path: Path) -> None:
    server, options = encrypting
    server.sql(STATEMENTS)
    log = server.current_log()
    done = run("decrypt", *options, "--output", "-", log)
    assert (done.returncode, done.stderr) == (0, b"")
    truth = bytearray(sent(server, log.name, tmp_path))
    ours = bytearray(done.stdout)
    ours[21] &= 0xFE  # the file is in use, which the server does not send
    assert b"sku-2999" in ours
    assert len(list(raw_events(bytes(ours)))) > 20
    assert ours == truth
