# SPDX-License-Identifier: Apache-2.0
"""The tables of metrics and of differences: a row per metric, a column per flow group, link or algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from narrows._internal.comparison import Contrast
from narrows._internal.drawing.figure import swatch
from narrows._internal.drawing.scale import NO_DATA, PERCENT, PERCENT_POINTS, bound_text, fixed
from narrows._internal.drawing.style import Style
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.metrics.access import AS_OF_LINKS
from narrows._internal.metrics.perceived import APPLICATIONS, PERCEIVED
from narrows._internal.page.blocks import JUDGED, row, table
from narrows._internal.page.estimates import difference_texts, ends_text
from narrows._internal.page.metrics import Meaning, meaning
from narrows._internal.report.run.data import Comparison, Measure, Run
from narrows._internal.report.run.figures import frame
from narrows._internal.rounding import ALL_RUNS, decimals_of, estimate_decimals
from narrows._internal.statistics import EQUAL

_Head = tuple[str, "Style | None"]
_Row = tuple[str, Meaning, str, "Sequence[Markup]"]


def run_tables(run: Run) -> Markup:
    """Return the tables of a run: its flow groups, its links."""
    groups = list(frame.of_groups(run).items())
    links = {**run.links, **{f"access links of {group}": each for group, each in run.access_links.items()}}
    return join(
        (
            _tables("Flow groups", groups, _values(list(run.groups.values()), "group")),
            _tables("Links", [(link, None) for link in links], _values(list(links.values()), "link")),
        )
    )


def comparison_tables(comparison: Comparison) -> Markup:
    """Return the tables of a comparison: a table per flow group and per link, a column per algorithm."""
    heads = [(run.name, run.style) for run in comparison.runs]
    leading = _leading(comparison)
    return join(
        _tables(title, heads, _values([list(getattr(run, kind).values())[place] for run in comparison.runs], kind[:-1]),
                minor=minor, leading=leading)
        for title, kind, place, minor in _owners(comparison)
    )  # fmt: skip


def _leading(comparison: Comparison) -> frozenset[str]:
    """Return the leading metrics, with metrics of access links if these are the bottleneck."""
    return LEADING.union(AS_OF_LINKS if any(run.access_links for run in comparison.runs) else ())


def difference_tables(comparison: Comparison) -> Markup:
    """Return the tables of paired differences to the first run of each contrast: per flow group and per link."""
    drawn = [(contrast, _difference_tables(comparison, contrast)) for contrast in comparison.contrasts]
    if len(drawn) == 1:
        return drawn[0][1]
    # If several factors vary, the page is as long as its open parts.
    return join(
        element("details", element("summary", f"{contrast.factor}{f' at {contrast.place}' if contrast.place else ''}"),
                element("div", tables, class_="tables"), class_="contrast")
        for contrast, tables in drawn if tables
    )  # fmt: skip


def _difference_tables(comparison: Comparison, contrast: Contrast) -> Markup:
    (level, first), *others = contrast.runs.items()
    found = {each: comparison.difference(run, first) for each, run in others}
    known = {each: difference for each, difference in found.items() if difference is not None}
    against = contrast.label(level)
    heads: list[_Head] = [
        (f"{contrast.label(each)} less {against}", comparison.run(contrast.runs[each]).style) for each in known
    ]
    if not heads:
        return Markup("")
    at = f" ({contrast.place})" if contrast.place else ""
    return join(
        _tables(f"{title}: differences to {against}{at}", heads,
                _differences([getattr(each, kind)[place] for each in known.values()], kind[:-1]), minor=minor,
                leading=_leading(comparison))
        for title, kind, place, minor in _owners(comparison)
    )  # fmt: skip


def _owners(comparison: Comparison) -> list[tuple[str, str, int, bool]]:
    """Return title, kind, place and whether it is minor, of each flow group and link of a comparison."""
    first = comparison.runs[0]
    owners = []
    for place, group in enumerate(first.groups):
        named = {list(run.groups)[place] for run in comparison.runs}
        owners.append((f"Flow group {group}" if len(named) == 1 else "Flows", "groups", place, False))
    owners += [
        (f"Link {link}", "links", place, link not in first.shared_links) for place, link in enumerate(first.links)
    ]
    is_wide, is_long = len(comparison.runs) > BESIDE, len(first.groups) > OPEN_BESIDE
    opened = [(title, kind) for title, kind, _, minor in owners if not minor][: OPEN if is_wide or is_long else None]
    # The first link stands beside a group.
    opened += [(title, kind) for title, kind, _, minor in owners if kind == "links" and not minor][: not is_wide]
    return [(title, kind, of, (title, kind) not in opened) for title, kind, of, _ in owners]


def _values(columns: Sequence[Mapping[str, Measure]], owner: str) -> list[_Row]:
    """Return a row per metric, in one multiple of its unit; numbers without an interval have as many decimals."""
    rows: list[_Row] = []
    for name in _names(columns):
        meant = meaning(name, owner)
        means = [each[name].mean for each in columns if name in each]
        greatest = max((abs(mean) for mean in means if mean is not None), default=0.0)
        factor, written = meant.unit.best(greatest) if greatest else meant.unit.best(1.0)
        counted = not written and all(mean is None or mean == round(mean) for mean in means)
        # 99.9 % and 100 % must stay distinct.
        least = 1 if meant.unit is PERCENT else 0
        decimals = 0 if counted else max(decimals_of(greatest / factor), least)
        cells = [_cell(each.get(name), factor, decimals) for each in columns]
        rows.append((name, meant, written, cells))
    return rows


def _differences(columns: Sequence[Mapping[str, Measure]], owner: str) -> list[_Row]:
    rows: list[_Row] = []
    for name in _names(columns):
        meant = meaning(name, owner)
        margin = next((each[name].margin for each in columns if name in each and each[name].margin), None)
        matters = (
            f"matters from {bound_text(margin, PERCENT_POINTS if meant.unit is PERCENT else meant.unit)} on"
            if margin
            else ""
        )
        rows.append((name, meant, matters, [_difference(each.get(name), meant) for each in columns]))
    return rows


def _names(columns: Sequence[Mapping[str, Measure]]) -> list[str]:
    """Return the metrics of which any column has data: user-perceived ones first, then in the order of the summary."""
    found = dict.fromkeys(name for measures in columns for name in measures)
    # User-perceived metrics come first.
    names = [*(name for name in PERCEIVED if name in found), *(name for name in found if name not in PERCEIVED)]
    return [name for name in names if any(name in each and each[name].mean is not None for each in columns)]


def _cell(measure: Measure | None, factor: float, decimals: int) -> Markup:
    if measure is None or measure.mean is None:
        return element("span", NO_DATA, class_="none", title="no data")
    mean = measure.mean / factor
    low, high = (end / factor for end in measure.interval or (measure.mean, measure.mean))
    shared = estimate_decimals(mean, low, high)
    ends = None if shared is None else ends_text(mean, low, high, shared)
    if measure.method == EQUAL:
        bound = "all runs have this value" + (f"; with 95 % confidence the mean is {ends}" if ends else "")
        value = element("data", fixed(mean, decimals), value=repr(measure.mean))
        return join((value, element("span", ALL_RUNS, class_="ci", title=bound)))
    value = element("data", fixed(mean, decimals if shared is None else shared), value=repr(measure.mean))
    return value if ends is None else join((value, element("span", ends, class_="ci")))


def _difference(measure: Measure | None, meant: Meaning) -> Markup:
    if measure is None or measure.mean is None:
        return element("span", NO_DATA, class_="none", title="no data")
    text, ends = difference_texts(measure.mean, measure.interval, meant.unit)
    css, word, sign = JUDGED.get(measure.verdict, JUDGED["undecided"])
    return element(
        "span",
        element("span", sign, aria_hidden="true"),
        " ",
        element("data", text, value=repr(measure.mean)),
        element("span", ends, class_="ci") if ends else "",
        element("span", word, class_="verdict-word"),
        class_=f"difference {css}",
    )


def _tables(
    title: str,
    heads: Sequence[_Head],
    rows: Sequence[_Row],
    *,
    minor: bool = False,
    leading: AbstractSet[str] | None = None,
) -> Markup:
    """Return the table of the `leading` metrics, and behind a disclosure the others, or all if it is `minor`."""
    if len(heads) > COLUMNS:
        # As many columns as a page of 1280 pixels has room for.
        count = -(-len(heads) // COLUMNS)
        width = -(-len(heads) // count)
        cuts = range(0, len(heads), width)
        closed = [minor or place > PARTS for place in range(1, len(cuts) + 1)]
        parts = (
            _tables(f"{title} ({place} of {len(cuts)})", heads[cut : cut + width],
                    [(name, of, unit, each[cut : cut + width]) for name, of, unit, each in rows],
                    minor=closed[place - 1], leading=leading)
            for place, cut in enumerate(cuts, 1)
        )  # fmt: skip
        return join(parts)
    across = "across" if len(heads) > BESIDE else None
    first = [] if minor else [each for each in rows if each[0] in (leading or LEADING)] or rows
    others = [each for each in rows if each not in first]
    if not others:
        return element("div", _table(title, heads, first), class_=across)
    summary = title if minor else f"{len(others)} more measures of {title[0].lower()}{title[1:]}"
    folded = element("details", element("summary", summary), _table(summary, heads, others, named=False))
    return element("div", _table(title, heads, first) if first else "", folded, class_=across)


def _table(title: str, heads: Sequence[_Head], rows: Sequence[_Row], *, named: bool = True) -> Markup:
    body = [
        row(
            join((meant.title, *((" ", element("span", unit, class_="unit")) if unit else ()))),
            *cells,
            data_measure=name,
        )
        for name, meant, unit, cells in rows
    ]
    columns = ["Measure", *(_head(name, style) for name, style in heads)]
    return table(title, columns, body, "measures", named=named)


def _head(name: str, style: Style | None) -> Markup:
    """Return the head of a column: a swatch, and each level of the name, of which a line may have several."""
    levels = Markup(" ".join(element("span", part, class_="level") for part in name.split(", ")))
    return join((swatch("line", style), " ", levels)) if style else levels


# Columns of a table at most, and of one that has another beside it.
COLUMNS = 6
BESIDE = 2
# Tables across the page that are not folded away.
OPEN = 1
# Groups whose tables stand beside one another and are not.
OPEN_BESIDE = 2
# The leading metrics; the rest is folded away.
LEADING = frozenset(
    {
        *APPLICATIONS,
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
# Parts of a table of many runs that are not folded.
PARTS = 3
