# SPDX-License-Identifier: Apache-2.0
"""Paired differences between the runs of a comparison.

The runs share seed and replications, hence their random numbers, so each replication gives one difference and the
noise that both share cancels out.
"""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.metrics import card_of
from narrows.metrics.criteria import Margin, margin_of, verdict
from narrows.metrics.possible import range_in
from narrows.statistics import Range, distinct, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.core import Records
    from narrows.run.results import Run

    Measured = Mapping[str, Mapping[str, Mapping[str, float]]]


KINDS = ("groups", "links")
NO_MARGINS: Mapping[str, Margin] = MappingProxyType({})


def differences(runs: Mapping[str, Run], margins: Mapping[str, Margin]) -> list[dict[str, Any]]:
    """Estimate the paired difference of each pair of runs, later minus earlier.

    Args:
        runs: The runs by their names, in the order given. Pairs of replications that are all the same are one pair.
        margins: Margin that a difference must exceed to matter, by metric, where it is not that of the metric's card.

    Returns:
        One `{"of", "against", "groups", "links"}` per pair: the metrics of `of` minus those of `against`, each in its
        unit, with the `margin` in that unit and the `verdict` on it (`narrows.metrics.criteria.verdict`). A group that
        is named after its algorithm appears as `"of - against"`.
    """
    found = []
    for against, of in combinations(runs, 2):
        records = [runs[name].records for name in (of, against)]
        shared = [replication for replication in records[0] if replication in records[1]]
        counted = distinct(shared, (" ".join(each[replication].digest for each in records) for replication in shared))
        left, right = (
            _Side(name, [runs[name].measured[each] for each in counted], list(runs[name].records.values()))
            for name in (of, against)
        )
        found.append(_difference(left, right, margins))
    return found


def neutral(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a difference with the verdict `different` in place of `better` and `worse`: neither side is better."""
    return {
        **found,
        **{kind: {owner: _neutral(metrics) for owner, metrics in found[kind].items()} for kind in KINDS},
    }


def _neutral(metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    plain = {"better": "different", "worse": "different"}
    return {name: {**each, "verdict": plain.get(each["verdict"], each["verdict"])} for name, each in metrics.items()}


class _Side(NamedTuple):
    """A side of a comparison: its name, its metrics by replication, and its records."""

    name: str
    measured: Sequence[Measured]
    records: Sequence[Records]


def _difference(of: _Side, against: _Side, margins: Mapping[str, Margin]) -> dict[str, Any]:
    return {
        "of": of.name,
        "against": against.name,
        **{f"{kind}s": _metrics(kind, of, against, margins) for kind in ("group", "link")},
    }


def _metrics(kind: str, of: _Side, against: _Side, margins: Mapping[str, Margin]) -> dict[str, dict[str, Any]]:
    left, right = ([each[f"{kind}s"] for each in side.measured] for side in (of, against))
    if not left:
        return {}
    found: dict[str, dict[str, Any]] = {}
    # Groups and links stand in the order of the scenario, which is the same for both.
    for name, other in zip(left[0], right[0], strict=True):
        key = name if name == other else f"{name} - {other}"
        found[key] = {
            metric: _judged(
                card_of(metric, kind),
                ([each[name][metric] for each in left], [each[other][metric] for each in right]),
                (range_in(of.records, kind, name, metric), range_in(against.records, kind, other, metric)),
                margins.get(metric),
            )
            for metric in left[0][name]
        }
    return found


def _judged(
    card: Mapping[str, Any],
    sides: tuple[Sequence[float], Sequence[float]],
    ranges: tuple[Range, Range],
    given: Margin | None,
) -> dict[str, Any]:
    difference = paired(*sides, *ranges)
    reference = estimate(sides[1])["mean"]
    margin = (given or margin_of(card)).of(reference or 0.0)
    return {**difference, "margin": margin, "verdict": verdict(difference, margin, card["better"])}
