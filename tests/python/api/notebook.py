# SPDX-License-Identifier: Apache-2.0
"""Runs the code of a notebook as IPython does: each cell compiled on its own, its source kept for tracebacks."""

from __future__ import annotations

import ast
import json
import linecache
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


def run(file: Path) -> None:
    """Run all cells; one that is tagged with the name of a package is left out where that is not installed."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    for number, cell in enumerate(json.loads(file.read_text("utf-8"))["cells"]):
        missing = [tag for tag in cell["metadata"].get("tags", ()) if find_spec(tag) is None]
        if cell["cell_type"] == "code" and not missing:
            execute("".join(cell["source"]), f"<cell {number} of {file.name}>", main)


def execute(text: str, name: str, main: ModuleType) -> None:
    """Run one cell, and show its last value where it is an expression."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    tree = ast.parse(text)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, name, "exec"), main.__dict__)  # noqa: S102  # our own notebooks
    if isinstance(last, ast.Expr):
        shown = eval(compile(ast.Expression(last.value), name, "eval"), main.__dict__)  # noqa: S307  # as above
        html = getattr(shown, "_repr_html_", None)
        assert html is None or html()
        same = re.search(r"(?<![\d.])(\d[\d.]*) (?:to|…) \1(?![\d.])", html() if html else str(shown))
        assert not same, f"two ends that are one number: {same}"


if __name__ == "__main__":
    run(Path(sys.argv[1]))
