# SPDX-License-Identifier: Apache-2.0
"""The page of a matrix: the harm of pairs over all conditions and under each, other metrics, and each pair."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from narrows._internal.analysis.pairs import Meeting
from narrows._internal.drawing.svg import Markup, element
from narrows._internal.experiments.campaign import digest_of
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.stored import Status
from narrows._internal.experiments.views import matrix as view_of
from narrows._internal.experiments.views.view import View
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.page import document as page
from narrows._internal.page.blocks import REPORT, facts, of_study, typed
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.report.study.page import progress
from narrows._internal.report.study.pairs import (
    DELAY_HARM,
    EXCESS,
    HARM,
    MARGIN,
    QUEUE_DELAY,
    RETRANSMITTED,
    SHARE,
    Basis,
    curves,
    multiples,
    pair_map,
    pair_name,
)
from narrows._internal.statistics import Estimate

if TYPE_CHECKING:
    import pyarrow as pa


def matrix_page(view: View, plan: Plan, cells: pa.Table, state: Status) -> str:
    """Return the report of a matrix as one HTML document."""
    found = view_of.matrix(view, cells)
    summary = view_of.summary(view, plan, cells)
    basis = f"{counted(summary['replications'], 'replication')}, seed {plan.seed}."
    whole = [each for each in found if each.condition is None]
    conditions = [each for each in dict.fromkeys(each.condition for each in found) if each is not None]
    known = any(each.found["share"]["mean"] is not None for each in whole)
    count = summary["replications"]
    scope = Basis(f"Mean over {len(conditions)} conditions; {basis}" if len(conditions) > 1 else basis, count)
    under = Basis(basis, count)
    first = [pair_map("excess", _pairs(whole), EXCESS, scope, opens=True)] if known else []
    if known and len(conditions) > 1:
        shown = {each: _pairs([one for one in found if one.condition == each]) for each in conditions[:MOST_CONDITIONS]}
        first.append(multiples("conditions", "Under each condition", shown, EXCESS, under))
    more = [pair_map(each.name.replace("_", "-"), _pairs(whole), each, scope) for each in REST] if known else []
    drawn = list(_drill_down((view, plan), found, conditions, under)) if known else []
    sections = [
        page.answer(
            _answer(found), first, REPORT, " ".join([_note(basis, view_of.enough(summary)), summary["unlike"]])
        ),
        page.section("maps", "All measures", page.figure_grid(more, REPORT)),
        page.section("pairs", "Each pair", element("p", PAIRS_NOTE, class_="note"), *drawn),
        page.section(
            "run", "What was run", element("p", plan.question), _run(view, plan, summary["replications"]), link="Run"
        ),
        page.section("origin", "Where this comes from", origin(view, plan, cells), link="Origin"),
    ]
    sides = f"in pairs, each with {counted(view.facts['flows'], 'flow')}"
    setting = (
        f"{', '.join(view.facts['algorithms'])} were put beside each other {sides}, under "
        f"{counted(len(conditions), 'condition')} in {counted(count, 'replication')} (seed {plan.seed}, on common "
        "random numbers)."
    )
    method = "Values are given ± half of a 95 % confidence interval over replications."
    paste = pasted(setting, method, _answer(found) if known else [], view.command)
    return page.document(plan.title, "Matrix", progress(state), sections, digest=digest_of(cells), paste=paste)


def _pairs(found: Sequence[Meeting]) -> dict[tuple[str, str], Mapping[str, Estimate]]:
    return {(each.contender, each.incumbent): each.found for each in found}


def _drill_down(
    of: tuple[View, Plan], found: Sequence[Meeting], conditions: Sequence[tuple[str, ...]], basis: Basis
) -> Iterator[Markup]:
    """Yield, for each two algorithms, their figures over the conditions, which a click on a map unfolds."""
    view, plan = of
    names = view.facts["algorithms"]
    for one, other in itertools.combinations(names, 2):
        both = [each for each in found if {each.contender, each.incumbent} == {one, other} and each.condition]
        figures = [curves((one, other), both, conditions, each, basis) for each in (SHARE, EXCESS, QUEUE_DELAY)]
        over_time = element(
            "p", "Over time, under the first condition, in the folder of this page: ",
            element("code", over_time_of(plan, one, other)), class_="remake",
        )  # fmt: skip
        yield element(
            "details", element("summary", f"{one} and {other}"), page.figure_grid(figures, REPORT),
            over_time, id=pair_name(one, other), class_="pair",
        )  # fmt: skip


def over_time_of(plan: Plan, one: str, other: str) -> str:
    """Return the command that runs two algorithms beside each other as the first point of a matrix has them."""
    pairs = {f"{other} beside {one}", f"{one} beside {other}"}
    point = next(each for each in plan.points if each.levels["pair"] in pairs)
    flags = [part for change in point.overrides for part in ("--set", change)]
    flags += ["--seed", str(plan.seed)] + ([] if point.on == SIMULATOR else ["--on", point.on])
    return shlex.join(["narrows", "run", SCENARIO, *flags])


def origin(view: View, plan: Plan, cells: pa.Table) -> Markup:
    """Return the section on reproducibility: digest, versions and command."""
    return facts(
        [
            ("Engine", element("code", plan.base.engine[:16])),
            *typed(view.command),
            ("Results", element("code", "summary.json")),
            ("Cells", element("code", "cells.parquet")),
            *of_study(cells["cell"].to_pylist(), trust=plan.needs_trust),
        ]
    )


def times(plan: Plan) -> str:
    """Return the number of replications as text."""
    return counted(plan.replications.maximum, "replication")


def findings(found: Sequence[Meeting]) -> list[str]:
    """Return a sentence per pair with more harm than by the incumbent's own kind, beyond the interval, worst first."""
    whole = [each for each in found if each.condition is None and each.contender != each.incumbent]
    sentences = [_goodput(each, found) for each in _clear(whole, "excess_harm", 1)[:MOST]]
    if not sentences:
        sentences = ["No algorithm clearly takes more goodput from another than that one's own kind does."]
    sentences += [
        f"Beside {each.contender}, {each.incumbent} keeps more than beside its own kind: it loses "
        f"{_percent(each.found['harm'])} of the goodput that it has alone, {_points(each.found['excess_harm'])} less."
        for each in _clear(whole, "excess_harm", -1)[:1]
    ]
    sentences += [
        f"Beside {each.contender}, packets of {each.incumbent} are late: {_percent(each.found['delay_harm'])} of their "
        f"delay is the contender's doing, {_points(each.found['excess_delay_harm'])} more than beside its own kind."
        for each in _clear(whole, "excess_delay_harm", 1)[:1]
    ]
    return sentences


