"""The page of a study on two backends: every measure side by side, with links to the page of each backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.drawing.scale import quantity
from narrows.drawing.svg import Markup, element
from narrows.linux.backend import LINUX, SIMULATOR
from narrows.page import document as page
from narrows.page.estimates import interval_text
from narrows.page.metrics import meaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def beside_page(summary: Mapping[str, Any]) -> str:
    """Return the page of a matrix or deployment on both backends.

    Args:
        summary: The contents of its `summary.json`.
    """
    names = list(dict.fromkeys(name for each in summary["differences"] for name in each["measures"]))
    made = element("p", "Made again by ", element("code", summary["command"]))
    sections = [
        page.section("about", "What was measured", element("p", NOTE), _links(), made),
        *(page.section(_anchor(name), _title(name), _table(name, summary["differences"])) for name in names),
    ]
    links = [("about", "About"), *((_anchor(name), _title(name)) for name in names)]
    badge = element("p", f"{len(summary['differences'])} points on both backends", class_="verdict absent")
    header = page.page_header(summary["title"], "Both backends", badge, links)
    return page.document(f"{summary['title']} on both backends", header, sections)


def _links() -> Markup:
    entries = [element("a", f"Results on the {WORDS[on]}", href=f"{on}/report.html") for on in (SIMULATOR, LINUX)]
    return element("ul", *(element("li", each) for each in entries))


def _title(name: str) -> str:
    kind, owner, measure = name.split(".", 2)
    return meaning(measure, kind).of(owner).title


def _table(name: str, points: Sequence[Mapping[str, Any]]) -> Markup:
    kind, _, measure = name.split(".", 2)
    titles = ("Point", "Simulator", "Kernel", "Kernel minus simulator")
    head = element("tr", *(element("th", text, scope="col") for text in titles))
    body = []
    for point in points:
        entry = point["measures"].get(name)
        if entry is None:
            continue
        words = ", ".join(f"{factor} {level}" for factor, level in point["condition"].items())
        cells = [_estimate(entry[key], measure, kind) for key in (SIMULATOR, LINUX, "difference")]
        body.append(element("tr", element("th", words, scope="row"), *(element("td", each) for each in cells)))
    caption = element("caption", _title(name))
    table = element("table", caption, element("thead", head), element("tbody", *body), class_="sheet")
    return element("div", table, class_="scroll", role="region", aria_label=_title(name), tabindex="0")


def _estimate(found: Mapping[str, Any], measure: str, kind: str) -> str:
    if found["mean"] is None:
        return "-"
    unit = meaning(measure, kind).unit
    text = quantity(found["mean"], unit)
    ends = interval_text((found["ci95"][0], found["ci95"][1]), found["mean"], unit) if found["ci95"] else ""
    return f"{text} ({ends})" if ends else text


def _anchor(name: str) -> str:
    return name.replace(".", "-").replace("_", "-")


WORDS = {SIMULATOR: "simulator", LINUX: "kernel"}
NOTE = (
    "Every point ran in the simulator and with the TCP of the kernel, with the same seeds. Values are means over "
    "replications with 95 % intervals; differences are paired, replication by replication."
)
