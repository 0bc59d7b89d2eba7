"""Studies that a command lays out and reads in a way of its own: the matrix of pairs, the way of a deployment.

A view is a file beside the plan that says which of them a study is; everything else is a study as any other, with its
cells, its lease and its table.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.manifest import to_json

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from narrows.study.plan import Plan


@dataclass(frozen=True)
class View:
    """How a study is read.

    Attributes:
        kind: "matrix" or "deployment".
        command: The command line that laid it out, which makes its figures again.
        facts: What it must know besides the plan; plain data.
    """

    kind: str
    command: str
    facts: dict[str, Any]

    def save(self, folder: Path) -> None:
        """Write it into an existing folder."""
        (folder / VIEW).write_text(to_json(asdict(self)) + "\n", encoding="utf-8")


def load_view(folder: Path) -> View | None:
    """Read how the study in `folder` is read; None for a study as any other.

    Raises:
        InputError: The file is damaged.
    """
    try:
        return View(**json.loads((folder / VIEW).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise InputError(str(folder / VIEW), f"is damaged: {error}") from None


def summary(view: View, plan: Plan, cells: pa.Table) -> dict[str, Any]:
    """Return the contents of `summary.json`.

    Args:
        view: How the study is read.
        plan: The study's.
        cells: Its finished cells.
    """
    from narrows.study.views import deployment, matrix

    found = {"matrix": matrix.summary, "deployment": deployment.summary}[view.kind](view, plan, cells)
    return {
        "title": plan.title,
        "kind": view.kind,
        "seed": plan.seed,
        "replications": plan.replications.maximum,
        "command": view.command,
        **found,
    }


VIEW = "view.json"
