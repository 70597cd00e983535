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
    backslash_escapes: bool = True
    delimiter: bytes = b";"
    statements: list[bytes] = field(default_factory=list)
    commands: list[bytes] = field(default_factory=list)
    buffer: bytes = b""
    quote: int = 0
    in_comment: bool = False

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
        at, hint = 0, False
        while at < len(line):
            char = line[at]
            rest = line[at:]
            if not self.in_comment and char == 0x5C and not (self.quote and not self.backslash_escapes):
                at += self._backslash(rest)
            elif not self.in_comment and not self.quote and not hint and rest.startswith(self.delimiter):
                at += len(self.delimiter)
                self._send()
            elif not self.in_comment and not self.quote and _is_line_comment(rest):
                break
            elif not self.in_comment and not self.quote and _is_plain_comment(rest):
                self.in_comment = True
                at += 2
            elif self.in_comment and rest[:2] == b"*/":
                self.in_comment = False
                self.buffer += b" "
                at += 2
            else:
                at += 1
                if self.in_comment:
                    continue
                hint = (hint or rest[:3] == b"/*+") and rest[:2] != b"*/" if not self.quote else hint
                if self.quote == char:
                    self.quote = 0
                elif not self.quote and not hint and char in _QUOTES:
                    self.quote = char
                self.buffer += bytes([char])
        if self.buffer:
            self.buffer += b"\n"

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


def _is_plain_comment(rest: bytes) -> bool:
    return rest[:2] == b"/*" and rest[2:3] not in (b"!", b"+") and rest[2:4] != b"M!"


def read_by_client(script: bytes, *, binary: bool = False) -> Client:
    """Return what a client makes of a script."""
    return Client(binary=binary).read(script)
