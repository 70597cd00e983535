"""Key files of MariaDB: plain, and encrypted in each way that openssl and servers know."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from binlogcli.crypto.key_file import DIGESTS, ITERATED, bytes_to_key, read_key_file
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.crypto.keys import load_keys
from binlogcli.errors import KeyFileError

HEX = "5a1e6122d9d4fa5d88d164bca20033e49a0dc0bb6182da73266cc4a3866d271b"
PASSWORD = b"made up for this test"


def write(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(0o600)
    return str(path)


def sealed(material: bytes | bytearray, text: bytes, salt: bytes = b"saltsalt") -> bytes:
    padding = 16 - len(text) % 16
    cipher = Cipher(algorithms.AES(bytes(material[:32])), modes.CBC(bytes(material[32:48]))).encryptor()
    return b"Salted__" + salt + cipher.update(text + bytes([padding]) * padding)


@pytest.mark.parametrize(
    "text",
    [
        f"1;{HEX}\n",
        f"# keys\n\n  \n 2;{HEX[:32]}\n\t1;{HEX.upper()} and what follows counts for nothing\r\n",
        f"1;{HEX[:32]}\n1;{HEX}",
        f"1;1;{HEX}\n1;2;{HEX[:48]}\n",
        f"1;{HEX}\n\0 what follows a NUL is not read",
    ],
)
def test_keys_are_read_as_their_server_reads_them(tmp_path: Path, text: str) -> None:
    assert read_key_file(write(tmp_path / "keys", text), None).key(1) == bytes.fromhex(HEX)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it contains no key"),
        ("password=x\n", "line 1 is not a key"),
        (f"1;{HEX}\n2;{HEX[:30]}\n", "line 2: the key has 30 hex digits"),
        (f"0;{HEX}\n", "line 1: ids and versions"),
        ('{"version":"1.0","elements":[]}', "a MySQL keyring, not a key file"),
        (b"\xfebin" + bytes(40), "a binary log, not a key file"),
    ],
)
def test_what_is_no_key_file_is_told_apart(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(KeyFileError) as caught:
        read_key_file(write(tmp_path / "keys", text), None)
    assert message in caught.value.line()
    assert HEX[:30] not in caught.value.line()


def test_a_missing_key_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    keys = read_key_file(write(tmp_path / "keys", f"2;{HEX}\n7;{HEX}\n"), None)
    with pytest.raises(KeyFileError, match=r"key 1, which encrypts .* not in the file \(ids in the file: 2, 7\)"):
        keys.key(1)


@pytest.mark.parametrize("digest", DIGESTS)
def test_each_digest_is_tried(tmp_path: Path, digest: str) -> None:
    data = sealed(bytes_to_key(digest, bytearray(PASSWORD), b"saltsalt"), f"1;{HEX}\n".encode())
    assert read_key_file(write(tmp_path / "keys", data), bytearray(PASSWORD)).key(1) == bytes.fromhex(HEX)


@pytest.mark.parametrize("digest", ITERATED)
@pytest.mark.parametrize("iterations", [1, 1000, 10000])
def test_each_iterated_digest_is_tried(tmp_path: Path, digest: str, iterations: int) -> None:
    material = hashlib.pbkdf2_hmac(digest, PASSWORD, b"saltsalt", iterations, 48)
    data = sealed(material, f"1;{HEX}\n".encode())
    assert read_key_file(write(tmp_path / "keys", data), bytearray(PASSWORD)).key(1) == bytes.fromhex(HEX)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
@pytest.mark.parametrize(
    "options", [["-md", "sha1"], ["-md", "md5"], ["-md", "sha256"], ["-md", "sha512"], ["-pbkdf2"], ["-iter", "20000"]]
)
def test_what_openssl_encrypts_is_opened(tmp_path: Path, options: list[str]) -> None:
    plain = write(tmp_path / "plain", f"1;{HEX}\n")
    password = write(tmp_path / "password", PASSWORD + b"\n")
    target = str(tmp_path / "keys.enc")
    command = ["openssl", "enc", "-aes-256-cbc", *options, "-pass", f"file:{password}", "-in", plain, "-out", target]
    subprocess.run(command, check=True, capture_output=True)
    loaded = load_keys(KeyOptions(key_file=target, password_file=password))
    assert loaded.key_file is not None
    assert loaded.key_file.key(1) == bytes.fromhex(HEX)


def test_a_wrong_and_a_missing_password_are_told_apart(tmp_path: Path) -> None:
    path = write(
        tmp_path / "keys", sealed(bytes_to_key("sha1", bytearray(PASSWORD), b"saltsalt"), b"1;" + HEX.encode())
    )
    with pytest.raises(KeyFileError, match="does not decrypt the key file"):
        read_key_file(path, bytearray(b"wrong"))
    with pytest.raises(KeyFileError, match="the key file is encrypted"):
        read_key_file(path, None)
    with pytest.raises(KeyFileError, match="truncated"):
        read_key_file(write(tmp_path / "cut", Path(path).read_bytes()[:-3]), bytearray(PASSWORD))


def test_keys_are_overwritten_after_their_use(tmp_path: Path) -> None:
    with load_keys(KeyOptions(key_file=write(tmp_path / "keys", f"1;{HEX}\n"))) as loaded:
        assert loaded.key_file is not None
        key = loaded.key_file.key(1)
    assert key == bytes(32)


def test_open_permissions_are_told_of(tmp_path: Path) -> None:
    path = write(tmp_path / "keys", f"1;{HEX}\n")
    assert load_keys(KeyOptions(key_file=path)).warnings == []
    Path(path).chmod(0o644)
    assert "mode 0644" in load_keys(KeyOptions(key_file=path)).warnings[0]
