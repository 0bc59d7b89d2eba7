# SPDX-License-Identifier: Apache-2.0
"""Which run each card's figure shows: a scenario of `docs/scenarios`, what is set in it, and what is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narrows as nw
from narrows._internal.run.scenario import stand_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        return self._scenario().resolve(self.subject or stand_in()).title

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

    def records(self, panel: str) -> bool:
        """Whether there is anything to draw in a panel: of a window there is none where nothing asks for one."""
        return panel != "window" or any(bool((each["cwnd_packets"] > 0).any()) for each in self.flows.values())

    @classmethod
    def of(cls, run: Any) -> Course:
        """Take the series of a run's first replication apart."""
        records = next(iter(run.records.values()))
        series = records.tables["series"]
        codes, names = series["name"]
        rows = {name: codes == code for code, name in enumerate(names or [])}
        numbers = [column for column, (_, words) in series.items() if words is None]
        traces = {name: {each: series[each][0][chosen] for each in numbers} for name, chosen in rows.items()}
        groups, group_names = records.tables["flows"]["group"]
        algorithms, words = records.tables["flows"]["algorithm"]
        of_group = {
            (group_names or [])[group]: (words or [])[code] for group, code in zip(groups, algorithms, strict=True)
        }
        flows = {name: trace for name, trace in traces.items() if name.partition("[")[0] in of_group}
        return cls(flows, traces["bottleneck"], {name: of_group[name.partition("[")[0]] for name in flows})


def of_algorithm(card: Mapping[str, Any]) -> Shown:
    """Return what an algorithm's figure shows, over the queue whose routers answer its requests.

    Args:
        card: The algorithm's.
    """
    name, family = card["name"], card["family"]
    if card["transport"] == "datagram":
        return Shown("one-flow", ("rate", "queue"), name)
    if card["router"]:
        return Shown("explicit", ("window", "rate", "queue"), name, (f'path.queue.kind="{card["router"]}"',))
    panels = ("rate", "queue") if family in BY_RATE else ("window", "queue")
    return Shown(SCENARIO_OF.get(name) or SCENARIO_OF.get(family, "one-flow"), panels, name)


def of_queue(card: Mapping[str, Any], algorithms: Sequence[Mapping[str, Any]]) -> Shown:
    """Return what a queue's figure shows.

    Args:
        card: The queue's.
        algorithms: The cards of all algorithms: those that ask routers go with the queue that answers.
    """
    name = card["name"]
    if (SCENARIOS / f"{name}.toml").is_file():
        return Shown(name, ("rate", "queue"))
    # The whole table is replaced: the discipline has its own limit, not the scenario's.
    overrides = (f'path.queue={{kind="{name}"}}', *SETTINGS.get(name, ()))
    # What matters of a queue that has classes, or separates flows by itself, is the share of each.
    by_flow = card["family"] == "fair" or any(not each["default"] for each in card["parameters"])
    subject = SUBJECT_OF.get(name) or next((each["name"] for each in algorithms if each["router"] == name), None)
    shown = Shown("load", ("rate", "queue") if by_flow else ("queue", "signals"), subject, overrides)
    return replace(shown, overrides=()) if name == BESIDE_QUEUE else shown


def check(algorithms: Sequence[Mapping[str, Any]], queues: Sequence[Mapping[str, Any]]) -> None:
    """Make sure that every choice made here is about something in the catalogue.

    Raises:
        ValueError: One is not.
    """
    known = {each[key] for each in algorithms for key in ("name", "family")}
    left_over = {*SCENARIO_OF, *SUBJECT_OF.values()} - known
    left_over |= {*SETTINGS, *SUBJECT_OF} - {each["name"] for each in queues}
    if left_over:
        raise ValueError(f"nothing in the catalogue is called {', '.join(sorted(left_over))}")


@cache
def beside() -> Course:
    """Run the load over DropTail, which all other queues are shown beside."""
    return BESIDE.run()


BESIDE = Shown("load", ("queue", "signals"))

BESIDE_QUEUE = "droptail"

# Of an algorithm or a family, where one flow alone would not show what it is made for.
SCENARIO_OF = {
    "linear": "two-flows",
    "high-speed": "high-speed",
    "data center": "data-center",
    "media": "media",
    "fast": "high-speed",
    "fast-at": "high-speed",
    "ctcp": "high-speed",
}
# Families whose rate shows more than their window.
BY_RATE = {"media"}
# What a queue needs besides its kind: classes, in which the source is the better one, or packets that can be marked.
SETTINGS = {
    "priority": ("path.queue.classes.source=0",),
    "rio": ('path.queue.in=["source"]',),
    "step": ("transport.ecn=true",),
    "dualpi2": ("transport.ecn=true",),
}
SUBJECT_OF = {"step": "dctcp"}
