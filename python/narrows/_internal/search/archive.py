# SPDX-License-Identifier: Apache-2.0
"""The search: MAP-Elites over a map of conditions, for every kind of score at once.

A score is the part of a performance that is lost: (reference - algorithm) / reference if more is better, and
(algorithm - reference) / algorithm if less is better, as harm after Ware et al. (HotNets 2019). It is 0 for equal
performance, negative if the algorithm is better, and at most 1.

Each environment is placed on the map by its bandwidth-delay product and its buffer; each place keeps, for each kind of
score, the environment with the highest one. New environments are changes of kept ones, so the search goes on
everywhere on the map instead of at one optimum.

Source: J.-B. Mouret and J. Clune, "Illuminating search spaces by mapping elites", arXiv:1504.04909 (2015). The
formulation, the gap to a reference, is from AdvNet (CoNEXT 2026).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from narrows._internal import core
from narrows._internal.search.space import PLAIN, RIVAL, TEST, Environment, changed, drawn, place_of
from narrows.metrics import measure

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


class Elite(NamedTuple):
    """The best environment of a place on the map for a kind of score."""

    kind: str  # kind of the score
    place: tuple[int, int]  # indices of the bandwidth-delay product and the buffer
    environment: Environment
    score: float  # score of the environment


class Archive:
    """The results of a search and its next environments; a function of the seed and the scores alone."""

    def __init__(self, seed: int) -> None:
        """Begin with an empty map."""
        self._random = random.Random(seed)  # noqa: S311  # a search, no secret
        self._best: dict[tuple[str, tuple[int, int]], Elite] = {}
        self._tried: set[Environment] = set()

    def proposals(self, count: int) -> list[Environment]:
        """Return environments that have not been tried: at first drawn at random, then changes of elites."""
        found: list[Environment] = []
        if not self._tried:
            found.append(PLAIN)
        for _ in range(MOST_DRAWS * count):
            if len(found) == count:
                break
            first = len(self._tried) < FIRST or not self._best or self._random.random() < FRESH
            made = drawn(self._random) if first else changed(self._parent(), self._random)
            if made not in self._tried and made not in found:
                found.append(made)
        return found

    def add(self, environment: Environment, scores: Mapping[str, float]) -> None:
        """Add the scores of an environment."""
        self._tried.add(environment)
        place = place_of(environment)
        for kind, score in scores.items():
            key = (kind, place)
            if key not in self._best or score > self._best[key].score:
                self._best[key] = Elite(kind, place, environment, score)

    @property
    def evaluations(self) -> int:
        """Number of environments tried."""
        return len(self._tried)

    @property
    def elites(self) -> list[Elite]:
        """The elites by kind and place."""
        return sorted(self._best.values(), key=lambda each: (list(KINDS).index(each.kind), each.place))

    def _parent(self) -> Environment:
        positive = [each for each in self.elites if each.score > 0]
        return self._random.choice(positive or self.elites).environment


def chosen(elites: Iterable[Elite], most: int) -> list[Elite]:
    """Return the elites that are worth a closer look: the best of each kind in turn, from different places."""
    by_kind: dict[str, Sequence[Elite]] = {}
    for kind in KINDS:
        found = [each for each in elites if each.kind == kind and each.score >= RELEVANT[kind]]
        by_kind[kind] = sorted(found, key=lambda each: (-each.score, each.place))
    rounds = max((len(each) for each in by_kind.values()), default=0)
    turns = [found[place] for place in range(rounds) for found in by_kind.values() if place < len(found)]
    return turns[:most]


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
FIRST = 64
FRESH = 0.1
MOST_DRAWS = 100
# The score that a find must exceed: a tenth of a performance, or two packets in a hundred.
RELEVANT = {"goodput": 0.1, "delay": 0.1, "loss": 0.02, "stall": 0.1, "harm": 0.1}
