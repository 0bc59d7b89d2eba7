# SPDX-License-Identifier: Apache-2.0
"""Figures for papers: names of groups are text there, whatever LaTeX or matplotlib would take them for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("matplotlib")

from narrows._internal.page.printed import ARROW, Printed, latex, save  # matplotlib is optional

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    r"\input{/etc/passwd}", r"\write18{ls}", "a_b", "R&D", "#1", "50%", "x^2", "~", "{", "}", "\\", "$", "$$", "$x$",
    r"$\frac{$", r"$\undefined$", r"\$x\$", "$_$ & $^$", "<a|b>", '"quoted"', "one\n\\input{two}", "µ ü — 漢",
)  # fmt: skip
COMMANDS = {"textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"}


def escaped(text: str) -> str:
    return text.replace("$", r"\$")


# A machine may lack a font that has all letters.
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")
@pytest.mark.parametrize("form", ["pgf", "pdf", "png"])
def test_names_are_set_as_they_are(form: str, tmp_path: Path) -> None:
    figure = Printed(figsize=(4, 4))
    axes = figure.add_axes((0, 0, 1, 1))
    for place, name in enumerate(NAMES):
        axes.text(0, place / len(NAMES), escaped(name))
        axes.text(0.5, place / len(NAMES), f"{escaped(name)} {ARROW}")
    save(figure, tmp_path / f"f.{form}", form)
    if form == "pgf":
        content = (tmp_path / "f.pgf").read_text("utf-8")
        assert r"\textbackslash{}input\{/etc/passwd\}" in content
        for command in (r"\input{/etc", r"\input{two", r"\write18", r"\undefined"):
            assert command not in content


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_name_is_a_command(name: str) -> None:
    for text in (latex(name), latex(f"{escaped(name)} {ARROW}").replace(ARROW, "")):
        assert set(re.findall(r"\\([a-zA-Z]+)", text)) <= COMMANDS
        bare = re.sub(r"\\(?:[a-z]+\{\}|[{}#$%&_])", "", text)
        assert not set(bare) & set("\\{}#$%&_^~")
