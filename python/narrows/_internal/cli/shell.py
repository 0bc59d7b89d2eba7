# SPDX-License-Identifier: Apache-2.0
"""`narrows completion` and `narrows man`, written from the declarations of the arguments."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import NamedTuple

from narrows._internal.cli import known
from narrows._internal.cli.command import DONE, LOOK_UP, SET_UP, Command
from narrows._internal.cli.parser import EXIT_STATUS, Parser, parser


class Node(NamedTuple):
    """A command, or the program itself."""

    path: tuple[str, ...]
    summary: str
    parser: Parser
    inner: dict[str, str]
    options: dict[str, str]
    words: list[str]
    values: dict[str, list[str]]


def completion(arguments: argparse.Namespace) -> int:
    """Print the script that completes commands, options and names in a shell."""
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell]())
    return DONE


def man(_arguments: argparse.Namespace) -> int:
    """Print the manual page."""
    from narrows._internal.versions import version

    _, *commands = tree()
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
            for each in command.parser.declared.examples if command.parser.declared else ():
                lines += [".br", f"e.g.\\& {_roff(f'narrows {each}')}"]
    lines += [".SH EXIT STATUS", ".nf", *map(_roff, EXIT_STATUS.splitlines()[1:]), ".fi"]
    print("\n".join(lines))
    return DONE


def tree() -> list[Node]:
    """Return the program and all its commands, each before those below it."""
    return list(_walk(parser(), (), ""))


def _walk(of: Parser, path: tuple[str, ...], summary: str) -> Iterator[Node]:
    of.fill()
    node = Node(path, summary, of, {}, {}, [], {})
    below: list[Node] = []
    for action in of._actions:  # noqa: SLF001  # argparse has no public way to list its arguments
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            node.inner.update({each.dest: each.help or "" for each in action._choices_actions})  # noqa: SLF001
            for name, inner in action.choices.items():
                below += _walk(inner, (*path, name), node.inner[name])
        elif action.option_strings:
            option = action.option_strings[-1]
            node.options[option] = _plain(action)
            if values := _values(of, action):
                node.values[option] = values
        else:
            node.words.extend(_values(of, action))
    yield node
    yield from below


def _values(of: Parser, action: argparse.Action) -> list[str]:
    """Return the possible values of an argument; empty if they cannot be listed."""
    own = of.declared.completes if of.declared else {}
    listing = own.get(action.dest) or known.OPTIONS.get("".join(action.option_strings[-1:]))
    return [str(each) for each in action.choices or (listing() if listing else ())]


def _plain(action: argparse.Action) -> str:
    """Return the help of an option without its default."""
    return re.sub(r" *\(default: %\(default\)s\)", "", action.help or "").replace("%%", "%")


def _bash() -> str:
    called = {" ".join(("", *each.path)) if each.path else "": each for each in tree()}
    paths = "|".join(f'"{path}"' for path in called if path)
    words = {path: " ".join([*each.inner, *each.words, *each.options]) for path, each in called.items()}
    of: dict[tuple[str, ...], list[str]] = {}
    for path, each in called.items():
        for option, listed in each.values.items():
            of.setdefault(tuple(listed), []).append(f'"{path} {option}"')
    values = "\n".join(f'    {"|".join(where)}) words="{" ".join(listed)}" ;;' for listed, where in of.items())
    cases = "\n".join(f'    "{path}") words="{listed}" ;;' for path, listed in words.items())
    return f"""\
_narrows() {{
  local path="" word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in {paths}) path="$path $word" ;; esac
  done
  case "$path" in
{cases}
  esac
  local last="${{COMP_WORDS[COMP_CWORD-1]}}" here="${{COMP_WORDS[COMP_CWORD]}}"
  case "$path $last" in
{values}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$here"))
  # The value follows the key without a space.
  if [[ "${{COMPREPLY[0]}}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
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
            if option in command.values:
                form += f" -x -a {_quoted(' '.join(command.values[option]))}"
            lines.append(f"complete -c narrows -n '{seen}' {form} -d {_quoted(meaning)}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _roff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def _completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")


COMMANDS = (
    Command(
        "completion",
        "print a completion script for a shell",
        SET_UP,
        _completion,
        ("completion bash > narrows.bash",),
        job=completion,
    ),
    Command("man", "print the manual page", LOOK_UP, examples=("man | man -l -",), job=man),
)
