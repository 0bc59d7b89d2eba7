# SPDX-License-Identifier: Apache-2.0
"""The page of an atlas: a map for each kind of score, and the simplest finds with their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import BITS_PER_SECOND, INDEX, MINUS, PERCENT, SECONDS, quantity
from narrows._internal.drawing.style import Style, apart
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.page import document as page
from narrows._internal.page.blocks import REPORT, facts, row, table, typed
from narrows._internal.page.estimates import estimate_text, estimate_texts
from narrows._internal.page.metrics import meaning
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.report.study.rows import rows_panel, stacked_panels

Curves = Mapping[str, tuple[list[float], list[float]]]


def atlas_page(atlas: Mapping[str, Any], curves: Sequence[Curves]) -> str:
    """Return the report of a search as one HTML document."""
    gravest = _gravest(atlas)
    kinds = [*gravest, *(kind for kind in atlas["kinds"] if kind not in gravest)]
    maps = [each for kind in kinds if (each := _map(kind, atlas["kinds"][kind], atlas)) is not None]
    drawn = [_curves(place, find, each) for place, (find, each) in enumerate(zip(atlas["found"], curves, strict=True))]
    more = (
        ("maps", "Maps", "Where it is worse in other ways", maps[FIRST:]),
        ("curves", "Curves", "What happens there", drawn),
    )
    parts = [
        page.answer(_answer(atlas, gravest), maps[:FIRST], REPORT, atlas.get("unlike", "")),
        page.section(
            "found", "The simplest finds", _table(atlas), *_notes(atlas), facts(typed(atlas["command"])), link="Finds"
        ),
        *(page.section(name, title, page.figure_grid(of, REPORT), link=link) for name, link, title, of in more if of),
    ]
    text = (
        f"{atlas['evaluations']} environments tried, {len(atlas['found'])} finds confirmed on fresh seeds, "
        f"{len(atlas['unconfirmed'])} not"
    )
    badge = element("p", text, class_="verdict absent")
    return page.document(atlas["title"], "Atlas", badge, parts, paste=_paragraph(atlas, gravest))


def _paragraph(atlas: Mapping[str, Any], gravest: Mapping[str, Mapping[str, Any]]) -> str:
    setting = (
        f"Environments in which {atlas['algorithm']} performed worse than {atlas['against']} were searched for "
        f"({counted(atlas['evaluations'], 'environment')} tried, seed {atlas['seed']}); "
        f"{counted(len(atlas['found']), 'find was', 'finds were')} confirmed on fresh seeds."
    )
    method = (
        "A score was the part of a performance that was lost against the reference in the same environment with the "
        "same seeds, with its 95 % confidence interval over replications."
    )
    return pasted(setting, method, _answer(atlas, gravest), atlas["command"])


def _gravest(atlas: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the gravest find of each kind, the gravest first."""
    gravest: dict[str, Mapping[str, Any]] = {}
    for find in sorted(atlas["found"], key=lambda each: each["score"], reverse=True):
        gravest.setdefault(find["kind"], find)
    return gravest


def _answer(atlas: Mapping[str, Any], gravest: Mapping[str, Mapping[str, Any]]) -> list[Markup]:
    if not gravest:
        return [join((f"No environment was found in which {atlas['algorithm']} is worse than {atlas['against']}.",))]
    said = []
    for kind, find in gravest.items():
        score = estimate_text(find["score"], find["interval"], PERCENT)
        text = f": {score}, {atlas['kinds'][kind]}, at {find['words']}."
        said.append(join((element("b", kind.capitalize()), text)))
    return said


def _table(atlas: Mapping[str, Any]) -> Markup:
    kernel = atlas["kernel"]
    on = [] if kernel is None else [f"On Linux {kernel['kernel']}", "95 % interval"]
    titles = ("Kind", "Scenario", "Score", "95 % interval", *on, "Environment, and what was measured there")
    rows = []
    for find in atlas["found"]:
        link = element("a", "file", href=find["scenario"])
        beside = [] if kernel is None else _numbers(find["linux"])
        where = join((find["words"], element("span", _measured(find, atlas), class_="ci")))
        rows.append(row(find["kind"], link, *_numbers(find), *beside, where))
    return table(f"{atlas['algorithm']} against {atlas['against']}", titles, rows)


