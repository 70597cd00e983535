"""The commands that show what a report of `stats` lists: to be pasted into a shell where `stats` was run.

Each transaction, table, statement, problem, odd GTID and peak of a report gets its `command`, None if there is none:
the input can be read only once, or nothing in a log is meant. Options that were needed to read the logs are repeated as
they were typed. Passwords are none of them: no option takes one.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NamedTuple

import click

from binlogcli.cli.options.help_sections import title_of
from binlogcli.sources.files import is_pipe
from binlogcli.sources.opening import is_plain_file, is_server

_READING, _SERVERS = ("How logs are read", "Encrypted logs"), "Servers"
_LATER_LOGS = "to_last_log"
_MANY = 16  # sources that a command names before those without the thing in question are left out
_LISTS = (
    *("largest_by_bytes", "largest_by_rows", "longest_by_time", "longest_by_commit", "rolled_back_list"),
    *("unfinished_list", "prepared_list"),
)
_ODD_GTIDS = ("gaps", "duplicates", "out_of_order")
_BYTES = frozenset(("checksum", "encrypted", "damage", "truncated_tail", "unreadable_rows", "incident", "in_use"))
_ESCAPED = re.compile(r"\\x[0-9a-f]{2}|\\udc[0-9a-f]{2}")  # a byte of a name that is not UTF-8


class LogTimes(NamedTuple):
    """A log of the report with its first and last time, in seconds since the epoch."""

    file: str
    first: int
    last: int


def shell_word(text: str) -> str:
    """Return a text as one word of a shell's command line: quoted if need be, in visible characters alone."""
    if text.isprintable():
        return shlex.quote(text)
    kept = "".join(
        f"\\{char}" if char in "\\'" else char if char.isprintable() else _byte_escapes(char) for char in text
    )
    return f"$'{kept}'"


