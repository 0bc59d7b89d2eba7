# SPDX-License-Identifier: Apache-2.0
"""The commands that make a study of their own, as functions of checked arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrows._internal.api.jobs import opened, path
from narrows._internal.arguments import Overrides, check_numbers, listed, typed
from narrows._internal.errors import InputError
from narrows._internal.external.algorithm import named
from narrows._internal.linux.backend import BOTH, SIMULATOR
from narrows._internal.run.jobs import Watch, observer
from narrows._internal.run.options import Options

if TYPE_CHECKING:
    from narrows._internal.opened.folder import OpenedStudy


@typed
def matrix(  # noqa: PLR0913  # each has a default
    algorithms: Sequence[str | type],
    out: str | os.PathLike[str] | None = None,
    *,
    rates: Sequence[str] = ("10Mbps", "100Mbps"),
    rtts: Sequence[str] = ("20ms", "100ms"),
    buffers: Sequence[str] = ("1bdp", "4bdp"),
    queues: Sequence[str] = ("droptail",),
    flows: int = 1,
    on: str = SIMULATOR,
    overrides: Overrides = (),
    within: str | float | None = None,
    maximum: int | None = None,
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> OpenedStudy:
    """Run every pair of algorithms, as `narrows matrix`.

    Args:
        algorithms: Names, or classes.
        out: Folder of the results, which must not hold any; None is one below `runs`.
        rates: Rates of the bottleneck.
        rtts: Two-way propagation delays.
        buffers: Limits of the queue.
        queues: Queue disciplines, with parameters as in `red(gentle=true)`.
        flows: Number of flows of each side.
        on: The backend: `simulator`, `linux` or `linux:NAME`. For both, call it for each.
        overrides: Changes of the scenario, each `"key.path=value"`, or a dict.
        within: Part of the fair share to which each share of a pair is to be known, as "5%" or 0.05; None is "5%".
        maximum: Largest number of replications that are added for this; None is 20.
        seed: Master seed; None is the scenario's.
        replications: A fixed number of replications; None is as many as `within` needs.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.

    Returns:
        The study; its `summary` has the shares, harm and delay of each pair.

    Raises:
        InputError: An argument has an error, or a file cannot be read.
        ScenarioError: A file, or one of `overrides`, has faults.
        OutputError: The folder holds something else.
        RunError: A cell failed.
        Interrupted: The work was stopped.
        ReportError: The results are written, but their report could not be built.
        ValueError: A number is out of range.
    """
    from narrows._internal.commands.studies import of_view
    from narrows._internal.experiments.views import matrix as pairs

    check_numbers(flows=flows, maximum=maximum)
    options = Options(seed, replications, jobs, on=on, out=path(out), watch=observer(watch))
    _check_backend("matrix", on)
    conditions = pairs.Conditions(listed(rates), listed(rtts), listed(buffers), listed(queues))
    stop = None if within is None and maximum is None else pairs.Stop.read(within, maximum)
    names = [named(each) for each in listed(algorithms)]
    return opened(of_view(pairs.Matrix(names, conditions, flows, listed(overrides), stop), options))


@typed
def deploy(  # noqa: PLR0913  # each has a default
    algorithm: str | type,
    out: str | os.PathLike[str] | None = None,
    *,
    against: str | type = "cubic",
    fractions: Sequence[str | float] = (5, 25, 50, 75, 95),
    flows: int | None = None,
    on: str = SIMULATOR,
    overrides: Overrides = (),
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> OpenedStudy:
    """Replace one algorithm by another in a growing share of flows, as `narrows deploy`.

    Args:
        algorithm: The new algorithm, a name or a class.
        out: Folder of the results, which must not hold any; None is one below `runs`.
        against: The old algorithm.
        fractions: Percentages of the flows that have switched; 0 and 100 are always among them.
        flows: Number of flows; None for twenty, or as many more as the fractions need.
        on: The backend: `simulator`, `linux` or `linux:NAME`. For both, call it for each.
        overrides: Changes of the scenario, each `"key.path=value"`, or a dict.
        seed: Master seed; None is the scenario's.
        replications: Number of replications; None is five.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.

    Returns:
        The study; its `summary` has the results of the flows with either algorithm at each stage. Errors as `matrix`.
    """
    from narrows._internal.commands.studies import of_view
    from narrows._internal.experiments.views.deployment import Deployment

    check_numbers(flows=flows)
    options = Options(seed, replications, jobs, on=on, out=path(out), watch=observer(watch))
    _check_backend("deploy", on)
    shares = [each if isinstance(each, str) else f"{each:g}" for each in listed(fractions)]
    view = Deployment(named(algorithm), named(against), shares, flows, listed(overrides))
    return opened(of_view(view, options))


def _check_backend(command: str, on: str) -> None:
    if on == BOTH:
        problem = f"a study has one backend; call it for each, or run `narrows {command} --on both`, which writes both"
        raise InputError(f'on="{on}"', f"{problem}; allowed: simulator, linux, linux:NAME")
