# SPDX-License-Identifier: Apache-2.0
"""`narrows deploy`: a study of the fraction of flows that use an algorithm, pacing or more connections."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from narrows._internal.analysis.adoption import Adoption, adoption
from narrows._internal.analysis.table import AnalysisError
from narrows._internal.errors import InputError
from narrows._internal.experiments.definition import Study
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.store import MEASURED, independent
from narrows._internal.experiments.views.view import View, checked, lay_out, number, study_text
from narrows._internal.external.names import short_names
from narrows._internal.files.toml import inline
from narrows._internal.frozen import frozen
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.metrics.criteria import range_of
from narrows._internal.metrics.possible import most_of
from narrows._internal.plural import counted
from narrows._internal.run.options import Options, called
from narrows._internal.statistics import Estimate, Range, estimate
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa


@frozen
class Deployment:
    """The arguments of a deployment."""

    kind: ClassVar = "deployment"
    algorithm: str  # the deployed change: an algorithm, `pacing`, or `connections=N`
    against: str  # the old algorithm
    fractions: Sequence[str]  # percentages of the flows on the new algorithm, as written; 0 and 100 are always added
    flows: int | None = None  # None for twenty, or as many more as the fractions need
    overrides: Sequence[str] = ()  # changes of the scenario `deployment`, as after `--set`

    def called(self, options: Options) -> str:
        """Return the command line."""
        how = {"against": self.against, "fractions": ",".join(self.fractions), "flows": self.flows}
        return called(options, "deploy", self.algorithm, **how, set=self.overrides)

    def layout(self, options: Options, on: str = SIMULATOR) -> tuple[Study, Plan, dict[str, Any]]:
        """Return the study, its plan, and the facts of its view."""
        parts = _parts(self.fractions)
        count = _flows(parts, self.flows)
        moved = _moved(parts, count)
        # A flow's fair share is the same however many there are, unless an override says otherwise.
        base = [f"path.rate={inline(f'{count * MBPS_A_FLOW}Mbps')}", *self.overrides]
        what = treatment(self.algorithm, self.against)
        arguments = [(name, what.changes(camp)) for camp, name in enumerate((self.algorithm, self.against))]
        new, old = checked(SCENARIO, on, base, arguments, [self.algorithm, self.against])
        if new.digest == old.digest and what.connections == 1:
            raise InputError(self.algorithm, f"is the same as {self.against}: a deployment changes the algorithm")
        stages = len(moved)
        moves = what.moves(stages, list(moved.values()), count)
        title = f"{what.title} in {counted(count, 'flow')}"
        text = study_text(title, QUESTION, SCENARIO, on, MEASURES, {"deployed": (list(moved), moves)})
        study, plan = lay_out(text, "narrows deploy", [self.algorithm, self.against], base, options)
        facts = {"new": what.new, "old": what.old, "connections": what.connections, "flows": count, "moved": moved}
        return study, plan, facts


def summary(view: View, _plan: Plan, cells: pa.Table) -> dict[str, Any]:
    """Return the means of the flows with either algorithm at every fraction, and the effects, as plain data."""
    rows = whole(view, cells)
    return {
        "new": view.facts["new"],
        "old": view.facts["old"],
        "flows": view.facts["flows"],
        "stages": stages(view, rows),
        "effects": {name: _plain(view, found) for name, found in effects(view, rows).items()},
    }


def whole(view: View, cells: pa.Table) -> list[dict[str, Any]]:
    """Return the cells of the replications that have every fraction, so that all means have the same replications."""
    rows: list[dict[str, Any]] = independent(cells).to_pylist()
    wanted = set(view.facts["moved"])
    there: dict[int, set[str]] = {}
    for row in rows:
        there.setdefault(row["replication"], set()).add(row["deployed"])
    return [row for row in rows if there[row["replication"]] == wanted]


def stages(view: View, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the metrics of both camps and the bottleneck at every fraction."""
    found = []
    for label, moved in view.facts["moved"].items():
        here = sorted((row for row in rows if row["deployed"] == label), key=lambda row: row["replication"])
        camps = {
            camp: {
                name: estimate((_of_camp(view, row, camp, name) for row in here), _possible(view, here, [camp], name))
                for name in RESPONSES
            }
            for camp, count in (("new", moved), ("old", view.facts["flows"] - moved))
            if count
        }
        link: dict[str, Estimate] = {
            name: estimate((number(row[f"link.bottleneck.{name}"]) for row in here), _range(name, "link"))
            for name in OF_LINK
        }
        found.append(
            {"deployed": label, "moved": moved, "fraction": moved / view.facts["flows"], "camps": camps, "link": link}
        )
    return found


