# SPDX-License-Identifier: Apache-2.0
"""Methods and results of a run or a comparison in the past tense, for the text of a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from narrows._internal.comparison import runs_of
from narrows._internal.drawing.scale import Unit
from narrows._internal.emulate import hosts
from narrows._internal.metrics.perceived import perceived
from narrows._internal.page.blocks import JUDGED
from narrows._internal.page.estimates import difference_text, rounded_text
from narrows._internal.page.metrics import meaning
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.run.findings import Findings, Found
from narrows._internal.run.sentences import chosen
from narrows._internal.statistics import mean_in


def paragraph(summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    """Return the scenario, the runs, the main effects and the command in a few sentences."""
    runs = runs_of(summary)
    results = list(_of_run(summary) if runs is None else _of_comparison(summary))
    title, several = summary["title"], summary["replications"] > 1
    if runs is None:
        on = manifest.get("backend", {}).get("on")
        done = "carried programs in real time" if on == hosts.NAME else "was simulated"
        what = f"The scenario “{title}” {done}"
    else:
        what = f"{_listed(list(runs))} were compared in the scenario “{title}”"
    times = f"{counted(summary['replications'], 'replication')}{' each' if runs and several else ''}"
    common = ", on common random numbers" if runs and several else ""
    setting = f"{what} in {times} (seed {summary['seed']}{common})."
    if kernel := manifest.get("backend", {}).get("kernel"):
        setting += f" TCP was the code of the Linux kernel, version {kernel}."
    if hosts.NAME in (manifest.get("backends") or {}):
        setting += f" In {hosts.NAME}, programs used the network as time passed, which another run does not repeat."
    if system := manifest.get("backend", {}).get("system"):
        setting += f" The programs' TCP was the code of Linux {system}."
    values = "Values were means after the warm-up"
    method = f"{values}; intervals were {_intervals(summary)}." if several else f"{values}."
    return pasted(setting, method, results, manifest.get("command"))


def _intervals(summary: Mapping[str, Any]) -> str:
    if "at_most" not in summary:
        return "95 % confidence intervals over replications"
    return (
        f"95 % confidence sequences, which are valid at every number of replications: these were added until each "
        f"comparison was decided, at most {summary['at_most']}"
    )


def _of_comparison(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence on each of the main effects: both values, the difference and the verdict."""
    of = Findings(summary)
    for found in chosen(of, MOST):
        yield from _of_effect(of, found)
    if failed := summary.get("failed"):
        yield f"{_listed(list(failed))} failed."


def _of_effect(of: Findings, found: Found) -> Iterator[str]:
    contrast, asked = found.contrast, found.asked
    (first, reference), *others = contrast.runs.items()
    shown = of.meaning(asked)
    differences = {level: of.difference(run, reference, asked) for level, run in others}
    known = {level: each for level, each in differences.items() if each["mean"] is not None}
    if not known:
        return
    level = max(known, key=lambda each: (each in of.clear_in(contrast, asked), abs(known[each]["mean"])))
    values = (rounded_text(of.estimate(contrast.runs[each], asked), shown.unit) for each in (level, first))
    after, before = values
    place = f"{contrast.where[:1].upper()}{contrast.where[1:]}, the" if contrast.where else "The"
    verdict = JUDGED.get(str(known[level]["verdict"]), JUDGED["undecided"])[1]
    yield (
        f"{place} {_subject(shown.label)} was {after} with {contrast.spoken(level)}, and {before} with "
        f"{contrast.spoken(first)}: a difference of {_difference(known[level], shown.unit)}, {verdict}."
    )


def _difference(found: Mapping[str, Any], unit: Unit) -> str:
    return difference_text(found["mean"], found["ci95"], unit)


def _of_run(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence on each of the first groups: what its users perceived, or its goodput."""
    for name, measured in list(summary["groups"].items())[:MOST_GROUPS]:
        metrics = [*perceived(each for each in measured if mean_in(measured, each) is not None), "goodput_bps"]
        shown = meaning(metrics[0])
        if mean_in(measured, metrics[0]) is not None:
            yield f"The {_subject(shown.of(name).label)} was {rounded_text(measured[metrics[0]], shown.unit)}."


def _subject(label: str) -> str:
    """Return a label before its verb: the apposition in "delay of call, 95th percentile" ends with a comma."""
    return f"{label}," if ", " in label else label


def _listed(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


# Main effects, and groups of a run alone.
MOST, MOST_GROUPS = 2, 3
