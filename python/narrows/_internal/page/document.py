# SPDX-License-Identifier: Apache-2.0
"""A page: one HTML document with style, script and figures inside and no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from narrows._internal import core
from narrows._internal.drawing.figure import PAPERS, Figure, Key, Paper, drawing, height, swatch
from narrows._internal.drawing.plot import Panel
from narrows._internal.drawing.style import colour_classes, colour_rules, fill_classes, fill_rules
from narrows._internal.drawing.svg import Markup, element, join, number
from narrows._internal.frozen import frozen
from narrows._internal.page.blocks import source
from narrows._internal.versions import version

Draw = Callable[[Paper], Sequence[Panel]]


@frozen
class Part:
    """A part of a page, and its entries in the table of contents: anchors with their texts."""

    content: Markup
    links: Sequence[tuple[str, str]] = ()


def document(  # noqa: PLR0913  # the parts of a page
    title: str,
    kind: str,
    verdict: Markup,
    parts: Sequence[Part],
    *,
    digest: str = "",
    versions: Mapping[str, str] | None = None,
    paste: str = "",
) -> str:
    """Return a complete HTML document; `paste` begins its paragraph for the text of a paper."""
    made = versions or {"narrows": version("narrows"), "engine": core.fingerprint()}
    cited = [f"Narrows {made['narrows']}", f"engine {made['engine'][:12]}", f"“{title}”", *([digest] if digest else [])]
    body = element(
        "body",
        element("a", "Skip to the results", class_="skip", href="#main"),
        _header(title, kind, verdict, [link for part in parts for link in part.links]),
        element(
            "main", *(part.content for part in parts), _paragraph(paste, cited[:2], digest) if paste else "", id="main"
        ),
        element(
            "footer",
            element("p", "Cite: ", element("span", f"{', '.join(cited)}.", class_="cite")),
            element("p", "Made by Narrows. This file is complete: it needs no network."),
        ),
        element("script", Markup(_SCRIPT)),
    )
    head = _head(title)
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _paragraph(text: str, versions: Sequence[str], digest: str) -> Markup:
    """Return the section with methods and results as plain text, to be copied."""
    records = f"; the digest of the records is {digest}" if digest else ""
    name, whole = (
        "a paragraph to paste",
        f"{text} All results were computed with {versions[0]} ({versions[1]}){records}.",
    )
    shown = source("For the methods and results of a paper", name, whole, "paragraph.txt", is_prose=True)
    return _section("paragraph", "A paragraph to paste", shown)


def _head(title: str) -> Markup:
    style = "".join(
        (
            f":root{{{colour_rules('light')}{fill_rules('light')}}}",
            # Paper is light.
            f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_DARK}}}}}",
            f"@media screen{{:root[data-theme=dark]{{{_DARK}}}}}",
            colour_classes(),
            _STYLE,
            fill_classes(),
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


def anchor(name: str) -> str:
    """Return a name as part of an anchor."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)


def _header(title: str, kind: str, verdict: Markup, links: Sequence[tuple[str, str]]) -> Markup:
    return element(
        "header",
        element(
            "div",
            element("p", f"Narrows · {kind}", class_="kicker"),
            element(
                "span",
                element("span", class_="choice"),
                element("button", "Dark", type="button", class_="tool theme", hidden=True),
                class_="tools",
            ),
            class_="bar",
        ),
        element("div", element("h1", title), verdict, class_="title"),
        element(
            "nav",
            element("ul", *(element("li", element("a", text, href=f"#{name}")) for name, text in links)),
            aria_label="Contents",
        ),
    )


def section(name: str, title: str, *content: object, link: str | None = None) -> Part:
    """Return a section with its heading."""
    shown = title if link is None else link
    return Part(_section(name, title, *content), [(name, shown)] if shown else [])


def _section(name: str, title: str, *content: object, heading: str = "h2") -> Markup:
    return element(
        "section", element(heading, title, id=f"{name}-title"), *content, id=name, aria_labelledby=f"{name}-title"
    )