def effects(view: View, rows: Sequence[Mapping[str, Any]]) -> dict[str, Adoption]:
    """Return naive and total effects of every response that all cells have."""
    found = {}
    for name in RESPONSES:
        sides = [
            (_movers(view, row, camp), camp, row["replication"], _of_camp(view, row, camp, name))
            for row in rows
            for camp in ("new", "old")
            if row[f"flows.{camp}.count"]
        ]
        if not sides or not all(math.isfinite(value) for *_, value in sides):
            continue
        everybody = view.facts["flows"]
        columns = {
            "fraction": [(count if camp == "new" else everybody - count) / everybody for count, camp, *_ in sides],
            "algorithm": [camp for _, camp, *_ in sides],
            "replication": [replication for *_, replication, _ in sides],
            name: [value for *_, value in sides],
        }
        try:
            found[name] = adoption(columns, name, ("new", "old"), within=_possible(view, rows, ["new", "old"], name))
        except AnalysisError:
            continue
    return found


def _of_camp(view: View, row: Mapping[str, Any], camp: str, name: str) -> float:
    value = number(row[f"group.{camp}.{RESPONSES[name]}"])
    return value / _movers(view, row, camp) if name == PER_FLOW else value


def _movers(view: View, row: Mapping[str, Any], camp: str) -> int:
    """Return the number of users in a camp, who may have several connections."""
    count: int = row[f"flows.{camp}.count"]
    return count // view.facts.get("connections", 1) if camp == "new" else count


def _possible(view: View, rows: Sequence[Mapping[str, Any]], camps: Sequence[str], name: str) -> Range:
    """Return the values that a response of camps can have: a camp gets no more than the capacity of its bottleneck."""
    most = None
    if name == PER_FLOW:
        there = [(row, camp) for row in rows for camp in camps if row[f"flows.{camp}.count"]]
        parts = (dict(row[MEASURED]).get(f"group.{camp}.goodput_fraction") for row, camp in there)
        most = most_of((_of_camp(view, row, camp, name) for row, camp in there), parts)
    return _range(RESPONSES[name], most=most)


def _range(measure: str, owner: str = "group", most: float | None = None) -> Range:
    return range_of(card_of(measure, owner), None, most)


def _plain(view: View, found: Adoption) -> dict[str, Any]:
    labels = {moved / view.facts["flows"]: label for label, moved in view.facts["moved"].items()}
    return {
        "before": found.before,
        "total": found.total,
        "stages": [{"deployed": labels[each.fraction], **each.__dict__} for each in found.stages],
    }


def _parts(fractions: Sequence[str]) -> dict[str, float]:
    """Read fractions in per cent, ascending, 0 and 100 among them."""
    parts: dict[str, float] = {}
    for text in fractions:
        try:
            part = float(text.removesuffix("%"))
        except ValueError:
            part = math.nan
        if not 0 <= part <= EVERYBODY:
            raise InputError("--fractions", f"expected percentages from 0 to 100, as in 1,5,25, got {text!r}")
        if 0 < part < 1 and not text.endswith("%"):
            problem = f"is not clear: {part:g} per cent is {part:g}%, and {part:g} of the flows {100 * part:g}"
            raise InputError(f"--fractions {text}", f"{problem}; allowed: per cent from 0 to 100, as in 1,5,25")
        if part in parts.values():
            raise InputError(f"--fractions {text}", "is there twice")
        parts[f"{part:g}"] = part
    return dict(sorted({"0": 0.0, "100": 100.0, **parts}.items(), key=lambda each: each[1]))


