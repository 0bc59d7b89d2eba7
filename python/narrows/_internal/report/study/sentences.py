# SPDX-License-Identifier: Apache-2.0
"""The findings of a study in sentences: for its page, and for the terminal when it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from narrows._internal.drawing.scale import PERCENT, PERCENT_POINTS, bound_text, quantity
from narrows._internal.metrics.perceived import PERCEIVED
from narrows._internal.page.estimates import changed_texts, difference_text
from narrows._internal.plural import counted
from narrows._internal.report.study.rows import response_meaning
from narrows._internal.statistics import Estimate, mean_of

if TYPE_CHECKING:
    from narrows._internal.experiments.findings import Effect, Finding, Mean, Span


def answers(found: Sequence[Finding]) -> list[str]:
    """Return the clear effects of a study, user-perceived metrics first, or the sentence that there is none."""
    order = sorted(found, key=lambda finding: finding.response.rpartition(".")[2] not in PERCEIVED)
    all_of_them = [sentence for finding in order for sentence in sentences(finding)]
    # Effects and differences are the answer; their absence is the answer only if there are none.
    clear = [each for each in all_of_them if not any(words in each for words in _NOTHING)]
    return clear or all_of_them


def sentences(finding: Finding) -> Iterator[str]:
    """Yield the findings on a response: the differences of algorithms, and the factor with the largest effect."""
    shown = response_meaning(finding.response)
    if finding.depends:
        what = "order of the algorithms" if finding.turns else "difference between the algorithms"
        yield f"{shown.title}: the {what} depends on {_listed(finding.depends)}."
    for words, means in finding.conditions.items():
        yield f"{shown.title} {words}{_against(means, finding.response)}"
    for words, spans in finding.spans.items():
        said = "; ".join(_span(each, finding.response) for each in spans)
        yield f"{shown.title} {words}, relative to {finding.means[0].algorithm}: {said}."
    if len(finding.means) > 1 and not finding.conditions and not finding.spans:
        yield f"{shown.title}{_against(finding.means, finding.response)}"
    clear = [effect for effect in finding.effects if effect.clear]
    if clear:
        most = f"{clear[0].factor}{_averaged(clear[0].averaged)}"
        yield f"{shown.title} depends most on {most}: {_effect(clear[0], finding.response)}."
    elif finding.effects:
        yield f"{shown.title}: no factor has a clear effect."
    if finding.missing:
        missing = counted(finding.missing, "cell has no value and does", "cells have no value and do")
        yield f"{shown.title}: {missing} not count."


def measured(found: Sequence[Finding]) -> list[str]:
    """Return the sentences with values, those on clear effects if there are any."""
    every = [each for finding in found for each in sentences(finding)]
    return next(
        (kept for of in (answers(found), every) if (kept := [each for each in of if "±" in each or "…" in each])), []
    )


def _averaged(factors: Sequence[str]) -> str:
    """Return the note on a finding that is averaged over factors that change it; empty without any."""
    changes = "changes" if len(factors) == 1 else "change"
    return f", averaged over {_listed(factors)}, which {changes} the difference" if factors else ""


def _listed(factors: Sequence[str]) -> str:
    *others, last = factors
    return f"{', '.join(others)} and {last}" if others else last


def _span(span: Span, response: str) -> str:
    """Return the differences of an algorithm over several combinations: the ends, and how many of them matter."""
    (least_at, least), (most_at, most) = span.least, span.most
    ends = f"from {signed(least, response)} {least_at} to {signed(most, response)} {most_at}"
    counts = [(span.more, "more"), (span.less, "less")]
    whole = next((word for count, word in counts if count == span.of), None)
    parts = [f"{word} in {count}" for count, word in counts if count]
    known = f"{whole} in all {span.of} combinations" if whole else f"{' and '.join(parts)} of {span.of} combinations"
    return f"with {span.algorithm} {ends}{f', {known}' if parts else ''}"


def _effect(effect: Effect, response: str) -> str:
    """Return the effect of a factor; if it depends on other factors, its largest and its smallest value."""
    unit = response_meaning(response).unit

    def said(each: Effect) -> str:
        low, high = quantity(each.low, unit), quantity(each.high, unit)
        difference = signed(each.difference, response)
        return f"{low} at {each.low_level}, {high} at {each.high_level}, a difference of {difference}"

    if not effect.given:
        return said(effect)
    order = sorted(effect.given, key=lambda words: -abs(mean_of(effect.given[words].difference)))
    return "; ".join(f"{words} {said(effect.given[words])}" for words in (order[0], order[-1]))


def _against(means: Sequence[Mean], response: str) -> str:
    """Return the end of a sentence on the algorithms that differ from the first: clearly, or perhaps."""
    first = means[0]
    differing = [each for each in means if each.difference and each.matters]
    clear, open_ = ([each for each in differing if each.clear is whether] for whether in (True, False))
    said = [_instead(each, first, response, named=not place) for place, each in enumerate(clear)]
    if open_:
        most = max(open_, key=lambda each: abs(mean_of(each.difference or each.mean)))
        said.append(f"{_undecided(most)}: {_instead(most, first, response, named=True)}{_would_do(most)}")
    return f": {'; '.join(said)}." if said else _alike(means, response)


def _alike(means: Sequence[Mean], response: str) -> str:
    """Return the end of a sentence on algorithms without a difference that matters: a small one, or none is known."""
    first, *others = means
    unit, cases = response_meaning(response).unit, dict[str, list[str]]()
    for each in others:
        bound = bound_text(each.margin, PERCENT_POINTS if unit is PERCENT else unit)
        far = f"{'' if each.is_small else 'perhaps '}by {LESS} {bound}, from which a difference matters"
        if each.is_small:
            case = f"differ{{}} from {first.algorithm} {far}"
        elif each.is_apart:
            case = f"differ{{}} from {first.algorithm}, {far}"
        else:
            case = f"{NOT_APART} {first.algorithm}"
        cases.setdefault(case, []).append(each.algorithm)
    parts = (f"{_listed(names)} {case.format('s' if len(names) == 1 else '')}" for case, names in cases.items())
    return f": {'; '.join(parts)}."


def _instead(each: Mean, first: Mean, response: str, *, named: bool) -> str:
    difference = each.difference or each.mean
    values = (mean_of(first.mean), mean_of(each.mean), mean_of(difference))
    before, after, known = changed_texts(*values, difference["ci95"], response_meaning(response).unit)
    instead = f" instead of {before} with {first.algorithm}" if named else ""
    return f"{after} with {each.algorithm}{instead}{f' ({known})' if known else ''}"


def _undecided(each: Mean) -> str:
    if each.p is None:
        return "not decided"
    return f"not decided after correction for {counted(each.tests, 'test')}"


def _would_do(each: Mean) -> str:
    return f"; {counted(each.needed, 'replication')} would do" if each.needed else ""


def signed(difference: Estimate, response: str) -> str:
    """Return a difference of a response with its interval, as text."""
    return difference_text(difference["mean"], difference["ci95"], response_meaning(response).unit)


LESS, NOT_APART = "less than", "cannot be distinguished from"
_NOTHING = ("no factor has a clear effect", f" by {LESS} ", NOT_APART, ": not decided", "not count.")
