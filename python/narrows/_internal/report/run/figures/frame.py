# SPDX-License-Identifier: Apache-2.0
"""Common parts of the figures of a run: styles and names of flows, the time axis, sentences of captions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from narrows._internal.drawing.figure import Key, evenly, without_repeats
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import SECONDS, nice_step, quantity
from narrows._internal.drawing.style import Style, apart, looks, marked
from narrows._internal.drawing.svg import FloatArray, median
from narrows._internal.external.names import forms
from narrows._internal.frozen import frozen
from narrows._internal.page.estimates import how_made
from narrows._internal.plural import counted
from narrows._internal.report.run.data import Measure, Run, Trace


@frozen
class Entry:
    """A group of a run in a figure with a panel per group."""

    run: Run
    group: str  # name of the group in the run
    panel: str  # title of its panel; the same for all in a single panel
    key: str  # name of its series, and its entry in the legend; `OTHERS` beside the one that the panel names
    style: Style  # its style: the colour is the algorithm, dash and marker are the level or the group


def entries(runs: Sequence[Run], has: Callable[[Run, str], bool]) -> list[Entry]:
    """Return the groups with data: of one run in one panel, of several in a panel per group."""
    # If a legend has no room for all runs, each has a panel of its own, in front of all others. The rest is left out.
    if len(runs) == 1:
        (run,) = runs
        known = [group for group in run.groups if has(run, group)][:MOST_ENTRIES]
        styles = of_groups(run)
        return [Entry(run, group, "", group, styles[group]) for group in known]
    titles = _titles(runs)
    crossed = len(runs) > MOST_ENTRIES and all(algorithm for algorithm, _ in (run.factors for run in runs))
    found = []
    for place, title in enumerate(titles):
        for run in runs:
            group = list(run.groups)[place] if place < len(run.groups) else ""
            if group and has(run, group):
                algorithm, level = run.factors
                panel = f"{title}, {level}" if crossed else title
                found.append(Entry(run, group, panel, algorithm if crossed else run.name, run.style))
    if len({each.key for each in found}) > MOST_ENTRIES:
        alone = len({each.panel for each in found}) == 1
        panels = [each.key if alone else f"{each.panel}: {each.key}" for each in found[:MOST_PANELS]]
        found = [part for each, title in zip(found, panels, strict=False) for part in before_others(each, found, title)]
    panels = list(dict.fromkeys(each.panel for each in found))[:MOST_PANELS]
    return [each for each in found if each.panel in panels]


def before_others(entry: Any, found: Sequence[Any], panel: str) -> list[Any]:
    """Return a panel with one entry in front of the others of their common panel."""
    others = [each for each in found if each.panel == entry.panel and each is not entry]
    behind = [replace(each, panel=panel, key=OTHERS, style=FAINT) for each in others]
    return [*behind, replace(entry, panel=panel, key=OWN)]


def legend(shown: Sequence[Entry], sample: str) -> list[Key]:
    """Return the entries of the legend of a figure."""
    if any(each.key == OWN for each in shown):
        return [Key(OWN, OWN, sample, PLAIN), Key(OTHERS, OTHERS, "behind" if sample == "line" else sample, FAINT)]
    return without_repeats(Key(each.key, each.key, sample, each.style) for each in shown)


def left_out(runs: Sequence[Run], shown: Sequence[Entry], has: Callable[[Run, str], bool]) -> str:
    """Return the sentence on how many groups `entries` has left out; empty for none."""
    drawn = sum(each.key != OTHERS for each in shown)
    left = sum(has(run, group) for run in runs for group in run.groups) - drawn
    return f"Not drawn are {counted(left, 'more group')}{' of runs' if len(runs) > 1 else ''}." if left else ""


def of_groups(run: Run) -> dict[str, Style]:
    """Return the style of each group of one run: the colour is its algorithm, unless all have the same."""
    return looks(_numbered(run.algorithms))


def _numbered(algorithms: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return by name its algorithm and its place among groups with this algorithm; no place if it is the only one."""
    shared = Counter(algorithms.values())
    seen: Counter[str] = Counter()
    found = {}
    for name, algorithm in algorithms.items():
        found[name] = (algorithm, str(seen[algorithm]) if max(shared.values()) > 1 else "")
        seen[algorithm] += 1
    return found


