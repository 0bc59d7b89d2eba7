"""The cards of algorithms and queues with the figures of independent references.

`validation/compare.py --markdown` writes `validation.json`, and a test compares it with our runs. The rows `judged` of
a card are those that concern it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from narrows import core


def algorithms() -> list[dict[str, Any]]:
    """Return the cards of all algorithms by family, each with its `judged` rows: the figures of independent tools."""
    return [{**card, "judged": _about("algorithms", card["name"])} for card in core.algorithms()]


def queues() -> list[dict[str, Any]]:
    """Return the cards of all queue disciplines, each with its `judged` rows: the figures of independent tools."""
    return [{**card, "judged": _about("queues", card["name"])} for card in core.queues()]


def _about(kind: str, name: str) -> list[dict[str, Any]]:
    rows = (row for row in _references() if name in row[kind])
    return [{key: value for key, value in row.items() if key not in KINDS} for row in rows]


@cache
def _references() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(files("narrows").joinpath("validation.json").read_text("utf-8"))
    return rows


KINDS = ("algorithms", "queues")
