"""Linear controls in step: windows that all grow, or all shrink, as one signal tells them.

Source: A. Akella, S. Seshan, S. Shenker and I. Stoica, "Exploring Congestion Control", CMU-CS-02-139 (2002), section
5.1, after Chiu and Jain, Computer Networks 17 (1989):

    w(t+1) = a_I + b_I w(t)     without a loss
    w(t+1) = a_D + b_D w(t)     upon a loss

A cycle of k_I increases and then k_D decreases takes w to alpha + beta w with

    alpha = a_D Σ_{j<k_D} b_D^j + a_I b_D^k_D Σ_{j<k_I} b_I^j
    beta  = b_D^k_D b_I^k_I

so that all windows come to alpha / (1 - beta), unless beta is 1: then a cycle that returns has alpha = 0, and any
window does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Linear:
    """A linear control.

    Attributes:
        add: a_I, packets.
        grow: b_I.
        drop: a_D, packets; negative where it takes away.
        shrink: b_D.
    """

    add: float
    grow: float
    drop: float
    shrink: float

    def cycle(self, increases: int, decreases: int) -> tuple[float, float]:
        """Return alpha and beta of a cycle of so many increases and then so many decreases."""
        up = sum(self.grow**each for each in range(increases))
        down = sum(self.shrink**each for each in range(decreases))
        alpha = self.drop * down + self.add * self.shrink**decreases * up
        return alpha, self.shrink**decreases * self.grow**increases

    def steady_window(self, increases: int, decreases: int) -> float | None:
        """Return the only window that such a cycle gives back; None where it gives back any, or none."""
        alpha, beta = self.cycle(increases, decreases)
        return None if beta == 1 else alpha / (1 - beta)

    def in_step(self, windows: Sequence[float], capacity: float, rounds: int) -> list[float]:
        """Return the windows after so many rounds in each of which all shrink if together they exceed the capacity."""
        now = list(windows)
        for _ in range(rounds):
            add, factor = (self.drop, self.shrink) if sum(now) > capacity else (self.add, self.grow)
            now = [add + factor * each for each in now]
        return now
