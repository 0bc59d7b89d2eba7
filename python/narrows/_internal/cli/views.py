# SPDX-License-Identifier: Apache-2.0
"""`narrows matrix` and `narrows deploy`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import known, options
from narrows._internal.cli.command import ASK, DONE, INTERNAL, Command
from narrows._internal.cli.options import ALGORITHM
from narrows._internal.plural import counted

if TYPE_CHECKING:
    from narrows._internal.cli.work import Work
    from narrows._internal.experiments.plan import Plan
    from narrows._internal.experiments.views import matrix as pairs
    from narrows._internal.experiments.views.deployment import Deployment

    Tables = Callable[[Mapping[str, Any]], str]


def matrix(arguments: argparse.Namespace) -> int:
    """Run every algorithm against every other."""
    from narrows._internal.experiments.views import matrix as pairs

    conditions = pairs.Conditions(arguments.rates, arguments.rtts, arguments.buffers, arguments.queues)
    rule = arguments.within, arguments.maximum
    stop = None if rule == (None, None) else pairs.Stop.read(*rule)
    view = pairs.Matrix(arguments.algorithms, conditions, arguments.flows, arguments.set, stop)
    return _perform(view, _matrix_tables, arguments)


def deploy(arguments: argparse.Namespace) -> int:
    """Run a deployment: an algorithm replaces another one in growing fractions of the flows."""
    from narrows._internal.experiments.views.deployment import Deployment

    moved = arguments.algorithm, arguments.against, arguments.fractions
    return _perform(Deployment(*moved, arguments.flows, arguments.set), _deployment_tables, arguments)


def _perform(view: pairs.Matrix | Deployment, tables: Tables, arguments: argparse.Namespace) -> int:
    from narrows._internal.cli.study import executor_of, print_failures
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.studies import of_view
    from narrows._internal.files.json_objects import read_object, to_json
    from narrows._internal.linux.backend import BOTH

    work = Work(arguments)
    if arguments.on == BOTH:
        return _perform_on_both(work, view, tables, arguments)
    job = of_view(view, work.options, executor_of(arguments))
    if not arguments.json:
        plan = job.study.plan
        print(f"{plan.title}\n{_size(plan)}, seed {plan.seed}\n", flush=True)
    done = work.perform(job)
    print_failures(done.result.study.store)
    summary = read_object(job.folder / "summary.json")
    print(to_json(summary) if arguments.json else tables(summary))
    return work.end(done, INTERNAL if done.result.status.failed else DONE)


def _perform_on_both(work: Work, view: pairs.Matrix | Deployment, tables: Tables, arguments: argparse.Namespace) -> int:
    from narrows._internal.cli.study import executor_of, print_failures
    from narrows._internal.commands.studies import Beside
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.linux.backend import LINUX, SIMULATOR

    job = Beside.prepare(view, work.options, lambda: executor_of(arguments))
    if not arguments.json:
        print(f"{job.plan.title}\nOn each backend {_size(job.plan)}, seed {job.plan.seed}\n", flush=True)
    done = work.perform(job)
    summary, studied = done.result
    for each in studied.values():
        print_failures(each.study.store)
    failed = any(each.status.failed for each in studied.values())
    words = {SIMULATOR: "simulator", LINUX: "kernel"}
    parts = [f"On the {words[on]}\n\n{tables(summary[on])}" for on in job.studies]
    print(to_json(summary) if arguments.json else "\n".join(parts))
    return work.end(done, INTERNAL if failed else DONE)


def _size(plan: Plan) -> str:
    rule = plan.replications
    cells = counted(len(plan.points) * rule.minimum, "cell")
    if rule.measure:
        return f"{cells} or more: {rule.minimum} to {counted(rule.maximum, 'replication')}, until intervals are narrow"
    return f"{cells}, {counted(rule.maximum, 'replication')}"


def _matrix_tables(summary: Mapping[str, Any]) -> str:
    from narrows._internal.cli.table import align, explained
    from narrows._internal.experiments.views import matrix as pairs
    from narrows._internal.rounding import plus_minus

    names = summary["algorithms"]
    together = {(each["contender"], each["incumbent"]): each for each in summary["matrix"] if each["condition"] is None}
    parts = []
    for metric, title, scale in TABLES:
        rows = [[row, *(plus_minus(together[row, column][metric], scale) for column in names)] for row in names]
        parts.append(f"{title}\n{align([['contender', *names], *rows])}")
    note = "Rows are contenders, columns incumbents; means over all conditions, ± is half of a 95 % interval."
    known = pairs.enough(summary)
    note += "".join(f"\n{each}" for each in (known, summary["unlike"]) if each)
    return explained("\n\n".join([*parts, note])) + "\n"


def _deployment_tables(summary: Mapping[str, Any]) -> str:
    from narrows._internal.cli.table import align, explained
    from narrows._internal.rounding import plus_minus

    columns = [
        (name, camp, metric, scale, unit)
        for metric, scale, unit in CAMP_COLUMNS
        for camp, name in (("new", summary["new"]), ("old", summary["old"]))
    ]
    head = [["switched", *(name for name, *_ in columns)], ["%", *(unit for *_, unit in columns)]]
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
            f"Goodput of a flow, in % of the goodput before; when all flows switch, the total effect is {total}\n"
            + align([["switched", "A/B test says", "who switch gain", "who stay gain", "A/B is wrong by"], *body])
        )
    return explained("\n\n".join(parts)) + "\n"


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


def _matrix(command: argparse.ArgumentParser) -> None:
    command.add_argument("algorithms", metavar="ALG", nargs="+", action=options.Distinct, help=ALGORITHM)
    for name, default, meaning in (
        ("rates", "10Mbps,100Mbps", "rates of the bottleneck"),
        ("rtts", "20ms,100ms", "two-way propagation delays"),
        ("buffers", "1bdp,4bdp", "queue limits"),
        ("queues", "droptail", "queue disciplines, with parameters as in 'red(gentle=true)'"),
    ):
        what = f"{meaning} (default: %(default)s)"
        command.add_argument(f"--{name}", metavar="LIST", type=options.listed, default=default, help=what)
    what = "number of flows per algorithm (default: %(default)s)"
    command.add_argument("--flows", metavar="N", type=options.whole(1, 1000), default=1, help=what)
    command.add_argument(
        "--within",
        metavar="PART",
        help="add replications until the half-width of each share's interval is at most this part of the fair share "
        "(default: 5%%)",
    )
    what = "maximum number of replications with --within (default: 20)"
    command.add_argument("--maximum", metavar="N", type=options.whole(2, 10**6), help=what)
    _common(command)


def _deploy(command: argparse.ArgumentParser) -> None:
    what = "deployed change: an algorithm as for `narrows compare`, pacing, or connections=N (N in place of one)"
    command.add_argument("algorithm", metavar="ALG", help=what)
    what = "algorithm that is replaced (default: %(default)s)"
    command.add_argument("--against", metavar="ALG", default="cubic", help=what)
    what = "percentages of flows with the change; 0 and 100 are added (default: %(default)s)"
    command.add_argument("--fractions", metavar="LIST", type=options.listed, default="5,25,50,75,95", help=what)
    what = "total number of flows (default: 20, or more if the fractions require it)"
    command.add_argument("--flows", metavar="N", type=options.whole(2, 1000), help=what)
    _common(command)


def _common(command: argparse.ArgumentParser) -> None:
    options.common(command, f"{options.OF_SCENARIO} jobs out")
    options.backend(command, "; both: a study on each, side by side")
    options.executor(command)


COMMANDS = (
    Command(
        "matrix",
        "run every pair of algorithms: shares, harm, delay",
        ASK,
        _matrix,
        ("matrix cubic bbr3 newreno --rates 10Mbps --buffers 1bdp,4bdp",),
        {"algorithms": known.algorithms},
        matrix,
    ),
    Command(
        "deploy",
        "replace one algorithm by another in a growing share of flows",
        ASK,
        _deploy,
        ("deploy bbr3 --against cubic --fractions 5,50,95",),
        {"algorithm": known.algorithms},
        deploy,
    ),
)