def _notes(atlas: Mapping[str, Any]) -> list[Markup]:
    texts = [NOTE] if atlas["kernel"] is None else [NOTE, NOTE_OF_KERNELS]
    return [element("p", text, class_="note") for text in texts]


def _numbers(entry: Mapping[str, Any]) -> list[str]:
    return [*estimate_texts(entry["score"], entry["interval"], INDEX)]


def _measured(find: Mapping[str, Any], atlas: Mapping[str, Any]) -> str:
    """Return the values with both, as in "Goodput of rival: 1.3 Mbps, with cubic 6.3 Mbps"."""
    shown = meaning(find["metric"]).of(find["group"])
    value, reference = (quantity(find[name], shown.unit) for name in ("measured", "reference_measured"))
    return f"{shown.title}: {value}, with {atlas['against']} {reference}"


def _score(value: float) -> str:
    """Return a score with two decimals, or three letters if it is far below a possible part."""
    written = f"{value:.2f}" if value > _LOW else f"{value:.0f}"
    return "0.00" if written == "-0.00" else written.replace("-", MINUS)


def _map(kind: str, meaning: str, atlas: Mapping[str, Any]) -> Figure | None:
    cells = [each for each in atlas["cells"] if each["kind"] == kind]
    if not cells:
        return None
    # The axes have the unit, once.
    buffers, products = atlas["axes"]["buffer"], atlas["axes"]["bdp"]
    across, down = (_short(names) for names in (buffers, products))

    def draw(paper: Paper) -> Sequence[Panel]:
        # A narrow page has room for the lower end of each class only.
        wide = paper.name == "wide"
        axis = Axis.of_names("Buffer (BDP)", across) if wide else Axis.of_names("Buffer from (BDP)", _from(across))
        panel = rows_panel(paper, axis, "BDP (packets)", down, row=34.0)
        for each in cells:
            at = (buffers.index(each["buffer"]), products.index(each["bdp"]))
            text = _score(each["score"])
            read = f"{each['bdp']}, {each['buffer']}: {text}"
            panel.tile("score", at, LOOK, min(max(each["score"], 0.0), 1.0), (text, read))
        return [panel]

    caption = (
        f"Highest score found, {meaning}, by bandwidth-delay product and buffer; one replication each.",
        "0 is the reference's own performance, and negative is better than it.",
    )
    return Figure(f"map-{kind}", f"Map of {kind}", caption, (), draw)


def _short(names: Sequence[str]) -> list[str]:
    """Return the names of classes without their unit, as in "< 0.2", "0.2 … 0.4" and "≥ 6"."""
    words = {"below ": "< ", "from ": "≥ ", " to ": " … ", " packets": "", " BDP": ""}
    found = []
    for name in names:
        for word, sign in words.items():
            name = name.replace(word, sign)  # noqa: PLW2901  # one after the other
        found.append(name)
    return found


def _from(names: Sequence[str]) -> list[str]:
    """Return the lower end of each class: 0 for "< 0.2", 0.2 for "0.2 … 0.4" and 6 for "≥ 6"."""
    return ["0" if name.startswith("<") else name.removeprefix("≥ ").partition(" ")[0] for name in names]


def _curves(place: int, find: Mapping[str, Any], curves: Curves) -> Figure:
    values = [value for _, each in curves.values() for value in each]
    styles = apart(list(curves))
    last = max((times[-1] for times, _ in curves.values() if times), default=1.0)

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis("Time", SECONDS, 0.0, last)
        up = Axis("Goodput", BITS_PER_SECOND, 0.0, 1.05 * max(values, default=1.0) or 1.0)
        (panel,) = stacked_panels(paper, [(across, up, "")])
        for name, (times, each) in curves.items():
            panel.line(name, np.array(times), np.array(each), styles[name])
        return [panel]

    keys = [Key(name, name, "line", style) for name, style in styles.items()]
    title = f"{find['kind']}: {find['words']}"
    return Figure(f"find-{place + 1}", title, ("Goodput of the flows under test, means over a second.",), keys, draw)


# Maps beside the answer.
FIRST = 2
_LOW = -9.995
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
