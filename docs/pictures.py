"""Which run each card's figure shows: a scenario of `docs/scenarios`, what is set in it, and what is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narrows as nw

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

SCENARIOS = Path(__file__).parent / "scenarios"


@dataclass(frozen=True)
class Shown:
    """What a card's figure shows.

    Attributes:
        scenario: Its file, without the ending.
        panels: What is drawn over time, from above: "window", "rate", "queue", "signals".
        subject: The algorithm in the subject's place; None where the scenario has none or its own is meant.
        overrides: What is set in the scenario, as after `--set`.
    """

    scenario: str
    panels: tuple[str, ...]
    subject: str | None = None
    overrides: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that runs the same and shows all of it."""
        verb = f"compare {self.subject} --scenario" if self.subject else "run"
        sets = "".join(f" --set '{each}'" for each in self.overrides)
        return f"narrows {verb} docs/scenarios/{self.scenario}.toml{sets}"

    @property
    def title(self) -> str:
        """What the scenario calls itself."""
        return self._scenario().resolve(self.subject or nw.scenario.STAND_IN).title

    def run(self) -> Course:
        """Run the first replication."""
        scenario = self._scenario()
        if self.subject is None:
            return Course.of(scenario.run(replications=1, jobs=1))
        return Course.of(scenario.compare([self.subject], replications=1, jobs=1).runs[self.subject])

    def _scenario(self) -> nw.Scenario:
        return nw.load(SCENARIOS / f"{self.scenario}.toml", self.overrides)


@dataclass(frozen=True)
class Course:
    """What a run recorded over time.

    Attributes:
        flows: Columns of each flow by its name.
        link: Columns of the bottleneck.
        algorithms: The algorithm of each flow.
    """

    flows: Mapping[str, Mapping[str, NDArray[np.float64]]]
    link: Mapping[str, NDArray[np.float64]]
    algorithms: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Any) -> Course:
        """Take the series of a run's first replication apart."""
        records = next(iter(run.records.values()))
        series = records.series
        codes, names = series["name"]
        rows = {name: codes == code for code, name in enumerate(names or [])}
        numbers = [column for column, (_, words) in series.items() if words is None]
        traces = {name: {each: series[each][0][chosen] for each in numbers} for name, chosen in rows.items()}
        groups, group_names = records.flows["group"]
        algorithms, words = records.flows["algorithm"]
        of_group = {
            (group_names or [])[group]: (words or [])[code] for group, code in zip(groups, algorithms, strict=True)
        }
        flows = {name: trace for name, trace in traces.items() if name.partition("[")[0] in of_group}
        return cls(flows, traces["bottleneck"], {name: of_group[name.partition("[")[0]] for name in flows})


def of_algorithm(card: Mapping[str, Any]) -> Shown:
    """Return what an algorithm's figure shows."""
    name, family = card["name"], card["family"]
    if family == "rate":
        return Shown("one-flow", ("rate", "queue"), name)
    if family == "explicit":
        # RCP has a window only where no router answers its SYN.
        panels = ("rate", "queue") if name == "rcp" else ("window", "rate", "queue")
        return Shown("explicit", panels, name, (f'path.queue.kind="{name}"',))
    scenario = BY_NAME.get(name) or BY_FAMILY.get(family, "one-flow")
    return Shown(scenario, ("window", "queue"), name)


def of_queue(card: Mapping[str, Any]) -> Shown:
    """Return what a queue's figure shows."""
    name = card["name"]
    if name == "quick-start":
        return Shown("quick-start", ("rate", "queue"))
    queue = f'path.queue={{ kind = "{name}"{KEYS.get(name, "")} }}'
    settings = () if name == "droptail" else (queue, *MORE.get(name, ()))
    panels = ("rate", "queue") if card["family"] == "fair" or name in KEYS else ("queue", "signals")
    return Shown("load", panels, FLOWS_OF.get(name), settings)


@cache
def beside() -> Course:
    """Run the load over DropTail, which all other queues are shown beside."""
    return BESIDE.run()


BESIDE = Shown("load", ("queue", "signals"))

BY_FAMILY = {"linear": "two-flows", "high-speed": "high-speed", "data center": "data-center"}
BY_NAME = {"fast": "high-speed", "fast-at": "high-speed", "ctcp": "high-speed"}
# These two go by classes: the source is in the better one.
KEYS = {"priority": ", classes = { source = 0 }", "rio": ', in = ["source"]'}
FLOWS_OF = {"step": "dctcp", "xcp": "xcp", "rcp": "rcp"}
MORE = {"step": ("transport.ecn=true",), "dualpi2": ("transport.ecn=true",)}
