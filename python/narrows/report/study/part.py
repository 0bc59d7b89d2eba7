# SPDX-License-Identifier: Apache-2.0
"""A part of a study's page: a heading with tables and figures, of which the less important are collapsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from narrows.analysis.table import AnalysisError
from narrows.drawing.svg import Markup, element
from narrows.page import document as page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from narrows.drawing.figure import Figure

_T = TypeVar("_T")


def part(  # noqa: PLR0913  # what the part has
    anchor: str,
    title: str,
    command: str,
    tables: Sequence[Markup],
    figures: Sequence[Figure],
    *,
    more: str,
    folded: Sequence[Figure],
    closed: bool = False,
) -> page.Part:
    """Return a part of a study's page."""
    hidden = [element("details", element("summary", more), page.figure_grid(folded, command), class_="more")]
    drawn = page.figure_grid(figures, command)
    content = (*tables, drawn, *(hidden if folded else ()))
    if closed:
        content = (element("details", element("summary", "Effects of the factors"), *content, class_="more"),)
    return page.section(anchor, title, *content)


def allowed(make: Callable[[], _T]) -> Iterator[_T]:
    """Yield the result of `make`; nothing if the cells do not allow the analysis."""
    try:
        yield make()
    except AnalysisError:
        return