def _figure_section(figure: Figure, command: str, heading: str) -> Markup:
    """Return the section of a figure: drawing, legend, caption and the command that reproduces it."""
    tools = [
        element("button", "Whole range", type="button", class_="tool", data_reset=True,
                aria_label=f"Whole range: {figure.title}", hidden=True)
    ]  # fmt: skip
    tools += [
        element("button", kind, type="button", class_="tool", data_save=kind.lower(),
                aria_label=f"Save {kind}: {figure.title}", hidden=True)
        for kind in ("SVG", "PNG")
    ]  # fmt: skip
    file = f"{figure.name}.pdf"
    tools.append(
        element("button", "PDF", type="button", class_="tool", data_command=f"{figure.name} --out {file}",
                title="Copies the command that writes this figure as PDF",
                aria_label=f"Copy the command that writes a PDF: {figure.title}", hidden=True)
    )  # fmt: skip
    caption = element(
        "figcaption",
        element("p", " ".join(sentence for sentence in figure.caption if sentence)),
        *([element("p", figure.hint, class_="hint")] if figure.hint else []),
        element(
            "details",
            element("summary", "How to remake it"),
            element("p", "Remake, in the folder of this page: ", element("code", command), class_="remake"),
            element(
                "p",
                "For a paper: ",
                element("code", f"narrows figure . {figure.name} --out {file}"),
                ", or with a name that ends in .svg, .png or .pgf.",
                class_="remake paper-file",
            ),
            class_="about",
        ),
    )
    shown = _papers(figure, figure.draw)
    content = element(
        "figure",
        element("div", element("ul", *map(_key, figure.keys), class_="legend", aria_label="Legend"),
                element("div", *tools, class_="tools"), class_="above"),
        element("div", element("div", shown, class_="plot"), *_others(figure, shown), *_moments(figure),
                element("output", class_="readout", aria_live="polite"), class_="stage"),
        *([element("div", class_="why", role="region", aria_live="polite", hidden=True,
                   aria_label=f"What happened: {figure.title}")] if figure.moments else []),
        caption,
        data_title=figure.title,
        data_name=figure.name,
    )  # fmt: skip
    return _section(figure.name, figure.title, content, heading=heading)


def figure_grid(figures: Sequence[Figure], command: str, heading: str = "h3") -> Markup:
    """Return the sections of several figures, beside one another if the screen has room."""
    drawn = [_figure_section(each, command, heading) for each in figures if not each.absent]
    missing = [
        element("p", f"No figure “{each.title}”: {each.absent}", class_="note") for each in figures if each.absent
    ]
    return join((element("div", *drawn, class_="grid") if drawn else "", *missing))


def figure_part(figures: Sequence[Figure], command: str) -> Part:
    """Return several figures as a part of the page, each with its own entry in the table of contents."""
    links = [(each.name, each.title) for each in figures if not each.absent]
    return Part(figure_grid(figures, command, "h2"), links)


def answer(sentences: Iterable[object], figures: Sequence[Figure], command: str, *notes: str) -> Part:
    """Return the first section of a page: the findings, and the figures that show them."""
    said = element("ul", *(element("li", sentence) for sentence in sentences), class_="answer")
    below = [element("p", note, class_="note") for note in notes if note]
    drawn = figure_grid(figures, command) if figures else ""
    heading = element("h2", "What was found", id="answer-title", class_="visually-hidden")
    content = element("section", heading, said, drawn, *below, id="answer", aria_labelledby="answer-title")
    return Part(content, [("answer", "Answer")])


def _key(key: Key) -> Markup:
    button = element(
        "button", swatch(key.sample, key.style), element("span", key.label), type="button", class_="key",
        aria_pressed="true", data_key=key.name,
    )  # fmt: skip
    return element("li", button)


def _others(figure: Figure, shown: Markup) -> list[Markup]:
    """Return the drawings of further replications, which the page's script shows on request."""
    return [
        element("template", data_replication=number, data_caption=" ".join(filter(None, figure.captions[number])),
                data_packed=_packed(shown if draw is figure.draw else _papers(figure, draw)))
        for number, draw in figure.others.items()
    ]  # fmt: skip


def _moments(figure: Figure) -> list[Markup]:
    """Return the texts about moments of each replication."""
    return [
        element("template", data_moments=number, data_packed=_packed(text)) for number, text in figure.moments.items()
    ]


def _packed(text: str) -> str:
    """Return a text compressed (DEFLATE, RFC 1951) and in Base64."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(text.encode()) + packer.flush()).decode()


def _papers(figure: Figure, draw: Draw) -> Markup:
    return join(_paper(figure, paper, draw) for paper in PAPERS)


def _paper(figure: Figure, paper: Paper, draw: Draw) -> Markup:
    panels = draw(paper)
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


_HERE = Path(__file__).parent
_STYLE = (_HERE / "style.css").read_text("utf-8")
# One script in one scope, whose last part starts the others.
_PARTS = ("scales", "reading", "explaining", "zooming", "saving", "figures", "tables", "page")
_FILES = [(_HERE / f"script/{part}.js").read_text("utf-8") for part in _PARTS]
_SCRIPT = f'(() => {{\n"use strict";\n{"".join(_FILES)}}})();\n'
_DARK = colour_rules("dark") + fill_rules("dark") + (_HERE / "dark.css").read_text("utf-8").strip()
