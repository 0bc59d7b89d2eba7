# SPDX-License-Identifier: Apache-2.0
"""Sentences on what people perceive of the applications and transfers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.svg import Markup, join
from narrows.metrics.perceived import stated
from narrows.page.estimates import estimate_text
from narrows.page.metrics import meaning
from narrows.run.sentences import clause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from narrows.report.run.data import Run


def of_run(run: Run) -> Iterator[Markup]:
    """Yield a sentence per group that has an application or transfers, by its name."""
    for group, measures in run.groups.items():
        known = [name for name, measure in measures.items() if measure.mean is not None]
        said = []
        for name in stated(known, [name for name in known if measures[name].mean]):
            measure = measures[name]
            value = estimate_text(measure.mean, measure.interval, meaning(name).unit, measure.method)
            said.append(clause(name, group, value))
        if said:
            text = "; ".join(said)
            yield join((f"{text[:1].upper()}{text[1:]}.",))
