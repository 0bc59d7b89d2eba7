# SPDX-License-Identifier: Apache-2.0
"""The cards of algorithms and queues with the figures of independent references."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from narrows._internal import core
from narrows._internal.plural import counted


def algorithms() -> list[dict[str, Any]]:
    """Return the cards of all algorithms by family, each with its `judged` rows: the figures of independent tools."""
    return [_judged("algorithms", card) for card in core.algorithms()]


def queues() -> list[dict[str, Any]]:
    """Return the cards of all queue disciplines, each with its `judged` rows: the figures of independent tools."""
    return [_judged("queues", card) for card in core.queues()]


def _judged(kind: str, card: dict[str, Any]) -> dict[str, Any]:
    judged = _about(kind, card["name"])
    said = [card["validation"]] if card["validation"] else []
    for judge in dict.fromkeys(row["judge"] for row in judged):
        own = [row for row in judged if row["judge"] == judge]
        said.append(f"{judge}: {sum(row['agrees'] for row in own)} of {counted(len(own), 'figure')} within tolerance")
    return {**card, "judged": judged, "validation": "; ".join(said) or None}


def _about(kind: str, name: str) -> list[dict[str, Any]]:
    rows = (row for row in _references() if name in row[kind])
    return [{key: value for key, value in row.items() if key not in KINDS} for row in rows]


@cache
def _references() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name in FILES:
        rows += json.loads(files("narrows._internal").joinpath(name).read_text("utf-8"))
    return rows


FILES = ("validation.json", "validation_linux.json")
KINDS = ("algorithms", "queues")