def _goodput(worst: Meeting, found: Sequence[Meeting]) -> str:
    sentence = (
        f"Beside {worst.contender}, {worst.incumbent} loses {_percent(worst.found['harm'])} of the goodput that it has "
        f"alone, {_points(worst.found['excess_harm'])} more than beside its own kind"
    )
    same = [each for each in found if (each.contender, each.incumbent) == (worst.contender, worst.incumbent)]
    places = _clear([each for each in same if each.condition is not None], "excess_harm", 1)
    if len(same) <= _TWO or not places or places[0].condition is None:
        return f"{sentence}."
    place = places[0]
    return f"{sentence}; most at {', '.join(places[0].condition)}: {_percent(place.found['harm'])}."


def _clear(found: Sequence[Meeting], name: str, sign: int) -> list[Meeting]:
    """Return the pairs whose interval leaves zero out on one side and that matter, the strongest first."""

    def strength(each: Meeting) -> float | None:
        interval, mean = each.found[name]["ci95"], each.found[name]["mean"]
        if interval is None or mean is None or min(sign * end for end in interval) <= 0 or sign * mean <= MARGIN:
            return None
        return sign * mean

    clear = [(value, each) for each in found if (value := strength(each)) is not None]
    return [each for _, each in sorted(clear, key=lambda one: -one[0])]


def _percent(found: Estimate) -> str:
    return f"{_plus_minus(found)} %"


def _points(found: Estimate) -> str:
    return f"{_plus_minus(found)} percentage points"


def _plus_minus(found: Estimate) -> str:
    mean, interval = found["mean"] or 0.0, found["ci95"] or [0.0, 0.0]
    half = 100 * (interval[1] - interval[0]) / 2
    decimals = 0 if half >= 1 else 1
    return f"{abs(100 * mean):.{decimals}f} ± {half:.{decimals}f}"


def _answer(found: Sequence[Meeting]) -> list[str]:
    if all(each.found["excess_harm"]["ci95"] is None for each in found):
        return ["Without a second replication there is no interval, and nothing is clear."]
    return findings(found)[:MOST]


def _note(basis: str, enough: str) -> str:
    return (
        f"{' '.join(filter(None, (basis, enough)))} ± is half of a 95 % interval over replications, of means over all "
        "conditions where none is named; it "
        "speaks of these conditions alone and is not corrected for the number of pairs. Harm is the part of a "
        "performance that a flow has alone and competitors take (Ware et al., HotNets 2019); what an algorithm's own "
        "kind does to it is what it must put up with anyway. A difference is stated where its interval leaves zero out "
        f"and it exceeds {100 * MARGIN:g} percentage point, from which it matters."
    )


def _run(view: View, plan: Plan, replications: int) -> Markup:
    flows = view.facts["flows"]
    levels = {
        label: ", ".join(dict.fromkeys(str(point.levels[factor]) for point in plan.points))
        for factor, label in LABELS.items()
    }
    return facts(
        [
            ("Algorithms", ", ".join(view.facts["algorithms"])),
            ("Flows of each side", str(flows)),
            *levels.items(),
            ("Replications", f"{replications}, seed {plan.seed}"),
            ("Each lasts", f"{plan.points[0].duration_s:g} s, and what it measures begins after the warm-up"),
        ]
    )


LABELS = {"rate": "Rates", "rtt": "Round trips", "queue": "Queues", "buffer": "Buffers"}
MOST = 3
REST = (SHARE, HARM, DELAY_HARM, QUEUE_DELAY, RETRANSMITTED)
PAIRS_NOTE = "A click on a field of the maps opens its pair: both algorithms beside each other under every condition."
# The most that a page can hold; the rest is in the summary.
MOST_CONDITIONS = 24
_TWO = 2
# In the folder of a study.
SCENARIO = "scenario.toml"
