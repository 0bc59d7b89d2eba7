# SPDX-License-Identifier: Apache-2.0
"""The differences of a comparison by factor, metric and group, and their sizes, of which sentences give the largest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from narrows._internal.comparison import Contrast, Replaced, contrasts, directions, runs_of
from narrows._internal.drawing.scale import INDEX, PERCENT
from narrows._internal.metrics.perceived import stated
from narrows._internal.page.metrics import Meaning, meaning
from narrows._internal.run.wording import FLOWS, LOSS, flows
from narrows._internal.statistics import mean_in
from narrows._internal.typed import JOINED

Groups = Sequence[Mapping[str, Any]]


class Asked(NamedTuple):
    """A metric of the groups at a place of the scenario."""

    name: str
    of: str  # the group, or the words after "the flows"
    place: int


class Found(NamedTuple):
    """The contrast of a factor in which a metric differs most."""

    contrast: Contrast
    asked: Asked
    is_clear: bool
    size: float  # of shares and indices the difference, of other metrics its part of the larger value

    @property
    def weight(self) -> tuple[bool, float]:
        """What findings are ordered by: clear differences first, the largest of them first."""
        return self.is_clear, self.size


class Findings:
    """What the runs of a comparison say, by their summary."""

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self.summary = summary
        self.contrasts = contrasts(summary)
        self.runs: Mapping[str, Mapping[str, Any]] = runs_of(summary) or {}
        self.groups = {name: list(run["groups"].values()) for name, run in self.runs.items()}
        self._differences = {(each["of"], each["against"]): each for each in summary.get("differences", [])}
        called = [list(run["groups"]) for run in self.runs.values()]
        self._names = [list(dict.fromkeys(each)) for each in zip(*called, strict=False)]
        self.perceived = [Asked(name, self._names[place][0], place) for place in range(len(self._names))
                          for name in known_to_all(self.at(place))]  # fmt: skip

    def at(self, place: int) -> Groups:
        """Return the metrics of the groups at a place, one of each run."""
        return [groups[place] for groups in self.groups.values()]

    def estimate(self, run: str, asked: Asked) -> Mapping[str, Any]:
        """Return the estimate of a metric in a run."""
        found: Mapping[str, Any] = self.groups[run][asked.place][asked.name]
        return found

    def difference(self, run: str, first: str, asked: Asked) -> Mapping[str, Any]:
        """Return the difference of a metric between two runs."""
        pair = self._differences.get((run, first))
        return {**_NOTHING, **(list(pair["groups"].values())[asked.place].get(asked.name, {}) if pair else {})}

    def meaning(self, asked: Asked) -> Meaning:
        """Return the presentation of a metric of its group or flows."""
        return meaning(asked.name).of(asked.of if asked in self.perceived else f"the flows{asked.of}")

    def margin(self, asked: Asked) -> float | None:
        """Return the margin from which differences of a metric matter, as the first pair of runs has it."""
        pairs = (list(each["groups"].values())[asked.place] for each in self._differences.values())
        return next(filter(None, (each.get(asked.name, {}).get("margin") for each in pairs)), None)

    def clear_in(self, contrast: Contrast, asked: Asked) -> list[str]:
        """Return the levels of a contrast that clearly differ from its first."""
        first, *others = contrast.runs.items()
        return [level for level, run in others if self.difference(run, first[1], asked)["verdict"] in CLEAR]

    def largest(self, among: Sequence[Contrast], asked: Asked) -> Found:
        """Return the contrast in which a metric differs most, clear differences before others."""
        return max((self._found(each, asked) for each in among), key=lambda found: found.weight)

    def by_factor(self) -> dict[str, list[Contrast]]:
        """Return the contrasts of each factor, the queues of both directions together as one more."""
        found: dict[str, list[Contrast]] = {}
        for each in [*self.contrasts, *self._both_ways()]:
            found.setdefault(each.factor, []).append(each)
        return found

    def asked(self) -> list[Asked]:
        """Return the metrics of sentences: what people perceive, then goodput, delay, loss and fairness of flows."""
        tested = Replaced(**self.summary["replaced"]).groups if "replaced" in self.summary else []
        applications = {each.place for each in self.perceived}
        places = range(len(self._names))
        found = list(self.perceived)
        for kind in FLOWS:
            # The loss of any group matters.
            own = [place for place in places if kind == LOSS or not tested or self._names[place][0] in tested]
            names = ((place, self._moved(kind, place)) for place in own if kind == LOSS or place not in applications)
            found += [Asked(name, self._flows(place), place) for place, name in names if name]
        return found

    def _moved(self, kind: Sequence[str], place: int) -> str:
        """Return the metric of a kind that all runs have, and that is not what it is of any run of such a scenario."""
        measured = self.at(place)
        known = (name for name in kind if all(mean_in(each, name) is not None for each in measured))
        name = next(known, "")
        return name if any(mean_in(each, name) != STILL.get(name) for each in measured) else ""

    def _flows(self, place: int) -> str:
        named = self._names[place]
        is_algorithm = named[0] in self.contrasts[0].runs
        return flows(named[0], alone=len(self._names) == 1, is_algorithm=is_algorithm, several=len(named) > 1)

    def _found(self, contrast: Contrast, asked: Asked) -> Found:
        first, *others = contrast.runs.items()
        clear = self.clear_in(contrast, asked)
        sizes = [self._size(run, first[1], asked) for level, run in others if not clear or level in clear]
        return Found(contrast, asked, bool(clear), max(sizes, default=0.0))

    def _size(self, run: str, first: str, asked: Asked) -> float:
        size = abs(float(self.difference(run, first, asked)["mean"] or 0.0))
        if meaning(asked.name).unit in {PERCENT, INDEX}:
            return size
        most = max(abs(self.estimate(each, asked)["mean"]) for each in (run, first))
        return size / most if most else 0.0

    def _both_ways(self) -> list[Contrast]:
        """Return the contrasts of the same queue in both directions, if the queues of both vary."""
        factors: Mapping[str, Sequence[str]] = self.summary.get("factors") or {}
        queues = [key for key, levels in factors.items() if len(levels) > 1 and directions(key) is not None]
        if len(queues) != len(BOTH) or {directions(key) for key in queues} != BOTH:
            return []
        shared = [level for level in factors[queues[0]] if level in factors[queues[1]]]
        rows: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        for name, run in self.runs.items():
            at, beside = run["at"], tuple((key, level) for key, level in run["at"].items()
                                          if key not in queues and len(factors[key]) > 1)  # fmt: skip
            if at[queues[0]] == at[queues[1]] in shared:
                rows.setdefault(beside, {})[at[queues[0]]] = name
        return [Contrast(JOINED.join(queues), dict(beside), runs) for beside, runs in rows.items() if len(runs) > 1]


def known_to_all(measured: Groups) -> list[str]:
    """Return the metrics that sentences on what people perceive give, of those that all of these groups have."""
    known = [name for name in measured[0] if all(mean_in(each, name) is not None for each in measured)]
    return stated(known, [name for name in known if any(mean_in(each, name) for each in measured)])


CLEAR = frozenset({"better", "worse", "different"})
# The index of one flow is 1 whatever happens, and most links lose nothing.
STILL = {"jain": 1.0, "loss_rate": 0.0}
BOTH = frozenset({frozenset({"forward"}), frozenset({"reverse"})})
_NOTHING: Mapping[str, Any] = {"mean": None, "ci95": None, "interval_method": None, "margin": 0.0,
                                 "verdict": "undecided"}  # fmt: skip
