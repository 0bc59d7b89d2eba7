"""The view of a study: the command that defined it, and how its table of cells is evaluated."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.files.manifest import to_json

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class View:
    """The view of a study: how its cells are summarised.

    Attributes:
        kind: "matrix" or "deployment".
        command: The command line that created the study and reproduces its figures.
        facts: Facts of the view besides the plan, as plain data.
    """

    kind: str
    command: str
    facts: dict[str, Any]

    def to_json(self) -> str:
        """Return the contents of its file, `view.json`."""
        return to_json(asdict(self)) + "\n"


def load_view(folder: Path) -> View | None:
    """Read the view of the study in `folder`; None for a study without one.

    Raises:
        InputError: The file is damaged.
    """
    try:
        return View(**json.loads((folder / VIEW).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise InputError(str(folder / VIEW), f"is damaged: {error}") from None


def number(value: float | None) -> float:
    """Return a metric of a cell as a number, NaN where the cell has no value."""
    return math.nan if value is None else value


VIEW = "view.json"
