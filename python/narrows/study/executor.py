"""Where the cells of a study run. All executors look the same to the study; none of them writes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from narrows.study.task import Outcome, Task


class Executor(Protocol):
    """Runs cells; entered before the first and left after the last."""

    @property
    def slots(self) -> int:
        """How many cells are worth handing out at a time."""

    def submit(self, task: Task) -> None:
        """Hand out a cell."""

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Return what has come back, waiting for a first one no longer than `timeout_s`."""

    def simulated_s(self) -> float:
        """Simulated time of the cells now running, as far as it is known, seconds."""

    def cancel(self) -> None:
        """Ask the running cells to stop soon."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; cells that still run are given up."""
