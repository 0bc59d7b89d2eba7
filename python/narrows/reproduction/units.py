"""The unit of the quantity of a claim, from the units of its measures."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from narrows.metrics import catalogue
from narrows.reproduction.quantity import Chosen, Combined, Constant, Folded, Measured, Named, Number
from narrows.study.measures import split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from narrows.reproduction.quantity import Binding, Quantity


def unit_of(quantity: Quantity, binding: Binding) -> str:
    """Return the unit of a quantity as on metric cards ("bps", "s", "packets"); empty for a pure number.

    A sum, a difference and a fold keep the unit that all their parts have; a ratio, a product, a rank and a coefficient
    have none.
    """
    if isinstance(quantity, Measured):
        _, measure = split(quantity.column(binding))
        return _units().get(measure.partition("(")[0], "")
    if isinstance(quantity, Named | Constant):
        return unit_of(quantity.quantity, binding)
    if isinstance(quantity, Chosen):
        return unit_of(quantity.under(binding), binding)
    if isinstance(quantity, Folded):
        return _common((part, {**binding, **each}) for part in quantity.parts for each in quantity.over)
    if isinstance(quantity, Combined) and quantity.how in {"minus", "plus"}:
        return _common(((quantity.first, binding), (quantity.second, binding)))
    return ""


def _common(parts: Iterable[tuple[Quantity, Binding]]) -> str:
    different = {unit_of(part, binding) for part, binding in parts if not isinstance(part, Number)}
    return different.pop() if len(different) == 1 else ""


@cache
def _units() -> dict[str, str]:
    return {card["name"]: card["unit"] for card in catalogue()}
