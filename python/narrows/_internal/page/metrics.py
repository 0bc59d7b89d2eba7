# SPDX-License-Identifier: Apache-2.0
"""The presentation of a metric by its card: its name, its unit, and its better direction."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from narrows._internal.drawing.scale import BITS_PER_SECOND, BYTES, COUNT, INDEX, PACKETS, PERCENT, SECONDS, Unit
from narrows._internal.frozen import frozen
from narrows.metrics import catalogue


@frozen
class Meaning:
    """The presentation of a metric."""

    label: str  # name of the metric in the middle of a sentence
    unit: Unit  # unit of its values
    better: int = 0  # 1 if higher values are better, -1 if lower ones are, 0 if neither
    named: bool = True  # whether the label is from a card, not the metric's name

    @property
    def title(self) -> str:
        """The label at the start of a row or a sentence, capitalised unless it is a name."""
        return self.label[:1].upper() + self.label[1:] if self.named else self.label

    def of(self, owner: str) -> Meaning:
        """Return the presentation of this metric of `owner`: "goodput of cubic", "mean RTT of cubic"."""
        if self.label.endswith(MEAN):
            return replace(self, label=f"mean {self.label.removesuffix(MEAN)} of {owner}")
        end = min((place for sign in (", ", " (") if (place := self.label.find(sign)) >= 0), default=len(self.label))
        return replace(self, label=f"{self.label[:end]} of {owner}{self.label[end:]}")


def meaning(name: str, owner: str = "group") -> Meaning:
    """Return the presentation of a metric."""
    bare, _, choices = name.partition("(")
    card = _cards().get((owner, bare)) or _cards().get(("link" if owner == "group" else "group", bare))
    if card is not None:
        label = f"{card['label']} ({choices}" if choices else card["label"]
        return Meaning(label, unit_named(card["unit"]), BETTER[card["better"]])
    return Meaning(name, next((unit for suffix, unit in SUFFIXES.items() if name.endswith(suffix)), INDEX), named=False)


def unit_named(name: str) -> Unit:
    """Return the unit that cards call `name`; if the name is unknown, a unit without multiples such as k or M."""
    return UNITS.get(name) or Unit(name)


@cache
def _cards() -> dict[tuple[str, str], dict[str, Any]]:
    return {("link" if card["family"] == "link" else "group", card["name"]): card for card in catalogue()}


# The end of the label of a mean.
MEAN = ", mean"
# By the names that cards use.
UNITS = {
    "": INDEX,
    "share": PERCENT,
    "count": COUNT,
    "bps": BITS_PER_SECOND,
    "s": SECONDS,
    "B": BYTES,
    "packets": PACKETS,
    "round trips": Unit("round trips"),
    "1/s": Unit("/s"),
    "rpm": Unit("RPM"),
    "bps/s": Unit("bps/s", tuple((factor, f"{written}/s") for factor, written in BITS_PER_SECOND.prefixes)),
}
# A name whose number is no pure one ends with its unit.
SUFFIXES = {
    "_bps": BITS_PER_SECOND,
    "_packets": PACKETS,
    "_bytes": BYTES,
    "_s": SECONDS,
    "_rate": PERCENT,
    "_fraction": PERCENT,
}
BETTER = {"higher": 1, "lower": -1, "": 0}
