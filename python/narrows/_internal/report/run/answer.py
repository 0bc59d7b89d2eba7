# SPDX-License-Identifier: Apache-2.0
"""The answer with which a report begins: two or three sentences, computed from the metrics and their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from narrows._internal.drawing.scale import PERCENT, PERCENT_POINTS, bound_text
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.metrics.criteria import margin_of, range_of, verdict
from narrows._internal.metrics.perceived import perceived, stated
from narrows._internal.metrics.possible import most_of
from narrows._internal.page.blocks import JUDGED
from narrows._internal.page.estimates import difference_texts, rounded_text
from narrows._internal.page.metrics import Meaning, meaning
from narrows._internal.report.run.data import Comparison, Measure, Run
from narrows._internal.rounding import ALL_RUNS
from narrows._internal.run.sentences import LONG_S, MOST
from narrows._internal.run.wording import Said, clause
from narrows._internal.statistics import intervals_of, paired
from narrows.metrics import card_of


def sentences(subject: Run | Comparison) -> list[Markup]:
    """Return the answer: for a comparison the differences of its algorithms, for a run its bottleneck and shares."""
    if isinstance(subject, Comparison):
        return [*_access(subject.runs), *map(_marked, subject.said)]
    lead = [*_access([subject]), *of_perceived(subject)][: MOST - 1]
    return [*lead, *_of_run(subject)][:MOST]


def notes(subject: Run | Comparison) -> list[Markup | str]:
    """Return the basis of the sentences, and the groups whose algorithm was replaced."""
    return [*(_replaced(subject) if isinstance(subject, Comparison) else []), _rest_on(subject)]


def _rest_on(subject: Run | Comparison) -> str:
    if subject.replications == 1:
        return f"One replication (seed {subject.seed}) gives no interval, so nothing is said to be clear."
    times = f"{subject.replications} replications (seed {subject.seed})"
    intervals = (
        f"Means after the warm-up over {times}; in parentheses {intervals_of(subject.at_most)}, or ± half of one"
    )
    if not isinstance(subject, Comparison):
        return f"{intervals}, or “{ALL_RUNS}” where every run has this value."
    return (
        f"{intervals}. Differences are paired on the same random numbers. One is clear if its interval leaves zero out "
        "and it exceeds the margin from which it matters."
    )


def _marked(said: Sequence[Said]) -> Markup:
    """Return a sentence with the marks of its parts."""
    return join(
        element("b", text) if css == "b" else element("span", text, class_=css) if css else text for text, css in said
    )


def _access(runs: Sequence[Run]) -> list[Markup]:
    """Return the sentence on flows that fill their own access links, for the first of the runs in which any do."""
    found = [(run, check.detail) for run in runs for check in run.checks
             if check.level == "caution" and ACCESS in check.detail]  # fmt: skip
    if not found:
        return []
    named = f" ({found[0][0].name}; so it is in {len(found)} of the {len(runs)} runs)" if len(runs) > 1 else ""
    return [join((element("b", "Access links"), f"{named}: {found[0][1]}."))]


def _replaced(comparison: Comparison) -> Iterator[Markup]:
    """Yield the groups with and without a replaced algorithm, if there are both, and the option for the others."""
    if comparison.replaced is not None:
        option = element("code", comparison.replaced.other(""))
        yield join((f"{comparison.replaced.sentence} ", option, "."))


def _of_run(run: Run) -> Iterator[Markup]:
    if run.shared_links:
        for link in dict.fromkeys((*_longest(run), run.busiest_link)):
            if link is not None:
                yield from _bottleneck(run, link)
    sharing = [group for group in run.groups if run.groups[group].get("goodput_bps", _NOTHING).mean]
    if len(sharing) > 1:
        yield _shares(run, sharing)
    elif sharing:
        yield _alone(run, sharing[0])
    lost = [(group, each["loss_rate"]) for group, each in run.groups.items() if each.get("loss_rate", _NOTHING).mean]
    if lost:
        yield join((_listing("Packets lost", lost, meaning("loss_rate")), *_lossy(run)))


def _longest(run: Run) -> Iterator[str]:
    """Yield the link at which packets wait longest, if that is a wait that people notice."""
    waits = {link: each.get("queue_delay_mean_s", _NOTHING).mean or 0.0 for link, each in run.links.items()}
    link = max(waits, key=lambda link: waits[link], default="")
    if waits.get(link, 0.0) >= LONG_S:
        yield link


def _lossy(run: Run) -> Iterator[str]:
    """Yield the words on the link that loses most, if there are several."""
    losses = {link: each["loss_rate"] for link, each in run.links.items() if each.get("loss_rate", _NOTHING).mean}
    link = max(losses, key=lambda link: losses[link].mean or 0.0, default="")
    if losses and len(run.links) > 1:
        yield f" Link {link} loses most: {_value(losses[link], meaning('loss_rate', 'link'))}."


def _bottleneck(run: Run, link: str) -> Iterator[Markup]:
    measures = run.links.get(link, {})
    used, mean, late = (
        measures.get(name, _NOTHING) for name in ("utilization", "queue_delay_mean_s", "queue_delay_p95_s")
    )
    if used.mean is None or mean.mean is None:
        return
    shown, delay = meaning("utilization", "link"), meaning("queue_delay_mean_s", "link")
    tail = "" if late.mean is None else f", {_value(late, delay)} at the 95th percentile"
    yield join(
        (
            element("b", f"Link {link}"),
            f": {_value(used, shown)} of its capacity is used; packets wait {_value(mean, delay)} on average{tail}.",
        )
    )


def _shares(run: Run, groups: Sequence[str]) -> Markup:
    shown = meaning("goodput_bps")
    said = "; ".join(f"{group} {_value(run.groups[group]['goodput_bps'], shown)}" for group in groups[:_LISTED])
    more = f"; and {len(groups) - _LISTED} more" if len(groups) > _LISTED else ""
    parts: list[object] = [element("b", shown.title), f": {said}{more}. "]
    # Only flows over one bottleneck that always have data have comparable shares.
    endless = [group for group in groups if not perceived(_known(run, group))]
    rivals = [group for group in endless if run.bottlenecks.get(group) == run.bottlenecks.get(endless[0])]
    if len(rivals) < _TWO:
        return join(parts)
    order = sorted(rivals, key=lambda group: -(run.groups[group]["goodput_bps"].mean or 0.0))
    most, least = (run.values(group, "goodput_bps") for group in (order[0], order[-1]))
    both = sorted(set(most) & set(least))
    card = card_of("goodput_bps", "group")
    used = run.values(order[0], "goodput_fraction")
    possible = range_of(card, None, most_of(most.values(), (used.get(each) for each in most)))
    difference = paired([most[each] for each in both], [least[each] for each in both], possible)
    mean, ends = difference["mean"], difference["ci95"]
    if mean is None or ends is None:
        return join(parts)
    margin = margin_of(card).of(run.groups[order[-1]]["goodput_bps"].mean or 0.0)
    judged = verdict(difference, margin, "")
    text, interval = difference_texts(mean, ends, shown.unit)
    parts += [
        f"{order[0]} has {text.removeprefix('+')} more than {order[-1]} ({interval}), ",
        element("span", JUDGED[judged][1], class_="word"),
    ]
    return join((*parts, ". ", _matters(margin, shown)))


def _alone(run: Run, group: str) -> Markup:
    measures, shown = run.groups[group], meaning("goodput_bps")
    fair = measures.get("jain", _NOTHING)
    index = "" if fair.mean in {None, 1.0} else f" Jain's index of its flows: {_value(fair, meaning('jain'))}."
    return join((element("b", shown.title), f": {group} {_value(measures['goodput_bps'], shown)}.{index}"))


def _listing(title: str, values: Sequence[tuple[str, Measure]], shown: Meaning) -> Markup:
    said = "; ".join(f"{group} {_value(measure, shown)}" for group, measure in values[:_LISTED])
    return join((element("b", title), f": {said}."))


def _matters(margin: float, shown: Meaning) -> Markup:
    unit = PERCENT_POINTS if shown.unit is PERCENT else shown.unit
    return element("span", f"A difference matters from {bound_text(margin, unit)} on.", class_="aside")


def _value(measure: Measure, shown: Meaning) -> str:
    return rounded_text({"mean": measure.mean, "ci95": measure.interval, "interval_method": measure.method}, shown.unit)


def of_perceived(run: Run) -> Iterator[Markup]:
    """Yield a sentence per group that has an application or transfers, by its name."""
    for group, measures in run.groups.items():
        known = _known(run, group)
        moved = [name for name in known if measures[name].mean]
        said = [clause(name, group, _value(measures[name], meaning(name))) for name in stated(known, moved)]
        if said:
            text = "; ".join(said)
            yield join((f"{text[:1].upper()}{text[1:]}.",))


def _known(run: Run, group: str) -> list[str]:
    return [name for name, measure in run.groups[group].items() if measure.mean is not None]


# The detail of the check for a run that is limited by links that no table has.
ACCESS = "limited by their own access links"
# Groups that a sentence names.
_LISTED = 4
_TWO = 2
_NOTHING = Measure(None, None)
