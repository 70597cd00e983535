"""Rare events of statement logging: user variables, seeds of RAND(), blocks of LOAD DATA files."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.events.load import FileBlock, FileEnd
from binlogcli.events.statements import Rand, UserVar
from binlogcli.names.collations import collation
from binlogcli.names.event_types import BEGIN_LOAD_QUERY_EVENT, EXEC_LOAD_EVENT
from binlogcli.render.identifiers import identifier
from binlogcli.render.mysqlbinlog.shared.text import EventText
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER


def put_user_var(out: TextBuffer, event: UserVar, *, mariadb: bool) -> None:
    """Write SET of a user variable."""
    out.put(b"SET @" + identifier(event.name) + b":=" + _user_value(event, mariadb=mariadb) + DELIMITER)


def _user_value(event: UserVar, *, mariadb: bool) -> bytes:
    """Return the value of a user variable as the tools write it; `???` where it cannot be read."""
    if event.is_null:
        return b"NULL"
    if event.kind == 0:
        known = collation(event.charset_number, mariadb=mariadb)
        if known is None:
            return b"???"
        digits = event.val.hex().upper().encode("ascii")
        text = b"X'" + digits + b"'" if mariadb else b"0x" + digits
        if not event.val:
            text = b'""'
        names = known.charset.encode("ascii"), text, known.name.encode("ascii")
        return b"_%s %s COLLATE `%s`" % names
    try:
        value = event.value()
    except DecodeError:
        return b"???"
    return b"%.14g" % value if isinstance(value, float) else str(value).encode("ascii", "replace")


def put_rand(out: TextBuffer, event: Rand) -> None:
    """Write SET of the seeds of RAND()."""
    out.put(b"SET @@RAND_SEED1=%d, @@RAND_SEED2=%d" % (_signed(event.seed1), _signed(event.seed2)) + DELIMITER)


def _signed(value: int) -> int:
    """Return an unsigned number of 64 bits as a signed one."""
    return value - (1 << 64) if value >> 63 else value


def put_block(out: TextBuffer, event: FileBlock) -> None:
    """Write the size of a block of a LOAD DATA file."""
    name = b"Begin_load_query" if event.type_code == BEGIN_LOAD_QUERY_EVENT else b"Append_block"
    out.put(b"\n#%s: file_id: %d  block_len: %d\n" % (name, event.file_id, len(event.block)))


def put_file_end(text: EventText, event: FileEnd) -> None:
    """Write that a LOAD DATA file was loaded or is to be deleted."""
    name = b"Exec_load" if event.type_code == EXEC_LOAD_EVENT else b"Delete_file"
    text.out.put(b"\n#%s: file_id=%d\n" % (name, event.file_id))
