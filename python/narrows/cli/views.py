"""`narrows matrix` and `narrows deploy`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from narrows.cli import study as of_study
from narrows.cli.command import recorded
from narrows.cli.place import folder_of
from narrows.cli.table import align, plus_minus
from narrows.files.folder import check_place
from narrows.files.manifest import to_json
from narrows.study import campaign
from narrows.study.plan import PLAN
from narrows.study.views import deployment
from narrows.study.views import matrix as pairs
from narrows.study.views.view import VIEW, View
from narrows.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from narrows.study.definition import Study
    from narrows.study.plan import Plan


def matrix(arguments: argparse.Namespace) -> int:
    """Run every algorithm against every other."""
    conditions = pairs.Conditions(arguments.rates, arguments.rtts, arguments.buffers, arguments.queues)

    def layout() -> tuple[Study, Plan, dict[str, Any]]:
        return pairs.layout(
            arguments.algorithms,
            conditions,
            arguments.flows,
            arguments.set,
            arguments.seed,
            arguments.replications,
            arguments.on,
        )

    return _view("matrix", layout, _matrix_tables, arguments)


def deploy(arguments: argparse.Namespace) -> int:
    """Run a deployment: an algorithm replaces another one in growing fractions of the flows."""

    def layout() -> tuple[Study, Plan, dict[str, Any]]:
        return deployment.layout(
            arguments.algorithm,
            arguments.against,
            arguments.fractions,
            arguments.flows,
            arguments.set,
            arguments.seed,
            arguments.replications,
            arguments.on,
        )

    return _view("deployment", layout, _deployment_tables, arguments)


def _view(
    kind: str,
    layout: Callable[[], tuple[Study, Plan, dict[str, Any]]],
    tables: Callable[[Mapping[str, Any]], str],
    arguments: argparse.Namespace,
) -> int:
    of_study.check_executor(arguments)
    if arguments.out is not None:
        campaign.refuse_begun(arguments.out)
        check_place(arguments.out, replace=False)
    study, plan, facts = layout()
    folder = arguments.out or folder_of(
        plan.title, [plan.key(point, plan.replications.maximum) for point in plan.points]
    )
    if not arguments.json:
        cells = len(plan.points) * plan.replications.maximum
        times = counted(plan.replications.maximum, "replication")
        print(
            f"{plan.title}\n{counted(cells, 'cell')}, {times}, seed {plan.seed}\n",
            flush=True,
        )
    # A folder named after what it holds has what an earlier, interrupted command of the same words has left.
    if not (folder / PLAN).is_file():
        view = View(kind, recorded(arguments.given), facts)
        campaign.begin(study, plan, folder, {VIEW: view.to_json()})
    found = of_study.work(arguments, folder, of_study.executor_of(arguments), plan.base.trusted)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    print(to_json(summary) if arguments.json else tables(summary), file=sys.stdout)
    return of_study.end(found, folder, arguments)


def _matrix_tables(summary: Mapping[str, Any]) -> str:
    names = summary["algorithms"]
    together = {(each["contender"], each["incumbent"]): each for each in summary["matrix"] if each["condition"] is None}
    parts = []
    for measure, title, scale in TABLES:
        rows = [[row, *(plus_minus(together[row, column][measure], scale) for column in names)] for row in names]
        parts.append(f"{title}\n{align([['contender', *names], *rows])}")
    note = "Rows are contenders, columns incumbents; means over all conditions, ± is half of a 95 % interval."
    return "\n\n".join([*parts, note]) + "\n"


def _deployment_tables(summary: Mapping[str, Any]) -> str:
    columns = [
        (name, camp, measure, scale, unit)
        for measure, scale, unit in CAMP_COLUMNS
        for camp, name in (("new", summary["new"]), ("old", summary["old"]))
    ]
    head = [["moved", *(name for name, *_ in columns)], ["%", *(unit for *_, unit in columns)]]
    rows = [
        [
            each["deployed"],
            *(plus_minus(each["camps"].get(camp, {}).get(key), scale) for _, camp, key, scale, _ in columns),
        ]
        for each in summary["stages"]
    ]
    parts = [f"Goodput of a flow, its one-way delay, and its loss\n{align([*head, *rows])}"]
    found = summary["effects"].get("goodput_per_flow_bps")
    if found is not None:
        body = [
            [
                stage["deployed"],
                *(plus_minus(stage[name], found["before"] / 100) for name in ("naive", "gain", "spillover", "bias")),
            ]
            for stage in found["stages"]
        ]
        total = plus_minus(found["total"], found["before"] / 100)
        parts.append(
            f"Goodput of a flow, in % of what everybody had before; the total effect is {total}\n"
            + align([["moved", "naive A/B", "movers gain", "stayers gain", "A/B is wrong by"], *body])
        )
    return "\n\n".join(parts) + "\n"


TABLES = (
    (
        "excess_harm",
        "Goodput that it loses beyond what its own kind takes, percentage points of what it has alone",
        0.01,
    ),
    ("share", "Share of its fair rate that the incumbent gets, %", 0.01),
    ("harm", "Goodput that the incumbent loses, of what it has alone, %", 0.01),
    ("queue_delay_s", "Queueing delay, ms", 1e-3),
)
CAMP_COLUMNS = (("goodput_per_flow_bps", 1e6, "Mbps"), ("delay_mean_s", 1e-3, "ms"), ("loss_rate", 0.01, "%"))
