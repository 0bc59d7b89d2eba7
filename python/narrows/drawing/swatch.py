# SPDX-License-Identifier: Apache-2.0
"""The small drawings beside names in legends and tables: a stroke, an area or a marker of the series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.plot import marker
from narrows.drawing.svg import Markup, element

if TYPE_CHECKING:
    from narrows.drawing.style import Style


def swatch(sample: str, style: Style | None) -> Markup:
    """Return the drawing of a legend entry, 30 by 12 pixels."""
    dash = style.dash_pattern if style else None
    # An event has the colour of the series at which it happens.
    css = style.css_class if style and sample not in {"event", "dash"} else None
    return element("svg", _shape(sample, style, dash), class_=f"swatch {css or ''}".rstrip(), viewBox="0 0 30 12",
                   width="30", height="12", aria_hidden="true", focusable="false")  # fmt: skip


def _shape(sample: str, style: Style | None, dash: str | None) -> Markup:
    if sample in {"dot", "event"}:
        return element("path", class_="dot", d=marker(style.marker if style else 0, 15, 6, 4.5))
    if sample == "fill":
        rim = element("path", class_="rim", d="M1 2H29", stroke_dasharray=dash)
        return Markup(element("path", class_="fill", d="M1 2H29V11H1Z") + rim)
    if sample == "ground":
        return Markup(
            element("path", class_="ground", d="M1 2H29V11H1Z") + element("path", class_="limit", d="M1 2H29")
        )
    if sample in {"shade", "tile"}:
        return element("path", class_=sample, d="M1 1H29V11H1Z")
    if sample in {"drop", "mark"}:
        return element("path", class_=f"rug {sample}s", d="M10 2v8M15 2v8M20 2v8")
    return element(
        "path",
        class_="line" if sample == "dash" else sample,
        d="M1 6H29",
        stroke_dasharray={"faint": "1 3", "behind": None}.get(sample, dash),
    )
