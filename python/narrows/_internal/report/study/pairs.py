# SPDX-License-Identifier: Apache-2.0
"""The performance of incumbents beside contenders: heat maps of all pairs.

Source: A. Philip, R. Athapathu, R. Ware, F. F. Mkocheko, A. Schlomer, M. Shou, Z. Meng, S. Seshan and J. Sherry,
"Prudentia: Findings of an Internet fairness watchdog", ACM SIGCOMM 2024: rows are contenders, columns incumbents, a
field is the part of its max-min fair share that the incumbent gets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import BETWEEN, HEAD, RIGHT, Axis, Box, Panel
from narrows._internal.drawing.scale import NO_DATA, PERCENT, SECONDS
from narrows._internal.drawing.style import Style, apart
from narrows._internal.frozen import frozen
from narrows._internal.metrics.criteria import margin_of
from narrows._internal.page.estimates import estimate_text, how_made
from narrows._internal.report.study.rows import around, rows_panel
from narrows._internal.statistics import Estimate, ends_of, mean_of

if TYPE_CHECKING:
    from narrows._internal.analysis.pairs import Meeting

    # By contender and incumbent, the estimates of the pair by name.
    Pairs = Mapping[tuple[str, str], Mapping[str, Estimate]]


@frozen
class Basis:
    """The data behind a figure."""

    text: str  # sentence on them
    replications: int  # number of replications

    def made(self, found: Iterable[Mapping[str, Estimate]], wanted: Quantity, what: str) -> str:
        """Return the sentence on the method of the intervals of a quantity."""
        shown = [each[wanted.name] for each in found]
        return how_made((each["interval_method"] for each in shown if each["ci95"]), self.replications, what)


@frozen
class Quantity:
    """A quantity that a map of pairs shows."""

    name: str  # name of the estimate
    title: str  # title of the map
    says: str  # read-out of a tile, with `{contender}`, `{incumbent}`, `{value}` and `{unit}`
    # Factor of the unit as written, in the unit of the estimate, and its text; None to derive both from the values.
    scale: tuple[float, str] | None
    middle: float | None  # value at which the hue changes; None for a single hue
    # Returns the amount that the fill of a value shows; it is full at the largest amount of a figure.
    amount: Callable[[float], float]
    least: float  # amount from which on a value matters; no smaller one is full
    words: Mapping[str, str]  # meaning of each hue: "less" and "more", or "amount" for a single one


def pair_map(name: str, pairs: Pairs, wanted: Quantity, basis: Basis, *, opens: bool = False) -> Figure:
    """Draw a map with a tile per pair."""
    names = list(dict.fromkeys(contender for contender, _ in pairs))

    def draw(paper: Paper) -> Sequence[Panel]:
        left = paper.beside(names)
        box = Box(left, HEAD, paper.width - left - RIGHT, ROW * len(names))
        across, down = Axis.of_names("Incumbent", names), Axis.of_names("Contender", names, inverted=True)
        panel = Panel(box, across, down, title=f"In {_scale(wanted, pairs)[1]}")
        _fill(panel, wanted, names, pairs, _most(wanted, [pairs]), opens=opens)
        return [panel]

    caption = (
        "Rows are contenders, columns incumbents. The strongest field is full.",
        basis.made(pairs.values(), wanted, HALVES),
        COLOURS.get(wanted.name, ""),
        basis.text,
    )
    return Figure(name, wanted.title, caption, _keys(wanted, [pairs]), draw)


def _keys(wanted: Quantity, maps: Sequence[Pairs]) -> list[Key]:
    """Return the entries of the legend: the meanings of the hues in the maps."""
    used = {_key(wanted, mean_of(found[wanted.name])) for pairs in maps for found in pairs.values()}
    return [Key(name, text, "tile", LOOKS[name]) for name, text in wanted.words.items() if name in used]


def _most(wanted: Quantity, maps: Sequence[Pairs]) -> float:
    """Return the amount at which the fill of a figure is full: the largest of its maps, or the least that matters."""
    means = (mean_of(found[wanted.name]) for pairs in maps for found in pairs.values())
    return max(wanted.least, *(wanted.amount(mean) for mean in means if math.isfinite(mean)), 0.0)


def _fill(  # noqa: PLR0913  # a map
    panel: Panel, wanted: Quantity, names: Sequence[str], pairs: Pairs, most: float, *, opens: bool = False
) -> None:
    factor, unit = _scale(wanted, pairs)
    for row, contender in enumerate(names):
        for column, incumbent in enumerate(names):
            found = pairs.get((contender, incumbent), {}).get(wanted.name)
            value = mean_of(found) if found else math.nan
            if found is None or not math.isfinite(value):
                continue
            text = field_text(found, factor)
            sentence = wanted.says.format(contender=contender, incumbent=incumbent, value=text, unit=unit)
            key = _key(wanted, value)
            opened = pair_name(contender, incumbent) if opens and contender != incumbent else ""
            # In a small map fields have no text, only a read-out.
            texts = ("" if panel.box.width / len(names) < _FIELD else text, sentence)
            strength = math.pow(wanted.amount(value) / most, GAMMA) if most > 0 else 0.0
            panel.tile(key, (column, row), LOOKS[key], strength, texts, opens=opened)


def pair_name(one: str, other: str) -> str:
    """Return the anchor of the part of the page on two algorithms, in whatever order they are given."""
    return "pair-" + "-".join(re.sub(r"[^A-Za-z0-9]+", "-", each).strip("-") for each in sorted((one, other)))


def multiples(
    name: str, title: str, conditions: Mapping[tuple[str, ...], Pairs], wanted: Quantity, basis: Basis
) -> Figure:
    """Draw a small map per condition, side by side, all in the same colours."""
    names = list(dict.fromkeys(contender for pairs in conditions.values() for contender, _ in pairs))
    titles, most = _titles(list(conditions)), _most(wanted, list(conditions.values()))

    def draw(paper: Paper) -> Sequence[Panel]:
        left = paper.beside(names)
        columns = max(1, min(len(conditions), int((paper.width - left) / LEAST_WIDTH)))
        width = (paper.width - left - RIGHT - (columns - 1) * BESIDE) / columns
        row = min(ROW, max(LEAST_ROW, width / len(names)))
        tall, panels = row * len(names), []
        last = (len(conditions) - 1) // columns
        for place, (condition, pairs) in enumerate(conditions.items()):
            line, column = divmod(place, columns)
            box = Box(left + column * (width + BESIDE), HEAD + line * (tall + BETWEEN), width, tall)
            down = names if column == 0 else [""] * len(names)
            axes = Axis.of_names("Incumbent", names), Axis.of_names("", down, inverted=True)
            panel = Panel(box, *axes, title=titles[condition], foot=line == last)
            _fill(panel, wanted, names, pairs, most, opens=True)
            panels.append(panel)
        return panels

    caption = (
        f"{wanted.title} under each condition. A field is full at the strongest of all.",
        "Rows are contenders, columns incumbents.",
        basis.made((each for pairs in conditions.values() for each in pairs.values()), wanted, HALVES),
        basis.text,
    )
    return Figure(name, title, caption, _keys(wanted, list(conditions.values())), draw)


def curves(
    both: tuple[str, str],
    found: Sequence[Meeting],
    conditions: Sequence[tuple[str, ...]],
    wanted: Quantity,
    basis: Basis,
) -> Figure:
    """Draw a quantity of two algorithms beside each other under every condition, with intervals."""
    places = {condition: place for place, condition in enumerate(conditions)}
    styles = apart(both)
    ends = [end for each in found for end in ends_of(each.found[wanted.name]) if math.isfinite(end)]
    unit = SECONDS if wanted.scale is None else PERCENT
    names = list(_titles(conditions).values())

    def draw(paper: Paper) -> Sequence[Panel]:
        across = around(wanted.title, unit, [*ends, *([] if wanted.middle is None else [wanted.middle])])
        panel = rows_panel(paper, across, "", names, row=26.0)
        for each in found:
            mean = mean_of(each.found[wanted.name])
            if each.condition is None or not math.isfinite(mean):
                continue
            # Both stand in the row of their condition, one above the other.
            at = (mean, places[each.condition] + (-0.16 if each.incumbent == both[0] else 0.16))
            style = styles[each.incumbent]
            low, high = ends_of(each.found[wanted.name])
            panel.whiskers(each.incumbent, at, (low, high), (at[1], at[1]), style)
            text = estimate_text(mean, (low, high), unit, each.found[wanted.name]["interval_method"])
            panel.event(each.incumbent, at, style, f"{each.incumbent}, {', '.join(each.condition)}: {text}")
        return [panel]

    keys = [Key(each, f"{each} beside the other", "dot", styles[each]) for each in both]
    title = f"{wanted.title}: {both[0]} and {both[1]}"
    caption = (
        f"{wanted.title} of each beside the other, under each condition.",
        basis.made((each.found for each in found), wanted, "Error bars are"),
        basis.text,
    )
    return Figure(f"{pair_name(*both)}-{wanted.name.replace('_', '-')}", title, caption, keys, draw)


def _titles(conditions: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Return a name for each condition, of the levels that are not the same in all."""
    differing = [place for place, levels in enumerate(zip(*conditions, strict=True)) if len(set(levels)) > 1]
    return {each: ", ".join(each[place] for place in differing) or ", ".join(each) for each in conditions}


