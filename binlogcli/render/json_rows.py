"""The sink that writes rows as JSON, straight into the buffer."""

from __future__ import annotations

import decimal
import math
import struct
from json.encoder import encode_basestring

from binlogcli.errors import DecodeError
from binlogcli.log.cursor import Cursor
from binlogcli.names.charsets import decode as decode_text
from binlogcli.names.shared import SharedList
from binlogcli.render.out import Out
from binlogcli.rows.address import address_text
from binlogcli.rows.column import Column, Digits, Moment, Sink
from binlogcli.rows.jsonb import read_diffs, read_document
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.strings import BytesColumn
from binlogcli.rows.values import enum_label, set_labels, shortest_single

DASH, COLON, POINT, SPACE, QUOTE = 45, 58, 46, 32, 34


KEYS: dict[str, bytes] = {}  # names of fields and columns as JSON strings
MAX_KEYS = 10000
SCRATCH = Out()  # where texts are made that are kept
LARGEST = 0x7FFFFFFFFFFFFFFF
LONGEST_KEY = 256  # a JSON document's may be longer, but hardly stand in many


def json_bytes(value: object) -> bytes:
    """A value as JSON by itself."""
    begun = SCRATCH.size  # not always 0: this may be called while a list inside of another is made
    put_json(SCRATCH, value)
    text = bytes(SCRATCH.content()[begun:])
    SCRATCH.size = begun
    return text


def put_json(out: Out, value: object) -> None:
    """Any value as JSON: bytes as {"hex": ...}, decimals as numbers with all their digits."""
    if isinstance(value, str):
        put_json_str(out, value)
    elif value is None or isinstance(value, bool):
        out.put(b"null" if value is None else b"true" if value else b"false")
    elif isinstance(value, int):
        put_integer(out, value)
    elif isinstance(value, SharedList):
        if value.text is None:
            value.text = json_bytes(value.copy())
        out.put(value.text)
    elif isinstance(value, bytes):
        out.put(b'{"hex": "' + value.hex().encode("ascii") + b'"}')
    elif isinstance(value, float):
        put_number(out, value)
    elif isinstance(value, decimal.Decimal):
        out.put(format(value, "f").encode("ascii"))
    elif isinstance(value, dict):
        put_object(out, value)
    elif isinstance(value, (list, tuple)):
        put_array(out, value)
    else:
        put_json_str(out, str(value))


def put_integer(out: Out, value: int) -> None:
    """A number of any size."""
    if -LARGEST <= value <= LARGEST:
        out.put_int(value)
    else:
        out.put(b"%d" % value)


def put_object(out: Out, value: dict[str, object]) -> None:
    """A JSON object, keys in their order."""
    separator = b"{"
    for key, item in value.items():
        out.put(separator)
        put_key(out, key)
        put_json(out, item)
        separator = b", "
    out.put(b"}" if value else b"{}")


def put_array(out: Out, value: list[object] | tuple[object, ...]) -> None:
    """A JSON array."""
    separator = b"["
    for item in value:
        out.put(separator)
        put_json(out, item)
        separator = b", "
    out.put(b"]" if value else b"[]")


def put_number(out: Out, value: float) -> None:
    """The shortest number that is the same double; JSON has no infinity and no NaN, which are given as bytes."""
    if math.isfinite(value):
        out.put(repr(value).encode("ascii"))
    else:
        put_json(out, struct.pack("<d", value))


def put_json_str(out: Out, value: str) -> None:
    """A JSON string; text that was no UTF-8 in the log as its bytes."""
    try:
        raw = value.encode("utf-8")
    except UnicodeEncodeError:
        out.put(b'{"hex": "' + value.encode("utf-8", "surrogateescape").hex().encode("ascii") + b'"}')
    else:
        out.put_json_chars(raw, 0, len(raw), True)


