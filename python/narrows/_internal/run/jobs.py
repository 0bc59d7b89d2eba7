# SPDX-License-Identifier: Apache-2.0
"""Jobs: replications of scenarios, how much work they are, and how their progress is reported."""

from __future__ import annotations

import os
from typing import Protocol

from narrows._internal import core
from narrows._internal.frozen import frozen

Job = tuple[core.Scenario, int]


class Watch(Protocol):
    """Receives the progress of some work and may stop it."""

    def update(self, fraction: float) -> None:
        """Report progress."""

    def stopped(self) -> bool:
        """Return True to stop the work."""


class Observer(Watch, Protocol):
    """A watch that may also be given the present activity, in words."""

    def update(self, fraction: float, note: str = "") -> None:
        """Report progress."""


class Unwatched:
    """An observer that shows nothing and never stops the work."""

    def update(self, fraction: float, note: str = "") -> None:
        """Ignore the progress."""

    def stopped(self) -> bool:
        """Return False."""
        return False


@frozen
class Wordless:
    """An observer that passes the fraction alone to a watch."""

    watch: Watch

    def update(self, fraction: float, note: str = "") -> None:
        """Report the progress."""
        del note
        self.watch.update(fraction)

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self.watch.stopped()


@frozen
class Noted:
    """The watch of some work that is shown with words on its state."""

    watch: Observer
    note: str

    def update(self, fraction: float) -> None:
        """Report the progress with the words."""
        self.watch.update(fraction, self.note)

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self.watch.stopped()


def observer(watch: Watch | None) -> Observer:
    """Return the observer for a watch, or for none."""
    return Unwatched() if watch is None else Wordless(watch)


@frozen
class Share:
    """The watch of a part of some work."""

    watch: Watch  # the watch of all of it
    before: float  # fraction of the work that is done before this part, 0 to 1
    share: float  # how much this part is

    def update(self, fraction: float) -> None:
        """Report the progress of all of the work."""
        self.watch.update(self.before + fraction * self.share)

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self.watch.stopped()


def work_s(scenario: core.Scenario) -> float:
    """Return the simulated time of a replication, seconds: twice the duration if the warm-up is `auto`."""
    return scenario.duration_s * (1 if scenario.warmup_s is not None else 2)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
