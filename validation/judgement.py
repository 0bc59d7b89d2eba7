# SPDX-License-Identifier: Apache-2.0
"""Judges that are not ours: their figures, our runs of the same scenarios, and whether the two agree.

A figure agrees if our mean over replications lies within the tolerance of the judge's value. The tolerance is the
judge's own, or an allowance chosen before the first comparison plus what the judge's runs leave open: their range, or,
where they are many, the 95 % interval of their mean. `reference.toml` says which. `differences.toml` says why the
others do not.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import narrows as nw
from narrows._internal.library import CASES, cases
from narrows._internal.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from narrows._internal.library import ScenarioFile
    from narrows._internal.run.results import Run
    from narrows._internal.run.scenario import Scenario


@dataclass(frozen=True)
class Figure:
    """A number that a judge measured, and how far ours may lie from it."""

    judge: str  # folder of the judge
    case: str  # the scenario, by its name in that folder's `cases.toml`
    replications: int  # of ours
    of: str  # a group or link of the scenario
    measure: str
    value: float  # mean of the judge's runs, in the unit of the measure
    runs: tuple[float, ...]
    tolerance: float  # in the unit of the measure
    relative: bool  # differences are given as parts of the value

    @property
    def name(self) -> str:
        """What the figure is called in tables, tests and `differences.toml`."""
        return f"{self.judge}/{self.case} {self.of} {self.measure}"

    @cached_property
    def ours(self) -> Estimate:
        """Our mean over replications with its 95 % interval."""
        return estimate(values(_run(self.judge, self.case, self.replications), self.of, self.measure))

    @property
    def difference(self) -> float:
        """Ours less the judge's, in the unit of the measure; not a number where we have none."""
        mean = self.ours["mean"]
        return math.nan if mean is None else mean - self.value

    @property
    def agrees(self) -> bool:
        """Whether the difference is within the tolerance."""
        return abs(self.difference) <= self.tolerance

    @property
    def cause(self) -> int | None:
        """The place among the differences of the one that explains this figure, if any does."""
        return next((at for at, each in enumerate(differences()) if self.name in each.figures), None)


@dataclass(frozen=True)
class Difference:
    """Why figures differ by more than their tolerance."""

    cause: str
    evidence: str
    figures: tuple[str, ...]


def figures(judge: str) -> Iterator[Figure]:
    """Yield every figure of a judge in the order of its reference.

    Args:
        judge: `"ns2"` or `"kernel"`.
    """
    reference = _read(HERE / judge / "reference.toml")
    allowances = reference.get("allowances", {})
    spread_of = SPREADS[reference.get("spread", "range")]
    for scenario in reference["scenarios"]:
        for each in scenario["figures"]:
            runs = tuple(each["runs"])
            bound = each.get("tolerance") or allowances[each["measure"]]
            spread = 0.0 if "tolerance" in each else spread_of(runs)
            relative = "relative" in bound
            tolerance = bound["relative"] * abs(each["value"]) if relative else bound["absolute"]
            yield Figure(
                judge=judge,
                case=scenario["case"],
                replications=scenario["replications"],
                of=each["of"],
                measure=each["measure"],
                value=each["value"],
                runs=runs,
                tolerance=tolerance + spread,
                relative=relative,
            )


@cache
def differences() -> tuple[Difference, ...]:
    """Return every known difference."""
    known = _read(HERE / "differences.toml")["differences"]
    return tuple(Difference(each["cause"], each["evidence"], tuple(each["figures"])) for each in known)


def scenario(judge: str, case: str) -> Scenario:
    """Return the scenario of a case.

    Args:
        judge: `"ns2"` or `"kernel"`.
        case: Its name in that judge's `cases.toml`.
    """
    found = cases_of(judge)[case]
    return nw.load(found.file, found.changes)


@cache
def cases_of(judge: str) -> dict[str, ScenarioFile]:
    """Return the cases of a judge by name."""
    return cases(HERE / judge / CASES)


@cache
def _run(judge: str, case: str, replications: int) -> Run:
    return scenario(judge, case).run(replications=replications)


def values(run: Run, of: str, measure: str) -> list[float]:
    """Return one value per replication, in the unit of the measure.

    Args:
        run: Of one of our scenarios.
        of: A group or link of it, or `"all"`.
        measure: One of Narrows's own, or one that only references give.
    """
    if measure == "dropped_first_10s":
        return [_dropped_before(run, replication, of, 10.0) for replication in run.records]
    if measure == "jain" and of == "all":
        return [_jain(run, replication) for replication in run.records]
    if measure in SAWTOOTH:
        warmup_s = float(_read_text(run.scenario.resolved)["warmup"].removesuffix("s"))
        return [SAWTOOTH[measure](Sawtooth.of(run, replication, of, warmup_s)) for replication in run.records]
    owners = [{**each.group_metrics, **each.link_metrics} for each in run.records.values()]
    return [float(each[of][measure]) for each in owners]


