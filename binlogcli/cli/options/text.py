"""The options of `dump` that mysqlbinlog has under the same names, as one object."""

from __future__ import annotations

import functools
from datetime import tzinfo
from typing import Any

import click

from binlogcli.cli.options.help_sections import Command
from binlogcli.cli.options.values import FILE_NAME, Number
from binlogcli.render.mysqlbinlog.options import AUTO, DECODE_ROWS, NEVER, TextOptions

OPTIONS = (
    click.option("-v", "--verbose", count=True, help="Also print rows as commented SQL; -vv adds column types."),
    click.option(
        "--base64-output",
        type=click.Choice([AUTO, NEVER, DECODE_ROWS], case_sensitive=False),
        default=AUTO,
        show_default=True,
        help="Print row events as BINLOG statements (auto), omit them (never), or print only the comments of -v "
        "(decode-rows).",
    ),
    click.option("-s", "--short-form", is_flag=True, help="Print only the statements, without headers and rows."),
    click.option("-H", "--hexdump", is_flag=True, help="Print the bytes of each event as comments."),
    click.option(
        "--print-table-metadata", is_flag=True, help="Print the columns and keys of tables, if the log contains them."
    ),
    click.option("--rewrite-db", "rewrites", multiple=True, metavar="A->B", help="Print database A as B. Repeatable."),
    click.option("-r", "--result-file", type=FILE_NAME, metavar="FILE", help="Write the output to FILE."),
    click.option("-o", "--offset", type=Number(0), default=0, metavar="N", help="Skip the first N events."),
    click.option(
        "-D", "--disable-log-bin", is_flag=True, help="Disable the server's binary log while the output is replayed."
    ),
    click.option("--set-charset", metavar="CHARSET", default="", help="Start the output with SET NAMES CHARSET."),
    click.option("--skip-gtids", is_flag=True, help="Omit the statements that set GTIDs."),
    click.option(
        "-i", "--idempotent", is_flag=True, help="Ignore missing and duplicate rows when the output is replayed."
    ),
    click.option("-B", "--flashback", is_flag=True, help="Print the inverse of all row changes (MariaDB)."),
    click.option(
        "-l", "--local-load", type=FILE_NAME, metavar="DIR", help="Write the files of LOAD DATA statements into DIR."
    ),
    click.option(
        "--dialect", type=click.Choice(["mysql", "mariadb"]), help="Output style; default: that of the log's server."
    ),
    click.option("-F", "--force-if-open", is_flag=True, hidden=True),
    click.option("-f", "--force-read", is_flag=True, hidden=True),
)


def text_options(command: Command) -> Command:
    """Add the options of the text, passed as `text`."""

    @functools.wraps(command)
    def wrapper(
        *args: Any,
        verbose: int,
        rewrites: tuple[str, ...],
        dialect: str | None,
        zone: tzinfo | None,
        force_if_open: bool,  # noqa: ARG001 - damage and open logs never stop us
        force_read: bool,  # noqa: ARG001
        **rest: Any,
    ) -> Any:
        names = TextOptions._fields
        text = TextOptions(
            verbose=verbose,
            rewrite_db=dict(rewritten(pair) for pair in rewrites),
            mariadb=None if dialect is None else dialect == "mariadb",
            zone=zone,
            **{name: rest.pop(name) for name in list(rest) if name in names},
        )
        return command(*args, text=text, zone=zone, **rest)

    for option in reversed(OPTIONS):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


def rewritten(pair: str) -> tuple[str, str]:
    """Return both names of an `A->B`."""
    old, arrow, new = (part.strip() for part in pair.partition("->"))
    if not arrow or not old or not new:
        raise click.UsageError(f"--rewrite-db {pair!r} does not have the form 'A->B'")
    return old, new
