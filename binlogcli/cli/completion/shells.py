"""Answers the completion scripts of bash, zsh and fish, which are beside this file and are installed as they are.

`_BINLOGCLI_COMPLETE=bash_source binlogcli` prints bash's script. The scripts ask with `bash_complete` and so on:

* bash passes the line, the cursor's place in it, and the characters at which it divides words (`=` and `:` are among
  them, so that it replaces only what follows the last one);
* zsh and fish pass the number of words before the cursor's, and all words after `binlogcli`; others than the
  cursor's are without quotes.

The answer has one candidate a line: `plain`, a value, its help; or `file` or `dir`, for which the shell lists files
itself. Of `--name=value`, a candidate is the value alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem, ShellComplete, split_arg_string

from binlogcli.cli.environment import PROGRAM

if TYPE_CHECKING:
    import click

_SCRIPTS = {"bash": "binlogcli", "zsh": "_binlogcli", "fish": "binlogcli.fish"}
_CURSOR = "\x01"  # at the cursor, so that the word there is the last one, even if it is empty


def answer(cli: click.Command, instruction: str, arguments: list[str]) -> int:
    """Print a shell's script, or the candidates for a word; return the exit status."""
    shell, _, what = instruction.partition("_")
    if shell not in _SCRIPTS or what not in {"source", "complete"}:
        return 1
    if what == "source":
        lines = (Path(__file__).parent / _SCRIPTS[shell]).read_text("ascii")
    else:
        before, word, after, given = _words_of_bash(*arguments) if shell == "bash" else _words(*arguments)
        lines = "".join(_line(item, word, given) for item in candidates(cli, before, word, after))
    sys.stdout.buffer.write(lines.encode("utf-8", "replace"))
    return 0


def candidates(cli: click.Command, before: list[str], word: str, after: list[str]) -> list[CompletionItem[str]]:
    """Return what can stand for a word; `before` and `after` are the others of the line."""
    complete = ShellComplete(cli, {"obj": [*before, *after]}, PROGRAM, "")
    return complete.get_completions(before, word)


def _words(count: str, *words: str) -> tuple[list[str], str, list[str], int]:
    """Return the words before the cursor's, that one, those after it, and how much of its value is not replaced."""
    at = int(count)
    word = " ".join(split_arg_string(words[at])) if at < len(words) else ""  # its quote may still be open
    return list(words[:at]), word, list(words[at + 1 :]), 0


def _words_of_bash(line: str, point: str, breaks: str) -> tuple[list[str], str, list[str], int]:
    """Return the same of a line that bash divides itself."""
    at = int(point)
    words = split_arg_string(line[:at] + _CURSOR)
    last, _, _ = words.pop().partition(_CURSOR)
    after = split_arg_string(line[at:])
    kept = 1 + max((last.rfind(char) for char in "=:@" if char in breaks), default=-1)
    if _in_quotes(line[:at]):
        kept = 0
    value = len(last) - len(_value(last))
    return words[1:], last, after, kept - value


def _in_quotes(line: str) -> bool:
    """Whether the last word of a line begins with a quote that is not closed: bash does not divide it."""
    word = split_arg_string(line)[-1:]
    return bool(word) and line.endswith(("'" + word[0], '"' + word[0]))


def _value(word: str) -> str:
    """Return what follows the = of `--name=value`; other words as they are."""
    return word.partition("=")[2] if word.startswith("--") and "=" in word else word


def _line(item: CompletionItem[str], word: str, given: int) -> str:
    """Return the line of a candidate, without the part that the shell keeps."""
    if item.type != "plain":
        return f"{item.type}\n"
    value = item.value[given:] if given >= 0 else word[:given] + item.value
    return f"plain\t{value}\t{' '.join((item.help or '').split())}\n"
