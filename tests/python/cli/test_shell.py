# SPDX-License-Identifier: Apache-2.0
"""Completion in shells, and the manual page: written from the arguments, so that none is missing."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import generate
import pytest

from narrows._internal.cli import known, main
from narrows._internal.cli.command import COMMANDS
from narrows._internal.cli.shell import tree
from optional import require

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows

SHELLS = ("bash", "zsh", "fish")


def completed(script: str, *words: str) -> set[str]:
    """Return what bash offers for the last of these words."""
    listed = " ".join(f"'{word}'" for word in ("narrows", *words))
    ask = f"COMP_WORDS=({listed}); COMP_CWORD={len(words)}; _narrows; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)  # noqa: S607
    return set(done.stdout.split())


def test_bash_completes_commands_options_and_names(narrows: Narrows) -> None:
    script = narrows("completion", "bash").stdout
    assert {"run", "compare", "study", "playground"} <= completed(script, "")
    assert completed(script, "stu") == {"study"}
    assert {"run", "resume", "query"} <= completed(script, "study", "")
    assert completed(script, "run", "two-f") == {"two-flows"}
    assert completed(script, "run", "two-flows", "--repl") == {"--replications"}
    assert {"cubic", "cubic-linux"} <= completed(script, "compare", "newreno", "cub")
    assert completed(script, "study", "resume", "--re") == {"--retry"}
    for words, offered in (
        (["ab", "cubic", "bbr"], "bbr3"),
        (["worst", "new"], "newreno"),
        (["suite", "rfc"], "rfc9743"),
        (["suite", "aqm", "fq-"], "fq-codel"),
        (["reproduce", "ban"], "bansal-2001"),
        (["show", "two-"], "two-flows"),
        (["compare", "cubic", "--scenario", "wi"], "wi-fi"),
        (["ab", "cubic", "bbr3", "--suite", "aq"], "aqm"),
        (["deploy", "bbr3", "--against", "cub"], "cubic"),
        (["run", "wi-fi", "--metric", "goodput_f"], "goodput_fraction"),
        (["run", "wi-fi", "--set", "path.queue.li"], "path.queue.limit="),
        (["matrix", "cubic", "--set", "transport.slow"], "transport.slow_start="),
        (["compare", "cubic", "--vary", "flows.0.alg"], "flows.0.algorithm="),
        (["study", "run", "s.toml", "--executor", ""], "dask"),
    ):
        assert offered in completed(script, *words), words


def test_a_key_that_is_completed_is_one_of_the_scenario() -> None:
    offered = known.keys()
    assert len(offered) > 100
    for key in ("path.rate=", "path.queue.kind=", "network.links.0.rate=", "record.interval=", "duration="):
        assert key in offered


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command(narrows: Narrows, shell: str) -> None:
    script = narrows("completion", shell).stdout
    assert all(name in script for command in tree() for name in command.path)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_valid(narrows: Narrows, tmp_path: Path, shell: str) -> None:
    checker = require(shell)
    (tmp_path / "script").write_text(narrows("completion", shell).stdout)
    subprocess.run([checker, "-n", tmp_path / "script"], check=True)


def test_the_manual_page_has_every_command(narrows: Narrows) -> None:
    page = narrows("man").stdout
    assert page.startswith(".TH NARROWS 1")
    assert ".SH EXIT STATUS" in page
    for command in tree():
        if command.path and not command.inner:
            assert f".B {' '.join(command.path)}".replace("-", "\\-") in page


def test_every_command_and_argument_is_described() -> None:
    for command in tree():
        assert not command.path or (command.summary[0].islower() and not command.summary.endswith(".")), command.path
        for action in command.parser._actions:  # noqa: SLF001  # argparse has no public way to list its arguments
            name = " ".join([*command.path, action.option_strings[-1] if action.option_strings else action.dest])
            text = action.help or ""
            assert text or (command.inner and not action.option_strings), f"{name} has no help"
            # A phrase and no sentence, with the default in one form.
            assert not text.endswith("."), f"{name}: {text}"
            assert "(%(default)s)" not in text, f"{name}: {text}"


def test_every_argument_that_is_an_algorithm_is_completed() -> None:
    arguments = [
        (command.path, action.dest, command.parser.declared)
        for command in tree()
        for action in command.parser._actions  # noqa: SLF001  # argparse has no public name for them
        if action.metavar == "ALG" and not action.option_strings
    ]
    assert len(arguments) > 3
    assert [path for path, name, declared in arguments if not declared or name not in declared.completes] == []


GREET = """\
from narrows._internal.cli.command import RUN, Command


def greet(arguments):
    print(f"Hello, {arguments.name}")
    return 0


COMMANDS = (
    Command(
        "greet", "greet a person", RUN, lambda command: command.add_argument("name", help="who it is"),
        ("greet ada",), {"name": lambda: ["ada", "grace"]}, greet,
    ),
)
"""


def test_a_command_is_a_module_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "greeting.py").write_text(GREET, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(COMMANDS, "greet", "greeting")

    def printed(*words: str) -> str:
        with suppress(SystemExit):
            assert main([*words]) == 0
        return capsys.readouterr().out

    assert printed("greet", "ada") == "Hello, ada\n"
    assert re.search(r"Run scenarios:\n(.+\n)* +greet +greet a person\n", printed("--help"))
    assert "examples:\n  narrows greet ada\n" in printed("greet", "--help")
    assert ".B greet\ngreet a person." in printed("man")
    assert completed(printed("completion", "bash"), "greet", "g") == {"grace"}
    assert "-a greet -d 'greet a person'" in printed("completion", "fish")
    assert "| `narrows greet` | greet a person | `narrows greet ada` |\n" in generate.command_line_page()