def field_text(found: Estimate, scale: float) -> str:
    """Return an estimate as the text of a tile: mean and half-width of its interval, in few digits."""
    mean = found["mean"]
    if mean is None:
        return NO_DATA
    value = mean / scale
    decimals = 0 if abs(value) >= TENS else 1
    if found["ci95"] is None:
        return _number(value, decimals)
    low, high = found["ci95"]
    return f"{_number(value, decimals)} ± {(high - low) / 2 / scale:.{decimals}f}"


def _number(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "\N{MINUS SIGN}")


def _scale(wanted: Quantity, pairs: Pairs) -> tuple[float, str]:
    if wanted.scale is not None:
        return wanted.scale
    values = [abs(mean_of(found[wanted.name])) for found in pairs.values()]
    return SECONDS.best(max((value for value in values if value == value), default=1.0))  # noqa: PLR0124  # NaN


def _key(wanted: Quantity, value: float) -> str:
    if wanted.middle is None:
        return "amount"
    better = value >= wanted.middle if wanted.name == "share" else value <= wanted.middle
    return "more" if better else "less"


def _of_share(part: float) -> float:
    """Return the doublings that a share is away from the fair one, at most two."""
    return min(abs(math.log2(part)), 2.0) if part > 0 else 2.0


# The least difference of shares that matters, as on the cards of metrics.
MARGIN = margin_of({"name": "excess_harm", "unit": "share"}).of(0.0)
HARMED = {"less": "harmed", "more": "not harmed"}
AMOUNT = {"amount": "the fuller the more"}
SHARE = Quantity(
    "share",
    "Share of its fair rate",
    "{incumbent} beside {contender}: {value} {unit} of its fair share",
    (0.01, "%"),
    1.0,
    _of_share,
    _of_share(1.0 + MARGIN),
    {"less": "less than the fair share", "more": "the fair share or more"},
)
HARM = Quantity(
    "harm",
    "Harm to goodput",
    "{incumbent} beside {contender} loses {value} {unit} of the goodput that it has alone",
    (0.01, "%"),
    0.0,
    abs,
    MARGIN,
    HARMED,
)
DELAY_HARM = Quantity(
    "delay_harm",
    "Harm to delay",
    "{value} {unit} of the delay of {incumbent} beside {contender} is the contender's doing",
    (0.01, "%"),
    0.0,
    abs,
    MARGIN,
    HARMED,
)
QUEUE_DELAY = Quantity(
    "queue_delay_s",
    "Queueing delay",
    "packets of {incumbent} and {contender} wait {value} {unit} in the queue on average",
    None,
    None,
    abs,
    0.0,
    AMOUNT,
)
RETRANSMITTED = Quantity(
    "retransmission_rate",
    "Retransmitted by the incumbent",
    "{incumbent} beside {contender} sends {value} {unit} of its packets again",
    (0.01, "%"),
    None,
    abs,
    0.0,
    AMOUNT,
)
EXCESS = Quantity(
    "excess_harm",
    "Excess harm to goodput",
    "{incumbent} beside {contender} loses {value} {unit} more of what it has alone than beside its own kind",
    (0.01, "pp"),
    0.0,
    abs,
    MARGIN,
    {"less": "loses more than beside its own kind", "more": "loses no more than beside its own kind"},
)
COLOURS = {
    "excess_harm": (
        "Excess harm is what the incumbent loses beside the contender less what it loses beside its own kind, "
        "in percentage points of what it has alone."
    ),
    "share": "A share is goodput over the max-min fair one; its colour changes at 100, a half as full as a double.",
    "harm": "Harm is the part of what the incumbent has alone that it loses; below 0 it gains.",
}
LOOKS = {"less": Style(1, 0, 0), "more": Style(0, 0, 0), "amount": Style(7, 0, 0)}
ROW = 32.0
# Of small maps: the least width of one, the least height of a row, the space between two, and the least width of a
# field with text, in drawing units.
LEAST_WIDTH = 150.0
LEAST_ROW = 16.0
BESIDE = 12.0
_FIELD = 52.0
GAMMA = 0.6
# From this value on, a field has neither room nor need for decimals.
TENS = 10
# The meaning of the number after ± in a field.
HALVES = "± is half the width of"
