"""Make the large logs that the benchmark reads, by a MariaDB server of its own.

    python tests/bench/big_logs.py FOLDER [--scale 1.0] [--only NAME]

Leaves in FOLDER, at scale 1 within a few minutes:

    oltp.binlog   280 MB, small transactions of one to five rows: GTID, ANNOTATE, TABLE_MAP, rows, XID
    bulk.binlog   260 MB, four statements of up to 250,000 rows of 24 columns, with the columns' names
    stmt.binlog    60 MB, statements: QUERY, INTVAR, USER_VAR

Logs that are there are kept. The content is the same each time but for the times and the server's random numbers.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path = [str(HERE.parent), *(place for place in sys.path if place != str(HERE))]  # the tests' own modules

from support.live_mariadb import MariaServer  # noqa: E402

OPTIONS = ("--binlog-format=ROW", "--binlog-checksum=CRC32", "--max-binlog-size=1G", "--innodb-buffer-pool-size=1G")


@dataclass(frozen=True)
class Workload:
    """What is done before the log begins, and what fills it; `{count}` stands for `count` times the scale."""

    prepare: str
    fill: str
    count: int


OLTP = Workload(
    prepare="""
SET GLOBAL binlog_row_metadata = NO_LOG;
CREATE DATABASE bank; USE bank;
CREATE TABLE bookings (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, account INT NOT NULL, subject CHAR(120) NOT NULL,
  origin CHAR(60) NOT NULL, amount DECIMAL(12,2) NOT NULL, booked DATETIME(3) NOT NULL, seen TIMESTAMP NOT NULL,
  note VARCHAR(200), details TEXT, KEY (account)) DEFAULT CHARSET = latin1;
CREATE TABLE fees LIKE bookings;
DELIMITER //
CREATE PROCEDURE work(times INT)
BEGIN
  FOR turn IN 1 .. times DO
    SET @n = FLOOR(RAND(turn) * 900000);
    SET @digits = CONCAT_WS('/', RAND(), RAND(), RAND(), RAND(), @n * 7127);
    SET @subject = LEFT(CONCAT_WS('/', @digits, @n * 86243, @n * 1299721), 118), @origin = LEFT(@digits, 58);
    START TRANSACTION;
    INSERT INTO bookings (account, subject, origin, amount, booked, seen, note, details) VALUES
      (@n, @subject, @origin, @n / 100, NOW(3), NOW(), IF(@n % 5 = 1, NULL, CONCAT('see ', @n)),
       JSON_OBJECT('by', @n, 'labels', JSON_ARRAY('new', 'web', @n % 9), 'open', @n % 2));
    SET @last = LAST_INSERT_ID();
    UPDATE bookings SET account = account + 1, subject = REVERSE(subject), seen = NOW()
      WHERE id BETWEEN @last - @n % 2 AND @last;
    IF @n % 4 = 2 THEN
      INSERT INTO fees (account, subject, origin, amount, booked, seen, note, details) VALUES
        (@n, @subject, @origin, -@n / 500, NOW(3), NOW(), 'base', NULL),
        (@n, @subject, @origin, @n / 1000, NOW(3), NOW(), 'it is "extra", isn''t it', REPEAT('z', @n % 100));
    END IF;
    IF @n % 8 = 3 THEN DELETE FROM bookings WHERE id = @last; END IF;
    COMMIT;
  END FOR;
END//
DELIMITER ;
""",
    fill="CALL bank.work({count});",
    count=145_000,
)

BULK = Workload(
    prepare="""
SET GLOBAL binlog_row_metadata = FULL;
CREATE DATABASE plant; USE plant;
CREATE TABLE readings (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY, machine INT, batch INT UNSIGNED, slot SMALLINT, level TINYINT,
  height MEDIUMINT, ticks BIGINT, shift INT, fault INT, turns INT, value DECIMAL(20,4), cost DECIMAL(10,2),
  share DECIMAL(5,3), name VARCHAR(50), trace VARCHAR(400), place VARCHAR(255), code CHAR(10), mark CHAR(40),
  remark TEXT, hash BLOB, made DATETIME, seen DATETIME(6), sent TIMESTAMP NULL, stored TIMESTAMP(6) NULL)
  DEFAULT CHARSET = latin1;
