# SPDX-License-Identifier: Apache-2.0
"""Paired differences between the runs of a comparison.

The runs share seed and replications, hence their random numbers, so each replication gives one difference and the
noise that both share cancels out.
"""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from narrows.metrics import card_of
from narrows.metrics.criteria import Margin, margin_of, range_of, verdict
from narrows.statistics import distinct, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Measures = Mapping[str, Mapping[str, float]]
    Measured = Mapping[str, Measures]


KINDS = ("groups", "links")
NO_MARGINS: Mapping[str, Margin] = MappingProxyType({})
NO_DIGESTS: Mapping[str, Mapping[int, str]] = MappingProxyType({})


def differences(
    runs: Mapping[str, Mapping[int, Measured]],
    margins: Mapping[str, Margin] = NO_MARGINS,
    digests: Mapping[str, Mapping[int, str]] = NO_DIGESTS,
) -> list[dict[str, Any]]:
    """Estimate the paired difference of each pair of algorithms, later minus earlier.

    Args:
        runs: Metrics of groups and links, by algorithm in the order given, and by replication.
        margins: Margin that a difference must exceed to matter, by metric, where it is not that of the metric's card.
        digests: Digests of the records, by algorithm and replication. Pairs that are all the same are one pair.

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
        found.append(_difference(against, runs[against], of, runs[of], distinct(shared, pairs), margins))
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


def _difference(  # noqa: PLR0913, PLR0917  # two sides, and how they are compared
    against: str,
    against_measured: Mapping[int, Measured],
    of: str,
    of_measured: Mapping[int, Measured],
    shared: Sequence[int],
    margins: Mapping[str, Margin],
) -> dict[str, Any]:
    left = [of_measured[replication] for replication in shared]
    right = [against_measured[replication] for replication in shared]
    return {
        "of": of,
        "against": against,
        **{
            f"{kind}s": _metrics(
                kind, [each[f"{kind}s"] for each in left], [each[f"{kind}s"] for each in right], margins
            )
            for kind in ("group", "link")
        },
    }


def _metrics(
    kind: str, of: Sequence[Measures], against: Sequence[Measures], margins: Mapping[str, Margin]
) -> dict[str, dict[str, Any]]:
    if not of:
        return {}
    found: dict[str, dict[str, Any]] = {}
    # Groups and links stand in the order of the scenario, which is the same for both.
    for name, other in zip(of[0], against[0], strict=True):
        key = name if name == other else f"{name} - {other}"
        found[key] = {
            metric: _judged(
                card_of(metric, kind),
                [each[name][metric] for each in of],
                [each[other][metric] for each in against],
                margins.get(metric),
            )
            for metric in of[0][name]
        }
    return found


def _judged(
    card: Mapping[str, Any], of: Sequence[float], against: Sequence[float], given: Margin | None
) -> dict[str, Any]:
    difference = paired(of, against, range_of(card))
    reference = estimate(against)["mean"]
    margin = (given or margin_of(card)).of(reference or 0.0)
    return {**difference, "margin": margin, "verdict": verdict(difference, margin, card["better"])}
