# SPDX-License-Identifier: Apache-2.0
"""Sentences on what people perceive of the applications and transfers of a run or a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.svg import Markup, element, join
from narrows.metrics.perceived import stated
from narrows.page.estimates import difference_texts, estimate_text
from narrows.page.metrics import meaning
from narrows.page.verdicts import JUDGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows.comparison import Contrast
    from narrows.report.run.data import Comparison, Measure, Run


def of_run(run: Run) -> Iterator[Markup]:
    """Yield a sentence per group that has an application or transfers, by its name."""
    for group, measures in run.groups.items():
        names = _stated([measures])
        said = [_clause(name, group, estimate_text(measures[name].mean, measures[name].interval, meaning(name).unit))
                for name in names]  # fmt: skip
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
    unit, reference = meaning(name).unit, own[first][name]
    before = f"{estimate_text(reference.mean, None, unit)} with {contrast.label(level)}"
    parts: list[object] = [element("b", f"At {contrast.place}: ")] if contrast.place else []
    if not others:
        yield join((*parts, f"{_sentence(name, group, before)}."))
        return
    for number, (each, run) in enumerate(others):
        found = comparison.difference(run, first)
        measure = found.groups[place].get(name) if found is not None else None
        value = estimate_text(own[run][name].mean, None, unit)
        verdict = measure.verdict if measure is not None else ""
        css, word, _ = JUDGED.get(verdict, JUDGED["undecided"])
        than = ", against" if verdict in {"", "same", "undecided"} else " instead of"
        if number:
            parts.append(f"; with {contrast.label(each)} {value}")
        else:
            clause = _clause(name, group, f"{value}{than} {before}")
            parts.append(f"With {contrast.label(each)} {clause}")
        if measure is not None and measure.mean is not None and measure.interval is not None:
            text, ends = difference_texts(measure.mean, measure.interval, unit)
            parts += [f" ({text}, {ends}): ", element("span", word, class_=f"word {css}")]
    yield join((*parts, "."))


def _stated(measured: Sequence[Mapping[str, Measure]]) -> list[str]:
    """Return the metrics that sentences give, of those that all runs have."""
    known = [name for name in measured[0] if all(name in each and each[name].mean is not None for each in measured)]
    return stated(known, [name for name in known if any(each[name].mean for each in measured)])


def _clause(name: str, group: str, value: str) -> str:
    return _CLAUSES[name].format(group=group, value=value)


def _sentence(name: str, group: str, value: str) -> str:
    text = _clause(name, group, value)
    return f"{text[:1].upper()}{text[1:]}"


# What follows "With fq-codel"; of each metric that `stated` may return.
_CLAUSES = {
    "page_load_time_p50_s": "half of the pages of {group} load within {value}",
    "stall_share": "the video of {group} stalls for {value} of the time",
    "video_bitrate_bps": "the video of {group} plays at {value}",
    "frame_delay_p95_s": "95 % of the frames of {group} arrive within {value}",
    "late_frame_share": "the late frames of {group} are {value}",
    "responsiveness_rpm": "{group} measures a responsiveness of {value}",
    "completion_time_s": "transfers of {group} take {value} on average",
}
