# SPDX-License-Identifier: Apache-2.0
"""Other groups under test than those that the base scenario of a study marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.external.trust import granted
from narrows.run.scenario import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.experiments.definition import Study


def with_marks(study: Study, overrides: Sequence[str], subjects: Sequence[str], *, trust: bool = False) -> list[str]:
    """Return changes of the base scenario of a study, and with them those that mark these groups alone as subject."""
    if subjects and not study.algorithms:
        problem = "has no `algorithms`, so that no group's algorithm is replaced; a factor names groups by itself"
        raise InputError(study.document.file, f"{problem}; allowed: `algorithms`, or no --subject")
    trusted = granted(study.document.file, (), overrides, beside=study.scenario.file, trust=trust)
    base = read(study.scenario.file, [*study.changes, *overrides], trust=trusted, on=study.on)
    return [*overrides, *base.marks(subjects)]