def _flows(parts: Mapping[str, float], given: int | None) -> int:
    smallest = min((min(part, EVERYBODY - part) for part in parts.values() if 0 < part < EVERYBODY), default=EVERYBODY)
    needed = math.ceil(EVERYBODY / smallest - SLACK)
    if given is None and needed <= MOST_FLOWS:
        return max(needed, FLOWS)
    if given is None or given < needed:
        lowest = next(name for name, part in parts.items() if min(part, EVERYBODY - part) == smallest)
        problem = f"is less than one flow of {given or MOST_FLOWS} with one of the algorithms"
        raise InputError(f"--fractions {lowest}", f"{problem}; allowed: {needed} flows or more (--flows {needed})")
    return given


def _moved(parts: Mapping[str, float], flows: int) -> dict[str, int]:
    """Round each fraction to whole flows."""
    moved: dict[str, int] = {}
    for label, part in parts.items():
        count = math.floor(part * flows / EVERYBODY + 0.5)
        if count in moved.values():
            other = next(name for name, each in moved.items() if each == count)
            raise InputError(f"--fractions {label}", f"is as many whole flows of {flows} as {other}: {count}")
        moved[label] = count
    return moved


@frozen
class Treatment:
    """The change of a deployment."""

    new: str  # name of the flows with the change
    old: str  # name of the flows without the change
    algorithms: tuple[str, str]  # algorithms of both camps
    title: str  # title of the deployment, without the number of flows
    # Other keys of a flow, with their values in both camps.
    keys: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    connections: int = 1  # connections of each user with the change; the others have one

    def changes(self, camp: int) -> list[str]:
        """Return the keys of all flows in the camp `camp`, 0 for the new one, as after `--set`."""
        values = {"algorithm": self.algorithms[camp], **{key: both[camp] for key, both in self.keys.items()}}
        return [f"flows.{each}.{key}={inline(value)}" for each in CAMPS for key, value in values.items()]

    def moves(self, stages: int, moved: list[int], flows: int) -> dict[str, list[object]]:
        """Return the value of each key path at each stage."""
        values = {"algorithm": self.algorithms, **self.keys}
        found: dict[str, list[object]] = {
            f"flows.{each}.{key}": [both[camp]] * stages
            for camp, each in enumerate(CAMPS)
            for key, both in values.items()
        }
        found["flows.new.count"] = [each * self.connections for each in moved]
        found["flows.old.count"] = [flows - each for each in moved]
        return found


def treatment(deployed: str, against: str) -> Treatment:
    """Return the treatment that an argument names."""
    old = short_names([against])[against]
    if deployed == PACING:
        keys = {"pacing": (True, False)}
        return Treatment(f"{old}, paced", old, (against, against), f"Pacing for {old}", keys)
    if deployed.startswith(CONNECTIONS):
        written = re.fullmatch(rf"{CONNECTIONS}=([0-9]+)", deployed)
        number = int(written[1]) if written else 0
        if not LEAST <= number <= MOST:
            raise InputError(CONNECTIONS, f"expected a whole number from {LEAST} to {MOST}, got {deployed!r}")
        new = f"{number} connections of {old}"
        return Treatment(new, old, (against, against), f"{new} instead of one", connections=number)
    names = short_names([deployed, against])
    new, old = names[deployed], names[against]
    return Treatment(new, old, (deployed, against), f"{new} replaces {old}")


SCENARIO = "deployment"
QUESTION = "What does a partial deployment do to flows that switch and to others, and what would an A/B test say?"
EVERYBODY = 100
FLOWS = 20
MOST_FLOWS = 1000
MBPS_A_FLOW = 5
PER_FLOW = "goodput_per_flow_bps"
# Of a camp: names of responses, and the measures of a group that they come from.
RESPONSES = {
    PER_FLOW: "goodput_bps",
    "delay_mean_s": "delay_mean_s",
    "loss_rate": "loss_rate",
    "retransmission_rate": "retransmission_rate",
}
OF_LINK = ("utilization", "queue_delay_mean_s")
MEASURES = [
    *(f"group.{camp}.{measure}" for camp in ("new", "old") for measure in RESPONSES.values()),
    *(f"link.bottleneck.{measure}" for measure in OF_LINK),
]
# Of binary fractions: 100 / 33.3 and the like.
SLACK = 1e-9
CAMPS = ("new", "old")
PACING = "pacing"
CONNECTIONS = "connections"
LEAST, MOST = 2, 100
