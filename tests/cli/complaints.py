"""What the program says of wrong options and of files that cannot be used: each line as it is read at three at night.

A line says what is wrong, where, and what to do now. Here they stand whole, so that they are read as they are written.
"""

from __future__ import annotations

import gzip
import os
import struct
from collections.abc import Callable

from support.golden import GOLDEN
from support.logs import MARIADB, LogBuilder, small_log

START_ENCRYPTION = 164
PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
HEX = "5a1e6122d9d4fa5d88d164bca20033e4"
ENCRYPTED = GOLDEN / "mariadb-11.8" / "enc-cbc-128" / "shop-bin.000001"
SEALED = GOLDEN / "mysql-9.7" / "enc-mysql" / "shop-bin.000002"


FILES: dict[str, Callable[[], bytes]] = {
    "log": small_log,
    "other/log": small_log,
    "out/nothing": bytes,
    "out/picture.svg": bytes,
    "tables": lambda: b"CREATE TABLE t (i INT);",
    "noise": lambda: bytes(x * x % 251 for x in range(9999)),
    "unknown-scheme": lambda: bytes(LogBuilder(MARIADB).describe().add(START_ENCRYPTION, b"\x09" + bytes(16)).log),
    "encrypted": ENCRYPTED.read_bytes,
    "sealed": SEALED.read_bytes,
    "sealed-newer": lambda: b"\xfdbin\x09" + SEALED.read_bytes()[5:],
    "sealed-short": lambda: SEALED.read_bytes()[:100],
    "keys": (ENCRYPTED.parent / "keys.txt").read_bytes,
    "second-key": f"2;{HEX}\n".encode,
    "wrong-key": f"1;{HEX}\n".encode,
    "odd-key": f"1;{HEX[:-1]}\n".encode,
    "key-zero": f"0;{HEX}\n".encode,
    "salted": lambda: b"Salted__" + bytes(3),
    "large": lambda: bytes((1 << 24) + 1),
    "keyring": (SEALED.parent / "keyring_data").read_bytes,
    "records": lambda: b"Keyring file version:1.0" + bytes(80) + b"EOF",
    "locked": lambda: struct.pack(">B32sI16s", 1, bytes(32), 1000, bytes(16)) + bytes(32),
    "large.cnf": lambda: b"#" * ((1 << 20) + 1),
    "port.cnf": lambda: b"[client]\nport = many\n",
    "round.cnf": lambda: b"!include round.cnf\n",
    "folder.cnf": lambda: b"!includedir nowhere\n",
    ".mylogin.cnf": lambda: bytes(24) + b"\x07\0\0\0",
    "capture": lambda: PCAP[:10],
    "usb": lambda: PCAP[:20] + struct.pack("<I", 189) + struct.pack("<IIII", 1, 0, 4, 4) + bytes(4),
    "half.gz": lambda: gzip.compress(os.urandom(5000), 0)[:2500],
    "torn.gz": lambda: gzip.compress(small_log())[:10] + b"\xff" * 300,
    "wide.zst": lambda: b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0" + bytes(99),  # a window of 2 GiB
    "broken/_binlog/epochs/0000000001.json": lambda: b"{",
    "pulled/.binlogcli-pull.json": lambda: b"{",
    "lines.index": lambda: b"./log\n\x1b[2J\n",
    "large.index": lambda: b"x\n" * (9 << 20),
    "empty.index": lambda: b"",
    "missing.index": lambda: b"./no.000001\n",
}

