# SPDX-License-Identifier: Apache-2.0
"""What a comparison found, in sentences: the same on its page and in the terminal.

They are on what people perceive of applications and transfers; where there are none, on goodput, delay and sharing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.comparison import Replaced, contrasts, runs_of
from narrows.drawing.scale import PERCENT, PERCENT_POINTS, bound_text
from narrows.metrics.perceived import stated
from narrows.page.estimates import changed_texts, estimate_text
from narrows.page.metrics import meaning
from narrows.page.verdicts import JUDGED
from narrows.plural import counted
from narrows.rounding import ALL_RUNS
from narrows.statistics import EQUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows.comparison import Contrast

    Groups = Sequence[Mapping[str, Any]]


class Said(NamedTuple):
    """A part of a sentence: its text, and the class with which a page shows it; none for plain text."""

    text: str
    css: str = ""


def compared(summary: Mapping[str, Any]) -> list[list[Said]]:
    """Return the sentences with which a comparison begins: on the runs that differ in the first factor.

    Args:
        summary: The summary of the comparison.
    """
    found = contrasts(summary)
    shown = [each for each in found if each.factor == found[0].factor]
    runs = {name: list(run["groups"].values()) for name, run in (runs_of(summary) or {}).items()}
    called = [list(run["groups"]) for run in (runs_of(summary) or {}).values()]
    names = [list(dict.fromkeys(each)) for each in zip(*called, strict=False)]
    lead = [said for place, named in enumerate(names) for said in _perceived(summary, shown, runs, place, named[0])]
    if lead:
        return lead[:MOST_PERCEIVED]
    tested = Replaced(**summary["replaced"]).groups if "replaced" in summary else []
    plain = [
        said
        for place, named in enumerate(names)
        if not tested or named[0] in tested
        for said in _of_flows(summary, shown, runs, place, _flows(named, shown, alone=len(names) == 1))
    ]
    return plain[:MOST]


def clause(name: str, of: str, value: str, than: str = "") -> str:
    """Return what follows "With fq-codel": the value of a metric of a group, and the value it is compared with."""
    return CLAUSES[name].format(of=of, value=value, than=than)


def known_to_all(measured: Groups) -> list[str]:
    """Return the metrics that sentences on what people perceive give, of those that all of these groups have."""
    known = [name for name in measured[0] if all(_mean(each, name) is not None for each in measured)]
    return stated(known, [name for name in known if any(_mean(each, name) for each in measured)])


def _perceived(
    summary: Mapping[str, Any], shown: Sequence[Contrast], runs: Mapping[str, Groups], place: int, group: str
) -> Iterator[list[Said]]:
    own = {run: groups[place] for run, groups in runs.items()}
    for name in known_to_all(list(own.values())):
        for contrast in shown:
            yield [*_contrasted(summary, contrast, _Asked(name, group, place), own), Said(".")]


def _of_flows(
    summary: Mapping[str, Any], shown: Sequence[Contrast], runs: Mapping[str, Groups], place: int, flows: str
) -> Iterator[list[Said]]:
    own = {run: groups[place] for run, groups in runs.items()}
    for name in _asked(list(own.values())):
        said: list[Said] = []
        for contrast in shown[:_LISTED]:
            said += [*_contrasted(summary, contrast, _Asked(name, flows, place), own), Said(". ")]
        if len(shown) > _LISTED:
            said.append(Said(f"{len(shown) - _LISTED} more are in the tables. "))
        margins = (
            list(each["groups"].values())[place].get(name, {}).get("margin") for each in summary.get("differences", [])
        )
        margin = next(filter(None, margins), None)
        if margin and len(shown) == 1:
            unit = meaning(name).unit
            bound = bound_text(margin, PERCENT_POINTS if unit is PERCENT else unit)
            said.append(Said(f"A difference matters from {bound} on.", "aside"))
        yield said


class _Asked(NamedTuple):
    name: str
    of: str
    place: int


def _contrasted(
    summary: Mapping[str, Any], contrast: Contrast, asked: _Asked, own: Mapping[str, Mapping[str, Any]]
) -> Iterator[Said]:
    """Yield the sentence on a metric of a group in the runs of a contrast, the first level as what is replaced."""
    (level, first), *others = contrast.runs.items()
    unit, reference = meaning(asked.name).unit, own[first][asked.name]
    found = {each: _difference(summary, run, first, asked) for each, run in others}
    clear = [each for each, _ in others if found[each]["verdict"] in _CLEAR]
    spelled = [each for each, _ in others] if len(others) <= (FEW if clear else 1) else clear
    if contrast.place:
        yield from (Said(f"At {contrast.place.replace('=', ' ')}", "b"), Said(", "))
    if not spelled:
        value = estimate_text(reference["mean"], reference["ci95"] if others else None, unit)
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
            known = ALL_RUNS if difference["interval_method"] == EQUAL and known else known
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
        return all(_mean(each, name) is not None for each in measured)

    # The index of one flow is 1 whatever happens.
    still = {"jain": 1.0, "loss_rate": 0.0}
    moved = [name for name in FLOWS if any(_mean(each, name) not in {None, still.get(name)} for each in measured)]
    wanted = (FLOWS[:1], FLOWS[1:3], FLOWS[3:])
    found = (next((name for name in each if known(name) and name in moved), "") for each in wanted)
    return [name for name in found if name]


def _flows(named: Sequence[str], shown: Sequence[Contrast], *, alone: bool) -> str:
    """Return what follows "the flows" of a group; one that is called by its algorithm may have several names."""
    if alone:
        return ""
    of = " of group" if named[0] in shown[0].runs else " of"
    return f"{of} {named[0]}" if len(named) == 1 else " under test"


def _mean(measures: Mapping[str, Any], name: str) -> float | None:
    found = measures.get(name)
    return found.get("mean") if isinstance(found, dict) else None


# What follows "With fq-codel"; of each metric that is asked for.
CLAUSES = {
    "page_load_time_p50_s": "half of the pages of {of} load within {value}{than}",
    "stall_share": "the video of {of} stalls for {value} of the time{than}",
    "video_bitrate_bps": "the video of {of} plays at {value}{than}",
    "frame_delay_p95_s": "95 % of the frames of {of} arrive within {value}{than}",
    "late_frame_share": "the late frames of {of} are {value}{than}",
    "responsiveness_rpm": "{of} measures a responsiveness of {value}{than}",
    "completion_time_s": "transfers of {of} take {value} on average{than}",
    "goodput_bps": "the flows{of} get {value}{than}",
    "delay_p95_s": "95 % of the packets{of} arrive within {value}{than}",
    "rtt_mean_s": "a round trip{of} takes {value} on average{than}",
    "jain": "Jain's index{of} is {value}{than}",
    "loss_rate": "the flows{of} lose {value} of their packets{than}",
}
# On throughput, delay, and sharing or loss, of what has no application.
FLOWS = ("goodput_bps", "delay_p95_s", "rtt_mean_s", "jain", "loss_rate")
# A comparison begins with no more sentences; those on what people perceive.
MOST = 3
MOST_PERCEIVED = 6
# So many others are all spelled out if any clearly differs; of more, those that do.
FEW = 3
_LISTED = 4
_CLEAR = frozenset({"better", "worse", "different"})
_NOTHING: Mapping[str, Any] = {"mean": None, "ci95": None, "interval_method": None, "verdict": "undecided"}
