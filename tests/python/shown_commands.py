# SPDX-License-Identifier: Apache-2.0
"""The commands that pages, documents and messages show, and whether they run as they stand."""

from __future__ import annotations

import ast
import base64
import html
import json
import os
import re
import shlex
import zlib
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from narrows._internal.cli import main
from narrows._internal.cli.command import parted
from narrows._internal.cli.github import VARIABLES
from narrows._internal.cli.parser import parser
from narrows._internal.cli.shell import tree
from narrows._internal.cli.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from narrows._internal.cli.shell import Node


class Shown(NamedTuple):
    """A command as a reader sees it.

    Attributes:
        words: Its words after `narrows`.
        typed: Whether a page shows it as what a person has typed elsewhere.
    """

    words: tuple[str, ...]
    typed: bool = False

    def __str__(self) -> str:
        return shlex.join(self.words)


class PreparedError(BaseException):
    """All input of a command is read and checked, and its work would begin."""


def stop(*_: object) -> None:
    """End a command in the place of its work."""
    raise PreparedError


def resolve(words: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command in a folder up to its work, or to its end if it has none; return its exit status."""
    with monkeypatch.context() as patched:
        patched.setattr(Work, "perform", stop)
        patched.setattr("narrows._internal.page.printed.save", stop)
        patched.chdir(folder)
        # As in a step of a workflow, where `narrows ab --github` is shown.
        for variable in VARIABLES:
            patched.setenv(variable, os.devnull)
        try:
            return main([*words])
        except PreparedError:
            return 0


def of_page(page: Path) -> list[Shown]:
    """Return the commands of a page; those of its explanations, too, each with a time as the page's script adds it."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"<script\b.*?</script>|<style\b.*?</style>", "", text, flags=re.DOTALL)
    found = [
        Shown(words, "typed" in attributes)
        for attributes, code in re.findall(r"<code([^>]*)>(.*?)</code>", text, re.DOTALL)
        for words in commands(html.unescape(re.sub(r"<[^>]*>", "", code)))
    ]
    for packed in re.findall(r'data-moments="\d+" data-packed="([^"]+)"', text):
        content = json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))
        flows = [flow for panel in content["panels"] for flow in panel.values()]
        found += [Shown((*words, "--at", "1.0000s")) for flow in flows for words in commands(flow["command"])]
    return list(dict.fromkeys(found))


def of_document(file: Path) -> list[Shown]:
    """Return the commands of a Markdown file: those of its blocks, and those within its sentences."""
    text = re.sub(r"\\\n\s*", " ", file.read_text(encoding="utf-8"))
    blocks = [line.strip() for line in text.splitlines() if re.match(r"( {4}|\t)\S", line)]
    fenced = [line.strip() for block in re.findall(r"```.*?\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    inline = re.findall(r"`(narrows [^`\n]+)`", text)
    # What follows several spaces says what the command does, or that it is refused.
    blocks, fenced = ([line for line in each if not line.endswith("# refused")] for each in (blocks, fenced))
    lines = [re.split(r" {2,}(?![\\-])", line.removeprefix("- run: "))[0] for line in [*blocks, *fenced]]
    return list(dict.fromkeys(Shown(words) for line in [*lines, *inline] for words in commands(line)))


def of_sources(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the commands in texts of Python modules, each with its file; values that are filled in are `X`."""
    for file in sorted(folder.rglob("*.py")):
        texts: list[str] = []
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [each.value if isinstance(each, ast.Constant) else "X" for each in node.values]
                texts.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
        for text in texts:
            yield from ((file.name, each) for each in re.findall(r"`(narrows [a-z][^`]*)`", text))


def commands(text: str) -> list[tuple[str, ...]]:
    """Return the commands of a line of a shell, without what is piped or redirected."""
    lexer = shlex.shlex(text.replace("|…", ""), posix=True, punctuation_chars=";|&>")
    lexer.whitespace_split = True
    found: list[list[str]] = [[]]
    try:
        for word in lexer:
            if set(word) <= set(";|&>"):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:
        return []
    return [tuple(each[1:]) for each in found if len(each) > 1 and each[0].endswith("narrows")]


def is_form(words: tuple[str, ...]) -> bool:
    """Return whether a command is a form with places for values, such as FILE or $INDEX, or with alternatives."""
    return any(re.fullmatch(PLACE, each) or re.search(r"\$\{?\w|\$\{\{|\{\}", each) for each in words)


@cache
def _known() -> dict[tuple[str, ...], Node]:
    """Return each command by its words; half a second."""
    return {command.path: command for command in tree()}


def fault_of_form(words: tuple[str, ...]) -> str:
    """Return what is wrong with a form: an unknown command or option; empty if nothing is."""
    known = _known()
    path: tuple[str, ...] = ()
    for word in words:
        if (*path, word) not in known:
            break
        path = (*path, word)
    if not path:
        return "" if words[0].isupper() else f"no command {words[0]}"
    if known[path].inner and len(words) > len(path):
        return f"no command {' '.join(words[: len(path) + 1])}"
    options = [option for word in parted(words)[0] for option in re.findall(r"(?<![\w-])--[a-z0-9-]+", word)]
    unknown = [option for option in options if option not in known[path].options and option != "--help"]
    return f"{' '.join(path)}: no option {unknown[0]}" if unknown else ""


def fault_of(words: tuple[str, ...]) -> str:
    """Return why the arguments of a command cannot be parsed; empty if they can."""
    if {"--help", "--version"} & set(words):
        return ""
    try:
        _, unknown = parser().parse_known_args(parted(words)[0])
    except Exception as error:  # noqa: BLE001  # whatever it is, the command does not run
        return str(error)
    return f"unknown: {unknown}" if unknown else ""


# A place for a value in a form, an alternative, or an ellipsis.
PLACE = r"[A-Z]{2,}/.*|\[.*|.*\]|[A-Z_]{1,}(\.[a-z]+)?|.*…|\.\.\.|(.*[=/])?(FILE|DIR|KEY|LEVEL|VALUE).*"
