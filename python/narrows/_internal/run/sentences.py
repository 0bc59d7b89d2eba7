# SPDX-License-Identifier: Apache-2.0
"""The findings of a comparison in sentences, the same on its page and in the terminal.

A comparison of one factor has them in the order of the metrics: what people perceive, goodput, delay, loss, fairness.
Of several factors each has the sentence on its largest difference, the factor with the largest first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from narrows._internal.comparison import Contrast, directions
from narrows._internal.drawing.scale import PERCENT, PERCENT_POINTS, bound_text, quantity
from narrows._internal.page.blocks import JUDGED
from narrows._internal.page.estimates import changed_texts, difference_text, rounded_text
from narrows._internal.page.metrics import meaning
from narrows._internal.plural import counted
from narrows._internal.run.findings import Asked, Findings, Found
from narrows._internal.run.wording import FLOWS, GOODPUT, LOSS, Said, clause
from narrows._internal.statistics import SEQUENCE, mean_in
from narrows._internal.typed import JOINED


def compared(summary: Mapping[str, Any]) -> list[list[Said]]:
    """Return the sentences with which a comparison begins, at most `MOST`."""
    of = Findings(summary)
    links = _of_links(of)
    found = chosen(of, MOST - len(links))
    said = [[*_contrasted(of, each.contrast, each.asked), Said(".")] for each in found]
    if said and not _is_crossed(of) and not of.perceived:
        said[0] += _matters(of, found[0].asked)
    return [*said, *links, *_ended(summary)]


class Compared(NamedTuple):
    """A comparison that a sentence makes: a metric at a level of a factor with the metric at its first level."""

    found: Found
    level: str
    difference: Mapping[str, Any]
    label: str  # the metric in words

    @property
    def is_open(self) -> bool:
        """Whether more replications can decide it: it is undecided, and its values vary or have a bound."""
        has_interval = self.difference["ci95"] is not None or self.difference["interval_method"] == SEQUENCE
        return self.difference["verdict"] == "undecided" and has_interval

    @property
    def width(self) -> float:
        """Half of its interval, in margins; infinite without either."""
        (low, high), margin = self.difference["ci95"] or (-math.inf, math.inf), self.difference["margin"]
        return (high - low) / 2 / margin if margin else math.inf

    @property
    def pair(self) -> str:
        """Its two sides in words."""
        contrast = self.found.contrast
        place = f" {contrast.where}" if contrast.where else ""
        return f"{contrast.spoken(self.level)} against {contrast.spoken(next(iter(contrast.runs)))}{place}"

    @property
    def text(self) -> str:
        """Its state in words."""
        unit = meaning(self.found.asked.name).unit
        return f"{self.pair}, {self.label}: {difference_text(self.difference['mean'], self.difference['ci95'], unit)}"


def undecided(summary: Mapping[str, Any]) -> list[Compared]:
    """Return the comparisons of the sentences that more replications can decide."""
    return [each for each in _comparisons(Findings(summary)) if each.is_open]


def _comparisons(of: Findings) -> list[Compared]:
    """Return every comparison that the sentences make."""
    found = []
    for each in chosen(of, MOST - len(_of_links(of))):
        (_, first), *others = each.contrast.runs.items()
        label = of.meaning(each.asked).label
        found += [Compared(each, level, of.difference(run, first, each.asked), label) for level, run in others]
    return found


def _ended(summary: Mapping[str, Any]) -> Iterator[list[Said]]:
    """Yield the sentence on the end of a comparison whose number of replications depended on its results."""
    if "at_most" not in summary:
        return
    made = _comparisons(Findings(summary))
    times, most = counted(summary["replications"], "replication"), summary["at_most"]
    pairs: dict[str, list[str]] = {}
    for each in made:
        if each.is_open:
            pairs.setdefault(each.pair, []).append(each.label)
    if pairs:
        why = "the greatest number" if summary["replications"] == most else f"the comparison was stopped before {most}"
        listed = "; ".join(f"{pair} ({', '.join(labels)})" for pair, labels in pairs.items())
        yield [Said(f"Undecided after {times} ({why}): {listed}.")]
    elif any(each.difference["ci95"] is not None for each in made):
        yield [Said(f"After {times} of at most {most} each of these comparisons was decided.")]
    elif made:
        yield [Said(f"More than {times} decide nothing: no value of these comparisons varies.")]


def _of_links(of: Findings) -> list[list[Said]]:
    """Return the sentences on links."""
    sized = [said for contrast in of.contrasts if _is_size(contrast) for said in _sized(of, contrast)][:MOST_SIZED]
    return [*sized, *([] if sized else _everywhere(of))]


def chosen(of: Findings, most: int) -> list[Found]:
    """Return the findings that a page states first."""
    return (_of_factors if _is_crossed(of) else _of_metrics)(of, most)


def _is_crossed(of: Findings) -> bool:
    return len({contrast.factor for contrast in of.contrasts}) > 1


def _of_metrics(of: Findings, most: int) -> list[Found]:
    """Return the findings on one factor in the order of the metrics; of too many, a clear one of each kind is kept."""
    asked = of.asked()
    found = [of.largest(of.contrasts, each) for each in asked]
    # Where people perceive something, what flows get is said if it clearly differs, and only that.
    kept = [each for each in found if not of.perceived or each.asked in of.perceived or _is_worth(each)]
    first: dict[int, Found] = {}
    by_weight = sorted(kept, key=lambda each: each.weight, reverse=True)
    for each in by_weight:
        first.setdefault(_kind(each.asked), each)
    # Of losses, the largest difference says enough.
    rest = [each for each in by_weight if each not in first.values() and _kind(each.asked) != _LOST]
    chosen = [*first.values(), *rest][:most]
    return [each for each in kept if each in chosen]


def _of_factors(of: Findings, most: int) -> list[Found]:
    """Return the findings on several factors: the largest of each, then others of them, the largest factor first."""
    asked = of.asked()
    by_factor = {
        factor: [of.largest(among, each) for each in asked if each in of.perceived or not of.perceived or _is_worth(
            of.largest(among, each))] for factor, among in of.by_factor().items()
    }  # fmt: skip
    order = sorted(
        (factor for factor, found in by_factor.items() if found), key=lambda each: _top(by_factor[each]).weight
    )[::-1]
    # Both directions together are said if they do more than either does.
    order = [factor for place, factor in enumerate(order)
             if JOINED not in factor or not set(order[:place]) & set(factor.split(JOINED))]  # fmt: skip
    if not order:
        return []
    lead = _top(by_factor[order[0]])
    chosen: dict[str, list[Found]] = {}
    said: list[Asked] = []
    for factor in order[:most]:
        top = _top(by_factor[factor])
        if not top.is_clear:
            # The largest of undecided differences is chance.
            top = next((each for each in by_factor[factor] if each.asked == lead.asked), top)
        new = [each for each in by_factor[factor] if each.is_clear and each.asked not in said]
        if top.asked in said and new and _top(new).size >= NEARLY * top.size:
            top = _top(new)
        chosen[factor] = [top]
        said.append(top.asked)
    rest = [each for found in by_factor.values() for each in found if each.is_clear and each.contrast.factor in chosen]
    # Loss has a sentence, however large other differences are.
    rest.sort(key=lambda each: (_kind(each.asked) == _LOST and each.size >= LOST, each.size), reverse=True)
    for each in rest:
        # Of losses, the largest difference says enough.
        again = _kind(each.asked) == _LOST and any(_kind(asked) == _LOST for asked in said)
        if each.asked not in said and not again and sum(map(len, chosen.values())) < most:
            chosen[each.contrast.factor].append(each)
            said.append(each.asked)
    return [each for found in chosen.values() for each in found]


def _top(found: Sequence[Found]) -> Found:
    return max(found, key=lambda each: each.weight)


def _kind(asked: Asked) -> int:
    """Return the place of the kind of a metric in the order of the sentences."""
    return next((place for place, names in enumerate(FLOWS, 1) if asked.name in names), 0)


def _is_worth(found: Found) -> bool:
    """Whether a finding on flows is said beside what people perceive."""
    return found.is_clear and found.asked.name in (*GOODPUT, *LOSS)


def _matters(of: Findings, asked: Asked) -> Iterator[Said]:
    margin, unit = of.margin(asked), meaning(asked.name).unit
    if margin:
        yield Said(" ")
        yield Said(
            f"A difference matters from {bound_text(margin, PERCENT_POINTS if unit is PERCENT else unit)} on.", "aside"
        )


def _everywhere(of: Findings) -> Iterator[list[Said]]:
    """Yield the sentence on the link at which packets wait, or are lost, about as much in every run."""
    for name, least, words in (
        (WAIT, LONG_S, "In every run packets wait at link {} for {} on average."),
        (LOSS[0], LOST, "In every run link {} loses {} of the packets."),
    ):
        first = next(iter(of.runs.values()))["links"]
        found = {link: [mean_in(run["links"].get(link, {}), name) or 0.0 for run in of.runs.values()] for link in first}
        large = {link: each for link, each in found.items() if min(each) >= least and max(each) <= ALIKE * min(each)}
        if large:
            link = max(large, key=lambda link: min(large[link]))
            ends = dict.fromkeys(quantity(end(large[link]), meaning(name, "link").unit) for end in (min, max))
            yield [Said(words.format(link, " to ".join(ends)))]
            return


def _is_size(contrast: Contrast) -> bool:
    """Whether the levels of a contrast are values of a parameter of a queue."""
    keys = contrast.factor.split(JOINED)
    if all(SIZE.search(key) for key in keys):
        return True
    return all(directions(key) for key in keys) and len({LEVEL.split(level)[0] for level in contrast.runs}) == 1


def _sized(of: Findings, contrast: Contrast) -> Iterator[list[Said]]:
    """Yield the sentence on the link of a buffer at each size: how much of it is used, how long packets wait."""
    runs = {level: of.runs[name]["links"] for level, name in contrast.runs.items()}

    def known(link: str, name: str) -> list[float]:
        return [mean_in(links.get(link, {}), name) or 0.0 for links in runs.values()]

    def of_buffer(link: str) -> tuple[bool, float, float]:
        # A buffer is at the link of its path, else where its size changes the wait, or at the busiest.
        waits, is_reverse = known(link, WAIT), link.endswith(" reverse")
        is_own = contrast.factor.startswith("path.") and is_reverse == ("reverse" in contrast.factor)
        return is_own, max(waits) - min(waits), max(known(link, USED))

    link = max(next(iter(runs.values()), {}), key=of_buffer, default=None)
    if link is None:
        return
    where = contrast.where
    said = [*_at(where)]
    for number, (level, links) in enumerate(runs.items()):
        used, wait = (_estimate(links.get(link, {}), name) for name in (USED, WAIT))
        spoken = contrast.spoken(level).removeprefix("a queue of ")
        start = f"; with {spoken} " if number else f"{'with' if where else 'With'} {contrast.spoken(level)} "
        said.append(Said(f"{start}{used}, {wait}" if number else f"{start}link {link} is used to {used}, and packets "
                         f"wait there for {wait}"))  # fmt: skip
    yield [*said, Said(".")]


def _estimate(measured: Mapping[str, Any], name: str) -> str:
    return rounded_text(measured.get(name), meaning(name, "link").unit)


def _at(where: str) -> Iterator[Said]:
    if where:
        yield from (Said(where[0].upper() + where[1:], "b"), Said(", "))


def _contrasted(of: Findings, contrast: Contrast, asked: Asked) -> Iterator[Said]:
    """Yield the sentence on a metric of a group in the runs of a contrast, relative to its first level."""
    (level, first), *others = contrast.runs.items()
    unit, reference = meaning(asked.name).unit, of.estimate(first, asked)
    found = {each: of.difference(run, first, asked) for each, run in others}
    clear = of.clear_in(contrast, asked)
    spelled = [each for each, _ in others] if len(others) <= (FEW if clear else 1) else clear
    yield from _at(contrast.where)
    if not spelled:
        value = rounded_text(reference if others else {**reference, "ci95": None}, unit)
        start = f"{'with' if contrast.where else 'With'} {contrast.spoken(level)}"
        yield Said(f"{start} {clause(asked.name, asked.of, value)}")
    for number, each in enumerate(spelled):
        difference, value = found[each], of.estimate(contrast.runs[each], asked)["mean"]
        before, after, known = changed_texts(
            reference["mean"], value, difference["mean"] or 0.0, difference["ci95"], unit
        )
        than = f", with {contrast.spoken(level)} {before}"
        if each in clear:
            than = f" instead of {before}"
        elif before == after:
            than = f", as with {contrast.spoken(level)}"
        start = "; with" if number else "with" if contrast.where else "With"
        yield Said(f"{start} {contrast.spoken(each)} {after if number else clause(asked.name, asked.of, after, than)}")
        if difference["ci95"] is not None:
            css, word, _ = JUDGED.get(difference["verdict"], JUDGED["undecided"])
            times = "" if number else counted(of.summary["replications"], "run")
            rests = ", ".join(filter(None, [times, known]))
            yield Said(f" ({rests}): " if rests else ": ")
            yield Said(word, f"word {css}")
    for verdict in ("same", "undecided"):
        alike = [contrast.spoken(each) for each in found if each not in spelled and found[each]["verdict"] == verdict]
        if alike:
            yield Said(f"; {JUDGED[verdict][1]} with {', '.join(alike)}")


# A comparison begins with no more sentences; with those on the sizes of a buffer among them.
MOST = 5
MOST_SIZED = 2
WAIT, USED = "queue_delay_mean_s", "utilization"
# A key whose levels are values of a parameter of a queue, and what follows the name of a queue in a level.
SIZE = re.compile(r"queue\.(?!kind$)\w+$")
LEVEL = re.compile(r"[({]")
# A wait that people notice, a loss that they do, and the factor within which values stand in one sentence.
LONG_S, LOST, ALIKE = 0.05, 0.01, 1.2
# The part of the largest difference of a factor from which another metric, not yet said, is said in its place.
NEARLY = 0.5
_LOST = 1 + FLOWS.index(LOSS)
# So many others are all spelled out if any clearly differs; of more, those that do.
FEW = 3