def _byte_escapes(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def file_word(path: str) -> str:
    """Return the name of a file as a word that is taken neither for an option nor for stdin."""
    return shell_word(f"./{path}" if path.startswith("-") else path)


def typed_options(ctx: click.Context, zone: tzinfo | None, *, server: bool) -> list[str]:
    """Return the words of the options that say how the logs are read, as they were typed; `server`: those, too."""
    titles = (*_READING, _SERVERS) if server else _READING
    words: list[str] = []
    for param in ctx.command.params:
        if not isinstance(param, click.Option) or param.name is None or title_of(param) not in titles:
            continue
        if ctx.get_parameter_source(param.name) is click.core.ParameterSource.COMMANDLINE:
            words += _words_of(param, ctx.params[param.name])
    return words + _zone_words(zone)


def _words_of(param: click.Option, value: Any) -> list[str]:
    """Return the words that give an option its value."""
    name = max(param.opts, key=len)
    if param.is_flag:
        return [name] if value else list(param.secondary_opts[:1])
    values = value if param.multiple else [value]
    return [word for one in values for word in (name, shell_word(str(one)))]


def typed_zone(zone: tzinfo | None) -> str:
    """Return the name of a zone as --timezone takes it; of the machine's zone what TZ says, which may be nothing."""
    if zone is None:
        return os.environ.get("TZ", "").removeprefix(":")
    return str(zone).removeprefix("UTC") or "UTC"


def _zone_words(zone: tzinfo | None) -> list[str]:
    """Return the option that names the zone; none where it is the machine's."""
    return [] if zone is None else ["--timezone", shell_word(typed_zone(zone))]


class NextCommands:
    """Makes the commands of a run of `stats`: `sources` as they were typed, `paths` as the report names the logs."""

    def __init__(
        self, ctx: click.Context, sources: Sequence[str], paths: Sequence[str], zone: tzinfo | None, *, remote: bool
    ) -> None:
        self.sources = _without_secrets(sources)
        self.logs: Sequence[LogTimes] = ()
        self.server = remote or any(map(is_server, sources))
        self.options = typed_options(ctx, zone, server=self.server)
        self.file_options = typed_options(ctx, zone, server=False)
        plain = [] if remote or ctx.params.get("carve") else [path for path in paths if is_plain_file(path)]
        self.plain = {_cleaned(path): path for path in plain}
        self.again = bool(self.sources) and (remote or not any(map(is_pipe, sources)))
        if ctx.params.get(_LATER_LOGS) and not self.server:
            self.sources = paths

    def add_to(self, report: dict[str, Any], logs: Sequence[LogTimes]) -> None:
        """Set `command` in all that the report lists."""
        self.logs = logs
        transactions, gtids = report.get("transactions", {}), report.get("gtids", {})
        for row in [row for name in _LISTS for row in transactions.get(name, ())]:
            row["command"] = self.transaction(row["file"], row["start"], row["gtid"])
        for row in report.get("tables", ()):
            row["command"] = self.table(row)
        for row in report.get("statements", ()):
            row["command"] = self.transaction(row["file"], row["position"], None)
        for row in [row for name in _ODD_GTIDS for row in gtids.get(name, ())]:
            row["command"] = self.transaction(row["file"], row["position"], row["gtid"])
        for row in gtids.get("lag", {}).get("largest", ()):
            row["command"] = self.transaction(row["file"], row["position"], row["gtid"])
        for row in report.get("problems", ()):
            row["command"] = self.problem(row)
        timeline = report.get("timeline", {"peaks": {}})
        for row in [row for rows in timeline["peaks"].values() for row in rows]:
            row["command"] = self.stretch(row["time"], timeline["bucket_seconds"])

    def transaction(self, file: str, position: int, gtid: str | None) -> str | None:
        """Return the command that shows a transaction with its rows."""
        if file in self.plain:
            return self.on_file("dump -vv", f"--transaction-at {position}", file)
        if gtid is None or not self.again:
            return None
        return self.on_all("dump -vv", f"--include-gtids {shell_word(gtid)}", self.sources)

    def problem(self, row: dict[str, Any]) -> str | None:
        """Return the command that shows where a problem is: its bytes, or its transaction."""
        file, position = row["file"], row["position"]
        if file not in self.plain or position is None:
            return None
        if row["kind"] in _BYTES:
            return self.on_file("hexdump", f"-j {position} -n 1", file)
        return self.transaction(file, position, None)

    def table(self, row: dict[str, Any]) -> str | None:
        """Return the command that lists the transactions about a table."""
        if not row["table"] or not self.again:
            return None
        first = _second_of(row["first_time"])
        if row["row_events"] or row["map_events"]:
            choice = f"-T {shell_word(_pattern(row['database']) + '.' + _pattern(row['table']))}"
        else:  # -T would take each statement of the database: any of them may change the table
            choice = f"--grep {shell_word(_expression(row['table']))}"
        return self.on_all("dump --oneline", choice, self.near(first, first))

    def stretch(self, time: str | None, seconds: int) -> str | None:
        """Return the command that lists the transactions of a stretch of time."""
        if time is None or not self.again:
            return None
        start = _second_of(time)
        end = (datetime.fromisoformat(time) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
        words = f"--since {time} --until {end}"
        return self.on_all("dump --oneline", words, self.near(start, start + seconds))

    def any_stretch(self) -> str | None:
        """Return the command for any stretch of time, with {since} and {until} for its ends."""
        if not self.again or len(self.sources) > _MANY:
            return None
        return self.on_all("dump --oneline", "--since {since} --until {until}", self.sources)

    def near(self, first: int, last: int) -> Sequence[str]:
        """Return the sources: of many files only those that have events from `first` to `last`."""
        if len(self.sources) <= _MANY:
            return self.sources
        found = [log.file for log in self.logs if log.file in self.plain and log.first <= last and log.last >= first]
        return [self.plain[file] for file in found] or self.sources

    def on_file(self, command: str, choice: str, file: str) -> str:
        """Return a command for one file."""
        return " ".join(["binlogcli", command, *self.file_options, choice, file_word(self.plain[file])])

    def on_all(self, command: str, choice: str, sources: Sequence[str]) -> str:
        """Return a command for several sources."""
        return " ".join(["binlogcli", command, *self.options, choice, *map(file_word, sources)])


def _without_secrets(sources: Sequence[str]) -> Sequence[str]:
    """Return the sources but for addresses that hold a password, which are not read either."""
    if not any(map(is_server, sources)):
        return sources
    from binlogcli.sources.server.address import without_secret  # only for servers

    return [source for source in sources if without_secret(source) == source]


def _cleaned(path: str) -> str:
    """Return a path as the report has it: bytes that are not UTF-8 as escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _pattern(name: str) -> str:
    """Return a pattern that a name matches: its wildcards stand for themselves."""
    return _ESCAPED.sub("*", glob.escape(name))


def _expression(name: str) -> str:
    """Return a regular expression that finds a name in statements, whatever their character set, with or without ``."""
    pieces = re.split("`|" + _ESCAPED.pattern + r"|[^\x20-\x7e]+", name)
    found = ".+".join(map(re.escape, pieces))
    return rf"\b{found}\b" if name.isidentifier() and name.isascii() else found


def _second_of(time: str | None) -> int:
    """Return the second since the epoch of a time of the report; 0 for none."""
    return 0 if time is None else int(datetime.fromisoformat(time).astimezone(UTC).timestamp())
