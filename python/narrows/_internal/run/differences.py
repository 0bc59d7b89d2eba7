# SPDX-License-Identifier: Apache-2.0
"""Paired differences between the runs of a comparison, which share their random numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from narrows._internal.analysis.sequences import always_valid
from narrows._internal.core import Records
from narrows._internal.metrics.criteria import Margin, margin_of, verdict
from narrows._internal.metrics.possible import range_in
from narrows._internal.statistics import distinct, estimate, paired
from narrows.metrics import card_of

Measured = Mapping[str, Mapping[str, Mapping[str, float]]]


KINDS = ("groups", "links")
NO_MARGINS: Mapping[str, Margin] = MappingProxyType({})


class _Run(Protocol):
    """The part of a run that is compared, by replication."""

    @property
    def records(self) -> Mapping[int, Records]: ...

    @property
    def measured(self) -> Mapping[int, Measured]: ...


def differences(
    runs: Mapping[str, _Run], margins: Mapping[str, Margin], *, sequential: bool = False
) -> list[dict[str, Any]]:
    """Estimate the paired difference of each pair of runs, later minus earlier.

    Their number of replications may have depended on the results (`sequential`).
    """
    found = []
    for against, of in combinations(runs, 2):
        records = [runs[name].records for name in (of, against)]
        shared = [replication for replication in records[0] if replication in records[1]]
        counted = distinct(shared, (" ".join(each[replication].digest for each in records) for replication in shared))
        left, right = (
            _Side(name, [runs[name].measured[each] for each in counted], [runs[name].records[each] for each in counted])
            for name in (of, against)
        )
        found.append(_difference(left, right, margins, sequential=sequential))
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
    """A side of a comparison: its name, and metrics and records of the replications that are paired."""

    name: str
    measured: Sequence[Measured]
    records: Sequence[Records]


def _difference(of: _Side, against: _Side, margins: Mapping[str, Margin], *, sequential: bool) -> dict[str, Any]:
    return {
        "of": of.name,
        "against": against.name,
        **{f"{kind}s": _metrics(kind, of, against, margins, sequential=sequential) for kind in ("group", "link")},
    }


def _metrics(
    kind: str, of: _Side, against: _Side, margins: Mapping[str, Margin], *, sequential: bool
) -> dict[str, dict[str, Any]]:
    if not of.measured:
        return {}
    found: dict[str, dict[str, Any]] = {}
    left, right = (side.measured[0][f"{kind}s"] for side in (of, against))
    # Groups and links stand in the order of the scenario, which is the same for both.
    for name, other in zip(left, right, strict=True):
        key = name if name == other else f"{name} - {other}"
        found[key] = {
            metric: _judged(kind, metric, ((of, name), (against, other)), margins.get(metric), sequential=sequential)
            for metric in left[name]
        }
    return found


def _judged(
    kind: str, metric: str, sides: Sequence[tuple[_Side, str]], given: Margin | None, *, sequential: bool
) -> dict[str, Any]:
    values = [[each[f"{kind}s"][owner][metric] for each in side.measured] for side, owner in sides]
    paired_at = [place for place, pair in enumerate(zip(*values, strict=True)) if all(map(math.isfinite, pair))]
    ranges = [range_in([side.records[place] for place in paired_at], kind, owner, metric) for side, owner in sides]
    difference = paired(values[0], values[1], *ranges)
    if sequential:
        each = (a - b for a, b in zip(*values, strict=True))
        difference = always_valid(difference, each, ranges[0].less(ranges[1]))
    card = card_of(metric, kind)
    margin = (given or margin_of(card)).of(estimate(values[1])["mean"] or 0.0)
    return {**difference, "margin": margin, "verdict": verdict(difference, margin, card["better"])}
