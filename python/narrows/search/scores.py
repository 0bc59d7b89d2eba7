# SPDX-License-Identifier: Apache-2.0
"""How much worse an algorithm is than the reference in the same environment with the same seed, in five respects.

A score is the part of a performance that is lost: (reference - algorithm) / reference if more is better, and
(algorithm - reference) / algorithm if less is better, as harm after Ware et al. (HotNets 2019). It is 0 for equal
performance, negative if the algorithm is better, and at most 1.
"""

from __future__ import annotations

import math

from narrows import core
from narrows.metrics import measure
from narrows.search.space import RIVAL, TEST

Scores = dict[str, float]


def scores(subject: tuple[core.Scenario, core.Records], reference: tuple[core.Scenario, core.Records]) -> Scores:
    """Return the score of each kind."""
    return {
        kind: lost(kind, measured_of(kind, *subject), measured_of(kind, *reference))
        for kind, (group, _) in KINDS.items()
        if group in subject[1].group_metrics
    }


def measured_of(kind: str, scenario: core.Scenario, records: core.Records) -> float:
    """Return the metric of a kind in one replication; not a number without data."""
    group, metric = KINDS[kind]
    return measure(scenario, records, metric, group=group)


def lost(kind: str, value: float, reference: float) -> float:
    """Return the score of a kind; 0 without data."""
    if kind == LOSS:
        # The difference of loss rates, because a ratio of small loss rates says little.
        score = value - reference
    elif kind == DELAY:
        score = (value - reference) / value if value > 0 else 0.0
    else:
        score = (reference - value) / reference if reference > 0 else 0.0
    return score if math.isfinite(score) else 0.0


GOODPUT, DELAY, LOSS, STALL, HARM = "goodput", "delay", "loss", "stall", "harm"
# The group and the metric of each kind.
KINDS = {
    GOODPUT: (TEST, "goodput_bps"),
    DELAY: (TEST, "delay_p95_s"),
    LOSS: (TEST, "loss_rate"),
    STALL: (TEST, "goodput_least(bin=5s)"),
    HARM: (RIVAL, "goodput_bps"),
}
OF_SERIES = ("goodput_least(bin=5s)",)
WORDS = {
    GOODPUT: "part of the reference's goodput that is lost",
    DELAY: "part of the 95th percentile of the delay that is due to the algorithm",
    LOSS: "packets lost beyond the reference's, as a part of all",
    STALL: "part of the reference's goodput in its worst five seconds that is lost",
    HARM: "part of its rivals' goodput that they lose",
}
