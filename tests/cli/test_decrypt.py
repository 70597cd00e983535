"""`binlogcli decrypt` as a user runs it, and every command on encrypted logs."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest

from support.encrypted_logs import encrypt_mariadb
from support.golden import GOLDEN
from support.logs import raw_events
from support.program import run

SCENARIO = GOLDEN / "mariadb-10.11" / "enc-cbc-256-filekey"
LOG = SCENARIO / "shop-bin.000001"
PLAIN = SCENARIO / "plain-shop-bin.000001"
MYSQL = GOLDEN / "mysql-9.7" / "enc-mysql"
DONE, DAMAGED, UNUSABLE = 0, 1, 2
SECRET = "corpus-file-key"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return private(SCENARIO / "keys.txt", tmp_path)


def private(source: Path, directory: Path) -> Path:
    target = directory / source.name
    shutil.copyfile(source, target)
    target.chmod(0o600)
    return target


def complaint(*arguments: str | Path, **more: object) -> tuple[int, str]:
    done = run("decrypt", *arguments, **more)  # type: ignore[arg-type]
    said = done.stderr.decode()
    assert "Traceback" not in said
    assert SECRET not in said
    assert "5a1e6122" not in said
    return done.returncode, said


def test_a_log_is_written_as_its_server_sends_it(tmp_path: Path, keys: Path) -> None:
    target = tmp_path / "plain"
    assert complaint("--key-file", keys, "--output", target, LOG) == (DONE, "")
    assert target.read_bytes() == PLAIN.read_bytes()
    assert sorted(tmp_path.iterdir()) == [keys, target]


def test_several_logs_go_into_a_directory(tmp_path: Path, keys: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    packed = tmp_path / "shop-bin.000002.gz"
    packed.write_bytes(gzip.compress((SCENARIO / "shop-bin.000002").read_bytes()))
    assert complaint("--key-file", keys, "--output-dir", out, LOG, packed) == (DONE, "")
    assert (out / LOG.name).read_bytes() == PLAIN.read_bytes()
    assert (out / "shop-bin.000002").read_bytes() == (SCENARIO / "plain-shop-bin.000002").read_bytes()


def test_an_encrypted_key_file_takes_its_password_from_a_file_or_the_environment(tmp_path: Path) -> None:
    sealed, password = private(SCENARIO / "keys.enc", tmp_path), private(SCENARIO / "filekey.txt", tmp_path)
    options = ("--key-file", sealed, "--output", "-", LOG)
    assert run("decrypt", "--key-file-password-file", password, *options).stdout == PLAIN.read_bytes()
    assert run("decrypt", *options, environment={"BINLOGCLI_KEY_FILE_PASSWORD": SECRET}).stdout == PLAIN.read_bytes()
    status, said = complaint(*options)
    assert (status, "the key file is encrypted" in said) == (UNUSABLE, True)
    status, said = complaint(*options, environment={"BINLOGCLI_KEY_FILE_PASSWORD": "wrong"})
    assert (status, "the password does not decrypt the key file" in said) == (UNUSABLE, True)


def test_logs_of_mysql_are_opened_by_a_keyring(tmp_path: Path) -> None:
    keyring = private(MYSQL / "keyring_data", tmp_path)
    for number in "23":
        done = run("decrypt", "--keyring", keyring, "--output", "-", MYSQL / f"shop-bin.00000{number}")
        assert done.stdout == (MYSQL / f"plain-shop-bin.00000{number}").read_bytes()
        assert (done.returncode, done.stderr) == (DONE, b"")


def test_rotated_master_keys_open_their_logs(tmp_path: Path) -> None:
    scenario = GOLDEN / "mysql-8.4" / "encrypted"
    keyring = private(scenario / "keyring_data", tmp_path)
    for number in "2345":
        done = run("decrypt", "--keyring", keyring, "--output", "-", scenario / f"encrypted.00000{number}")
        assert done.stdout == (scenario / f"plain-encrypted.00000{number}").read_bytes()


def test_a_file_that_exists_is_kept_unless_forced(tmp_path: Path, keys: Path) -> None:
    target = tmp_path / "plain"
    target.write_text("kept")
    status, said = complaint("--key-file", keys, "--output", target, LOG)
    assert (status, "exists already; use --force to replace it" in said) == (UNUSABLE, True)
    assert target.read_text() == "kept"
    assert complaint("--key-file", keys, "--force", "--output", target, LOG) == (DONE, "")
    assert target.read_bytes() == PLAIN.read_bytes()


def test_the_log_itself_is_never_replaced(tmp_path: Path, keys: Path) -> None:
    log = tmp_path / "log"
    shutil.copyfile(LOG, log)
    status, said = complaint("--key-file", keys, "--force", "--output", log, log)
    assert (status, "is also an input" in said) == (UNUSABLE, True)
    assert log.read_bytes() == LOG.read_bytes()


def test_a_plain_log_is_an_error_that_says_so(tmp_path: Path, keys: Path) -> None:
    target = tmp_path / "plain"
    status, said = complaint("--key-file", keys, "--output", target, PLAIN)
    assert (status, "the log is not encrypted" in said) == (UNUSABLE, True)
    assert not target.exists()
    assert complaint("--key-file", keys, "--allow-plain", "--output", target, PLAIN) == (DONE, "")
    assert target.read_bytes() == PLAIN.read_bytes()


def test_a_wrong_key_leaves_no_file(tmp_path: Path) -> None:
    other = tmp_path / "keys"
    other.write_text("1;" + "00" * 32 + "\n")
    other.chmod(0o600)
    status, said = complaint("--key-file", other, "--output", tmp_path / "plain", LOG)
    assert (status, "does not match the log" in said) == (UNUSABLE, True)
    assert list(tmp_path.iterdir()) == [other]


@pytest.mark.parametrize(
    ("options", "log", "message"),
    [
        ((), LOG, "encrypted by MariaDB; pass --key-file"),
        ((), MYSQL / "shop-bin.000002", "encrypted by MySQL; pass --keyring"),
        (("--key-file", "missing"), LOG, "the key file cannot be read: no such file"),
        (("--key-file", PLAIN), LOG, "a binary log, not a key file"),
        (("--key-file", MYSQL / "keyring_data"), LOG, "pass it with --keyring"),
        (("--keyring", SCENARIO / "keys.txt"), MYSQL / "shop-bin.000002", "pass it with --key-file"),
    ],
)
def test_each_reason_has_its_message(tmp_path: Path, options: tuple[str, ...], log: Path, message: str) -> None:
    status, said = complaint(*options, "--output", tmp_path / "plain", log)
    assert status == UNUSABLE
    assert message in said


def test_damage_is_told_of_and_the_rest_is_written(tmp_path: Path, keys: Path) -> None:
    log = bytearray(LOG.read_bytes())
    places = [at for at, _ in raw_events(PLAIN.read_bytes())]
    log[places[6] + 30] ^= 1
    damaged = tmp_path / "damaged"
    damaged.write_bytes(log)
    status, said = complaint("--key-file", keys, "--output", tmp_path / "plain", damaged)
    assert status == DAMAGED
    assert f"at {places[6]}: checksum mismatch" in said
    written, plain = (tmp_path / "plain").read_bytes(), PLAIN.read_bytes()
    assert written[: places[6]] == plain[: places[6]]
    assert written[places[7] :] == plain[places[7] :]


@pytest.mark.parametrize("at", [0, 4, 9, 17, 18, 20, 24, 35, -1])  # time, type, length, flags, key version, nonce, CRC
def test_a_damaged_start_of_the_encryption_is_told_by_every_command_and_not_mended(
    tmp_path: Path, keys: Path, at: int
) -> None:
    plain = PLAIN.read_bytes()
    start, end = [place for place, _ in raw_events(plain)][1:3]
    log = bytearray(LOG.read_bytes())
    log[start + at if at >= 0 else end + at] ^= 0x20
    damaged = tmp_path / "damaged"
    damaged.write_bytes(log)
    status, said = complaint("--key-file", keys, "--output", tmp_path / "plain", damaged)
    assert (status, f"damaged: at {start}: " in said) == (DAMAGED, True), said
    assert said.count("\n") == 1
    written = (tmp_path / "plain").read_bytes()
    assert (written[:start], written[end:]) == (plain[:start], plain[end:])
    assert run("dump", tmp_path / "plain").returncode == DAMAGED
    for command in ("dump", "hexdump", "stats"):
        done = run(command, "--key-file", keys, damaged)
        assert (done.returncode, f"at {start}: ".encode() in done.stderr) == (DAMAGED, True), command


@pytest.mark.parametrize("content", [b"\xfd", b"\xfdbi", b"\xfe", bytes(range(1, 200)) * 3])
def test_what_holds_no_event_is_no_log(tmp_path: Path, content: bytes) -> None:
    keyring = private(MYSQL / "keyring_data", tmp_path)
    (tmp_path / "odd").write_bytes(content)
    for option in ((), ("--allow-plain",)):
        status, said = complaint("--keyring", keyring, *option, "--output", tmp_path / "plain", tmp_path / "odd")
        assert (status, "not a binary log: no events found" in said) == (UNUSABLE, True)
        assert said.count("\n") == 1
        assert not (tmp_path / "plain").exists()


def test_a_log_that_is_cut_off_is_damage_at_its_end(tmp_path: Path, keys: Path) -> None:
    cut = tmp_path / "cut"
    cut.write_bytes(LOG.read_bytes()[:-20])
    status, said = complaint("--key-file", keys, "--output", tmp_path / "plain", cut)
    assert status == DAMAGED
    assert "extend past the end of the log" in said


def test_open_permissions_are_told_of(tmp_path: Path, keys: Path) -> None:
    keys.chmod(0o644)
    status, said = complaint("--key-file", keys, "--output", os.devnull, LOG)
    assert (status, "accessible to others (mode 0644)" in said) == (DONE, True)


@pytest.mark.parametrize("command", [("dump", "--format", "json"), ("dump",), ("hexdump",), ("hexdump", "--json")])
@pytest.mark.parametrize("algorithm", ["aes-cbc", "aes-ctr"])
def test_every_command_reads_an_encrypted_log_as_its_plain_twin(
    tmp_path: Path, keys: Path, command: tuple[str, ...], algorithm: str
) -> None:
    key = bytes.fromhex(next(x for x in keys.read_text().splitlines() if x.startswith("1;"))[2:])
    encrypted, sent = encrypt_mariadb(PLAIN.read_bytes(), key, algorithm)
    outputs = []
    for name, data in (("a", encrypted), ("b", sent)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log").write_bytes(data)
        outputs.append(run(*command, "--key-file", keys, "log", cwd=tmp_path / name))
    assert outputs[0].returncode == outputs[1].returncode == DONE
    texts = [output.stdout for output in outputs]
    if command == ("hexdump",):  # whose heading says that the bytes are not the file's
        headings, texts = [text.split(b"\n", 1)[0] for text in texts], [text.split(b"\n", 1)[1] for text in texts]
        assert [b"decrypted" in heading for heading in headings] == [True, False]
    assert texts[0] == texts[1]
