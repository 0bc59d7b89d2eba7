# SPDX-License-Identifier: Apache-2.0
"""The findings of a comparison in sentences, the same on its page and in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from narrows._internal.comparison import FACTORS, Contrast, Replaced, contrasts, runs_of
from narrows._internal.drawing.scale import PERCENT, PERCENT_POINTS, bound_text, quantity
from narrows._internal.metrics.perceived import stated
from narrows._internal.page.blocks import JUDGED
from narrows._internal.page.estimates import changed_texts, estimate_text
from narrows._internal.page.metrics import meaning
from narrows._internal.plural import counted
from narrows._internal.statistics import mean_in

Groups = Sequence[Mapping[str, Any]]


class Said(NamedTuple):
    """A part of a sentence: its text, and the class with which a page shows it; none for plain text."""

    text: str
    css: str = ""


def compared(summary: Mapping[str, Any]) -> list[list[Said]]:
    """Return the sentences with which a comparison begins."""
    found = contrasts(summary)
    runs = {name: list(run["groups"].values()) for name, run in (runs_of(summary) or {}).items()}
    called = [list(run["groups"]) for run in (runs_of(summary) or {}).values()]
    names = [list(dict.fromkeys(each)) for each in zip(*called, strict=False)]
    lead = [said for place, named in enumerate(names) for said in _perceived(summary, found, runs, place, named[0])]
    tested = Replaced(**summary["replaced"]).groups if "replaced" in summary else []
    of_flows = [] if lead else [place for place, named in enumerate(names) if not tested or named[0] in tested]
    own = [{run: groups[place] for run, groups in runs.items()} for place in range(len(names))]
    flows = [_flows(named, found, alone=len(names) == 1) for named in names]
    asked = [_Asked(name, flows[place], place) for place in of_flows for name in _asked(list(own[place].values()))]
    plain = [_of_flows(summary, found, own[each.place], each) for each in asked[:MOST]]
    lost = [each for place in range(len(names)) if (each := _Asked(LOSS, flows[place], place)) not in asked[:MOST]]
    sizes = [each for asked in lost for each in _lost(summary, found, own[asked.place], asked)]
    losses = [said for _, said in sorted(sizes, key=lambda each: -each[0])]
    waits = _unchanged(summary, found) if lead else []
    sized = [said for contrast in found if contrast.factor.endswith(SIZE) for said in _sized(summary, contrast)]
    return [*_first(lead, MOST_PERCEIVED), *plain, *losses[:MOST_LOSSES], *waits, *sized[:MOST_SIZED]]


def clause(name: str, of: str, value: str, than: str = "") -> str:
    """Return the clause after "With fq-codel": the value of a metric of a group, and the value it is compared with."""
    return CLAUSES[name].format(of=of, value=value, than=than)


def known_to_all(measured: Groups) -> list[str]:
    """Return the metrics that sentences on what people perceive give, of those that all of these groups have."""
    known = [name for name in measured[0] if all(mean_in(each, name) is not None for each in measured)]
    return stated(known, [name for name in known if any(mean_in(each, name) for each in measured)])


def _first(said: Sequence[list[Said]], most: int) -> list[list[Said]]:
    """Return the given number of sentences, in their order; sentences on clear differences are kept first."""
    by_weight = sorted(said, key=lambda parts: not any(css in _CLEAR_CLASSES for _, css in parts))[:most]
    return [each for each in said if any(each is kept for kept in by_weight)]


def _perceived(
    summary: Mapping[str, Any], found: Sequence[Contrast], runs: Mapping[str, Groups], place: int, group: str
) -> Iterator[list[Said]]:
    own = {run: groups[place] for run, groups in runs.items()}
    for name in known_to_all(list(own.values())):
        asked = _Asked(name, group, place)
        for contrast in _largest(summary, found, asked, own):
            yield [*_contrasted(summary, contrast, asked, own), Said(".")]


def _of_flows(
    summary: Mapping[str, Any], found: Sequence[Contrast], own: Mapping[str, Mapping[str, Any]], asked: _Asked
) -> list[Said]:
    said: list[Said] = []
    shown = _largest(summary, found, asked, own)
    for contrast in shown:
        said += [*_contrasted(summary, contrast, asked, own), Said(". ")]
    if len(shown) < len(found):
        said.append(Said(f"{len(found) - len(shown)} more differences are in the tables. "))
    margins = (
        list(each["groups"].values())[asked.place].get(asked.name, {}).get("margin")
        for each in summary.get("differences", [])
    )
    margin = next(filter(None, margins), None)
    if margin and len(shown) == 1:
        unit = meaning(asked.name).unit
        bound = bound_text(margin, PERCENT_POINTS if unit is PERCENT else unit)
        said.append(Said(f"A difference matters from {bound} on.", "aside"))
    return said


def _lost(
    summary: Mapping[str, Any], found: Sequence[Contrast], own: Mapping[str, Mapping[str, Any]], asked: _Asked
) -> Iterator[tuple[float, list[Said]]]:
    """Yield the size of the largest clear difference in the losses of a group, and the sentence on its factor."""
    if any(mean_in(each, LOSS) is None for each in own.values()):
        return
    for contrast in _largest(summary, found, asked, own)[:1]:
        is_clear, size = _size(summary, contrast, asked, own)
        if is_clear:
            yield size, [*_contrasted(summary, contrast, asked, own), Said(".")]


def _unchanged(summary: Mapping[str, Any], found: Sequence[Contrast]) -> list[list[Said]]:
    """Return the sentence on the link at which packets wait about as long with every level; none without one."""
    if any(contrast.factor in FACTORS.values() for contrast in found):
        return []
    runs = list((runs_of(summary) or {}).values())
    waits = {link: [mean_in(run["links"].get(link, {}), WAIT) or 0.0 for run in runs] for link in runs[0]["links"]}
    long = {link: each for link, each in waits.items() if min(each) >= LONG_S and max(each) <= ALIKE * min(each)}
    if not long:
        return []
    link = max(long, key=lambda link: min(long[link]))
    ends = dict.fromkeys(quantity(end(long[link]), meaning(WAIT, "link").unit) for end in (min, max))
    return [[Said(f"With every level packets wait at link {link} for {' to '.join(ends)} on average.")]]


def _sized(summary: Mapping[str, Any], contrast: Contrast) -> Iterator[list[Said]]:
    """Yield the sentence on the link of a buffer at each size: how much of it is used, how long packets wait."""
    runs = {level: (runs_of(summary) or {})[name]["links"] for level, name in contrast.runs.items()}

    def known(link: str, name: str) -> list[float]:
        return [mean_in(links.get(link, {}), name) or 0.0 for links in runs.values()]

    def changed(link: str) -> tuple[float, float]:
        # The buffer is at the link at which its size changes the wait, or at the busiest.
        return max(known(link, WAIT)) - min(known(link, WAIT)), max(known(link, USED))

    link = max(next(iter(runs.values()), {}), key=changed, default=None)
    if link is None:
        return

    place = contrast.place.replace("=", " ")
    said = [Said(f"At {place}", "b"), Said(", ")] if place else []
    for number, (level, links) in enumerate(runs.items()):
        used, wait = (_estimate(links.get(link, {}), name) for name in (USED, WAIT))
        start = f"; with {level} " if number else f"{'with' if place else 'With'} {contrast.spoken(level)} "
        said.append(Said(f"{start}{used}, {wait}" if number else f"{start}link {link} is used to {used}, and packets "
                         f"wait there for {wait}"))  # fmt: skip
    yield [*said, Said(".")]


def _estimate(measured: Mapping[str, Any], name: str) -> str:
    found = measured.get(name) or _NOTHING
    return estimate_text(found["mean"], found["ci95"], meaning(name, "link").unit, found.get("interval_method"))


def _largest(
    summary: Mapping[str, Any], found: Sequence[Contrast], asked: _Asked, own: Mapping[str, Mapping[str, Any]]
) -> list[Contrast]:
    """Return of each factor the contrast with the largest difference in a metric, the largest of them first."""
    sizes = {place: _size(summary, each, asked, own) for place, each in enumerate(found)}
    by_factor: dict[str, int] = {}
    for place in sorted(sizes, key=lambda place: sizes[place], reverse=True):
        by_factor.setdefault(found[place].factor, place)
    return [found[place] for place in by_factor.values()]


def _size(
    summary: Mapping[str, Any], contrast: Contrast, asked: _Asked, own: Mapping[str, Mapping[str, Any]]
) -> tuple[bool, float]:
    """Return whether any difference of a contrast is clear, and the largest of these, or of all, as part of a value."""
    first, *others = contrast.runs.values()
    clear, every = [0.0], [0.0]
    for run in others:
        difference = _difference(summary, run, first, asked)
        most = max(abs(own[each][asked.name]["mean"]) for each in (run, first))
        part = abs(difference["mean"] or 0.0) / most if most else 0.0
        every.append(part)
        if difference["verdict"] in _CLEAR:
            clear.append(part)
    return len(clear) > 1, max(clear if len(clear) > 1 else every)


class _Asked(NamedTuple):
    name: str
    of: str
    place: int


def _contrasted(
    summary: Mapping[str, Any], contrast: Contrast, asked: _Asked, own: Mapping[str, Mapping[str, Any]]
) -> Iterator[Said]:
    """Yield the sentence on a metric of a group in the runs of a contrast, relative to its first level."""
    (level, first), *others = contrast.runs.items()
    unit, reference = meaning(asked.name).unit, own[first][asked.name]
    found = {each: _difference(summary, run, first, asked) for each, run in others}
    clear = [each for each, _ in others if found[each]["verdict"] in _CLEAR]
    spelled = [each for each, _ in others] if len(others) <= (FEW if clear else 1) else clear
    if contrast.place:
        yield from (Said(f"At {contrast.place.replace('=', ' ')}", "b"), Said(", "))
    if not spelled:
        interval = reference["ci95"] if others else None
        value = estimate_text(reference["mean"], interval, unit, reference.get("interval_method"))
        start = f"{'with' if contrast.place else 'With'} {contrast.spoken(level)}"
        yield Said(f"{start} {clause(asked.name, asked.of, value)}")
    for number, each in enumerate(spelled):
        difference, value = found[each], own[contrast.runs[each]][asked.name]["mean"]
        before, after, known = changed_texts(
            reference["mean"], value, difference["mean"] or 0.0, difference["ci95"], unit
        )
        than = f", with {contrast.spoken(level)} {before}"
        if each in clear:
            than = f" instead of {before}"
        elif before == after:
            than = f", as with {contrast.spoken(level)}"
        start = "; with" if number else "with" if contrast.place else "With"
        yield Said(f"{start} {contrast.spoken(each)} {after if number else clause(asked.name, asked.of, after, than)}")
        if difference["ci95"] is not None:
            css, word, _ = JUDGED.get(difference["verdict"], JUDGED["undecided"])
            times = "" if number else counted(summary["replications"], "run")
            rests = ", ".join(filter(None, [times, known]))
            yield Said(f" ({rests}): " if rests else ": ")
            yield Said(word, f"word {css}")
    for verdict in ("same", "undecided"):
        alike = [contrast.spoken(each) for each in found if each not in spelled and found[each]["verdict"] == verdict]
        if alike:
            yield Said(f"; {JUDGED[verdict][1]} with {', '.join(alike)}")


def _difference(summary: Mapping[str, Any], run: str, first: str, asked: _Asked) -> Mapping[str, Any]:
    for each in summary.get("differences", []):
        if (each["of"], each["against"]) == (run, first):
            found: Mapping[str, Any] = list(each["groups"].values())[asked.place].get(asked.name, _NOTHING)
            return {**_NOTHING, **found}
    return _NOTHING


def _asked(measured: Groups) -> list[str]:
    """Return a metric of throughput, one of delay and one of sharing or loss, of those that all runs have."""

    def known(name: str) -> bool:
        return all(mean_in(each, name) is not None for each in measured)

    # The index of one flow is 1 whatever happens.
    still = {"jain": 1.0, "loss_rate": 0.0}
    moved = [name for name in FLOWS if any(mean_in(each, name) not in {None, still.get(name)} for each in measured)]
    wanted = (FLOWS[:1], FLOWS[1:3], FLOWS[3:])
    found = (next((name for name in each if known(name) and name in moved), "") for each in wanted)
    return [name for name in found if name]


def _flows(named: Sequence[str], shown: Sequence[Contrast], *, alone: bool) -> str:
    """Return the words after "the flows" for a group; a group named after its algorithm may have several names."""
    if alone:
        return ""
    of = " of group" if named[0] in shown[0].runs else " of"
    return f"{of} {named[0]}" if len(named) == 1 else " under test"


# The clause after "With fq-codel" for each metric.
CLAUSES = {
    "page_load_time_p50_s": "half of the pages of {of} load within {value}{than}",
    "stall_share": "the video of {of} stalls for {value} of the time{than}",
    "video_bitrate_bps": "the video of {of} plays at {value}{than}",
    "frame_delay_p95_s": "95 % of the frames of {of} arrive within {value}{than}",
    "missed_frame_share": "the frames of {of} that are not shown in time are {value}{than}",
    "frame_bitrate_bps": "the frames of {of} are sent at {value}{than}",
    "responsiveness_rpm": "{of} measures a responsiveness of {value}{than}",
    "completion_time_s": "transfers of {of} take {value} on average{than}",
    "goodput_bps": "the flows{of} get {value}{than}",
    "delay_p95_s": "95 % of the packets{of} arrive within {value}{than}",
    "rtt_mean_s": "a round trip{of} takes {value} on average{than}",
    "jain": "Jain's index{of} is {value}{than}",
    "loss_rate": "the flows{of} lose {value} of their packets{than}",
}
# On throughput, delay, and sharing or loss, for flows without applications.
LOSS = "loss_rate"
WAIT, USED = "queue_delay_mean_s", "utilization"
# The end of a key whose levels are the sizes of a buffer.
SIZE = "queue.limit"
# A wait that people notice, and the factor within which waits stand in one sentence.
LONG_S, ALIKE = 0.05, 1.2
FLOWS = ("goodput_bps", "delay_p95_s", "rtt_mean_s", "jain", LOSS)
# A comparison begins with no more sentences; those on what people perceive.
MOST = 3
MOST_PERCEIVED = 8
MOST_LOSSES = 1
MOST_SIZED = 2
# So many others are all spelled out if any clearly differs; of more, those that do.
FEW = 3
_CLEAR = frozenset({"better", "worse", "different"})
_CLEAR_CLASSES = frozenset(f"word {JUDGED[each][0]}" for each in ("better", "worse"))
_NOTHING: Mapping[str, Any] = {"mean": None, "ci95": None, "interval_method": None, "verdict": "undecided"}
