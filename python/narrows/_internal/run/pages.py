# SPDX-License-Identifier: Apache-2.0
"""The page of a saved run or comparison; a higher layer registers the function that builds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_builders: list[Callable[[Path], object]] = []


def built_by(builder: Callable[[Path], object]) -> None:
    """Let a function build the page of each folder that is saved, in place of any before it."""
    _builders[:] = [builder]


def build(folder: Path) -> None:
    """Build the page of the folder of a run or a comparison."""
    _builders[-1](folder)
