"""A page: one HTML document with style, script and figures inside and no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from narrows.report.drawing.figure import PAPERS, drawing, height
from narrows.report.drawing.style import colour_classes, colour_rules
from narrows.report.drawing.svg import Markup, element, number
from narrows.report.drawing.swatch import swatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.figure import Figure, Key, Paper


def document(title: str, header: Markup, content: Sequence[Markup]) -> str:
    """Return a complete HTML document.

    Args:
        title: Title of the document.
        header: The header, from `page_header`.
        content: The sections in order.
    """
    body = element(
        "body",
        element("a", "Skip to the results", class_="skip", href="#main"),
        header,
        element("main", *content, id="main"),
        element("footer", element("p", "Made by Narrows. This file is complete: it needs no network.")),
        element("script", Markup(_SCRIPT)),
    )
    head = _head(title)
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _head(title: str) -> Markup:
    style = "".join(
        (
            f":root{{{colour_rules('light')}}}",
            f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_DARK}}}}}",
            f":root[data-theme=dark]{{{_DARK}}}",
            colour_classes(),
            _STYLE,
        )
    )
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(_SCRIPT)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · Narrows"),
        element("style", Markup(style)),
    )


def page_header(title: str, kind: str, verdict: Markup, links: Sequence[tuple[str, str]]) -> Markup:
    """Return the header of a page.

    Args:
        title: Heading of the page.
        kind: "Run", "Comparison" or "Study".
        verdict: Badge below the title.
        links: Anchor and text of each entry of the table of contents.
    """
    return element(
        "header",
        element(
            "div",
            element("p", f"Narrows · {kind}", class_="kicker"),
            element("button", "Dark", type="button", class_="tool theme", hidden=True),
            class_="bar",
        ),
        element("h1", title),
        verdict,
        element(
            "nav",
            element("ul", *(element("li", element("a", text, href=f"#{name}")) for name, text in links)),
            aria_label="Contents",
        ),
    )


def section(name: str, title: str, *content: Markup, heading: str = "h2") -> Markup:
    """Return a section with its heading; `name` is its anchor."""
    return element(
        "section", element(heading, title, id=f"{name}-title"), *content, id=name, aria_labelledby=f"{name}-title"
    )


def figure_section(figure: Figure, command: str, *, heading: str = "h2") -> Markup:
    """Return the section of a figure: drawing, legend, caption and the command that reproduces it."""
    if figure.absent:
        return section(figure.name, figure.title, element("p", figure.absent, class_="note"), heading=heading)
    tools = [
        element("button", f"Save {kind}", type="button", class_="tool", data_save=kind.lower(),
                aria_label=f"Save {kind}: {figure.title}", hidden=True)
        for kind in ("SVG", "PNG")
    ]  # fmt: skip
    caption = element(
        "figcaption",
        element("p", " ".join(sentence for sentence in figure.caption if sentence)),
        element("p", "Remake: ", element("code", command), class_="remake"),
    )
    content = element(
        "figure",
        element("div", element("ul", *map(_key, figure.keys), class_="legend", aria_label="Legend"),
                element("div", *tools, class_="tools"), class_="above"),
        element("div", *(_paper(figure, paper) for paper in PAPERS), class_="plot"),
        element("output", class_="readout", aria_live="polite"),
        caption,
        data_title=figure.title,
        data_name=figure.name,
    )  # fmt: skip
    return section(figure.name, figure.title, content, heading=heading)


def _key(key: Key) -> Markup:
    button = element(
        "button", swatch(key.sample, key.style), element("span", key.label), type="button", class_="key",
        aria_pressed="true", data_key=key.name,
    )  # fmt: skip
    return element("li", button)


def _paper(figure: Figure, paper: Paper) -> Markup:
    panels = figure.draw(paper)
    tall = height(panels)
    text = " ".join(sentence for sentence in figure.caption if sentence)
    return element(
        "svg",
        element("title", figure.title),
        element("desc", text),
        drawing(panels),
        element("path", class_="cursor"),
        class_=f"paper {paper.name}",
        viewBox=f"0 0 {number(paper.width)} {number(tall)}",
        role="img",
        aria_label=f"{figure.title}. {text}",
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_STYLE = files("narrows.report.page").joinpath("style.css").read_text("utf-8")
_SCRIPT = files("narrows.report.page").joinpath("script.js").read_text("utf-8")
_DARK = colour_rules("dark") + files("narrows.report.page").joinpath("dark.css").read_text("utf-8").strip()
