# SPDX-License-Identifier: Apache-2.0
"""The parts of `port.md` that come from the sources: the contract tests, and the controller with its events."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HERE = Path(__file__).parent
CRATES = HERE.parent / "crates"
TESTS, EXAMPLES = CRATES / "cc/tests/contract", CRATES / "external/tests/examples"
# The files of contract tests, with the algorithms that they are for.
FILES = {"promises.rs": "every algorithm, one in a crate of its own included", "stages.rs": "those of the catalogue"}
TEST = re.compile(r"^ *#\[test\]\n *fn (\w+)\(", re.MULTILINE)
PART = re.compile(r"(<!-- from the sources: (?P<name>\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def page() -> str:
    """Return `port.md` with its parts as the sources have them."""
    text = (HERE / "port.md").read_text(encoding="utf-8")
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found['name']]()}\n{found[3]}", text)


def tests() -> dict[str, list[str]]:
    """Return the names of the contract tests by their file."""
    return {file: TEST.findall((TESTS / file).read_text("utf-8")) for file in FILES}


def _contract() -> str:
    rows = [f"| {name.replace('_', ' ')} | `{file}` |" for file, names in tests().items() for name in names]
    return "\n".join(["| what holds after any history of events | in |", "|---|---|", *rows, ""])


def _events() -> str:
    head, *rows = [line.split("\t") for line in (EXAMPLES / "aimd.tsv").read_text("utf-8").splitlines()]
    lines = [head, ["---", "--:", "--:", "--:"], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _code(name: str, language: str) -> str:
    return f"```{language}\n{(EXAMPLES / name).read_text('utf-8')}```\n"


PARTS: Mapping[str, Callable[[], str]] = {
    "contract": _contract,
    "events": _events,
    "rust": lambda: _code("aimd.rs", "rust"),
    "python": lambda: _code("aimd.py", "python"),
}