@dataclass(frozen=True)
class Sawtooth:
    """A flow's reductions of its congestion window, found in its series as TCP_INFO's readers find them.

    Deviations: the algorithm's own window is read, which falls at once, where the kernel's follows a round trip later.
    """

    start_s: float  # when the flow started
    slow_start_packets: float  # largest window up to the end of slow start
    slow_start_end_s: float
    times_s: NDArray[np.float64]  # of reductions after the warm-up
    before: NDArray[np.float64]  # window before each, packets
    ssthresh: NDArray[np.float64]  # threshold after each, packets

    @classmethod
    def of(cls, run: Run, replication: int, group: str, warmup_s: float) -> Sawtooth:
        """Find the reductions of the first flow of a group."""
        flow = _rows(run, replication, f"{group}[0]")
        time, window, ssthresh = flow["time_s"], flow["cwnd_packets"], flow["ssthresh_packets"]
        left = int(np.flatnonzero(np.isfinite(ssthresh))[0])
        reduced = np.flatnonzero(window[1:] < REDUCTION * window[:-1])
        steady = reduced[time[reduced + 1] >= warmup_s]
        flows = run.records[replication].tables["flows"]
        group_codes, names = flows["group"]
        owner = int(np.flatnonzero(group_codes == (names or []).index(group))[0])
        return cls(
            start_s=float(flows["start_s"][0][owner]),
            slow_start_packets=float(np.nanmax(window[: left + 1])),
            slow_start_end_s=float(time[left]),
            times_s=time[steady + 1],
            before=window[steady],
            ssthresh=ssthresh[steady + 1],
        )

    def periods(self, *, long: bool) -> float:
        """Return the mean of those periods, seconds, that are longer, or not longer, than the middle of all."""
        periods = np.diff(self.times_s)
        middle = (periods.min() + periods.max()) / 2
        return float(np.mean(periods[(periods > middle) == long]))


def half_interval(runs: Sequence[float]) -> float:
    """Return half of the 95 % interval of a mean; 0 where there is one run."""
    interval = estimate(runs)["ci95"]
    return 0.0 if interval is None else (interval[1] - interval[0]) / 2


def _dropped_before(run: Run, replication: int, link: str, end_s: float) -> float:
    rows = _rows(run, replication, link)
    return float(np.sum(rows["dropped_packets"][rows["time_s"] <= end_s]))


def _jain(run: Run, replication: int) -> float:
    """Return Jain's index over the flows of all groups."""
    goodputs = run.records[replication].tables["flows"]["goodput_bps"][0].astype(np.float64)
    return float(np.sum(goodputs) ** 2 / (len(goodputs) * np.sum(goodputs**2)))


def _rows(run: Run, replication: int, name: str) -> dict[str, NDArray[np.float64]]:
    """Return the series of a flow or link."""
    series = run.records[replication].tables["series"]
    codes, names = series["name"]
    chosen = codes == (names or []).index(name)
    return {column: values[chosen].astype(np.float64) for column, (values, _) in series.items()}


def _read(path: Path) -> dict[str, Any]:
    return _read_text(path.read_text(encoding="utf-8"))


def _read_text(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


HERE = Path(__file__).parent
JUDGES = ("ns2", "kernel")

# A window that has fallen by more than this between two readings was reduced.
REDUCTION = 0.9

# What a judge's runs leave open.
SPREADS: dict[str, Callable[[Sequence[float]], float]] = {
    "range": lambda runs: max(runs) - min(runs),
    "interval": half_interval,
}

SAWTOOTH: dict[str, Callable[[Sawtooth], float]] = {
    "decrease_factor": lambda sawtooth: float(np.mean(sawtooth.ssthresh / sawtooth.before)),
    "long_period_s": lambda sawtooth: sawtooth.periods(long=True),
    "short_period_s": lambda sawtooth: sawtooth.periods(long=False),
    "slow_start_exit_packets": lambda sawtooth: sawtooth.slow_start_packets,
    "slow_start_exit_s": lambda sawtooth: sawtooth.slow_start_end_s - sawtooth.start_s,
}
