"""A part of a study's page: a heading with tables and figures, of which the less important are collapsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from narrows.analysis.table import AnalysisError
from narrows.drawing.svg import Markup, element, join
from narrows.page import document as page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from narrows.drawing.figure import Figure

_T = TypeVar("_T")


@dataclass(frozen=True)
class Part:
    """A part of the page, with an entry in its table of contents.

    Attributes:
        anchor: Anchor in the page.
        title: Heading, and text of the entry.
        tables: Tables, shown first.
        figures: Figures, shown after the tables.
        more: Summary of the folded figures.
        folded: Figures that are hidden until the reader unfolds them.
    """

    anchor: str
    title: str
    tables: Sequence[Markup]
    figures: Sequence[Figure]
    more: str
    folded: Sequence[Figure]

    def markup(self, command: str) -> Markup:
        """Return the section; `command` is the command that reproduces its figures."""
        hidden = (
            element("details", element("summary", self.more), _drawn(self.folded, command), class_="more")
            if self.folded
            else join(())
        )
        return page.section(self.anchor, self.title, *self.tables, _drawn(self.figures, command), hidden)


def allowed(make: Callable[[], _T]) -> Iterator[_T]:
    """Yield the result of `make`; nothing if the cells do not allow the analysis."""
    try:
        yield make()
    except AnalysisError:
        return


def _drawn(figures: Sequence[Figure], command: str) -> Markup:
    return page.figure_grid(figures, command, heading="h3") if figures else join(())
