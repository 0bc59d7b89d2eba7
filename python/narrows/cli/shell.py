# SPDX-License-Identifier: Apache-2.0
"""`narrows completion` and `narrows man`, written from the declarations of the arguments."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING

from narrows import core
from narrows.cli.arguments import parser
from narrows.cli.status import DONE
from narrows.library import library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class Command:
    """A command, or the program itself.

    Attributes:
        path: The words that call it.
        summary: Help text of the command.
        parser: Parser of its arguments.
        inner: The commands below it.
        options: Options, each with its help text.
        words: Possible values of its arguments, where they are a list.
    """

    path: tuple[str, ...]
    summary: str
    parser: argparse.ArgumentParser
    inner: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)


def completion(arguments: argparse.Namespace) -> int:
    """Print the script that completes commands, options and names in a shell."""
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell]())
    return DONE


def man(_arguments: argparse.Namespace) -> int:
    """Print the manual page."""
    program, *commands = tree()
    lines = [
        f'.TH NARROWS 1 "" "narrows {version("narrows")}" "User commands"',
        ".SH NAME",
        "narrows \\- a laboratory for Internet congestion control",
        ".SH SYNOPSIS",
        ".B narrows",
        "COMMAND [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    for command in commands:
        if not command.inner:
            usage = " ".join(command.parser.format_usage().split()).removeprefix("usage: ")
            lines += [".TP", f".B {_roff(' '.join(command.path))}", f"{_roff(command.summary)}.", ".br", _roff(usage)]
    lines += [".SH EXIT STATUS", _roff(str(program.parser.epilog).removeprefix("Exit status: "))]
    print("\n".join(lines))
    return DONE


def tree() -> list[Command]:
    """Return the program and all its commands, each before those below it."""
    return list(_walk(parser(), (), ""))


def _walk(of: argparse.ArgumentParser, path: tuple[str, ...], summary: str) -> Iterator[Command]:
    command = Command(path, summary, of)
    below: list[Command] = []
    for action in of._actions:  # noqa: SLF001  # argparse has no public way to list its arguments
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            command.inner = {each.dest: each.help or "" for each in action._choices_actions}  # noqa: SLF001
            for name, inner in action.choices.items():
                below += _walk(inner, (*path, name), command.inner.get(name, ""))
        elif action.option_strings:
            command.options[action.option_strings[-1]] = _plain(action)
        else:
            named = NAMES.get((*path[:1], action.dest), _none)
            command.words += [str(each) for each in action.choices or named()]
    yield command
    yield from below


def _plain(action: argparse.Action) -> str:
    """Return the help of an option without its default."""
    return re.sub(r" *\(default: %\(default\)s\)", "", action.help or "").replace("%%", "%")


def _bash() -> str:
    called = {" ".join(("", *each.path)) if each.path else "": each for each in tree()}
    known = "|".join(f'"{path}"' for path in called if path)
    words = {path: " ".join([*each.inner, *each.words, *each.options]) for path, each in called.items()}
    cases = "\n".join(f'    "{path}") words="{listed}" ;;' for path, listed in words.items())
    return f"""\
_narrows() {{
  local path="" word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in {known}) path="$path $word" ;; esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _narrows narrows"""


def _zsh() -> str:
    return f"#compdef narrows\nautoload -U +X bashcompinit && bashcompinit\n{_bash()}"


def _fish() -> str:
    lines = []
    for command in tree():
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.path) or "__fish_use_subcommand"
        inner = f"{seen}; and not __fish_seen_subcommand_from {' '.join(command.inner)}" if command.path else seen
        for name, summary in command.inner.items():
            lines.append(f"complete -c narrows -n '{inner}' -a {name} -d {_quoted(summary)}")
        if command.words:
            lines.append(f"complete -c narrows -n '{seen}' -a {_quoted(' '.join(command.words))}")
        for option, meaning in command.options.items():
            form = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(f"complete -c narrows -n '{seen}' {form} -d {_quoted(meaning)}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _roff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def _none() -> list[str]:
    return []


def _algorithms() -> list[str]:
    return [card["name"] for card in core.algorithms()]


def _cards() -> list[str]:
    return [*_algorithms(), *(card["name"] for card in core.queues())]


def _scenarios() -> list[str]:
    return list(library())


# The names that an argument of a command can have besides those of files.
NAMES: dict[tuple[str, ...], Callable[[], list[str]]] = {
    ("run", "file"): _scenarios,
    ("check", "file"): _scenarios,
    ("playground", "file"): _scenarios,
    ("compare", "algorithms"): _algorithms,
    ("matrix", "algorithms"): _algorithms,
    ("deploy", "algorithm"): _algorithms,
    ("show", "name"): _cards,
}
