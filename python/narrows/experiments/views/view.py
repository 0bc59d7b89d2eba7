# SPDX-License-Identifier: Apache-2.0
"""The view of a study: the command that defined it, and how its table of cells is evaluated."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.files.format import numbered, read_kept
from narrows.files.json_objects import to_json
from narrows.files.shape import ANY_NAME, check_shape
from narrows.frozen import frozen

if TYPE_CHECKING:
    from pathlib import Path


@frozen
class View:
    """The view of a study: how its cells are summarised."""

    kind: str  # "matrix" or "deployment"
    command: str  # the command line that created the study and reproduces its figures
    facts: dict[str, Any]  # facts of the view besides the plan, as plain data

    def to_json(self) -> str:
        """Return the contents of its file, `view.json`."""
        return to_json(numbered(VIEW, asdict(self))) + "\n"


def load_view(folder: Path) -> View | None:
    """Read the view of the study in `folder`; None for a study without one."""
    file = folder / VIEW
    try:
        content = read_kept(file)
    except FileNotFoundError:
        return None
    content.pop("format", None)
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in FACTS:
        raise InputError(str(file), f"is damaged: `kind` is {kind!r}; allowed: {', '.join(FACTS)}")
    check_shape(content, {"kind": str, "command": str, "facts": FACTS[kind]}, file)
    return View(**content)


def number(value: float | None) -> float:
    """Return a metric of a cell as a number; NaN if the cell has no value."""
    return math.nan if value is None else value


VIEW = "view.json"
COUNT = range(1, 2**31)
# The facts of each kind of view.
FACTS: dict[str, dict[Any, Any]] = {
    "matrix": {"algorithms": [str], "flows": COUNT, "payload": float, "within": (float, None), "unlike?": str},
    "deployment": {
        "new": str,
        "old": str,
        "connections?": COUNT,
        "flows": COUNT,
        "moved": {ANY_NAME: range(2**31)},
    },
}
