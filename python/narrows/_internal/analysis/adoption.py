# SPDX-License-Identifier: Apache-2.0
"""Partial deployment of a new algorithm: the estimate of an A/B test next to the total effect of a full deployment.

With a fraction p of flows on the new algorithm, a naive A/B test compares two groups of one network, which share its
queues. The total effect compares all flows on the new algorithm with all flows on the old one.

Source: B. Spang, V. Hannan, S. Kunamalla, T.-Y. Huang, N. McKeown and R. Johari, "Unbiased experiments in congested
networks", ACM IMC 2021, section 2: average treatment effect, total treatment effect, spillover, partial effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows._internal.analysis.table import AnalysisError, numbers, words
from narrows._internal.frozen import frozen
from narrows._internal.statistics import REAL, Estimate, Range, paired

if TYPE_CHECKING:
    from narrows._internal.analysis.table import Cells


@frozen
class Stage:
    """The effects at one fraction of deployment, with 95 % intervals over replications, in the unit of the response.

    Attributes:
        fraction: Fraction of the flows that use the new algorithm, above 0 and below 1.
        naive: Mean of the flows on the new algorithm minus the mean of the others in the same network: the result of an
            A/B test.
        gain: Mean of the flows on the new algorithm minus the mean before the deployment.
        spillover: Mean of the flows on the old algorithm minus the mean before the deployment.
        bias: `naive` minus the total effect: the error of the A/B test.
    """

    fraction: float
    naive: Estimate
    gain: Estimate
    spillover: Estimate
    bias: Estimate


@frozen
class Adoption:
    """The effects of a deployment, from no flow to all flows on the new algorithm.

    Attributes:
        before: Mean of the response with all flows on the old algorithm, in its unit.
        total: Mean with all flows on the new algorithm minus `before`: the total treatment effect.
        stages: The effects by fraction, ascending.
    """

    before: float
    total: Estimate
    stages: tuple[Stage, ...]


def adoption(cells: Cells, response: str, camps: tuple[str, str], *, within: Range = REAL) -> Adoption:
    """Compare naive and total effects of a deployment, replication by replication.

    Args:
        cells: A row per `fraction` of flows on the new algorithm, 0 to 1, camp (the flows on one `algorithm`) and
            `replication`: columns of these names.
        response: Name of a column with the mean of a camp's flows, such as goodput per flow; a sum over the camp
            would grow with its size.
        camps: Names of the camp on the new algorithm and of the camp on the old one.
        within: The values that the response can have.

    Raises:
        AnalysisError: Fraction 0 of the old or 1 of the new camp is missing, a camp lacks a replication that the
            others have, or has it twice.
    """
    new, old = camps
    found: dict[tuple[float, str], dict[str, float]] = {}
    columns = (numbers(cells, "fraction").tolist(), words(cells, "algorithm"), words(cells, "replication"))
    for part, name, replication, value in zip(*columns, numbers(cells, response).tolist(), strict=True):
        series = found.setdefault((part, name), {})
        if replication in series:
            raise AnalysisError(f'fraction {part:g} has two values of "{name}" in replication {replication}')
        series[replication] = value
    replications = list(_camp(found, 0.0, old))
    before, after = (_series(found, *at, replications) for at in ((0.0, old), (1.0, new)))
    stages = []
    for part in sorted({part for part, _ in found if 0 < part < 1}):
        moved, stayed = (_series(found, part, name, replications) for name in (new, old))
        naive = [a - b for a, b in zip(moved, stayed, strict=True)]
        truth = [a - b for a, b in zip(after, before, strict=True)]
        stages.append(
            Stage(
                part,
                paired(moved, stayed, within),
                paired(moved, before, within),
                paired(stayed, before, within),
                paired(naive, truth, within.less(within)),
            )
        )
    return Adoption(sum(before) / len(before), paired(after, before, within), tuple(stages))


def _camp(found: dict[tuple[float, str], dict[str, float]], fraction: float, name: str) -> dict[str, float]:
    if (fraction, name) not in found:
        raise AnalysisError(f"no cell of {name!r} at fraction {fraction:g}")
    return found[fraction, name]


def _series(
    found: dict[tuple[float, str], dict[str, float]], fraction: float, name: str, replications: list[str]
) -> list[float]:
    series = _camp(found, fraction, name)
    if lost := set(replications) ^ set(series):
        raise AnalysisError(f'"{name}" at fraction {fraction:g} and fraction 0 do not share replication {min(lost)}')
    return [series[replication] for replication in replications]
