# SPDX-License-Identifier: Apache-2.0
"""The sanity section: the checks of the runs, visible at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from narrows._internal.drawing.scale import NO_DATA, quantity
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.page.blocks import badge, row, state, table
from narrows._internal.page.estimates import estimate_text
from narrows._internal.page.metrics import meaning
from narrows._internal.plural import counted
from narrows._internal.report.run.data import Check, Expectation, Run


def verdict(runs: Sequence[Run]) -> Markup:
    """Return one badge: red if a run is broken, else the number of cautions."""
    known = [check for run in runs for check in run.checks if check.ok is not None]
    for level, css, sign, text in _VERDICTS_OF_LEVELS:
        if found := [check for check in known if check.level == level]:
            names = ", ".join(dict.fromkeys(check.name for check in found))
            return badge(css, sign, f"{text.format(counted(len(found), 'check'))}: {names}")
    if not known:
        return badge("absent", NO_DATA, "Nothing could be checked")
    return badge("ok", "✓", "No check found a fault")


def checks(runs: Sequence[Run]) -> Markup:
    """Return the checks that fail with their details, the gravest first, and those that hold in one line to unfold."""
    names = list(dict.fromkeys(check.name for run in runs for check in run.checks))
    failing = sorted((name for name in names if _gravity(runs, name) < len(_LEVELS)), key=lambda n: _gravity(runs, n))
    holding = [name for name in names if name not in failing]
    parts = [_listed(runs, failing)] if failing else []
    if holding:
        words = f"{counted(len(holding), 'check')} without a fault: {', '.join(holding)}"
        parts.append(element("details", element("summary", words), _listed(runs, holding), class_="holding"))
    return join(parts)


def _gravity(runs: Sequence[Run], name: str) -> int:
    """Return the place of the gravest level at which a check fails, in the order of `_LEVELS`; its length if none."""
    levels = {check.level for run in runs for check in run.checks if check.name == name}
    return next((place for place, level in enumerate(_LEVELS) if level in levels), len(_LEVELS))


def _listed(runs: Sequence[Run], names: Sequence[str]) -> Markup:
    """Return checks with their details: a list for one run, a table for several."""
    if len(runs) == 1:
        by_name = {check.name: check for check in runs[0].checks}
        return element("ul", *(element("li", _line(by_name[name])) for name in names), class_="checks")
    if len(runs) > BESIDE:
        # More columns than a page has room for: a row for each check and run.
        places = [(name, run) for name in names for run in runs]
        levels = [_level(run, name) for name, run in places]
        # Notes beside cautions are folded, and so is everything beside a broken check.
        gravest = next((level for level in _LEVELS if level in levels), "")
        opened = [place for place, level in zip(places, levels, strict=True) if level == gravest][:MOST_OPEN]
        folded = [place for place in places if place not in opened]
        words = f"{counted(len(folded), 'more result')} of these checks"
        more = element("details", element("summary", words), _alone(folded), class_="holding") if folded else ""
        return join((_alone(opened), more))
    rows = [row(name, *(_cell(run, name) for run in runs)) for name in names]
    return table("Checks", ("Check", *(run.name for run in runs)), rows, "checks", named=False)


def _level(run: Run, name: str) -> str:
    return next((check.level for check in run.checks if check.name == name), "")


def _alone(places: Sequence[tuple[str, Run]]) -> Markup:
    """Return a table with a row for each check and run."""
    rows = [row(name, run.name, _cell(run, name)) for name, run in places]
    return table("Checks", ("Check", "Run", "Result"), rows, "checks", named=False)


def expectations(runs: Sequence[Run]) -> Markup:
    """Return the `[[expect]]` clauses with measured values and verdicts; empty without clauses."""
    lines = [
        element("li", _expectation(clause, run.name if len(runs) > 1 else ""))
        for run in runs
        for clause in run.expectations
    ]
    return element("ul", *lines, class_="checks") if lines else Markup("")


def _expectation(clause: Expectation, run: str) -> Markup:
    meant = meaning(clause.measure, clause.owner)
    bounds = [
        f"{words} {quantity(bound, meant.unit)}"
        for words, bound in (("at least", clause.at_least), ("at most", clause.at_most))
        if bound is not None
    ]
    found = estimate_text(clause.found.mean, clause.found.interval, meant.unit, clause.found.method)
    of = f"{run}: {clause.of}" if run and run != clause.of else clause.of
    return join(
        (
            state(*_VERDICTS.get(clause.verdict, _VERDICTS["inconclusive"])),
            element("b", f"{meant.title} of {of}"),
            element("span", f"{' and '.join(bounds)}: {found}", class_="detail"),
        )
    )


def _line(check: Check) -> Markup:
    return join((_mark(check.state), element("b", check.name), element("span", check.detail, class_="detail")))


def _cell(run: Run, name: str) -> Markup:
    check = next((check for check in run.checks if check.name == name), None)
    if check is None:
        return _mark("absent")
    return join((_mark(check.state), element("span", check.detail, class_="detail")))


def _mark(standing: str) -> Markup:
    return state(*_STATES[standing])


# Runs that a table has beside one another.
BESIDE = 3
# The result of a check, as `state` draws it.
_STATES = {
    "ok": ("ok", "✓", "ok"),
    "broken": ("failed", "✕", "broken"),
    "caution": ("open", "!", "caution"),
    "note": ("absent", "i", "note"),
    "absent": ("absent", NO_DATA, "not applicable"),
}
_LEVELS = ("broken", "caution", "note")
_VERDICTS_OF_LEVELS = (
    ("broken", "failed", "✕", "Broken: {} failed; do not use these numbers"),
    ("caution", "open", "!", "Caution: {} failed"),
)
_VERDICTS = {
    "holds": ("ok", "✓", "holds"),
    "fails": ("failed", "✕", "fails"),
    "inconclusive": ("absent", "?", "inconclusive"),
}
# Rows of checks of several runs that are not folded.
MOST_OPEN = 6
