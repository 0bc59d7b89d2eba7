# SPDX-License-Identifier: Apache-2.0
"""How results show themselves in a notebook: what their page says first, its first figure, and tables."""

from __future__ import annotations

import html
import re
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from narrows.arguments import typed
from narrows.page.picture import pictures_of
from narrows.page.standalone import standalone
from narrows.run.display import frame_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


class Answer(list[dict[str, Any]]):
    """The rows of a query, each a dict, which a notebook shows as a table."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Make the answer of names of columns and the values of each row."""
        super().__init__(dict(zip(columns, row, strict=True)) for row in rows)
        self._columns = list(columns)

    @typed
    def frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame; `library` and errors as `Run.frame`."""
        import pyarrow as pa

        return frame_of(pa.table({name: _column([row[name] for row in self]) for name in self._columns}), library)

    def _repr_html_(self) -> str:
        return table(self._columns, self)


def _column(values: list[Any]) -> list[Any]:
    """Return the values of a column as texts if they are of types that no column may mix."""
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) < 2 or kinds <= {int, float}  # noqa: PLR2004  # one type
    return values if plain else [None if value is None else str(value) for value in values]


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the first rows as a table, as HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_text(row[name]))}</td>' for name in columns)}</tr>" for row in rows[:FEW]
    )
    left = f"<p>{len(rows) - FEW} more rows</p>" if len(rows) > FEW else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"


def first_of(page: Path) -> str:
    """Return what a page says first and its first figure, as HTML; empty if there is no page."""
    if not page.is_file():
        return ""
    text = page.read_text("utf-8", errors="replace")
    said = re.search(r'<ul class="answer">(.*?)</ul>', text, re.DOTALL)
    sentences = re.findall(r"<li>(.*?)</li>", said[1], re.DOTALL) if said else []
    plain = [html.unescape(re.sub(r"<[^>]*>", "", each)) for each in sentences]
    listed = "".join(f"<li>{escape(each)}</li>" for each in plain)
    shown = next(iter(pictures_of(text).values()), None)
    if shown is None:
        return f"<ul>{listed}</ul>"
    try:
        drawn = standalone(shown)
    except ET.ParseError:
        return f"<ul>{listed}</ul>"
    caption = f"<figcaption>{escape(shown.title)}. {escape(shown.caption)}</figcaption>"
    return f"<ul>{listed}</ul><figure>{drawn}{caption}</figure>"


def _text(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


FEW = 20
