"""The page of an atlas: a map for each kind of score, and the simplest finds with their curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from narrows.report.drawing.figure import Figure, Key
from narrows.report.drawing.plot import Axis
from narrows.report.drawing.scale import BITS_PER_SECOND, SECONDS
from narrows.report.drawing.style import Style, style_of
from narrows.report.drawing.svg import Markup, element
from narrows.report.page import document as page
from narrows.report.study.rows import rows_panel, stacked_panels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.report.drawing.figure import Paper
    from narrows.report.drawing.plot import Panel

    Curves = Mapping[str, tuple[list[float], list[float]]]


def atlas_page(atlas: Mapping[str, Any], curves: Sequence[Curves]) -> str:
    """Return the report of a search as one HTML document.

    Args:
        atlas: The contents of `atlas.json`.
        curves: Of each find, goodput over time by algorithm.
    """
    maps = [_map(kind, meaning, atlas) for kind, meaning in atlas["kinds"].items()]
    maps = [each for each in maps if each is not None]
    drawn = [_curves(place, find, each) for place, (find, each) in enumerate(zip(atlas["found"], curves, strict=True))]
    command = atlas["command"]
    sections = [
        page.section("found", "The simplest finds", _table(atlas), *_notes(atlas)),
        *(page.figure_section(each, command) for each in maps if each is not None),
        *(page.figure_section(each, command) for each in drawn),
    ]
    links = [("found", "Finds"), *((each.name, each.title) for each in maps if each is not None)]
    text = (
        f"{atlas['evaluations']} environments tried, {len(atlas['found'])} finds confirmed on fresh seeds, "
        f"{len(atlas['unconfirmed'])} not"
    )
    badge = element("p", text, class_="verdict absent")
    return page.document(atlas["title"], page.page_header(atlas["title"], "Atlas", badge, links), sections)


def _table(atlas: Mapping[str, Any]) -> Markup:
    kernel = atlas["kernel"]
    on = [] if kernel is None else [f"On Linux {kernel['kernel']}", "95 % interval"]
    titles = ("Kind", "Score", "95 % interval", *on, "Environment", "Scenario")
    head = element("tr", *(element("th", text, scope="col") for text in titles))
    body = []
    for find in atlas["found"]:
        link = element("a", "file", href=find["scenario"])
        entries = [find] if kernel is None else [find, find["linux"]]
        cells = (*(text for entry in entries for text in _numbers(entry)), find["words"], link)
        body.append(element("tr", element("th", find["kind"], scope="row"), *(element("td", each) for each in cells)))
    caption = f"{atlas['algorithm']} against {atlas['against']}"
    table = element(
        "table", element("caption", caption), element("thead", head), element("tbody", *body), class_="sheet"
    )
    return element("div", table, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _notes(atlas: Mapping[str, Any]) -> list[Markup]:
    texts = [NOTE] if atlas["kernel"] is None else [NOTE, NOTE_OF_KERNELS]
    return [element("p", text, class_="note") for text in texts]


def _numbers(entry: Mapping[str, Any]) -> list[str]:
    return [f"{entry['score']:.2f}", " to ".join(f"{end:.2f}" for end in entry["interval"])]


def _map(kind: str, meaning: str, atlas: Mapping[str, Any]) -> Figure | None:
    cells = [each for each in atlas["cells"] if each["kind"] == kind]
    if not cells:
        return None
    across, down = atlas["axes"]["buffer"], atlas["axes"]["bdp"]

    def draw(paper: Paper) -> Sequence[Panel]:
        panel = rows_panel(paper, Axis.of_names("Buffer", across), "Bandwidth-delay product", down, row=34.0)
        for each in cells:
            at = (across.index(each["buffer"]), down.index(each["bdp"]))
            text = f"{each['score']:.2f}"
            read = f"{each['bdp']}, {each['buffer']}: {text}"
            panel.tile("score", at, LOOK, min(max(each["score"], 0.0), 1.0), (text, read))
        return [panel]

    caption = (
        f"Highest score found, {meaning}, by bandwidth-delay product and buffer; one replication each.",
        "0 is the reference's own performance, and negative is better than it.",
    )
    return Figure(f"map-{kind}", f"Map of {kind}", caption, (), draw)


def _curves(place: int, find: Mapping[str, Any], curves: Curves) -> Figure:
    values = [value for _, each in curves.values() for value in each]
    last = max((times[-1] for times, _ in curves.values() if times), default=1.0)

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis("Time", SECONDS, 0.0, last)
        up = Axis("Goodput", BITS_PER_SECOND, 0.0, 1.05 * max(values, default=1.0) or 1.0)
        (panel,) = stacked_panels(paper, [(across, up, "")])
        for name, (times, each) in curves.items():
            panel.line(name, np.array(times), np.array(each), style_of(name))
        return [panel]

    keys = [Key(name, name, "line", style_of(name)) for name in curves]
    title = f"{find['kind']}: {find['words']}"
    return Figure(f"find-{place + 1}", title, ("Goodput of the flows under test, means over a second.",), keys, draw)


LOOK = Style(0, 0, 0)
NOTE = (
    "A score is the part of a performance that is lost against the reference in the same environment with the same "
    "seeds. Each find was simplified as long as four fifths of its score remained, and repeated on fresh seeds; one "
    "whose interval reaches 0 has no scenario file. A search that finds nothing shows no absence."
)
NOTE_OF_KERNELS = (
    "Every find was repeated with the TCP of the kernel, algorithm and reference, in the same replications. Where that "
    "interval reaches 0, the kernel does not confirm what the simulator shows."
)
