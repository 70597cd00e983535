"""JSON documents of MySQL as SQL: values of SQL types stay what they are."""

from __future__ import annotations

from binlogcli.render.sql.json_literals import document_literal
from support.bodies import u2

DECIMAL = b"\xf6\4\3\2\x81\x32"  # 1.50
BYTES = b"\x0f\3\0\xff'"  # of a VARBINARY
STRING = b"\5it's\n"


def packed_date() -> bytes:
    """2024-02-29 as documents keep it."""
    return b"\x0a\x08" + ((((2024 * 13 + 2) << 5) | 29) << 41).to_bytes(8, "little")


def packed_time() -> bytes:
    """-01:02:03.5 as documents keep it."""
    return b"\x0b\x08" + (-((1 << 12 | 2 << 6 | 3) << 24 | 500_000)).to_bytes(8, "little", signed=True)


def packed_datetime() -> bytes:
    """2024-02-29 01:02:03.000004 as documents keep it."""
    clock = (1 << 12 | 2 << 6 | 3) << 24 | 4
    return b"\x0c\x08" + ((((2024 * 13 + 2) << 5) | 29) << 41 | clock).to_bytes(8, "little")


def array(*values: tuple[int, bytes]) -> bytes:
    """A small array of values that stand behind it."""
    entries, data = b"", b""
    begun = 4 + 3 * len(values)
    for kind, value in values:
        inlined = kind == 4
        entries += bytes([kind]) + (value.ljust(2, b"\0") if inlined else u2(begun + len(data)))
        data += b"" if inlined else value
    return b"\2" + u2(len(values)) + u2(begun + len(data)) + entries + data


def test_documents_of_what_json_has_are_text() -> None:
    assert document_literal(b"") == b"'null'"
    assert document_literal(array((0x0C, STRING), (4, b"\0"), (4, b"\1"))) == rb"""'["it\'s\\n", null, true]'"""


def test_a_value_of_an_sql_type_is_cast() -> None:
    assert document_literal(b"\x0f" + DECIMAL) == b"CAST(CAST(1.50 AS DECIMAL(3,2)) AS JSON)"
    assert document_literal(b"\x0f" + packed_date()) == b"CAST(CAST('2024-02-29' AS DATE) AS JSON)"
    assert document_literal(b"\x0f" + BYTES) == b"CAST(X'00FF27' AS JSON)"


def test_containers_of_such_values_are_made_by_functions() -> None:
    inner = array((0x0F, packed_time()), (0x0F, packed_datetime()))
    document = array((2, inner[1:]), (0x0F, DECIMAL), (0x0C, STRING), (4, b"\0"), (4, b"\2"))
    times = b"CAST('-01:02:03.500000' AS TIME(6)), CAST('2024-02-29 01:02:03.000004' AS DATETIME(6))"
    assert document_literal(document) == (
        b"JSON_ARRAY(JSON_ARRAY(" + times + rb"), CAST(1.50 AS DECIMAL(3,2)), 'it\'s\n', NULL, CAST('false' AS JSON))"
    )


def test_objects_have_their_keys() -> None:
    entry = u2(4 + 4 + 3) + u2(1) + b"\x0f" + u2(4 + 4 + 3 + 1)
    document = b"\0" + u2(1) + u2(4 + len(entry) + 1 + len(DECIMAL)) + entry + b"k" + DECIMAL
    assert document_literal(document) == b"JSON_OBJECT('k', CAST(1.50 AS DECIMAL(3,2)))"
