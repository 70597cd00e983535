"""How the servers' command line clients read a script: where they end a statement, and what they take for a command.

Written after `add_line` and `find_command` of client/mysql.cc, for character sets in which no byte below 0x80 is part
of a longer character.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_NAMED = (  # commands that begin a statement's first line
    b"? clear connect delimiter edit ego exit go help nopager notee nowarning pager print prompt quit rehash source"
    b" status system tee use charset warnings resetconnection query_attributes"
).split()
_QUOTES = b"'\"`"


@dataclass
class Client:
    """Reads a script line by line; `statements` were sent to the server, `commands` were run by the client itself."""

    binary: bool = False
    mariadb: bool = True
    backslash_escapes: bool = True
    delimiter: bytes = b";"
    statements: list[bytes] = field(default_factory=list)
    commands: list[bytes] = field(default_factory=list)
    buffer: bytes = b""
    quote: int = 0
    in_comment: bool = False
    sent: bytes = b""  # how the open comment began that is sent to the server; each line forgets it, as in the client

    def read(self, script: bytes) -> Client:
        """Read a script to its end; an unfinished statement is sent, too."""
        for line in script.split(b"\n"):
            if not self._is_command(line):
                self._add(line)
        if self.buffer.strip():
            self._send()
        return self

    def _send(self) -> None:
        self.statements.append(self.buffer.strip())
        self.buffer = b""

    def _is_command(self, line: bytes) -> bool:
        """Run the command that a line is, at the beginning of a statement."""
        if self.buffer or self.quote or self.in_comment:
            return False
        words = line.split(None, 1)
        name = words[0].lower() if words else b""
        if name != b"delimiter" and (self.delimiter in line or b"\\g" in line):
            return False
        if name not in _NAMED or (self.binary and name != b"delimiter"):
            return False
        if name == b"delimiter":
            self.delimiter = words[1].split()[0]
        else:
            self.commands.append(line)
        return True

    def _add(self, line: bytes) -> None:
        """Read a line of a statement."""
        self.sent = b""
        while line:
            line = line[self._read(line) :]
        if self.buffer:
            self.buffer += b"\n"

    def _read(self, rest: bytes) -> int:
        """Read what a line's rest begins with; return the number of bytes that it takes."""
        code = not self.in_comment and not self.quote
        if not self.in_comment and rest[:1] == b"\\" and (self.backslash_escapes or not self.quote):
            return self._backslash(rest)
        if code and self.sent != b"/*+" and rest.startswith(self.delimiter):
            self._send()
            return len(self.delimiter)
        if code and _is_line_comment(rest):
            return len(rest)
        if not self.quote and self.sent != b"/*+" and self._is_plain_comment(rest):
            self.in_comment = True
            return 2
        if self.in_comment and not self.sent and rest[:2] == b"*/":
            self.in_comment = False
            self.buffer += b" "
            return 2
        self._keep(rest)
        return 1

    def _keep(self, rest: bytes) -> None:
        """Read a character that ends nothing."""
        if not self.quote and rest[:2] == b"/*" and not self._is_plain_comment(rest):
            self.sent = rest[:3]
        elif not self.quote and rest[:2] == b"*/":
            self.sent = b""
        if self.quote == rest[0]:
            self.quote = 0
        elif not self.in_comment and not self.quote and self.sent != b"/*+" and rest[0] in _QUOTES:
            self.quote = rest[0]
        if not self.in_comment and (self.buffer or rest[:1].strip()):
            self.buffer += rest[:1]

    def _is_plain_comment(self, rest: bytes) -> bool:
        sent = rest[2:3] in (b"!", b"+") or (self.mariadb and rest[2:4] == b"M!")
        return rest[:2] == b"/*" and not sent

    def _backslash(self, rest: bytes) -> int:
        """Read a backslash; return the number of bytes that it takes."""
        if self.quote or rest[1:2] == b"N":
            size = 1 if self.quote == 0x60 and rest[1:2] == b"`" else 2
            self.buffer += rest[:size]
            return size
        self.commands.append(rest)
        return len(rest)


def _is_line_comment(rest: bytes) -> bool:
    return rest[:1] == b"#" or (rest[:2] == b"--" and not rest[2:3].strip())


def read_by_client(script: bytes, *, binary: bool = False, mariadb: bool = True) -> Client:
    """Return what a client makes of a script."""
    return Client(binary=binary, mariadb=mariadb).read(script)
