# SPDX-License-Identifier: Apache-2.0
"""The blocks of a page beside its figures: states, badges, lists of facts, tables and commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from narrows._internal.drawing.svg import Markup, element, join


def state(css: str, sign: str, word: str) -> Markup:
    """Return a word with a sign before it, in the colour of a state."""
    mark = element("span", sign, class_="sign", aria_hidden="true")
    return element("span", mark, element("span", word), class_=f"state {css}")


def badge(css: str, sign: str, text: str) -> Markup:
    """Return the badge below the heading of a page, with css and sign of `state`."""
    return element("p", element("span", sign, class_="sign", aria_hidden="true"), text, class_=f"verdict {css}")


def facts(entries: Iterable[tuple[str, object]]) -> Markup:
    """Return a description list of labels and texts; texts that are not markup are escaped."""
    rows = (element("div", element("dt", label), element("dd", text)) for label, text in entries)
    return element("dl", *rows, class_="facts")


def row(name: object, *cells: object, **attributes: object) -> Markup:
    """Return a row of a table: its name, then its cells."""
    return element("tr", element("th", name, scope="row"), *(element("td", each) for each in cells), **attributes)


def table(
    caption: str, heads: Iterable[object], rows: Iterable[Markup], css: str = "sheet", *, named: bool = True
) -> Markup:
    """Return a table, which scrolls if the page is too narrow for it."""
    sorting = "none" if "sortable" in css else None
    head = element("tr", *(element("th", each, scope="col", aria_sort=sorting) for each in heads))
    title = element("caption", caption, class_=None if named else "visually-hidden")
    whole = element("table", title, element("thead", head), element("tbody", *rows), class_=css)
    return scrolled(whole, caption)


def scrolled(content: Markup, label: str, *below: Markup) -> Markup:
    """Return content that scrolls sideways if the page is too narrow for it, with a label for screen readers."""
    return element("div", content, *below, class_="scroll", role="region", aria_label=label, tabindex="0")


def source(title: object, name: str, text: str, file: str, *, is_prose: bool = False) -> Markup:
    """Return a text below its title, with buttons that copy it and save it as a file; prose is not folded."""
    copied = {"aria_label": f"Copy {name}", "hidden": True}
    tools = (
        element("button", "Copy", type="button", class_="tool", data_copy=True, **copied),
        element(
            "button", "Save", type="button", class_="tool", data_keep=file, **{**copied, "aria_label": f"Save {name}"}
        ),
    )
    return element(
        "details",
        element("summary", title),
        element("div", *tools, class_="tools"),
        element("pre", element("code", text), tabindex="0", aria_label=name, class_="prose" if is_prose else None),
        class_="source",
        open=is_prose,
    )


Entries = list[tuple[str, object]]


def here(*words: str) -> Markup:
    """Return a command as an entry of a list: it runs in the folder of the page."""
    return element("code", shlex.join(words))


def typed(command: str | None) -> Entries:
    """Return the entry of the command that made the results, as typed; empty for results from Python."""
    if not command:
        return []
    return [("Command, as typed", join((element("code", command, class_="typed"), WHERE)))]


def of_study(cells: Sequence[str], *, trust: bool) -> Entries:
    """Return the commands for a study's folder."""
    more = ["--trust"] if trust else []
    one = here("narrows", "study", "replay", ".", *cells[:1], *more)
    again: Entries = [("This page again", join((element("code", REPORT), IN_PLACE)))]
    return [*again, ("One cell again", join((one, IN_PLACE)))] if cells else again


JUDGED = {
    "better": ("better", "clearly better", "▲"),
    "worse": ("worse", "clearly worse", "▼"),
    "different": ("plain", "clearly different", "◆"),
    "same": ("plain", "no difference that matters", "≈"),
    "undecided": ("plain", "undecided", "?"),
}
# Builds the page from the results of its folder.
REPORT = "narrows report ."
WHERE = " in the folder of the files that it names"
IN_PLACE = " in the folder of this page"
