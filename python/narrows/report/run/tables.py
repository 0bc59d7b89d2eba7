"""The tables of measures: a row per measure, a column per flow group, link or algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.report.drawing.scale import NO_DATA, quantity
from narrows.report.drawing.style import style_of
from narrows.report.drawing.svg import Markup, element, join
from narrows.report.drawing.swatch import swatch
from narrows.report.page.estimates import difference_texts, interval_text
from narrows.report.page.metrics import Meaning, meaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.report.drawing.style import Style
    from narrows.report.run.data import Comparison, Measure, Run


_Head = tuple[str, "Style | None"]
_Row = tuple[str, Meaning, "Sequence[Markup]"]


def run_tables(run: Run) -> Markup:
    """Return the tables of a run: its flow groups, its links."""
    groups = [(group, style_of(run.algorithms[group])) for group in run.groups]
    return join(
        (
            _owners("Flow groups", "group", groups, run.groups),
            _owners("Links", "link", [(link, None) for link in run.links], run.links),
        )
    )


def comparison_tables(comparison: Comparison) -> Markup:
    """Return the tables of a comparison: a table per flow group and per link, a column per algorithm."""
    first = comparison.runs[0]
    parts = []
    for place, group in enumerate(first.groups):
        named = {list(run.groups)[place] for run in comparison.runs}
        title = f"Flow group {group}" if len(named) == 1 else "Flows"
        parts.append(_side_by_side(comparison, title, "groups", place))
    parts += [
        _side_by_side(comparison, f"Link {link}", "links", place, minor=link not in first.shared_links)
        for place, link in enumerate(first.links)
    ]
    return join(parts)


def _owners(
    title: str, owner: str, heads: Sequence[tuple[str, Style | None]], owners: Mapping[str, Mapping[str, Measure]]
) -> Markup:
    rows = [
        (name, meaning(name, owner), [_cell(measures.get(name), meaning(name, owner)) for measures in owners.values()])
        for name in _names(list(owners.values()))
    ]
    return _tables(title, heads, rows)


def _side_by_side(comparison: Comparison, title: str, kind: str, place: int, *, minor: bool = False) -> Markup:
    columns = [list(getattr(run, kind).values())[place] for run in comparison.runs]
    heads = [(run.name, style_of(run.name)) for run in comparison.runs]
    differences = [
        getattr(difference, kind)[place] if (difference := comparison.against_first(run.name)) else {}
        for run in comparison.runs
    ]
    rows = []
    for name in _names(columns):
        meant = meaning(name, kind.removesuffix("s"))
        cells = [
            join((_cell(measures.get(name), meant), _difference(difference.get(name), meant)))
            for measures, difference in zip(columns, differences, strict=True)
        ]
        rows.append((name, meant, cells))
    return _tables(title, heads, rows, minor=minor)


def _names(columns: Sequence[Mapping[str, Measure]]) -> list[str]:
    """Return the measures of which any column has data, in the order of the summary."""
    names = dict.fromkeys(name for measures in columns for name in measures)
    return [name for name in names if any(name in each and each[name].mean is not None for each in columns)]


def _cell(measure: Measure | None, meant: Meaning) -> Markup:
    if measure is None or measure.mean is None:
        return element("span", NO_DATA, class_="none", title="no data")
    value = element("data", quantity(measure.mean, meant.unit), value=repr(measure.mean))
    if measure.interval is None:
        return value
    text = interval_text(measure.interval, measure.mean, meant.unit)
    return join((value, element("span", text, class_="ci"))) if text else value


def _difference(measure: Measure | None, meant: Meaning) -> Markup:
    if measure is None or measure.mean is None:
        return Markup("")
    if measure.mean == 0 and measure.interval in {None, (0.0, 0.0)}:
        return element("span", "= no difference", class_="difference plain")
    text, ends = difference_texts(measure.mean, measure.interval, meant.unit)
    css, word, sign = _JUDGED.get(measure.verdict, _JUDGED["undecided"])
    margin = f"a difference matters from {quantity(measure.margin, meant.unit)} on" if measure.margin else None
    return element(
        "span",
        element("span", sign, aria_hidden="true"),
        " ",
        element("data", text, value=repr(measure.mean)),
        element("span", ends, class_="ci") if ends else "",
        element("span", word, class_="visually-hidden"),
        class_=f"difference {css}",
        title=margin,
    )


def _tables(title: str, heads: Sequence[_Head], rows: Sequence[_Row], *, minor: bool = False) -> Markup:
    """Return the table of the leading measures, and behind a disclosure the others, or all where it is `minor`."""
    leading = [] if minor else [row for row in rows if row[0] in LEADING] or rows
    others = [row for row in rows if row not in leading]
    if not others:
        return _table(title, heads, leading)
    summary = title if minor else f"{len(others)} more measures of {title[0].lower()}{title[1:]}"
    folded = element("details", element("summary", summary), _table(summary, heads, others, named=False))
    return join((_table(title, heads, leading) if leading else "", folded))


def _table(title: str, heads: Sequence[_Head], rows: Sequence[_Row], *, named: bool = True) -> Markup:
    head = element(
        "tr",
        element("th", "Measure", scope="col"),
        *(element("th", _head(name, style), scope="col") for name, style in heads),
    )
    body = [
        element(
            "tr",
            element("th", meant.title, scope="row"),
            *(element("td", cell) for cell in cells),
            data_measure=name,
        )
        for name, meant, cells in rows
    ]
    table = element(
        "table",
        element("caption", title, class_=None if named else "visually-hidden"),
        element("thead", head),
        element("tbody", *body),
        class_="measures many" if len(heads) > _FEW else "measures",
    )
    return element("div", table, class_="scroll", role="region", aria_label=title, tabindex="0")


def _head(name: str, style: Style | None) -> Markup:
    return join((swatch("line", style), " ", name)) if style else join((name,))


# What is looked at first; the rest is folded away.
LEADING = frozenset(
    {
        "goodput_bps",
        "goodput_fraction",
        "jain",
        "loss_rate",
        "rtt_mean_s",
        "delay_p95_s",
        "cwnd_mean_packets",
        "reduction_interval_s",
        "timeouts",
        "completion_time_s",
        "slowdown",
        "utilization",
        "queue_mean_packets",
        "queue_delay_mean_s",
        "queue_delay_p95_s",
        "dropped_packets",
    }
)

# With more columns than this, a difference and its interval stand on two lines.
_FEW = 3

# What is said of a difference: CSS class, words, sign.
_JUDGED = {
    "better": ("better", "clearly better", "▲"),
    "worse": ("worse", "clearly worse", "▼"),
    "different": ("plain", "clearly different", "◆"),
    "same": ("plain", "no difference that matters", "≈"),
    "undecided": ("plain", "undecided", "?"),
}
