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
from narrows.metrics.criteria import Margin, margin_of, range_of, verdict
from narrows.statistics import Range, distinct, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.metrics.possible import Limits

    Measures = Mapping[str, Mapping[str, float]]
    Measured = Mapping[str, Measures]


KINDS = ("groups", "links")
NO_MARGINS: Mapping[str, Margin] = MappingProxyType({})
NO_DIGESTS: Mapping[str, Mapping[int, str]] = MappingProxyType({})
NO_LIMITS: Mapping[str, Mapping[str, Limits]] = MappingProxyType({})


def differences(
    runs: Mapping[str, Mapping[int, Measured]],
    margins: Mapping[str, Margin] = NO_MARGINS,
    digests: Mapping[str, Mapping[int, str]] = NO_DIGESTS,
    limits: Mapping[str, Mapping[str, Limits]] = NO_LIMITS,
) -> list[dict[str, Any]]:
    """Estimate the paired difference of each pair of algorithms, later minus earlier.

    Args:
        runs: Metrics of groups and links, by algorithm in the order given, and by replication.
        margins: Margin that a difference must exceed to matter, by metric, where it is not that of the metric's card.
        digests: Digests of the records, by algorithm and replication. Pairs that are all the same are one pair.
        limits: What limits the metrics of groups and links, by algorithm, and by "group" or "link".

    Returns:
        One `{"of", "against", "groups", "links"}` per pair: the metrics of `of` minus those of `against`, each in its
        unit, with the `margin` in that unit and the `verdict` on it (`narrows.metrics.criteria.verdict`). A group that
        is named after its algorithm appears as `"of - against"`.
    """
    found = []
    for against, of in combinations(runs, 2):
        shared = [replication for replication in runs[of] if replication in runs[against]]
        known = [digests.get(name, {}) for name in (of, against)]
        # Without digests each replication is a run of its own.
        pairs = [" ".join(each.get(replication, str(replication)) for each in known) for replication in shared]
        counted = distinct(shared, pairs)
        left, right = (
            _Side(name, [runs[name][replication] for replication in counted], limits.get(name, {}))
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
    """A side of a comparison: its name, its metrics by replication, and their limits."""

    name: str
    measured: Sequence[Measured]
    limits: Mapping[str, Limits]


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
                (_range(of, kind, name, metric), _range(against, kind, other, metric)),
                margins.get(metric),
            )
            for metric in left[0][name]
        }
    return found


def _range(side: _Side, kind: str, owner: str, metric: str) -> Range:
    limits = side.limits.get(kind)
    return range_of(card_of(metric, kind)) if limits is None else limits.range(owner, metric)


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
