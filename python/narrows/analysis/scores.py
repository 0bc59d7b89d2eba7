"""How far each algorithm stays behind the best, over environments: D_a and C_a.

Source: A. Akella, S. Seshan, S. Shenker and I. Stoica, "Exploring Congestion Control", CMU-CS-02-139 (2002), section 4:
s_max(e) = max_a s_a(e), d_a(e) = s_max(e) - s_a(e), D_a = Σ_e d_a(e), C_a = max_e d_a(e).

Deviations: where less is better (delay, loss, the range of goodputs), d is measured from the least score, as the
printed tables, whose best has 0, must have been. The text defines D as a sum and its table 1 as a mean; both are given.
Every D that is printed is at least its C, which only the sum can be. The table's C_a = max_a is read as max_e.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from narrows.analysis.table import AnalysisError

if TYPE_CHECKING:
    from narrows.analysis.table import Block, FloatArray


@dataclass(frozen=True)
class Distances:
    """What each algorithm loses against the best.

    Attributes:
        algorithms: Names, one per column.
        distance: d_a(e), shape (environments, algorithms): a difference in the unit of the score, or a ratio.
    """

    algorithms: tuple[str, ...]
    distance: FloatArray

    @property
    def total(self) -> dict[str, float]:
        """D_a as sum over environments."""
        return dict(zip(self.algorithms, self.distance.sum(axis=0).tolist(), strict=True))

    @property
    def mean(self) -> dict[str, float]:
        """D_a as mean over environments."""
        return dict(zip(self.algorithms, self.distance.mean(axis=0).tolist(), strict=True))

    @property
    def worst(self) -> dict[str, float]:
        """C_a: the greatest distance in any environment."""
        return dict(zip(self.algorithms, self.distance.max(axis=0).tolist(), strict=True))


def distances(
    scores: Block, *, higher_is_better: bool, form: Literal["difference", "ratio"] = "difference"
) -> Distances:
    """Measure every algorithm against the best of each environment.

    Args:
        scores: A score by environment (the block's conditions) and algorithm (its treatments).
        higher_is_better: True for goodput; False for delay, loss and the range of goodputs.
        form: "difference" is 0 for the best; "ratio" divides the better by the worse score and is 1 for the best.

    Raises:
        AnalysisError: A ratio is asked for and a score is not positive.
    """
    values = scores.values
    best = values.max(axis=1, keepdims=True) if higher_is_better else values.min(axis=1, keepdims=True)
    if form == "difference":
        return Distances(scores.treatments, best - values if higher_is_better else values - best)
    if values.min() <= 0:
        raise AnalysisError("a score is zero or negative, of which there is no ratio; ask for differences")
    return Distances(scores.treatments, best / values if higher_is_better else values / best)
