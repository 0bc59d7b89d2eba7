# SPDX-License-Identifier: Apache-2.0
"""`narrows matrix`: every pair of algorithms, as a study.

A run of a pair gives the performance of the second beside the first, and of the first beside the second. So n
algorithms need n (n + 1) / 2 runs of pairs and n alone, per condition and replication.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar

from narrows._internal import core
from narrows._internal.analysis.pairs import Meeting, Seen, meetings
from narrows._internal.core import Scenario
from narrows._internal.errors import InputError
from narrows._internal.experiments.definition import Study
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.store import NOTE, independent, is_repeated
from narrows._internal.experiments.views.view import View, checked, lay_out, number, study_text
from narrows._internal.external.alike import unlike
from narrows._internal.external.names import short_names
from narrows._internal.files.toml import inline
from narrows._internal.frozen import frozen
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.plural import counted
from narrows._internal.run.levels import read_queue
from narrows._internal.run.options import Options, called
from narrows._internal.statistics import Estimate

if TYPE_CHECKING:
    import pyarrow as pa


@frozen
class Stop:
    """The stopping rule of a matrix: each share of a pair, mean over all conditions, has a narrow enough interval."""

    within: float = 0.05  # greatest half-width of the 95 % interval of a share, as a part of the fair share
    most: int = 20  # greatest number of replications

    @classmethod
    def read(cls, within: str | float | None, most: int | None) -> Stop:
        """Return the rule that arguments give; None is the usual value."""
        if within is None:
            return cls(most=most or cls.most)
        try:
            part = core.quantity(within, "fraction") if isinstance(within, str) else within
        except ValueError:
            part = 0.0
        if not 0 < part < 1:
            raise InputError("within", f"expected a percentage in (0, 100), as in 5%, got {within!r}")
        return cls(part, most or cls.most)

    def table(self, deciding: Sequence[str], payload: float) -> dict[str, object]:
        """Return the table of the study file."""
        return {
            "minimum": min(FEWEST, self.most),
            "maximum": self.most,
            "measure": [f"group.{side}.goodput_fraction" for side in ("incumbent", "contender")],
            # A fair share is half of the payload that the link can carry.
            "within": f"{100 * self.within * payload / 2:.6g}pp",
            "by": "pair",
            "levels": [*deciding],
        }


@frozen
class Conditions:
    """The conditions of a matrix, each list as written."""

    rates: list[str]  # rates of the bottleneck
    rtts: list[str]  # two-way propagation delays
    buffers: list[str]  # buffer limits
    queues: list[str]  # queue disciplines, with parameters as in `red(gentle=true)`

    def arguments(self) -> dict[str, list[str]]:
        """Return each value as the argument from which it comes, with the changes that it stands for."""
        found = {}
        for flag, values in asdict(self).items():
            for value in values:
                found[f"--{flag} {value}"] = [
                    f"{PATHS[flag]}={inline(read_queue(value, f'--queues {value}') if flag == 'queues' else value)}"
                ]
        return found

    def factors(self) -> dict[str, tuple[Sequence[str], Mapping[str, Sequence[object]]]]:
        """Return the factors of the study, with queues before their limits, which they would replace."""
        queues: list[object] = [read_queue(queue, f"--queues {queue}") for queue in self.queues]
        return {
            "rate": (self.rates, {PATHS["rates"]: [*self.rates]}),
            "rtt": (self.rtts, {PATHS["rtts"]: [*self.rtts]}),
            "queue": (self.queues, {PATHS["queues"]: queues}),
            "buffer": (self.buffers, {PATHS["buffers"]: [*self.buffers]}),
        }


@frozen
class Matrix:
    """The arguments of a matrix."""

    kind: ClassVar = "matrix"
    algorithms: Sequence[str]  # each runs against each, itself included
    conditions: Conditions
    flows: int = 1  # number of flows on each side
    overrides: Sequence[str] = ()  # changes of the scenario `pair`, as after `--set`
    stop: Stop | None = None  # None for the usual rule; not used with a number of replications

    def called(self, options: Options) -> str:
        """Return the command line."""
        lists = {name: ",".join(values) for name, values in asdict(self.conditions).items()}
        stop = {"within": f"{100 * self.stop.within:g}%", "maximum": self.stop.most} if self.stop else {}
        return called(options, "matrix", *self.algorithms, **lists, flows=self.flows, set=self.overrides, **stop)

    def layout(self, options: Options, on: str = SIMULATOR) -> tuple[Study, Plan, dict[str, Any]]:
        """Return the study, its plan, and the facts of its view."""
        for flag, values in asdict(self.conditions).items():
            _distinct(f"--{flag}", values)
        sides = [f"flows.{side}.count={self.flows}" for side in ("incumbent", "contender")]
        names = self.algorithms
        found = checked(SCENARIO, on, [*self.overrides, *sides], [(each, _both(each)) for each in names], names)
        same: dict[str, str] = {}
        for name, scenario in zip(self.algorithms, found, strict=True):
            if (other := same.setdefault(scenario.digest, name)) != name:
                raise InputError(name, f"is the same as {other}")
        checked(SCENARIO, on, self.overrides, self.conditions.arguments().items())
        short = short_names(self.algorithms)
        title = f"Every pair of {_listed(list(short.values()))}"
        payload, labels = _payload(found[0]), [label for label, own in _labels(short) if not own]
        if options.replications is not None and self.stop is not None:
            raise InputError("replications", "fixes the number: leave `within` and `maximum` out")
        rule = None if options.replications is not None else self.stop or Stop()
        # With one algorithm no pair can decide.
        sequential = rule.table(labels, payload) if rule and labels else None
        factors = {**self.conditions.factors(), "pair": _pairs(short, self.flows)}
        text = study_text(title, QUESTION, SCENARIO, on, MEASURES, factors, sequential)
        study, plan = lay_out(text, "narrows matrix", self.algorithms, self.overrides, options)
        within = rule.within if rule and sequential else None
        facts = {"algorithms": list(short.values()), "flows": self.flows, "payload": payload, "within": within}
        if on == SIMULATOR:
            resolved = {short[given]: [each.resolved] for given, each in zip(self.algorithms, found, strict=True)}
            facts["unlike"] = unlike(resolved)
        return study, plan, facts


def summary(view: View, plan: Plan, cells: pa.Table) -> dict[str, Any]:
    """Return the matrix as plain data: over all conditions, then under each."""
    return {
        "algorithms": view.facts["algorithms"],
        "flows": view.facts["flows"],
        "factors": list(FACTORS),
        "matrix": [
            {
                "condition": None if each.condition is None else dict(zip(FACTORS, each.condition, strict=True)),
                "contender": each.contender,
                "incumbent": each.incumbent,
                **each.found,
            }
            for each in matrix(view, cells)
        ],
        "replications": len(set(independent(cells)["replication"].to_pylist())),
        "repeated": is_repeated(cells),
        "within": view.facts["within"],
        "unlike": view.facts.get("unlike", ""),
        "maximum": plan.replications.maximum,
        "cells": cells.num_rows,
    }


def enough(summary: Mapping[str, Any]) -> str:
    """Return in words whether the shares of a matrix have the requested precision; empty for a fixed number."""
    # A sentence of its own covers replications that are all the same run.
    if summary["repeated"]:
        return NOTE
    within, count = summary["within"], summary["replications"]
    if within is None:
        return ""
    wanted = f"± {100 * within:g} % of the fair share"
    times = counted(count, "replication")
    if count < summary["maximum"]:
        return f"After {times} the share of each pair is known to {wanted}."
    wide = [
        f"{each['incumbent']} beside {each['contender']}"
        for each in summary["matrix"]
        if each["condition"] is None and each["contender"] != each["incumbent"] and _half(each["share"]) > within
    ]
    if not wide:
        return f"After {times}, the most allowed, the share of each pair is known to {wanted}."
    return f"After {times}, the most allowed, these are not known to {wanted}: {', '.join(wide)}."


def _half(found: Estimate) -> float:
    ends = found["ci95"]
    return math.inf if ends is None else (ends[1] - ends[0]) / 2


def matrix(view: View, cells: pa.Table) -> list[Meeting]:
    """Return the performance of every incumbent beside every contender."""
    seen = [side for row in independent(cells).to_pylist() for side in _sides(row, view.facts["payload"])]
    return meetings(seen, view.facts["algorithms"])


def _sides(row: Mapping[str, Any], payload: float) -> list[Seen]:
    algorithms = {side: row[f"flows.{side}.algorithm"] for side in ("incumbent", "contender")}
    condition = tuple(str(row[factor]) for factor in FACTORS)
    alone = row["flows.contender.count"] == 0
    found = []
    for side in ["incumbent"] if alone else ["incumbent", "contender"]:
        other = None if alone else algorithms["contender" if side == "incumbent" else "incumbent"]
        values = {name: number(row[f"group.{side}.{measure}"]) for name, measure in OF_GROUP.items()}
        # Two camps of equally many flows: the max-min fair share of one is half of the payload capacity.
        values["share"] = number(row[f"group.{side}.goodput_fraction"]) / payload * (1 if alone else 2)
        values["queue_delay_s"] = number(row["link.bottleneck.queue_delay_mean_s"])
        found.append(Seen(condition, algorithms[side], other, row["replication"], values))
    if not alone and len(set(algorithms.values())) == 1:
        # Beside itself, the sides of an algorithm differ by chance only: the mean of both counts.
        one, two = found
        values = {name: (value + two.values[name]) / 2 for name, value in one.values.items()}
        return [replace(one, values=values)]
    return found


def _pairs(names: Mapping[str, str], flows: int) -> tuple[list[str], dict[str, Sequence[object]]]:
    algorithms = list(names)
    pairs = list(itertools.combinations_with_replacement(algorithms, 2))
    labels = [label for label, _ in _labels(names)]
    alone = [f"{name} alone" for name in names.values()]
    return labels + alone, {
        "flows.incumbent.algorithm": [incumbent for incumbent, _ in pairs] + list(algorithms),
        "flows.contender.algorithm": [contender for _, contender in pairs] + list(algorithms),
        "flows.incumbent.count": [flows] * (len(pairs) + len(alone)),
        "flows.contender.count": [flows] * len(pairs) + [0] * len(alone),
    }


def _labels(names: Mapping[str, str]) -> list[tuple[str, bool]]:
    """Return the label of each pair, and whether it is an algorithm beside itself."""
    return [
        (f"{names[contender]} beside {names[incumbent]}", contender == incumbent)
        for incumbent, contender in itertools.combinations_with_replacement(names, 2)
    ]


def _both(name: str) -> list[str]:
    return [f"flows.{side}.algorithm={inline(name)}" for side in ("incumbent", "contender")]


def _payload(scenario: Scenario) -> float:
    """Return the payload as a part of the size of a packet."""
    resolved = tomllib.loads(scenario.resolved)
    group = next(each for each in resolved["flows"] if each["name"] == "incumbent")
    packet = core.quantity(resolved["path"]["packet"], "size")
    return (packet - core.quantity(group.get("header", resolved["transport"]["header"]), "size")) / packet


def _distinct(argument: str, values: Sequence[str]) -> None:
    for value in values:
        if not value:
            raise InputError(argument, "an element is empty")
        if values.count(value) > 1:
            raise InputError(argument, f"{value} is there twice")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


SCENARIO = "pair"
# The least number of replications with an interval.
FEWEST = 5
QUESTION = "What does each algorithm leave of what another one has alone?"
SIDES = ("flows.incumbent.algorithm", "flows.contender.algorithm", "flows.contender.count")
FACTORS = ("rate", "rtt", "queue", "buffer")
PATHS = {"rates": "path.rate", "rtts": "path.rtt", "queues": "path.queue", "buffers": "path.queue.limit"}
OF_GROUP = {
    "goodput_bps": "goodput_bps",
    "delay_s": "delay_mean_s",
    "loss_rate": "loss_rate",
    "retransmission_rate": "retransmission_rate",
}
MEASURES = [
    *(
        f"group.{side}.{measure}"
        for side in ("incumbent", "contender")
        for measure in ("goodput_fraction", *OF_GROUP.values())
    ),
    "link.bottleneck.utilization",
    "link.bottleneck.queue_delay_mean_s",
]