def _titles(runs: Sequence[Run]) -> list[str]:
    """Return a title for the groups at each place, whose name may be the algorithm and differ between runs."""
    names = zip_longest(*(run.groups for run in runs))
    return [" / ".join(dict.fromkeys(name for name in each if name)) for each in names]


@frozen
class Flows:
    """The looks of flows in a figure with a panel per run."""

    keys: Sequence[Key]  # entries of the legend, the same for all panels
    # Name of the series and style of each flow, by the names of its run and its series.
    of: Mapping[tuple[str, str], tuple[str, Style]]


def flows(runs: Sequence[Run], drawn: Mapping[str, Sequence[Trace]], sample: str = "line") -> Flows:
    """Return the looks of flows: the colour of the run's level, algorithm or group, as in other figures."""
    titles = _titles(runs)
    ids: dict[str, dict[str, tuple[str, str]]] = {}
    groups: dict[str, str] = {}
    for run in runs:
        for trace in drawn[run.name]:
            place = list(run.groups).index(trace.group) if trace.group in run.groups else 0
            key = titles[place] + trace.name.removeprefix(trace.group)
            ids.setdefault(key, {})[run.name] = (trace.name, run.algorithms.get(trace.group, trace.group))
            groups[key] = trace.group
    if len(runs) == 1:
        styles = _of_flows(runs[0], groups)
        of = {(run, name): (key, styles[key]) for key, each in ids.items() for run, (name, _) in each.items()}
        return Flows([Key(key, key, sample, style) for key, style in styles.items()], of)
    algorithms = list(dict.fromkeys(algorithm for each in ids.values() for _, algorithm in each.values()))
    colours = _colours(runs, algorithms)
    places = {key: number for number, key in enumerate(ids)}
    of = {
        (run, name): (key, marked(colours[run, algorithm], places[key]))
        for key, each in ids.items()
        for run, (name, algorithm) in each.items()
    }
    plain = "dash" if sample == "line" else sample
    return Flows([Key(key, key, plain, marked(PLAIN, place)) for key, place in places.items()], of)


def _of_flows(run: Run, groups: Mapping[str, str]) -> dict[str, Style]:
    """Return the style of each flow of one run: the colour of its group or algorithm; its own if there is one group."""
    algorithms = {key: run.algorithms.get(group, group) for key, group in groups.items()}
    own, of = looks(_numbered(algorithms)), of_groups(run)
    if len(run.groups) == 1:
        return own
    if len(set(algorithms.values())) > 1:
        return {key: replace(own[key], colour=of.get(group, PLAIN).colour) for key, group in groups.items()}
    return {key: marked(of.get(group, PLAIN), place) for place, (key, group) in enumerate(groups.items())}


def _colours(runs: Sequence[Run], algorithms: Sequence[str]) -> dict[tuple[str, str], Style]:
    """Return the style of each algorithm in each of several runs: the style of the run if the colour is its level."""
    own = {run.factors[0].removeprefix("./"): run.style for run in runs}
    if len(own) == 1:
        return {(run.name, algorithm): run.style for run in runs for algorithm in algorithms}
    # Results name the file of an algorithm, comparisons only the distinguishing part.
    called = {each: max((name for name in forms(each) if name in own), key=len, default="") for each in algorithms}
    found = apart([each for each, name in called.items() if not name], beside=own.values())
    found |= {each: own[name] for each, name in called.items() if name}
    return {(run.name, algorithm): style for run in runs for algorithm, style in found.items()}


def a_few(traces: Sequence[Trace], most: int) -> list[Trace]:
    """Return at most `most` flows in order, taken evenly from all groups."""
    return [traces[place] for place in evenly([trace.group for trace in traces], most)]


def time_axis(runs: Sequence[Run], *, pooled: bool = False) -> Axis:
    """Return the time axis, to the end of the longest series, without much before the first flow has started."""
    end = max(run.recorded_s for run in runs)
    first = min(run.first_start_s(run.replication_numbers if pooled else [run.shown_replication]) for run in runs)
    step = nice_step((end - first) / 40)
    start = math.floor(first / step) * step if EMPTY * end < first < end else 0.0
    return Axis("Time", SECONDS, start, end, link="time")


