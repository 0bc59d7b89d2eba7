"""A part of a study's page: a heading with tables and figures below it, the less looked-at ones folded away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from narrows.analysis.table import AnalysisError
from narrows.report.drawing.svg import Markup, element, join
from narrows.report.page import document as page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from narrows.report.drawing.figure import Figure

_T = TypeVar("_T")


@dataclass(frozen=True)
class Part:
    """What the page shows below one entry of its contents.

    Attributes:
        anchor: Its anchor.
        title: Its heading, and the entry.
        tables: Come first.
        figures: Come next.
        more: What the figures that are folded away show, in words.
        folded: Those figures.
    """

    anchor: str
    title: str
    tables: Sequence[Markup]
    figures: Sequence[Figure]
    more: str
    folded: Sequence[Figure]

    def markup(self, command: str) -> Markup:
        """Return the section; `command` makes its figures again."""
        hidden = (
            element("details", element("summary", self.more), _drawn(self.folded, command), class_="more")
            if self.folded
            else join(())
        )
        return page.section(self.anchor, self.title, *self.tables, _drawn(self.figures, command), hidden)


def allowed(make: Callable[[], _T]) -> Iterator[_T]:
    """Make a figure or a table, or none where the cells do not allow it."""
    try:
        yield make()
    except AnalysisError:
        return


def _drawn(figures: Sequence[Figure], command: str) -> Markup:
    return join(page.figure_section(figure, command, heading="h3") for figure in figures)
