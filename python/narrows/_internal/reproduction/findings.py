# SPDX-License-Identifier: Apache-2.0
"""The main results of a study, each with the verdict that follows from its claims. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.reproduction.claims import SCALES
from narrows._internal.reproduction.ledger import DIRECTION_ONLY, NOT_TESTABLE, UNDECIDABLE, stated
from narrows._internal.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows._internal.reproduction.claims import Headline, Published, Shown

    Entry = Mapping[str, Any]


class Finding(NamedTuple):
    """A main result of a study, beside ours."""

    says: str
    verdict: str  # what is stated of the deciding claim
    claims: Sequence[Entry]  # the claims that it rests on, as in the ledger; the first decides
    ours: str  # our numbers, in words; empty without any
    theirs: str  # the published numbers, in words; empty without any


def findings(published: Published, entries: Mapping[str, Entry], tables: Sequence[Entry]) -> list[Finding]:
    """Return the main results of a study with their verdicts and numbers."""
    known = {each["title"]: each for each in tables}
    return [_finding(each, entries, known, published.labels) for each in published.headlines]


def _finding(
    headline: Headline, entries: Mapping[str, Entry], tables: Mapping[str, Entry], labels: Mapping[str, str]
) -> Finding:
    # A result that rests on several claims is as sure as the worst of them.
    own = sorted((entries[each] for each in headline.claims), key=lambda each: FROM_WORST.index(stated(each)))
    first = own[0]
    if headline.numbers:
        sides = zip(*(_values(each, tables, labels) for each in headline.numbers), strict=True)
        ours, theirs = ("; ".join(filter(None, each)) for each in sides)
        return Finding(headline.says, stated(first), own, ours, theirs)
    return Finding(headline.says, stated(first), own, effect_text(first), first["published"] or "")


def _values(shown: Shown, tables: Mapping[str, Entry], labels: Mapping[str, str]) -> tuple[str, str]:
    """Return our value and the published value of a table; empty if missing."""
    table = tables.get(shown.table)
    if table is None:
        return "", ""
    row, place = table["rows"][shown.row], [str(each) for each in table["columns"]].index(shown.column)
    name = labels.get(shown.row, shown.row)
    if len(table["columns"]) > 1:
        name += f", {labels.get(shown.column, shown.column)}"
    scale, unit = SCALES.get(shown.unit, 1.0), f" {shown.unit}" if shown.unit else ""
    values = (row[side][place] for side in ("ours", "published"))
    ours, theirs = ("" if each is None else f"{name}: {each / scale:.3g}{unit}" for each in values)
    return ours, theirs


def effect_text(entry: Entry) -> str:
    """Return the deciding number of a claim with its unit and interval; empty if it has none."""
    if entry["effect"] is None:
        return ""
    unit = "Mbps" if entry["unit"] == "bps" else entry["unit"]
    scale = SCALES["Mbps"] if entry["unit"] == "bps" else 1.0
    value, *ends = (f"{each / scale:.3g}" for each in (entry["effect"], *(entry["ci95"] or ())))
    return " ".join([value, *([unit] if unit else []), *([f"({ends[0]} to {ends[1]})"] if ends else [])])


FROM_WORST = (FAILS, INCONCLUSIVE, UNDECIDABLE, NOT_TESTABLE, DIRECTION_ONLY, HOLDS)
