# SPDX-License-Identifier: Apache-2.0
"""What a figure of a metric of a study shows of its factors, of which the algorithm is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from narrows._internal.frozen import frozen


class Asked(NamedTuple):
    """A figure of a metric against factors, as a user asks for it."""

    y: str
    x: str
    lines: str | None = None  # None: the algorithm if there are several, and it is nowhere else
    panels: Sequence[str] = ()
    at: Mapping[str, object] = {}
    average: Sequence[str] = ()


@frozen
class Layout:
    """The place of each factor in a figure."""

    x: str
    lines: str | None = None  # a line for each of its levels
    panels: Sequence[str] = ()  # a panel for each combination of their levels
    at: Mapping[str, str] = field(default_factory=dict)  # by factor, the only level that is shown

    @property
    def shown(self) -> set[str]:
        """The factors whose levels the figure distinguishes, or fixes."""
        return {self.x, *([self.lines] if self.lines else []), *self.panels, *self.at}
