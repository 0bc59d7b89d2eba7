"""Paired differences between the runs of a comparison.

The runs share seed and replications, hence their random numbers, so each replication gives one difference and the
noise that both share cancels out.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from narrows.statistics import paired

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Measures = Mapping[str, Mapping[str, float]]
    Measured = Mapping[str, Measures]


def differences(runs: Mapping[str, Mapping[int, Measured]]) -> list[dict[str, Any]]:
    """Estimate the paired difference of each pair of algorithms, later minus earlier.

    Args:
        runs: Metrics of groups and links, by algorithm in the order given, and by replication.

    Returns:
        One `{"of", "against", "groups", "links"}` per pair: the metrics of `of` minus those of `against`, each in its
        unit. A group that is named after its algorithm appears as `"of - against"`.
    """
    return [_difference(against, runs[against], of, runs[of]) for against, of in combinations(runs, 2)]


def _difference(
    against: str, against_measured: Mapping[int, Measured], of: str, of_measured: Mapping[int, Measured]
) -> dict[str, Any]:
    shared = [replication for replication in of_measured if replication in against_measured]
    left = [of_measured[replication] for replication in shared]
    right = [against_measured[replication] for replication in shared]
    return {
        "of": of,
        "against": against,
        "groups": _measures([each["groups"] for each in left], [each["groups"] for each in right]),
        "links": _measures([each["links"] for each in left], [each["links"] for each in right]),
    }


def _measures(of: Sequence[Measures], against: Sequence[Measures]) -> dict[str, dict[str, Any]]:
    if not of:
        return {}
    found: dict[str, dict[str, Any]] = {}
    # Groups and links stand in the order of the scenario, which is the same for both.
    for name, other in zip(of[0], against[0], strict=True):
        key = name if name == other else f"{name} - {other}"
        found[key] = {
            measure: paired([each[name][measure] for each in of], [each[other][measure] for each in against])
            for measure in of[0][name]
        }
    return found