def put_key(out: Out, key: str) -> None:
    """A key of a JSON object and its colon; what was no UTF-8 stands in the key as \\xNN."""
    known = KEYS.get(key)
    if known is None:
        try:
            known = encode_basestring(key).encode("utf-8") + b": "
        except UnicodeEncodeError:
            shown = key.encode("utf-8", "backslashreplace").decode("utf-8").replace("\\udc", "\\x")
            known = encode_basestring(shown).encode("utf-8") + b": "
        if len(KEYS) >= MAX_KEYS:
            KEYS.clear()
        if len(key) <= LONGEST_KEY:
            KEYS[key] = known
    out.put(known)


class JsonRows(Sink):
    """Writes `{"before": {...}, "after": {...}}` for each row, with commas between them."""

    def __init__(self, out: Out) -> None:
        self.out = out
        self.mariadb = False
        self.keys: list[bytes] = []
        self.first_keys: list[bytes] = []
        self.known: dict[TablePlan, tuple[list[bytes], list[bytes]]] = {}
        self.rows = 0
        self.row_at = 0
        self.begun = False
        self.between = False
        self.images = 0
        self.problem = ""

    def forget(self) -> None:
        """Another event's rows follow, if any can be read."""
        self.problem = ""
        self.rows = 0
        self.begun = False

    def begin_rows(self, plan: TablePlan) -> None:
        """Rows of a table follow."""
        self.mariadb = plan.definition.mariadb
        known = self.known.get(plan)
        if known is None:
            if len(self.known) > 1000:
                self.known.clear()
            known = key_texts(plan)
            self.known[plan] = known
        self.first_keys = known[0]
        self.keys = known[1]

    def begin_row(self) -> None:
        """A row follows."""
        self.begun = True
        self.row_at = self.out.size
        self.out.put(b", {" if self.rows > 0 else b"{")
        self.images = 0

    def begin_image(self, after: bool) -> None:
        """The state of the row before or after the change follows."""
        if after:
            self.out.put(b', "after": {' if self.images > 0 else b'"after": {')
        else:
            self.out.put(b'"before": {')
        self.images += 1
        self.between = False

    def end_image(self) -> None:
        """The image is over."""
        self.out.put_char(125)  # }

    def end_row(self) -> None:
        """The row is over."""
        self.out.put_char(125)  # }
        self.rows += 1
        self.row_at = self.out.size  # what goes wrong from here on is not this row's

    def key(self, column: Column) -> None:
        """The column's name, before its value."""
        if self.between:
            self.out.put(self.keys[column.index])
        else:
            self.out.put(self.first_keys[column.index])
            self.between = True

    def put_null(self, column: Column) -> None:
        """Write null."""
        self.key(column)
        self.out.put(b"null")

    def put_int(self, column: Column, value: int) -> None:
        """A number."""
        self.key(column)
        self.out.put_int(value)

    def put_uint(self, column: Column, value: int) -> None:
        """A number."""
        self.key(column)
        self.out.put_uint(value)

    def put_float(self, column: Column, value: float) -> None:
        """The shortest number that is the same FLOAT."""
        self.key(column)
        if math.isfinite(value):
            self.out.put(shortest_single(value).encode("ascii"))
        else:
            put_json(self.out, struct.pack("<f", value))

    def put_double(self, column: Column, value: float) -> None:
        """The shortest number that is the same DOUBLE."""
        self.key(column)
        put_number(self.out, value)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """A string: JSON's readers would make a float of a number."""
        self.key(column)
        self.out.put_char(QUOTE)
        self.out.put_digits(digits)
        self.out.put_char(QUOTE)

    def put_bits(self, column: Column, value: int) -> None:
        """A number."""
        self.key(column)
        self.out.put_uint(value)

    def put_year(self, column: Column, value: int) -> None:
        """A number."""
        self.key(column)
        self.out.put_uint(value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """A string as SELECT prints it."""
        self.key(column)
        self.out.put_char(QUOTE)
        put_date(self.out, moment)
        self.out.put_char(QUOTE)

    def put_time(self, column: Column, moment: Moment) -> None:
        """A string as SELECT prints it."""
        self.key(column)
        self.out.put_char(QUOTE)
        if moment.negative:
            self.out.put_char(DASH)
        put_clock(self.out, moment)
        self.out.put_char(QUOTE)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """A string as SELECT prints it."""
        self.key(column)
        self.out.put_char(QUOTE)
        put_date(self.out, moment)
        self.out.put_char(SPACE)
        put_clock(self.out, moment)
        self.out.put_char(QUOTE)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """A string as SELECT prints it in UTC."""
        moment.to_civil()
        self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """The label, or the number."""
        self.key(column)
        put_json(self.out, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """The labels, or the number."""
        self.key(column)
        put_json(self.out, set_labels(column, bits, mariadb=self.mariadb))

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A string; ASCII goes straight through."""
        self.key(column)
        self.put_characters(column, data, start, end)  # type: ignore[arg-type] # all columns of text are

    def put_characters(self, column: BytesColumn, data: Cursor, start: int, end: int) -> None:
        """A string in the column's character set, as its bytes where they are not of that set."""
        if column.ascii_superset and self.out.put_json_chars(data.data, start, end, False):
            return
        raw = data.data[start:end]
        text = decode_text(raw, column.charset or "utf8mb4")
        if text is None:
            put_json(self.out, raw)
        elif column.is_utf8:
            self.out.put_json_chars(data.data, start, end, True)
        else:
            put_json_str(self.out, text)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Hex; UUID and internet addresses as text where a schema names them."""
        self.key(column)
        text = address_text(column.info.type_name, data.data[start:end]) if column.info.type_name else None
        if text is None:
            self.out.put(b'{"hex": "')
            self.out.put_hex(data, start, end)
            self.out.put(b'"}')
        else:
            put_json_str(self.out, text)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The document itself; one that cannot be read as its bytes."""
        self.key(column)
        raw = data.data[start:end]
        try:
            put_json(self.out, read_document(raw))
        except DecodeError as error:
            self.put_unread(column, raw, error)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The changes; such as cannot be read as their bytes."""
        self.key(column)
        raw = data.data[start:end]
        try:
            put_json(self.out, {"diff": read_diffs(raw)})
        except DecodeError as error:
            self.put_unread(column, raw, error)

    def put_unread(self, column: Column, raw: bytes, error: DecodeError) -> None:
        """The bytes of a value of known size that could not be read; `problem` tells of the event's first."""
        put_json(self.out, raw)
        self.problem = self.problem or f"column {column.name}: {error}"

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """SRID, and WKB in hex."""
        self.key(column)
        self.out.put(b'{"srid": ')
        self.out.put_uint(data.little(start, 4))
        self.out.put(b', "wkb": "')
        self.out.put_hex(data, start + 4, end)
        self.out.put(b'"}')

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """An array of numbers."""
        self.key(column)
        floats = struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])
        self.out.put(b"[" + ", ".join(vector_number(x) for x in floats).encode("ascii") + b"]")


def vector_number(value: float) -> str:
    """An element of a vector, exactly; what JSON cannot say is null."""
    return repr(value) if math.isfinite(value) else "null"


def key_texts(plan: TablePlan) -> tuple[list[bytes], list[bytes]]:
    """For each column of a table `"name": `, without and with a comma before it."""
    first = []
    for name in plan.names:
        put_key(SCRATCH, name)
        first.append(bytes(SCRATCH.content()))
        SCRATCH.clear()
    return first, [b", " + text for text in first]


def put_date(out: Out, moment: Moment) -> None:
    """Write YYYY-MM-DD."""
    out.put_padded(moment.year, 4)
    out.put_char(DASH)
    out.put_padded(moment.month, 2)
    out.put_char(DASH)
    out.put_padded(moment.day, 2)


def put_clock(out: Out, moment: Moment) -> None:
    """Write hh:mm:ss and the fraction that the column has."""
    out.put_padded(moment.hour, 2)
    out.put_char(COLON)
    out.put_padded(moment.minute, 2)
    out.put_char(COLON)
    out.put_padded(moment.second, 2)
    if moment.fsp > 0:
        out.put_char(POINT)
        out.put_padded(moment.micro, 6)
        out.size -= 6 - moment.fsp
