"""`narrows matrix` and `narrows deploy`."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from narrows.cli import study as of_study
from narrows.cli.command import recorded
from narrows.cli.default_folder import folder_of
from narrows.cli.interrupt import Interrupt
from narrows.cli.status import DONE, INTERNAL
from narrows.cli.table import align, plus_minus
from narrows.cli.work import end
from narrows.commands.job import finish
from narrows.errors import Interrupted, OutputError
from narrows.files.folder import check_place
from narrows.files.format import SUMMARY, numbered
from narrows.files.manifest import to_json, write_json, write_manifest
from narrows.linux.backend import BOTH, LINUX, SIMULATOR
from narrows.study import campaign
from narrows.study.plan import PLAN, load_plan, trust_of
from narrows.study.views import deployment
from narrows.study.views import matrix as pairs
from narrows.study.views.backends import differences
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
    given = arguments.within, arguments.maximum
    stop = None if given == (None, None) else pairs.Stop.read(*given)

    def layout(on: str) -> tuple[Study, Plan, dict[str, Any]]:
        return pairs.layout(
            arguments.algorithms,
            conditions,
            arguments.flows,
            arguments.set,
            arguments.seed,
            arguments.replications,
            on,
            stop,
        )

    return _view("matrix", layout, _matrix_tables, arguments)


def deploy(arguments: argparse.Namespace) -> int:
    """Run a deployment: an algorithm replaces another one in growing fractions of the flows."""

    def layout(on: str) -> tuple[Study, Plan, dict[str, Any]]:
        return deployment.layout(
            arguments.algorithm,
            arguments.against,
            arguments.fractions,
            arguments.flows,
            arguments.set,
            arguments.seed,
            arguments.replications,
            on,
        )

    return _view("deployment", layout, _deployment_tables, arguments)


def _view(
    kind: str,
    layout: Callable[[str], tuple[Study, Plan, dict[str, Any]]],
    tables: Callable[[Mapping[str, Any]], str],
    arguments: argparse.Namespace,
) -> int:
    of_study.check_executor(arguments)
    if arguments.on == BOTH:
        return _view_both(kind, layout, tables, arguments)
    if arguments.out is not None:
        campaign.refuse_begun(arguments.out)
        check_place(arguments.out, replace=False)
    study, plan, facts = layout(arguments.on)
    folder = arguments.out or folder_of(plan.title, _identity(plan))
    if not arguments.json:
        print(f"{plan.title}\n{_size(plan)}, seed {plan.seed}\n", flush=True)
    # A folder named after what it holds has what an earlier, interrupted command of the same words has left.
    if not (folder / PLAN).is_file():
        view = View(kind, recorded(arguments.given), facts)
        campaign.begin(study, plan, folder, {VIEW: view.to_json()})
    with Interrupt() as interrupt:
        found = of_study.work(arguments, folder, of_study.executor_of(arguments), trust_of(plan, folder), interrupt)
        problem = finish(folder, stoppable=interrupt.at_once)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    print(to_json(summary) if arguments.json else tables(summary))
    return end(folder, problem, arguments, INTERNAL if found.failed else DONE)


def _identity(plan: Plan) -> list[str]:
    """Return what the results depend on: the cells, and what decides how many of them there are."""
    rule = plan.replications
    keys = [plan.key(point, rule.maximum) for point in plan.points]
    return [*keys, f"{rule.minimum} {rule.within}"] if rule.measure else keys


def _size(plan: Plan) -> str:
    rule = plan.replications
    cells = counted(len(plan.points) * rule.minimum, "cell")
    if rule.measure:
        return f"{cells} or more: {rule.minimum} to {counted(rule.maximum, 'replication')}, until intervals are narrow"
    return f"{cells}, {counted(rule.maximum, 'replication')}"


def _view_both(
    kind: str,
    layout: Callable[[str], tuple[Study, Plan, dict[str, Any]]],
    tables: Callable[[Mapping[str, Any]], str],
    arguments: argparse.Namespace,
) -> int:
    """Run the study on the simulator, then on the kernel, each in a folder of its own, and write both side by side."""
    laid_out = {on: layout(on) for on in (SIMULATOR, LINUX)}
    plans = {on: plan for on, (_, plan, _) in laid_out.items()}
    keys = {on: _identity(plan) for on, plan in plans.items()}
    title = plans[SIMULATOR].title
    folder = arguments.out or folder_of(f"{title} on both", [key for each in keys.values() for key in each])
    begun = [on for on in plans if (folder / on / PLAN).is_file()]
    for on in begun:
        there = load_plan(folder / on)
        if _identity(there) != keys[on]:
            raise OutputError(f"{folder} holds something else that was begun: name another folder")
    if not begun:
        check_place(folder, replace=False)
    if not arguments.json:
        print(f"{title}\nOn each backend {_size(plans[SIMULATOR])}, seed {plans[SIMULATOR].seed}\n", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    command = recorded(arguments.given)
    found, seen, failed = {}, {}, 0
    with Interrupt() as interrupt:
        for on, (study, plan, facts) in laid_out.items():
            place = folder / on
            if on not in begun:
                campaign.begin(study, plan, place, {VIEW: View(kind, command, facts).to_json()})
            try:
                executor, trust = of_study.executor_of(arguments), trust_of(plan, place)
                failed += of_study.work(arguments, place, executor, trust, interrupt).failed
            except Interrupted as stop:
                reason, _, _ = str(stop).rpartition("; go on with")
                again = ["narrows", *arguments.given, *([] if arguments.out else ["--out", str(folder)])]
                raise Interrupted(f"{reason or 'stopped'}; go on with `{shlex.join(again)}`") from None
            found[on] = json.loads((place / "summary.json").read_text(encoding="utf-8"))
            seen[on] = campaign.table(place)
        content = {
            "title": title,
            "kind": kind,
            "on": BOTH,
            "seed": plans[SIMULATOR].seed,
            "replications": max(len(set(each["replication"].to_pylist())) for each in seen.values()),
            "command": command,
            **found,
            "differences": differences(plans[SIMULATOR], seen),
        }
        summary = numbered(SUMMARY, content)
        write_json(folder / SUMMARY, summary)
        write_manifest(folder, {"title": title, "command": command})
        problem = finish(folder, stoppable=interrupt.at_once)
    parts = [f"On the {WORDS[on]}\n\n{tables(each)}" for on, each in found.items()]
    print(to_json(summary) if arguments.json else "\n".join(parts))
    return end(folder, problem, arguments, INTERNAL if failed else DONE)


def _matrix_tables(summary: Mapping[str, Any]) -> str:
    names = summary["algorithms"]
    together = {(each["contender"], each["incumbent"]): each for each in summary["matrix"] if each["condition"] is None}
    parts = []
    for measure, title, scale in TABLES:
        rows = [[row, *(plus_minus(together[row, column][measure], scale) for column in names)] for row in names]
        parts.append(f"{title}\n{align([['contender', *names], *rows])}")
    note = "Rows are contenders, columns incumbents; means over all conditions, ± is half of a 95 % interval."
    known = pairs.enough(summary)
    note += f"\n{known}" if known else ""
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


WORDS = {SIMULATOR: "simulator", LINUX: "kernel"}
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
