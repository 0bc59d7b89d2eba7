# SPDX-License-Identifier: Apache-2.0
"""The page of a deployment: the error of an A/B test, both kinds of flows, and the effects side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal.analysis.adoption import Adoption
from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import BETWEEN, HEAD, RIGHT, Axis, Box, Panel
from narrows._internal.drawing.scale import PERCENT, PERCENT_POINTS, Unit, bound_text, quantity
from narrows._internal.drawing.style import Style, apart
from narrows._internal.drawing.svg import Markup, element
from narrows._internal.experiments.campaign import digest_of
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.stored import Status
from narrows._internal.experiments.views import deployment as view_of
from narrows._internal.experiments.views.view import View
from narrows._internal.metrics.criteria import margin_of
from narrows._internal.page import document as page
from narrows._internal.page.blocks import REPORT, facts
from narrows._internal.page.estimates import difference_texts, estimate_text, how_made, relative_text
from narrows._internal.page.metrics import meaning
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.report.study.matrix import origin, times
from narrows._internal.report.study.page import progress
from narrows._internal.statistics import Estimate, ends_of, mean_of
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa


def deployment_page(view: View, plan: Plan, cells: pa.Table, state: Status) -> str:
    """Return the report of a deployment as one HTML document."""
    rows = view_of.whole(view, cells)
    stages, effects = view_of.stages(view, rows), view_of.effects(view, rows)
    methods = (
        each["interval_method"] for stage in stages for camp in stage["camps"].values() for each in camp.values()
    )
    basis = f"{how_made(methods, plan.replications.maximum, 'Bands and bars are')} Seed {plan.seed}."
    drawn = list(_figures(view, stages, effects, basis)) if rows else []
    said = sentences(view, effects) or ["No replication has every fraction yet."]
    first = [figure for figure in drawn if figure.name.endswith("goodput-per-flow-bps")][:2] or drawn[:2]
    more = [figure for figure in drawn if figure not in first]
    sections = [
        page.answer(said[:MOST], first, REPORT, _note(plan)),
        *([page.section("findings", "Further findings", _listed(said[MOST:]))] if said[MOST:] else []),
        page.figure_part(more, REPORT),
        page.section("run", "What was run", element("p", plan.question), _run(view, plan), link="Run"),
        page.section("origin", "Where this comes from", origin(view, plan, cells), link=""),
    ]
    setting = (
        f"In the scenario {plan.base.file} {counted(view.facts['flows'], 'flow')} switched from {view.facts['old']} to "
        f"{view.facts['new']}, in {times(plan)} at each of {counted(len(view.facts['moved']), 'fraction')} (seed "
        f"{plan.seed}, on common random numbers)."
    )
    method = "Differences are given with 95 % confidence intervals over replications."
    paste = pasted(setting, method, said[:MOST] if effects else [], view.command)
    return page.document(plan.title, "Deployment", progress(state), sections, digest=digest_of(cells), paste=paste)


def sentences(view: View, effects: Mapping[str, Adoption]) -> list[str]:
    """Return, for each response, sentences with the first result of an A/B test, the total effect and the error."""
    found = []
    for name, each in effects.items():
        shown = meaning(OF.get(name, name))
        label = f"{shown.title}{' of a flow' if name == view_of.PER_FLOW else ''}"
        if not each.stages:
            total = _describe(each.total, shown.unit, each.before)
            found.append(f"{label}: when all flows switch, {total}.")
            continue
        first = each.stages[0]
        margin = margin_of(card_of(OF.get(name, name), "group")).of(each.before)
        points = PERCENT_POINTS if shown.unit is PERCENT else shown.unit
        clear = [stage for stage in each.stages if _is_clear(stage.bias, margin)]
        wrong = max(clear or each.stages, key=lambda stage: abs(stage.bias["mean"] or 0.0))
        found.append(
            f"{label}: with {_part(first.fraction)} of the flows on {view.facts['new']}, an A/B test says "
            f"{_describe(first.naive, shown.unit, each.before)}; when all flows switch, the total effect is "
            f"{_describe(each.total, shown.unit, each.before)}. "
            + (
                f"The A/B test is wrong by up to {_describe(wrong.bias, shown.unit, each.before)}, "
                f"at {_part(wrong.fraction)}."
                if clear
                else "At no fraction is the A/B test clearly wrong."
            )
            + f" A difference matters from {bound_text(margin, points)} on."
        )
        spill = max(each.stages, key=lambda stage: abs(stage.spillover["mean"] or 0.0))
        stay = shown.of(f"the flows that stay on {view.facts['old']}")
        if _is_clear(spill.spillover, margin):
            found.append(
                f"{stay.title} differs from before by "
                f"{_describe(spill.spillover, shown.unit, each.before)} when {_part(spill.fraction)} have switched."
            )
    return found


def _describe(effect: Estimate, unit: Unit, before: float) -> str:
    mean = effect["mean"]
    if mean is None:
        return "nothing"
    text, ends = difference_texts(mean, effect["ci95"], unit)
    # A difference of shares is in percentage points already.
    relative = f", {relative_text(mean / before)}" if before and unit is not PERCENT else ""
    return f"{text}{f' ({ends})' if ends else ''}{relative}"


def _is_clear(effect: Estimate, margin: float) -> bool:
    """Return whether the interval of an effect leaves zero out, and the effect exceeds a margin."""
    interval, mean = effect["ci95"], effect["mean"]
    return interval is not None and mean is not None and not interval[0] <= 0.0 <= interval[1] and abs(mean) > margin


def _part(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def _listed(found: Sequence[str]) -> Markup:
    return element("ul", *(element("li", sentence) for sentence in found))


def _note(plan: Plan) -> str:
    return (
        f"{times(plan)} (seed {plan.seed}), differences paired on the same random numbers; "
        "in parentheses 95 % intervals over replications, and per cent of the value before any flow switched. An A/B "
        "test compares the flows that have switched with those that have not, at one stage in one network; the "
        "total effect compares all flows on the new algorithm with all flows on the old one: what the deployment "
        "does in the end. The two differ since the flows share queues: those that switch change what the others get "
        "(Spang et al., IMC 2021). A difference is clear if its interval "
        "leaves zero out and it exceeds the margin from which it matters; no interval is corrected for the number "
        "of them."
    )


def _figures(
    view: View, stages: Sequence[Mapping[str, Any]], effects: Mapping[str, Adoption], basis: str
) -> Iterator[Figure]:
    for name in view_of.RESPONSES:
        yield _camps(view, stages, name, basis)
        if name in effects and effects[name].stages:
            yield _estimates(effects[name], name, basis)


def _camps(view: View, stages: Sequence[Mapping[str, Any]], name: str, basis: str) -> Figure:
    """Draw a metric of both kinds of flows at every fraction, with lines for its value before and after."""
    shown = meaning(OF.get(name, name))
    names = {camp: view.facts[camp] for camp in ("new", "old")}
    styles = {camp: apart([*names.values()])[name] for camp, name in names.items()}
    series = {
        camp: [(each["fraction"], each["camps"][camp][name]) for each in stages if camp in each["camps"]]
        for camp in ("new", "old")
    }
    ends = [end for points in series.values() for _, each in points for end in ends_of(each)]
    means = [mean for points in series.values() for _, each in points if (mean := each["mean"]) is not None]
    # Values that are far apart would leave nothing to see of the smaller one.
    wide = min(means, default=0.0) > 0 and max(means) / min(means) > FAR
    low, high = (min(means) / 2, max(ends) * 1.2) if wide else (0.0, max(ends, default=1.0) * 1.05 or 1.0)
    base = {"before": series["old"][0][1]["mean"], "after": series["new"][-1][1]["mean"]}

    def draw(paper: Paper) -> Sequence[Panel]:
        panel = _panel(paper, Axis(shown.title, shown.unit, low, high, log=wide))
        across = np.array([0.0, 1.0])
        for key, camp in (("before", "old"), ("after", "new")):
            if base[key] is not None:
                panel.line(key, across, np.full(2, base[key]), styles[camp], kind="faint")
        for camp, points in series.items():
            x = np.array([fraction for fraction, _ in points])
            least, most = (np.array(side) for side in zip(*(ends_of(each) for _, each in points), strict=True))
            panel.band(camp, x, least, most, styles[camp])
            panel.line(camp, x, np.array([mean_of(each) for _, each in points]), styles[camp])
            for fraction, each in points:
                text = f"{view.facts[camp]}, {_part(fraction)} switched: {quantity(each['mean'], shown.unit)}"
                if np.isfinite(mean_of(each)):
                    panel.point(camp, (fraction, mean_of(each)), styles[camp], text, of_many=True)
        return [panel]

    keys = [
        Key("new", f"flows that have switched to {view.facts['new']}", "line", styles["new"]),
        Key("old", f"flows still on {view.facts['old']}", "line", styles["old"]),
        Key("before", f"all flows on {view.facts['old']}, before", "faint", styles["old"]),
        Key("after", f"all flows on {view.facts['new']}, after", "faint", styles["new"]),
    ]
    caption = ("Means of the flows that have switched, and of those that have not, by the fraction that has.", basis)
    return Figure(
        f"switched-{name.replace('_', '-')}", shown.of("those who switch and stay").title, caption, keys, draw
    )


def _estimates(found: Adoption, name: str, basis: str) -> Figure:
    """Draw the estimate of an A/B test at every fraction beside the total effect and the spillover."""
    shown = meaning(OF.get(name, name))
    estimates = {
        "naive": ("what an A/B test says", Style(1, 0, 0)),
        "spillover": ("gain of those who stay", Style(7, 0, 1)),
    }
    total = found.total
    ends = [0.0, *ends_of(total)]
    ends += [end for stage in found.stages for key in estimates for end in ends_of(getattr(stage, key))]
    known = [end for end in ends if np.isfinite(end)]
    beyond = 0.08 * ((max(known) - min(known)) or 1.0)

    def draw(paper: Paper) -> Sequence[Panel]:
        panel = _panel(paper, Axis(f"Difference, {shown.label}", shown.unit, min(known) - beyond, max(known) + beyond))
        across = np.array([0.0, 1.0])
        low, high = ends_of(total)
        panel.line("zero", across, np.zeros(2), Style(7, 0, 0), kind="faint")
        panel.band("total", across, np.full(2, low), np.full(2, high), TOTAL)
        panel.line("total", across, np.full(2, mean_of(total)), TOTAL)
        for key, (words, style) in estimates.items():
            for stage in found.stages:
                effect: Estimate = getattr(stage, key)
                if not np.isfinite(mean_of(effect)):
                    continue
                at = (stage.fraction, mean_of(effect))
                panel.whiskers(key, at, (at[0], at[0]), ends_of(effect), style)
                found_here = estimate_text(effect["mean"], effect["ci95"], shown.unit, effect["interval_method"])
                panel.point(key, at, style, f"{words}, {_part(at[0])} switched: {found_here}")
        return [panel]

    keys = [
        Key("total", "total effect: all flows new less all flows old", "line", TOTAL),
        *(Key(key, words, "dot", style) for key, (words, style) in estimates.items()),
        Key("zero", "no difference", "faint", Style(7, 0, 0)),
    ]
    caption = (
        "What an A/B test says is the mean of the flows that have switched less the mean of the others, at one stage.",
        "The gain of those who stay is the mean of the flows on the old algorithm less the mean before any switched.",
        basis,
    )
    return Figure(f"effects-{name.replace('_', '-')}", f"{shown.title}: A/B test and total effect", caption, keys, draw)


def _panel(paper: Paper, up: Axis) -> Panel:
    box = Box(paper.left, HEAD, paper.width - paper.left - RIGHT, paper.tall - BETWEEN)
    return Panel(box, Axis("Flows that have switched", PERCENT, -0.02, 1.02), up)


def _run(view: View, plan: Plan) -> Markup:
    stages = ", ".join(f"{label} % ({moved} of {view.facts['flows']})" for label, moved in view.facts["moved"].items())
    return facts(
        [
            ("New algorithm", view.facts["new"]),
            ("Old algorithm", view.facts["old"]),
            ("Switched, in whole flows", stages),
            ("Base scenario", plan.base.file),
            ("Replications", f"{plan.replications.maximum}, seed {plan.seed}"),
            ("Each lasts", f"{plan.points[0].duration_s:g} s, and what it measures begins after the warm-up"),
        ]
    )


OF = {view_of.PER_FLOW: "goodput_bps"}
TOTAL = Style(2, 0, 0)
# Sentences of the answer.
MOST = 3
# From this ratio on an axis is logarithmic.
FAR = 8
