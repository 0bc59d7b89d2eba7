# SPDX-License-Identifier: Apache-2.0
"""Sentences on what people perceive of the applications and transfers of a run or a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.svg import Markup, element, join
from narrows.metrics.perceived import stated
from narrows.page.estimates import changed_texts, estimate_text
from narrows.page.metrics import meaning
from narrows.page.verdicts import JUDGED
from narrows.plural import counted
from narrows.report.run.data import Measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows.comparison import Contrast
    from narrows.report.run.data import Comparison, Run


def of_run(run: Run) -> Iterator[Markup]:
    """Yield a sentence per group that has an application or transfers, by its name."""
    for group, measures in run.groups.items():
        names = _stated([measures])
        said = [
            _clause(name, group, estimate_text(measures[name].mean, measures[name].interval, meaning(name).unit), "")
            for name in names
        ]
        if said:
            text = "; ".join(said)
            yield join((f"{text[:1].upper()}{text[1:]}.",))


def of_comparison(comparison: Comparison, shown: Sequence[Contrast]) -> Iterator[Markup]:
    """Yield a sentence per contrast, group and metric that people perceive, the first level as what is replaced."""
    for place, group in enumerate(comparison.runs[0].groups):
        own = {run.name: list(run.groups.values())[place] for run in comparison.runs}
        for name in _stated(list(own.values())):
            for contrast in shown:
                yield from _contrasted(comparison, contrast, place, group, name, own)


def _contrasted(  # noqa: PLR0913, PLR0917  # which values, of what
    comparison: Comparison,
    contrast: Contrast,
    place: int,
    group: str,
    name: str,
    own: Mapping[str, Mapping[str, Measure]],
) -> Iterator[Markup]:
    (level, first), *others = contrast.runs.items()
    unit, reference = meaning(name).unit, own[first][name].mean or 0.0
    parts: list[object] = [element("b", f"At {contrast.place.replace('=', ' ')}"), ", "] if contrast.place else []
    if not others:
        text = _clause(name, group, estimate_text(reference, None, unit), "")
        yield join((*(parts or [text[:1].upper()]), text[0 if parts else 1 :], f" with {contrast.spoken(level)}."))
        return
    for number, (each, run) in enumerate(others):
        found = comparison.difference(run, first)
        measure = found.groups[place].get(name, _NOTHING) if found is not None else _NOTHING
        value = own[run][name].mean or 0.0
        before, after, known = changed_texts(reference, value, measure.mean or 0.0, measure.interval, unit)
        is_clear = measure.verdict not in {"", "same", "undecided"}
        than = f" instead of {before}" if is_clear else f", with {contrast.spoken(level)} {before}"
        start, clause = (
            ("; with", after) if number else ("with" if parts else "With", _clause(name, group, after, than))
        )
        parts.append(f"{start} {contrast.spoken(each)} {clause}")
        if measure.interval is not None:
            times = counted(comparison.replications, "run")
            css, word, _ = JUDGED.get(measure.verdict, JUDGED["undecided"])
            parts += [f" ({', '.join(filter(None, [times, known]))}): ", element("span", word, class_=f"word {css}")]
    yield join((*parts, "."))


def _stated(measured: Sequence[Mapping[str, Measure]]) -> list[str]:
    """Return the metrics that sentences give, of those that all runs have."""
    known = [name for name in measured[0] if all(name in each and each[name].mean is not None for each in measured)]
    return stated(known, [name for name in known if any(each[name].mean for each in measured)])


def _clause(name: str, group: str, value: str, than: str) -> str:
    return _CLAUSES[name].format(group=group, value=value, than=than)


# What follows "With fq-codel"; of each metric that `stated` may return.
_CLAUSES = {
    "page_load_time_p50_s": "half of the pages of {group} load within {value}{than}",
    "stall_share": "the video of {group} stalls for {value} of the time{than}",
    "video_bitrate_bps": "the video of {group} plays at {value}{than}",
    "frame_delay_p95_s": "95 % of the frames of {group} arrive within {value}{than}",
    "late_frame_share": "the late frames of {group} are {value}{than}",
    "responsiveness_rpm": "{group} measures a responsiveness of {value}{than}",
    "completion_time_s": "transfers of {group} take {value} on average{than}",
}
_NOTHING = Measure(None, None)
