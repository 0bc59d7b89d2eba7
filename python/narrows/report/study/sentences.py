# SPDX-License-Identifier: Apache-2.0
"""What a study found, in sentences: for its page, and for the terminal when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.scale import quantity
from narrows.metrics.perceived import PERCEIVED
from narrows.page.estimates import changed_texts, difference_text
from narrows.plural import counted
from narrows.report.study.rows import response_meaning
from narrows.statistics import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from narrows.experiments.findings import Finding, Mean
    from narrows.statistics import Estimate


def answers(found: Sequence[Finding]) -> list[str]:
    """Return what a study found: clear effects, those on what people perceive first; or that there is none.

    Args:
        found: The findings, those of the first response first.
    """
    order = sorted(found, key=lambda finding: finding.response.rpartition(".")[2] not in PERCEIVED)
    all_of_them = [sentence for finding in order for sentence in sentences(finding)]
    # What moves or differs is the answer; that something does not is one where nothing else is.
    clear = [each for each in all_of_them if not any(words in each for words in _NOTHING)]
    return clear or all_of_them


def sentences(finding: Finding) -> Iterator[str]:
    """Yield what a study says of a response: how the algorithms differ, and on which factor it depends most."""
    shown = response_meaning(finding.response)
    divided = finding.divided
    if divided:
        what = "order of the algorithms" if divided.turns else "difference between the algorithms"
        yield f"{shown.title}: the {what} depends on {divided.factor}."
        for level, means in divided.means.items():
            yield f"{shown.title} at {divided.factor} = {level}{_against(means, finding.response)}"
    elif len(finding.means) > 1:
        yield f"{shown.title}{_against(finding.means, finding.response)}"
    clear = [effect for effect in finding.effects if effect.clear]
    if clear:
        top = clear[0]
        low, high = quantity(top.low, shown.unit), quantity(top.high, shown.unit)
        difference = signed(top.difference, finding.response)
        yield (
            f"{shown.title} depends most on {top.factor}: {low} at {top.low_level}, {high} at {top.high_level}, "
            f"a difference of {difference}."
        )
    elif finding.effects:
        yield f"{shown.title}: no factor has a clear effect."
    if finding.missing:
        missing = counted(finding.missing, "cell has no value and does", "cells have no value and do")
        yield f"{shown.title}: {missing} not count."


def _against(means: Sequence[Mean], response: str) -> str:
    """Return the end of a sentence on the algorithms that clearly differ from the first of them."""
    first, unit = means[0], response_meaning(response).unit
    said: list[str] = []
    for each in means:
        if each.difference and each.clear:
            values = (mean_of(first.mean), mean_of(each.mean), mean_of(each.difference))
            before, after, known = changed_texts(*values, each.difference["ci95"], unit)
            instead = "" if said else f" instead of {before} with {first.algorithm}"
            said.append(f"{after} with {each.algorithm}{instead}{f' ({known})' if known else ''}")
    return f": {'; '.join(said)}." if said else f": no algorithm differs clearly from {first.algorithm}."


def signed(difference: Estimate, response: str) -> str:
    """Return a difference of a response with its interval, as text."""
    return difference_text(difference["mean"], difference["ci95"], response_meaning(response).unit)


_NOTHING = ("no factor has a clear effect", "no algorithm differs clearly", "not count.")
