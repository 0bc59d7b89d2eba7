# SPDX-License-Identifier: Apache-2.0
"""The cards of algorithms and queues with the figures of independent references, and the cards of links by name."""

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


def links() -> list[dict[str, Any]]:
    """Return the links that a scenario can name, with their mean rates and the share of time below half of them."""
    return [_link(card) for card in core.links()]


def _link(card: dict[str, Any]) -> dict[str, Any]:
    steps, length_s = card["steps"], card["length_s"]
    ends = [*steps[1:], (length_s, 0)]
    spans = [(end - start, bps) for (start, bps), (end, _) in zip(steps, ends, strict=True)]
    mean_bps = sum(span_s * bps for span_s, bps in spans) / length_s
    below_half = sum(span_s for span_s, bps in spans if bps < mean_bps / 2) / length_s
    return {**card, "mean_bps": mean_bps, "below_half": below_half}


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
