# SPDX-License-Identifier: Apache-2.0
"""The results of a search: environments in which the algorithm does worse, with fresh replications as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from narrows._internal.frozen import frozen
from narrows._internal.rounding import estimate_decimals, other_end
from narrows._internal.statistics import estimate

if TYPE_CHECKING:
    from narrows._internal.search.archive import Elite
    from narrows._internal.search.space import Environment


@frozen
class Repeated:
    """A find in fresh replications on one backend; replications that are the same run count once."""

    scores: list[float] = field(default_factory=list)  # the score of each
    measured: list[float] = field(default_factory=list)  # the metric of the kind in each, with the algorithm
    reference: list[float] = field(default_factory=list)  # value with the reference in place of the algorithm
    # Digests of the records of every replication, with the algorithm and with the reference.
    digests: list[list[str]] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """Mean score."""
        return estimate(self.scores)["mean"] or 0.0

    @property
    def interval(self) -> list[float] | None:
        """Its 95 % interval, cut at the greatest possible score; None of a single score, and of equal ones."""
        ends = estimate(self.scores)["ci95"]
        return None if ends is None else [min(end, 1.0) for end in ends]

    @property
    def confirmed(self) -> bool:
        """Whether the whole interval is above 0; of equal scores, whether the sign test finds them above 0."""
        if self.interval is None:
            return self.mean > 0 and len(self.scores) >= SURE
        return self.interval[0] > 0

    def entry(self) -> dict[str, Any]:
        """Return the values of `atlas.json`."""
        return {
            "score": self.mean,
            "interval": self.interval,
            "replications": len(self.scores),
            "confirmed": self.confirmed,
            "measured": estimate(self.measured)["mean"],
            "reference_measured": estimate(self.reference)["mean"],
            "digests": self.digests,
        }

    def text(self) -> str:
        """Return mean and interval as text."""
        return score_text(self.mean, self.interval)


def score_text(mean: float, interval: Sequence[float] | None) -> str:
    """Return a score and its interval as text."""
    low, high = interval or (mean, mean)
    decimals = estimate_decimals(mean, low, high)
    if decimals is None:
        return f"{mean:.2f}"
    value, left, right = (f"{each:z.{decimals}f}" for each in (mean, low, high))
    return f"{value} ({other_end(value, left, right) or f'{left} to {right}'})"


@dataclass
class Find:
    """An environment in which the algorithm does worse, simplified and repeated."""

    elite: Elite  # environment that the search found, with its score
    environment: Environment  # the simplified environment
    score: float  # score in the replication of the search
    repeated: Repeated = field(default_factory=Repeated)  # fresh replications in the simulator
    kernel: Repeated | None = None  # the same replications on a kernel; None if there are none

    @property
    def confirmed(self) -> bool:
        """Whether the fresh replications in the simulator confirm it."""
        return self.repeated.confirmed


# So many equal scores above 0 are enough: were half of all at most 0, their chance would be 2^-5 (sign test, one side).
SURE = 5