CREATE TABLE kept LIKE readings;
""",
    fill="""
USE plant;
INSERT INTO readings
  SELECT n, n * 41 % 1999999973 - 999999999, n * 17, n % 29989 - 14999, n % 199 - 99, n % 7999993 - 4000000,
    n * 120000007, n % 3, IF(n % 3 = 1, NULL, n % 997), n, n * 1.7321 - 90000, n % 99991 / 100, -(n % 53) / 11,
    CONCAT('unit ', n), REPEAT(MD5(n), 3),
    IF(n % 4 = 1, NULL, CONCAT('hall ', n % 4999, ', line ', n % 307)), LPAD(n % 99991, 8, '0'),
    MD5(n + 5), CONCAT('Measured by hand at station ', n, ', weather dry and calm, isn''t that a good day'),
    UNHEX(MD5(n + 6)), '2021-03-01' + INTERVAL n SECOND,
    '2021-03-01 00:00:00.654321' + INTERVAL n * 9000007 MICROSECOND, FROM_UNIXTIME(1610000000 + n),
    FROM_UNIXTIME(1610000000 + n + n % 1000 / 1000)
  FROM (SELECT CAST(seq AS SIGNED) AS n FROM seq_1_to_{count}) AS numbers;
INSERT INTO kept SELECT * FROM readings WHERE id <= {count} / 2;
UPDATE readings SET machine = machine + 1, value = value * 1.02, name = CONCAT(name, '+'), made = made + INTERVAL 1 DAY
  WHERE id <= {count} * 0.6;
DELETE FROM readings WHERE id % 4 = 1;
""",
    count=250_000,
)

STMT = Workload(
    prepare="""
SET GLOBAL binlog_row_metadata = NO_LOG;
CREATE DATABASE diary; USE diary;
CREATE TABLE entries (id INT AUTO_INCREMENT PRIMARY KEY, day INT, words VARCHAR(200), at DATETIME);
DELIMITER //
CREATE PROCEDURE work(times INT)
BEGIN
  FOR turn IN 1 .. times DO
    EXECUTE IMMEDIATE CONCAT(
      'INSERT INTO entries (day, words, at) VALUES (', turn, ', ''', MD5(turn),
      ' rain in the morning ', turn, ''', NOW())');
    EXECUTE IMMEDIATE CONCAT(
      'UPDATE entries SET day = day + 1, words = CONCAT(LEFT(words, 150), ''!'') WHERE id = ', turn);
    SET @day = turn;
    IF turn % 5 = 0 THEN INSERT INTO entries (day, words) VALUES (@day, CONCAT('sun', @day)); END IF;
  END FOR;
END//
DELIMITER ;
""",
    fill="SET SESSION binlog_format = STATEMENT; CALL diary.work({count});",
    count=100_000,
)

WORKLOADS = {"oltp": OLTP, "bulk": BULK, "stmt": STMT}


def make(server: MariaServer, work: Workload, scale: float, path: Path) -> None:
    """Run a workload and copy the one log that it fills."""
    server.sql(work.prepare)
    server.flush_logs()
    server.sql(work.fill.format(count=int(work.count * scale)))
    shutil.copyfile(server.flush_logs(), path)


def main() -> None:
    """Make the logs that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", action="append", choices=WORKLOADS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    paths = {name: options.folder / f"{name}.binlog" for name in options.only or WORKLOADS}
    missing = {name: path for name, path in paths.items() if not path.exists()}
    if missing:
        with MariaServer(OPTIONS) as server:
            for name, path in missing.items():
                make(server, WORKLOADS[name], options.scale, path)
                sys.stdout.write(f"{path}  {path.stat().st_size / 1e6:.0f} MB\n")


if __name__ == "__main__":
    main()
