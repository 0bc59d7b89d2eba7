# SPDX-License-Identifier: Apache-2.0
"""Where the cells of a study run. All executors have the same interface; none of them writes files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.experiments.task import Outcome, Task


class Executor(Protocol):
    """Runs cells. It is a context manager, entered before the first cell and left after the last."""

    @property
    def again(self) -> Sequence[str]:
        """The arguments with which a further command uses the same executor; none for the default one."""

    @property
    def slots(self) -> int:
        """Number of cells to submit at a time."""

    def submit(self, task: Task) -> None:
        """Submit a cell."""

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Return the results that have arrived; waits for the first at most `timeout_s` seconds."""

    def simulated_s(self) -> float:
        """Return the simulated time done in the cells that are running, seconds; 0 if unknown."""

    def cancel(self) -> None:
        """Cancel the running cells, which stop soon afterwards."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End; cells that still run are given up."""