COMPLAINTS = {
    "dump -j 5x log": "invalid value for '-j' / '--start-position': '5x' is not a position; write 794 or 0x31a",
    "dump -j 4_0 log": "invalid value for '-j' / '--start-position': '4_0' is not a position; write 794 or 0x31a",
    "dump -j 9223372036854775808 log": (
        "invalid value for '-j' / '--start-position': '9223372036854775808' is not a position; write 794 or 0x31a"
    ),
    "dump --offset 9223372036854775808 log": (
        "invalid value for '-o' / '--offset': '9223372036854775808' is too large: the largest number is "
        "9223372036854775807; see binlogcli dump --help"
    ),
    "hexdump --width 59 log": (
        "invalid value for '--width': '59' must be a whole number from 60 to 1000; see binlogcli hexdump --help"
    ),
    "dump --server-timeout nan log": (
        "invalid value for '--server-timeout': 'nan' is not a number of seconds from 0.1 to 86400; "
        "see binlogcli dump --help"
    ),
    "to-parquet --split-size 1048577G log": (
        "invalid value for '--split-size': '1048577G' is not a size; write 1073741824, 512M or 1G"
    ),
    "dump --max-event-size \u00b2 log": (
        "invalid value for '--max-event-size': '\u00b2' is not a size; write 1073741824, 512M or 1G"
    ),
    "dump --timezone +24:00 log": (
        "invalid value for '--timezone': '+24:00' is not a time zone; write Europe/Berlin, UTC or +02:00"
    ),
    "extract log": "missing option '-o' / '--output'; see binlogcli extract --help",
    "extract -o - --split table log": (
        "--split writes several logs: specify a directory with --output; see binlogcli extract --help"
    ),
    "extract -o out --split size log": "--split size requires --max-size; see binlogcli extract --help",
    "extract -o out --max-size 1M log": "--max-size requires --split size; see binlogcli extract --help",
    "extract -o new --limit 1 --last 1 log": "--limit and --last cannot be combined; see binlogcli extract --help",
    "extract -o - --json log": (
        "--format json writes its report to stdout: specify a file with --output; see binlogcli extract --help"
    ),
    "extract -o new --last 1 -": (
        "--last reads the logs twice: pass log files, which can be read again; see binlogcli extract --help"
    ),
    "extract -o new --infer-maps -": (
        "--infer-maps reads the logs twice: pass log files, which can be read again; see binlogcli extract --help"
    ),
    "extract -o new --follow log": (
        "--stop-never (--follow) has no end, and cannot be combined with extract; see binlogcli extract --help"
    ),
    "extract -o log --force log": "log: is also an input; choose another name",
    "extract -o out/nothing log": "out/nothing: exists already; use --force to replace it",
    "extract -o out/nothing --split table log": "out/nothing: is not a directory; choose another name",
    "extract -o other other/log": "other/log: is also an input; choose another directory",
    "dump --schema-at end log": ("--schema-at requires --schema; see binlogcli dump --help"),
    "dump --schema tables --schema-at end --format json -": (
        "--schema-at reads the logs twice: pass log files, which can be read again; see binlogcli dump --help"
    ),
    "dump --schema tables --schema-at nowhere log": (
        "invalid value for '--schema-at': 'nowhere' is not a time, FILE:POSITION or GTID; "
        "write a time (2026-11-21 00:05:18), FILE:POSITION or one GTID"
    ),
    "dump --schema tables --schema-at 0-1-1,0-1-2 log": (
        "invalid value for '--schema-at': '0-1-1,0-1-2' is more than one GTID; "
        "write a time (2026-11-21 00:05:18), FILE:POSITION or one GTID"
    ),
    "dump --schema tables --schema-at 0-1-77 log": (
        "--schema-at 0-1-77: no transaction has this GTID; pass also the log that contains this point"
    ),
    "dump ''": "invalid value for 'SOURCE...': '' is not a file name; is a shell variable empty?",
    "dump -r '' log": ("invalid value for '-r' / '--result-file': '' is not a file name; is a shell variable empty?"),
    "dump --format json --flashback log": (
        "--flashback requires --format mysqlbinlog, and cannot be combined with --format json; use --undo instead"
    ),
    "dump --format sql --rewrite-db 'a->b' log": (
        "--rewrite-db requires --format mysqlbinlog, and cannot be combined with --format sql; see binlogcli dump "
        "--help"
    ),
    "dump --max-event-size much log": (
        "invalid value for '--max-event-size': 'much' is not a size; write 1073741824, 512M or 1G"
    ),
    "dump --timezone Mars/Phobos log": (
        "invalid value for '--timezone': 'Mars/Phobos' is not a time zone; write Europe/Berlin, UTC or +02:00"
    ),
    "dump --format": "option '--format' requires an argument; see binlogcli dump --help",
    "--color red dump log": (
        "invalid value for '--color': 'red' is not one of 'auto', 'always', 'never'; see binlogcli --help"
    ),
    "dump --undo --format json log": (
        "--undo means --format sql and cannot be combined with --format json; see binlogcli dump --help"
    ),
    "dump --undo --json log": "--undo means --format sql and cannot be combined with --json; see binlogcli dump --help",
    "dump --json --format sql log": (
        "--json means --format json and cannot be combined with --format sql; see binlogcli dump --help"
    ),
    "dump --oneline --undo log": ("--oneline cannot be combined with --format sql; see binlogcli dump --help"),
    "dump --flashback --where 'id = 1' log": (
        "--where and --grep select single rows, but --flashback needs whole events; use --undo"
    ),
    "dump --rewrite-db shop log": "--rewrite-db 'shop' does not have the form 'A->B'; see binlogcli dump --help",
    "dump --start-datetime soon log": (
        "invalid value for '--start-datetime': 'soon' is not a time; write 2026-11-21 00:05:18, 09:05 for today, "
        "'yesterday 14:00', -2h, or @ and seconds since 1970"
    ),
    "stats --until -2x log": (
        "invalid value for '--until': '-2x' is not a time: 'x' is not a unit (s, m, h, d or w); "
        "write 2026-11-21 00:05:18, 09:05 for today, 'yesterday 14:00', -2h, or @ and seconds since 1970"
    ),
    "dump --include-gtids '' log": (
        "invalid value for '--include-gtids': no GTID specified; write UUID:1-5:7 or UUID:tag:1-5 (MySQL), "
        "0-1-100 or 0-1-100..200 (MariaDB), several with commas"
    ),
    "dump --include-gtids 9999999999-1-5 log": (
        "invalid value for '--include-gtids': a number in '9999999999-1-5' is larger than MariaDB's can be; "
        "write UUID:1-5:7 or UUID:tag:1-5 (MySQL), 0-1-100 or 0-1-100..200 (MariaDB), several with commas"
    ),
    "dump --include-gtids 0-1-7..5 log": (
        "invalid value for '--include-gtids': '0-1-7..5' ends before it starts; write UUID:1-5:7 or "
        "UUID:tag:1-5 (MySQL), 0-1-100 or 0-1-100..200 (MariaDB), several with commas"
    ),
    "dump --include-gtids five log": (
        "invalid value for '--include-gtids': 'five' is not a GTID; write UUID:1-5:7 or UUID:tag:1-5 (MySQL), "
        "0-1-100 or 0-1-100..200 (MariaDB), several with commas"
    ),
    "dump --include-gtids 89fbcea2-da65-11e7-a851-fa163e618bac:0 log": (
        "invalid value for '--include-gtids': '0' in '89fbcea2-da65-11e7-a851-fa163e618bac:0' is not a range of "
        "numbers starting at 1 or more; write UUID:1-5:7 or UUID:tag:1-5 (MySQL), 0-1-100 or 0-1-100..200 (MariaDB), "
        "several with commas"
    ),
    "dump --include-gtids 89fbcea2-da65-11e7-a851-fa163e618bac:! log": (
        "invalid value for '--include-gtids': '!' in '89fbcea2-da65-11e7-a851-fa163e618bac:!' is neither a "
        "number, nor a range, nor a tag; write UUID:1-5:7 or UUID:tag:1-5 (MySQL), 0-1-100 or 0-1-100..200 "
        "(MariaDB), several with commas"
    ),
    "dump --include-gtids 89fbcea2-da65-11e7-a851-fa163e618bac:blue log": (
        "invalid value for '--include-gtids': the tag is not followed by a number in "
        "'89fbcea2-da65-11e7-a851-fa163e618bac:blue'; write UUID:1-5:7 or UUID:tag:1-5 (MySQL), 0-1-100 or "
        "0-1-100..200 (MariaDB), several with commas"
    ),
    "dump -T .. log": "'..' is not a table name; write DB.NAME, with wildcards such as 'shop.*'",
    "dump -E WRITES_ROWS log": (
        "there is no event type called 'WRITES_ROWS'; write a type as shown by --format json, such as "
        "WRITE_ROWS_EVENT, "
        "WRITE_ROWS_EVENT_V1, PRE_GA_WRITE_ROWS_EVENT, WRITE_ROWS_COMPRESSED_EVENT"
    ),
    "dump --where 'id =' log": (
        "invalid value for '--where': a value is missing at the end; write \"COLUMN OP VALUE [AND ...]\", such "
        "as \"id = 5 AND state != 'paid'\"; a column is a name or @N"
    ),
    "dump --where 'id = 5 id = 6' log": (
        "invalid value for '--where': 'id' found where AND or OR is expected; write \"COLUMN OP VALUE [AND ...]\", "
        "such "
        "as \"id = 5 AND state != 'paid'\"; a column is a name or @N"
    ),
    f"dump --where '{'(' * 101}id = 5' log": (
        "invalid value for '--where': more than 100 parentheses are open at once; write fewer parentheses"
    ),
    "dump --where '5 = id' log": (
        "invalid value for '--where': '5' is not a column; write \"COLUMN OP VALUE [AND ...]\", such as \"id = 5 "
        "AND state != 'paid'\"; a column is a name or @N"
    ),
    "dump --where 'id ~ 5' log": (
        "invalid value for '--where': '~ 5' cannot be read; write \"COLUMN OP VALUE [AND ...]\", such as \"id = "
        "5 AND state != 'paid'\"; a column is a name or @N"
    ),
    "dump --where 'id = five' log": (
        "invalid value for '--where': 'five' is not a value; write strings, dates and times in quotes"
    ),
    "dump --where 'id = NULL' log": "invalid value for '--where': = NULL never matches; write IS NULL or IS NOT NULL",
    "dump --where 'id LIKES 5' log": (
        "invalid value for '--where': 'LIKES' is not an operator; use = != < <= > >= LIKE, IN, BETWEEN, IS NULL, "
        "IS NOT NULL"
    ),
    "dump --where 'id = \x1b[2J' log": (
        "invalid value for '--where': '\\x1b[2J' cannot be read; write \"COLUMN OP VALUE [AND ...]\", such as "
        "\"id = 5 AND state != 'paid'\"; a column is a name or @N"
    ),
    "dump --where 'nothing = 5' golden/mariadb-10.11/types-full/shop-bin.000001": (
        "--where: no table has a column named nothing; if the log has no column names, write @N or pass --schema"
    ),
    "dump --where \"id = 'five'\" golden/mariadb-10.11/types-full/shop-bin.000001": (
        "golden/mariadb-10.11/types-full/shop-bin.000001: id = 'five': cannot be compared, "
        "because id contains numbers; write the value as SELECT shows it\nbinlogcli: --where: no row matched"
    ),
    "dump -r missing/out log": (
        "missing/out: cannot be written: no such file or directory; check the directory and its permissions"
    ),
    "dump -r other log": "other: is a directory; specify a file in it",
    "dump -r log log": "log: is also an input; choose another name",
    "hexdump --export out/picture.svg log": "out/picture.svg: exists already; use --force to replace it",
    "dump -n 5 --last 5 log": "--limit and --last cannot be combined; see binlogcli dump --help",
    "dump --grep '(' log": (
        "invalid value for '--grep': '(' is not a regular expression: missing ), unterminated subpattern at "
        "position 0; "
        "put a backslash before . * + ? ( ) [ ] { } | ^ $ to match them literally"
    ),
    "dump --grep '' log": (
        "invalid value for '--grep': the pattern is empty or longer than 4096 characters; for more, "
        "pipe the output into grep -f FILE"
    ),
    "dump --ignore-case log": "--ignore-case requires --grep; see binlogcli dump --help",
    "dump --oneline -H log": ("--hexdump cannot be combined with --oneline; see binlogcli dump --help"),
    "dump --zzz log": "no such option '--zzz'; see binlogcli dump --help",
    "dump --gtid 0-1-1 log": "no such option '--gtid'; did you mean --include-gtids?",
    "dump --raw log": "no such option '--raw'; did you mean binlogcli pull?",
    "dump --oneline --since 2026-01-01 --xid 5 gone": "gone: no such file; check the name",
    "dump --from 09:00 log": "no such option '--from'; did you mean --since?",
    "dump --csv log": "no such option '--csv'; did you mean --format csv?",
    "dump --tail 3 log": "no such option '--tail'; did you mean --last?",
    "stats --bucket 1h --section summary log": (
        "--bucket requires --section timeline or tables; see binlogcli stats --help"
    ),
    "stats --limit 3 log": "no such option '--limit'; did you mean --top?",
    "stats --where a=1 log": "no such option '--where'; did you mean binlogcli dump --where?",
    "hexdump --grep text log": "no such option '--grep'; did you mean --find?",
    "dump --tabel shop.orders log": "no such option '--tabel'; did you mean --table or --database?",
    "stats --rollback log": "no such option '--rollback'; did you mean binlogcli dump --undo?",
    "dump -psecret log": (
        "-p does not take the password as an argument, because others could see it in the process list; use -p "
        "alone to be asked for it, or --password-file FILE"
    ),
    "pull -u root -psecret mysql://h": (
        "-p does not take the password as an argument, because others could see it in the process list; use -p "
        "alone to be asked for it, or --password-file FILE"
    ),
    "dump --host h log": ("--host is only for reading from a server; write mysql://HOST/LOG instead of LOG, or add -R"),
    "stats --ssl-ca ca.pem log": (
        "--ssl-ca is only for reading from a server; write mysql://HOST/LOG instead of LOG, or add -R"
    ),
    "dump --since 2026-11-22 --stop-datetime=2026-11-21 log": "--since is after --stop-datetime; swap them",
    "hexdump --last 3 -n 2 log": "--limit and --last cannot be combined; see binlogcli hexdump --help",
    "hexdump --last 3 --find abc log": "--find and --last cannot be combined; see binlogcli hexdump --help",
    "dump -j 900 --stop-position 400 log": "--start-position 900 is after --stop-position 400; swap them",
    "dump --start-datetime 2026-01-02 --stop-datetime 2026-01-01 log": (
        "--start-datetime is after --stop-datetime; swap them"
    ),
    "dump missing.index": "no.000001: no such file; missing.index lists this log: remove the entry, or restore the log",
    "dump -R -S /none.sock x": (
        "/none.sock: cannot connect: no such file or directory; check that the server is running and that this is "
        "its socket; otherwise pass --socket FILE or --host HOST"
    ),
    "dump --format xml log": (
        "invalid value for '--format': 'xml' is not one of 'mysqlbinlog', 'sql', 'json', 'csv', 'tsv'; "
        "see binlogcli dump --help"
    ),
    "nonsense": "no such command 'nonsense'; see binlogcli --help",
    "log log": "no such command 'log'; did you mean binlogcli dump --oneline?",
    "tail log": "no such command 'tail'; did you mean binlogcli dump --follow?",
    "dmup log": "no such command 'dmup'; did you mean dump?",
    "dump --flashback golden/mysql-9.7/rows/shop-bin.000001": (
        "golden/mysql-9.7/rows/shop-bin.000001: --flashback works only for logs of MariaDB; this is one of MySQL; "
        "use --undo"
    ),
    "dump --undo golden/mariadb-11.8/stmt/shop-bin.000001": (
        "golden/mariadb-11.8/stmt/shop-bin.000001: at 369: cannot be undone: a DDL statement: "
        "'CREATE DATABASE shop'; exclude DDL with --op insert,update,delete, or this statement with --exclude-gtids, "
        "--start-position or --stop-position"
    ),
    "dump -l log golden/mariadb-11.8/load-data/shop-bin.000001": (
        "log/SQL_LOAD_MB-1-0: cannot write a LOAD DATA file: not a directory; specify another directory with "
        "--local-load"
    ),
    "dump --flashback golden/mariadb-11.8/temporal-old/shop-bin.000001": (
        "golden/mariadb-11.8/temporal-old/shop-bin.000001: at 1754: a row cannot be reversed: its length is "
        "unknown; exclude it with --start-position, --stop-position, --database or --table"
    ),
    "hexdump --find '' log": "invalid value for '--find': nothing to search for; see binlogcli hexdump --help",
    "hexdump --json --export log.svg log": (
        "--export saves the text output, and cannot be combined with --format json; see binlogcli hexdump --help"
    ),
    "hexdump --export log.png log": (
        "invalid value for '--export': 'log.png' does not end in .svg or .html; see binlogcli hexdump --help"
    ),
    "decrypt log": "specify either --output or --output-dir; see binlogcli decrypt --help",
    "decrypt -o out log other/log": "--output takes one log; use --output-dir for several",
    "decrypt --output-dir out --allow-plain -": (
        "stdin has no file name: specify one with --output; see binlogcli decrypt --help"
    ),
    "decrypt --output-dir out --allow-plain log other/log": (
        "other/log: another log of the same name was decrypted in this run; decrypt it in a separate run, into "
        "another directory"
    ),
    "decrypt -o out log": "log: the log is not encrypted; use --allow-plain to copy it anyway",
    "decrypt -o out encrypted": "encrypted: the log is encrypted by MariaDB; pass --key-file",
    "decrypt -o out sealed": "sealed: the log is encrypted by MySQL; pass --keyring",
    "decrypt -o log --key-file keys encrypted": "log: exists already; use --force to replace it",
    "dump --key-file keys --key-algorithm aes-ctr encrypted": (
        "encrypted: at 296: the log is encrypted with aes-cbc, not aes-ctr; omit --key-algorithm"
    ),
    "dump --key-file second-key encrypted": (
        "second-key: key 1, which encrypts binary logs, is not in the file (ids in the file: 2); use the key file of "
        "the server that wrote the log"
    ),
    "dump --key-file odd-key encrypted": (
        "odd-key: line 1: the key has 31 hex digits; a line is 'id;key in hex' (32, 48 or 64 digits), or "
        "'id;version;key in hex'"
    ),
    "dump --key-file key-zero encrypted": (
        "key-zero: line 1: ids and versions must be 1-4294967295; a line is 'id;key in hex' (32, 48 or 64 "
        "digits), or 'id;version;key in hex'"
    ),
    "dump --key-file log encrypted": "log: a binary log, not a key file; write --key-file KEYFILE LOG",
    "dump --key-file wrong-key encrypted": (
        "encrypted: at 296: key 1 (version 1) of wrong-key does not match the log; use the key file of the server "
        "that wrote the log; with this one, 4297 bytes do not decrypt to events"
    ),
    "dump --key-file missing encrypted": (
        "missing: the key file cannot be read: no such file or directory; check the name and its permissions"
    ),
    "dump --key-file large encrypted": "large: too large to be the key file; check the name",
    "dump --key-file salted encrypted": (
        "salted: the key file is encrypted; pass its password with --key-file-password-file or in "
        "BINLOGCLI_KEY_FILE_PASSWORD"
    ),
    "dump --key-file salted --key-file-password-file wrong-key encrypted": (
        "salted: the encrypted key file is truncated; copy it from the server again"
    ),
    "dump --keyring keyring sealed-newer": (
        "sealed-newer: at 4: unknown version 9 of MySQL's log encryption; the log is damaged, or newer than "
        "this program"
    ),
    "dump --keyring keyring sealed-short": (
        "sealed-short: the log is truncated inside its encryption header, after 100 bytes; copy the log again"
    ),
    "dump --keyring records sealed": (
        "records: the keyring is damaged: its records are inconsistent; copy it from the server again"
    ),
    "dump --keyring locked sealed": (
        "locked: the keyring is encrypted; pass its password with --key-file-password-file or in "
        "BINLOGCLI_KEY_FILE_PASSWORD"
    ),
    "dump --key-file keys unknown-scheme": (
        "unknown-scheme: at 256: unknown scheme 9 of log encryption; the log is damaged, or newer than this program"
    ),
    "stats --bucket 3m log": (
        "invalid value for '--bucket': '3m' is not one of 'auto', '1s', '10s', '1m', '5m', '10m', '30m', "
        "'1h', '6h', '12h', '1d', '7d'; see binlogcli stats --help"
    ),
    "stats --html log log": "log: is also an input; choose another name",
    # before any work: nothing is said of what would be read
    "stats --html other missing": "other: is a directory; specify a file in it",
    "stats --html nowhere/x.html missing": (
        "nowhere/x.html: cannot be written: no such file or directory; check the directory and its permissions"
    ),
    "hexdump --export nowhere/x.svg missing": (
        "nowhere/x.svg: cannot be written: no such file or directory; check the directory and its permissions"
    ),
    "to-parquet log": "missing option '-o' / '--output'; see binlogcli to-parquet --help",
    "to-parquet --conf x -o lake log": "--conf 'x' does not have the form K=V; see binlogcli to-parquet --help",
    "to-parquet -o lake mysql://u@h/": (
        "mysql://u@h/: a live server's logs grow while they are read; copy its logs with binlogcli pull, and "
        "convert the copies"
    ),
    "to-parquet -o lake -": "-: logs are read more than once, but stdin can be read only once; write it to a file "
    "first",
    "to-parquet --dry-run -o broken log": (
        "{folder}/broken/_binlog/epochs/0000000001.json: is not a valid commit record: Expecting property name "
        "enclosed in double quotes: line 1 column 2 (char 1); restore it from a copy"
    ),
    "to-parquet -o log log": "{folder}/log: is not a directory; use another --output",
    "to-parquet -o other log": "{folder}/other: contains other files; use a new or empty directory",
    "pull --output-dir out": "no server specified; write mysql://USER@HOST[:PORT]/[LOG], or -R --host HOST [LOG]",
    "pull --output-dir pulled mysql://u@127.0.0.1:1/": (
        "pulled/.binlogcli-pull.json: is not a valid state file of pull: Expecting property name enclosed in double "
        "quotes: "
        "line 1 column 2 (char 1); restore it, or choose another directory"
    ),
    "pull --output-dir log mysql://u@h/": ("log: cannot be used: not a directory; specify a directory with -o"),
    "pull --output-dir other mysql://u@127.0.0.1:1/": (
        "127.0.0.1:1: cannot connect: connection refused; check host and port"
    ),
    "pull --semi-sync --output-dir out mysql://u@h": (
        "--semi-sync requires --follow, because commits wait for this archive; see binlogcli pull --help"
    ),
    "pull --output-dir out 'mysql://u@h/?gtid=0-1-5'": (
        "an archive consists of whole logs: ?gtid= is not allowed; see binlogcli pull --help"
    ),
    "dump mysql://u:secret@h/": (
        "mysql://u:...@h/: a password in an address is visible to other users; omit it, and use "
        "--password, --password-file, MYSQL_PWD or an option file"
    ),
    "stats --format json mysql://u:sec/ret@h/": (
        "mysql://u:...@h/: a password in an address is visible to other users; omit it, and use "
        "--password, --password-file, MYSQL_PWD or an option file"
    ),
    "dump 'mysql://u@h/?nothing=5'": (
        "mysql://u@h/?nothing=5: nothing=5 is not allowed in an address; allowed are gtid=, from=first and socket="
    ),
    "dump 'mysql://u@h/x/y'": (
        "mysql://u@h/x/y: not the address of a log: a log name cannot contain / or #; write "
        "mysql://USER@HOST[:PORT]/[LOG]"
    ),
    "dump -R --host h --defaults-file missing.cnf x.1": (
        "missing.cnf: cannot read the option file: no such file or directory; use --no-defaults to read no option file"
    ),
    "dump -R --host h --defaults-file large.cnf x.1": (
        "large.cnf: too large for an option file; use --no-defaults to read no option file"
    ),
    "dump -R --host h --defaults-file port.cnf x.1": (
        "'many' in the option files is not a port; pass --port to override it"
    ),
    "dump -R --host h --defaults-file round.cnf x.1": (
        "round.cnf: includes are nested more than 10 deep; use --no-defaults to read no option file"
    ),
    "dump -R --host h --defaults-file folder.cnf x.1": (
        "folder.cnf: cannot read nowhere: no such file or directory; use --no-defaults to read no option file"
    ),
    "dump -R --host h --no-defaults --password-file missing x.1": (
        "missing: cannot read the password: no such file or directory; check the name and its permissions"
    ),
    "dump -R --host h --no-defaults --password-file log x.1": "log: this password file is readable by other users; "
    "run chmod 600 log",
    "dump -R --host 127.0.0.1 --port 1 --no-defaults x.1": (
        "127.0.0.1:1: cannot connect: connection refused; check host and port"
    ),
    "dump -R --host 127.0.0.1 --no-defaults --ssl-ca missing x.1": (
        "missing: the TLS options cannot be used: no such file or directory; check these files"
    ),
    "dump -R --host h --login-path x --no-defaults x.1": (
        "{folder}/.mylogin.cnf: at 24: not a login file of mysql_config_editor, or damaged; recreate it with "
        "mysql_config_editor set"
    ),
    "dump capture": "capture: at 10: the capture is truncated in its first bytes; capture it again",
    "dump usb": (
        "usb: 1 frame of link type 189 cannot be read; capture with another link type (tcpdump -y)\n"
        "binlogcli: usb: the capture contains no "
        "readable replication traffic (1 frame, 0 of them TCP); capture the server's port with complete packets: "
        "tcpdump -s 0 -w FILE tcp port 3306"
    ),
    "dump half.gz": (
        "half.gz: at 2485: the gzip data is truncated after 2500 compressed bytes; copy the file again if there is "
        "an intact copy"
    ),
    "dump torn.gz": (
        "torn.gz: at 0: the gzip data is damaged at compressed byte 11 (invalid block type); copy the file again if "
        "there is an intact copy"
    ),
    "dump noise": (
        "noise: not a binary log: no events found; check the name; unpack or decrypt the file first if another "
        "program packed or encrypted it"
    ),
    "dump wide.zst": (
        "wide.zst: at 0: the zstd data at compressed byte 6 needs more than 128 MiB of memory; decompress "
        "it first (xz -d, zstd --long=31 -d) and pass the plain file"
    ),
    "dump lines.index": (
        "lines.index: line 2 contains control characters, and is not a valid log name; pass the log files themselves"
    ),
    "dump large.index": "large.index: is larger than 16 MiB, which is too large for an index file; pass the log "
    "files themselves",
    "dump empty.index": "empty.index: lists no logs; pass the log files themselves",
    "dump other": "other: is a directory; pass the log files in it, or its .index file",
    "dump missing": "missing: no such file; check the name",
    "dump --schema missing.sql log": "missing.sql: cannot be opened: no such file; pass a readable SQL file to "
    "--schema",
    "dump --schema log log": "log: contains no CREATE TABLE statement; pass the output of mysqldump --no-data to "
    "--schema",
}

SECRETS = {"keys", "keyring", "second-key", "wrong-key", "odd-key", "key-zero", "salted", "large", "records", "locked"}
