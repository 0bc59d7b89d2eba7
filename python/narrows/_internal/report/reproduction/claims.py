# SPDX-License-Identifier: Apache-2.0
"""The claims of a reproduced study: counts by strength, and each claim with its effect over the claimed range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from narrows._internal.drawing.scale import NARROW_SPACE, NO_DATA, Scale, Unit, quantity, tick_label
from narrows._internal.drawing.svg import Markup, element, join, number
from narrows._internal.page.blocks import facts, row, state, table
from narrows._internal.page.estimates import estimate_texts
from narrows._internal.page.metrics import unit_named
from narrows._internal.reproduction.causes import HEADINGS, by_class, decides_of, evidence_of
from narrows._internal.reproduction.headline import by_strength
from narrows._internal.reproduction.ledger import DIRECTION_ONLY, NOT_TESTABLE, STATED, UNDECIDABLE, VERDICTS
from narrows._internal.reproduction.predicate import FAILS, HOLDS, INCONCLUSIVE

Claim = Mapping[str, Any]


def claims(entries: Sequence[Claim]) -> Markup:
    """Return the claims of a ledger: a table of counts, buttons that filter by verdict, and every claim."""
    articles = (_claim(each) for each in entries)
    return join((_counts(entries), _causes(entries), _buttons(entries), element("div", *articles, class_="claims")))


def _counts(entries: Sequence[Claim]) -> Markup:
    rows = [row(each, *found.values()) for each, found in by_strength(entries).items()]
    heads = ("Strength", *(verdict_of(each) for each in STATED))
    return table("How firmly the source says it, and whether it holds", heads, rows, "sheet counts")


def _causes(entries: Sequence[Claim]) -> Markup:
    """Return links to the claims that do not hold, by the class of the cause."""
    found = by_class(entries)
    if not found:
        return Markup("")
    rows = []
    for whose, own in found.items():
        rows.append((f"Cause {whose}", links(own)))
    return facts(rows)


def links(entries: Iterable[Claim]) -> Markup:
    """Return links to claims on the page."""
    first, *rest = [element("a", each["id"], href=f"#{each['id']}") for each in entries]
    return join([first, *(part for link in rest for part in (", ", link))])


def verdict_of(verdict: str) -> Markup:
    """Return a verdict in the colour of its state, with a sign."""
    return state(*_STATES[verdict])


def _buttons(entries: Sequence[Claim]) -> Markup:
    """Return a button per verdict, which hides its claims; without scripts there are none."""
    present = {claim["verdict"] for claim in entries}
    shown = [
        element("button", verdict_of(each), type="button", class_="key", aria_pressed="true", data_verdict=each)
        for each in VERDICTS
        if each in present
    ]
    label = element("span", "Show", class_="note")
    return element(
        "div", label, *shown, class_="legend filters", role="group", aria_label="Verdicts shown", hidden=True
    )


def _claim(claim: Claim) -> Markup:
    name = element("a", claim["id"], href=f"#{claim['id']}", class_="name")
    kind = "check of the implementation" if claim["check"] else claim["strength"]
    head = element("p", verdict_of(claim["verdict"]), name, element("span", kind), class_="about")
    statement = element("div", head, element("h3", claim["statement"]), *_why(claim), class_="stated")
    return element("article", statement, _found(claim), id=claim["id"], data_verdict=claim["verdict"])


def _why(claim: Claim) -> list[Markup]:
    parts = []
    if claim["cause"]:
        parts.append(element("p", claim["cause"]))
    if explained := claim["explained"]:
        rows = [("Whose", HEADINGS[explained["whose"]])]
        rows += [("Evidence", "; ".join(evidence))] if (evidence := evidence_of(claim)) else []
        rows += [("What decides", decides)] if (decides := decides_of(claim)) else []
        parts.append(facts(rows))
    changed = [
        f"{name}: {verdict}" for name, verdict in (claim["variants"] or {}).items() if verdict != claim["verdict"]
    ]
    if changed:
        parts.append(element("p", f"Another verdict with {', '.join(changed)}."))
    rests = [("In the source", f"{claim['place']}; {claim['source_supports']}")]
    if claim["effect_of"]:
        rests.append(("Measured", f"{claim['effect_of']}, over {claim['seeds']} seeds"))
        rests.append(("Parts", f"{claim['parts']} hold"))
        rests.append(("Decided", f"at a level of {claim['level']:.2g}, by the method {claim['method']}"))
    if claim["note"]:
        rests.append(("Note", claim["note"]))
    parts.append(element("details", element("summary", "What it rests on"), facts(rests)))
    return parts


def _found(claim: Claim) -> Markup:
    """Return the effect with its interval, drawn and written, beside the claimed range."""
    if claim["effect"] is None:
        return element("div", element("p", NO_DATA), class_="found none")
    unit, interval = unit_named(claim["unit"] or ""), claim["ci95"]
    value, ends = estimate_texts(claim["effect"], interval, unit)
    lines = [_strip(claim), element("p", element("b", value), element("span", ends, class_="ci"))]
    lines.append(element("p", f"holds if {_bounds(claim, unit)}"))
    if claim["published"]:
        lines.append(element("p", f"published: {claim['published']}"))
    if magnitude := claim["magnitude"]:
        met = {True: "reached", False: "not reached", None: "unclear"}[magnitude["met"]]
        effect = NO_DATA if magnitude["effect"] is None else quantity(magnitude["effect"], unit_named(""))
        lines.append(element("p", f"magnitude: {effect}, {met} (threshold: {magnitude['whose']})"))
    return element("div", *lines, class_="found")


def _bounds(claim: Claim, unit: Unit) -> str:
    low, high = claim["bounds"]
    if low == 0 and high is None:
        return "positive" if claim["strict"] else "not negative"
    known = [end for end in (low, high) if end is not None]
    factor, written = unit.best(max(abs(end) for end in known) or 1.0)
    ends = [tick_label(end, factor) for end in known]
    least = f"{'more than' if claim['strict'] else 'at least'} {ends[0]}"
    span = f"at most {ends[0]}" if low is None else least if high is None else " to ".join(ends)
    if claim["strict"] and high is not None:
        span = f"{least}, at most {ends[1]}"
    return f"{span}{NARROW_SPACE}{written}" if written else span


def _strip(claim: Claim) -> Markup:
    """Draw the interval over the claimed range, which extends to the edge if it has no bound."""
    low, high = claim["bounds"]
    known = [claim["effect"], *(claim["ci95"] or ()), *(end for end in (low, high) if end is not None)]
    room = 0.15 * ((max(known) - min(known)) or 1.0)
    scale = Scale(min(known) - room, max(known) + room, 0.0, _WIDTH)
    left, right = (scale.position(end) if end is not None else edge for end, edge in ((low, 0.0), (high, _WIDTH)))
    width, height = number(right - left), number(_HEIGHT)
    drawn = [element("rect", x=number(left), y="0", width=width, height=height, class_="claimed")]
    drawn += [
        element("path", d=f"M{number(scale.position(end))} 0V{height}", class_="bound", stroke_dasharray=dashes)
        for end, dashes in ((low, "2 2" if claim["strict"] else None), (high, None))
        if end is not None
    ]
    middle = number(_HEIGHT / 2)
    if claim["ci95"]:
        ends = (number(scale.position(end)) for end in claim["ci95"])
        drawn.append(element("path", d=f"M{next(ends)} {middle}H{next(ends)}", class_="whisker"))
    drawn.append(element("circle", cx=number(scale.position(claim["effect"])), cy=middle, r="4", class_="dot"))
    box = f"0 0 {number(_WIDTH)} {height}"
    return element("svg", *drawn, viewBox=box, class_=f"strip {_STATES[claim['verdict']][0]}", aria_hidden="true")


_STATES = {
    HOLDS: ("ok", "✓", HOLDS),
    DIRECTION_ONLY: ("partly", "↗", DIRECTION_ONLY),
    FAILS: ("failed", "✕", FAILS),
    INCONCLUSIVE: ("open", "?", INCONCLUSIVE),
    UNDECIDABLE: ("open", "?", UNDECIDABLE),
    NOT_TESTABLE: ("absent", NO_DATA, NOT_TESTABLE),
}
# Of a strip, in drawing units.
_WIDTH, _HEIGHT = 220.0, 18.0