def together(across: Axis, titles: Sequence[str], name: str) -> Axis:
    """Return a horizontal axis along which several panels zoom together; a single panel keeps its own."""
    return replace(across, link=name) if len(titles) > 1 else across


def shade(panels: Sequence[Panel], runs: Sequence[Run]) -> None:
    """Shade the warm-up of the run of each panel."""
    for panel, run in zip(panels, runs, strict=True):
        panel.shade(_WARM_UP, run.warmup_s)


def warm_up(runs: Sequence[Run]) -> list[Key]:
    """Return the entry of the legend for the warm-up; none if no run has one."""
    return [Key(_WARM_UP, _WARM_UP, "shade")] if any(run.warmup_s > 0 for run in runs) else []


@frozen
class View:
    """The contents of a panel: a run and one of its bottlenecks."""

    run: Run
    link: str | None  # name of the link; None if the packets of no group share one
    title: str  # title of the panel, which distinguishes it from the others


def views(runs: Sequence[Run], links_of: Callable[[Run], Sequence[str]] | None = None) -> list[View]:
    """Return a view per run and bottleneck, or per run and link that `links_of` names."""
    found = []
    for run in runs:
        links: Sequence[str | None] = (links_of(run) if links_of else run.shared_links) or [None]
        for link in links:
            parts = [run.name] if len(runs) > 1 else []
            parts += [link] if link and len(links) > 1 else []
            found.append(View(run, link, ": ".join(parts)))
    return found


def alike(highest: Mapping[str, float]) -> dict[str, float]:
    """Return the ends of the axes of panels: a common end if it leaves no panel flat, else one each."""
    most, least = max(highest.values()), min(highest.values())
    return dict.fromkeys(highest, most) if least * FLAT >= most else dict(highest)


def after_warmup(run: Run, time: FloatArray, values: FloatArray) -> float:
    """Return the largest value after the warm-up; of all values if none is after it, 0 without values."""
    for chosen in (values[time > run.warmup_s], values):
        if np.isfinite(chosen).any():
            return float(np.nanmax(chosen))
    return 0.0


def shown(runs: Sequence[Run]) -> str:
    """Return the sentence that gives the replication that a figure shows, and their number."""
    count = runs[0].replications
    if count == 1:
        return f"The only replication, seed {runs[0].seed}."
    return f"Replication {runs[0].shown_replication + 1} of {count}, seed {runs[0].seed}."


def intervals(runs: Sequence[Run], measures: Iterable[Measure]) -> str:
    """Return the sentence on the method of the intervals of these metrics, for the caption."""
    return how_made((each.method for each in measures if each.interval), runs[0].replications)


def pooled(runs: Sequence[Run]) -> str:
    """Return the sentence that a figure is computed from all replications."""
    count = runs[0].replications
    return f"All {count} replications, seed {runs[0].seed}." if count > 1 else shown(runs)


def interval_of(trace: Trace) -> float:
    """Return the length of an interval of a series, seconds; 1 if its times give none."""
    length = median(np.diff(trace.time)) if len(trace.time) > 1 else float(trace.time[0])
    return length if math.isfinite(length) and length > 0 else 1.0


def every(seconds: float) -> str:
    """Return a duration in seconds as text, as in "100 ms"."""
    return quantity(seconds, SECONDS)


# The series of a panel that names one of many runs, and their looks in the legend.
OWN, OTHERS = "what the panel names", "all others"
PLAIN, FAINT = Style(7, 0, 0), Style(7, 1, 1)
# Entries of a legend, and panels of a figure with a panel per group.
MOST_ENTRIES = 8
MOST_PANELS = 16
# From this ratio of the largest values on, panels have axes of their own.
FLAT = 3.0
# The part of a time axis that may be empty at its start.
EMPTY = 0.08
_WARM_UP = "warm-up"
LEAVES = "What is higher during the warm-up leaves the panel."
NO_SERIES = 'This run recorded no series over time ([record] flows = "none").'
