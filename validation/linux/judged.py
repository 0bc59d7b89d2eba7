# SPDX-License-Identifier: Apache-2.0
"""What the tables of this folder say of single algorithms and queues, for their cards.

.venv/bin/python validation/linux/judged.py    # write python/narrows/_internal/validation_linux.json from README.md
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from narrows._internal import core

HERE = Path(__file__).parent
CARDS = HERE.parents[1] / "python" / "narrows" / "_internal" / "validation_linux.json"
# The tables of a page, and what their scenarios begin with.
TABLES = {"alone": "algorithms", "pairs": "algorithms", "papers-alone": "algorithms", "papers-pairs": "algorithms",
          "marked": "algorithms", "queues": "queues"}  # fmt: skip
# Names of the kernel for what has another one here.
OTHER_NAMES = {"bbr": "bbr1"}
COLUMNS = 6


def rows() -> list[dict[str, Any]]:
    """Return a row for each figure of an algorithm or queue, as those of `validation.json`."""
    known = {kind: {card["name"] for card in cards} for kind, cards in
             (("algorithms", core.algorithms()), ("queues", core.queues()))}  # fmt: skip
    found = []
    page = (HERE / "README.md").read_text(encoding="utf-8")
    for table, kind in TABLES.items():
        found += _of_table(page.split(f"<!-- {table} -->\n")[1], table, kind, known[kind])
    return found


def _of_table(text: str, table: str, kind: str, known: set[str]) -> list[dict[str, Any]]:
    found, scenario = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != COLUMNS or cells[0] == "scenario" or cells[0].startswith("--"):
            continue
        scenario = cells[0] or scenario
        name = scenario.split(",")[0]
        name = OTHER_NAMES.get(name, name)
        name = f"{name}-linux" if f"{name}-linux" in known else name
        if name not in known:
            continue
        _, measure, ours, theirs, difference, agrees = cells
        found.append(
            {
                "algorithms": [name] if kind == "algorithms" else [],
                "queues": [name] if kind == "queues" else [],
                "judge": "Linux kernel in simulated time",
                "scenario": f"linux/{table}: {scenario}",
                "measure": measure,
                "theirs": theirs,
                "ours": ours,
                "difference": difference,
                "tolerance": "its interval or the aim",
                "agrees": agrees == "yes",
                "cause": None,
            }
        )
    return found


def text() -> str:
    """Return the content of `validation_linux.json`."""
    return json.dumps(rows(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    CARDS.write_text(text(), encoding="utf-8")
