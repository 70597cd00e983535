"""The command line: the group of commands, each imported when it is called, and the handling of every error."""

from __future__ import annotations

import gc
import importlib
import os
import sys

import click

from binlogcli import __version__
from binlogcli.cli.environment import PROGRAM, Environment, Exit, close_output, compiled, hold_stderr, reader_is_gone
from binlogcli.errors import BinlogError

COMMANDS = {
    "dump": "Print events as mysqlbinlog text, SQL, JSON or CSV.",
    "hexdump": "Explain every byte of every event.",
    "stats": "Summarize logs by event type, table, transaction, time and server; report problems.",
    "schema": "Show table definitions at any point of the logs, and the statements that changed them.",
    "compare": "Compare two histories: a source with its replica, an archive with a server.",
    "extract": "Write selected transactions as logs of their own.",
    "decrypt": "Decrypt encrypted logs.",
    "to-parquet": "Convert logs to typed Parquet tables with Spark.",
    "pull": "Copy a server's logs into a local archive; resumes where it stopped.",
    "verify": "Check whether the files of a manifest are still the same.",
}
COMPLETION = "_BINLOGCLI_COMPLETE"  # by which a shell asks what could come next
RARELY = 1 << 17  # objects made between two searches for garbage: events never point in a circle, and go without one


class _LazyGroup(click.Group):
    """Commands by name; a command's module is imported when it runs or its help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the documentation."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"binlogcli.cli.commands.{cmd_name.replace('-', '_')}")
        command = getattr(module, cmd_name.replace("-", "_"))
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of the help text, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Print the version, and whether the program is compiled."""
    if not value or ctx.resilient_parsing:
        return
    form = "compiled" if compiled() else "plain Python, not compiled"
    click.echo(f"{PROGRAM} {__version__} ({form}; Python {sys.version.split()[0]})")
    ctx.exit()


_EPILOG = "Start with: binlogcli stats LOG. Each command has --help and a manual page (man binlogcli-stats)."


@click.group(
    cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colours; auto: only on a terminal.",
)
@click.option("--debug", is_flag=True, help="Show a traceback when an error occurs.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.pass_context
def cli(ctx: click.Context, color: str, debug: bool) -> None:
    """Read, explain and convert the binary logs of MySQL and MariaDB."""
    environment = ctx.ensure_object(Environment)
    environment.debug, environment.color = debug, color


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    if COMPLETION in os.environ:
        from binlogcli.cli.completion.shells import answer  # only a shell asks

        return answer(cli, os.environ[COMPLETION], sys.argv[1:] if arguments is None else arguments)
    hold_stderr()
    gc.freeze()
    gc.set_threshold(RARELY)
    gc.enable()
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    environment = Environment(debug="--debug" in arguments)
    status = _run(environment, arguments)
    return status if environment.manifest is None else environment.manifest(status)


def _run(environment: Environment, arguments: list[str]) -> int:
    """Run a command, report the error that ends it, and return the exit status."""
    try:
        with cli.make_context(PROGRAM, arguments, obj=environment) as context:
            cli.invoke(context)
            return int(environment.status)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        from binlogcli.cli.usage import tell_usage  # only for what cannot be understood

        tell_usage(environment, error, arguments, COMMANDS)
        return int(Exit.UNUSABLE)
    except BinlogError as error:
        environment.failure(error)
        return int(Exit.UNUSABLE)
    except (KeyboardInterrupt, click.Abort):
        return int(Exit.INTERRUPTED)
    except OSError as error:  # sources raise no such thing: it is the output's
        gone = isinstance(error, BrokenPipeError) and (bool(error.filename) or reader_is_gone())
        close_output()
        if gone:
            return int(Exit.DONE)
        reason = (error.strerror or str(error)).lower()
        environment.failure(
            BinlogError(reason, file=error.filename or "stdout", hint="free some space, or write to another place")
        )
        return int(Exit.UNUSABLE)
    except Exception as error:  # whatever is wrong with the program, its user gets no traceback
        reason = f"internal error: {type(error).__name__}: {error}"
        environment.failure(BinlogError(reason, hint="please report it, with the output of --debug"))
        return int(Exit.UNUSABLE)
