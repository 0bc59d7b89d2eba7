"""What incumbents keep beside contenders: heat maps of all pairs.

Source: A. Philip, R. Athapathu, R. Ware, F. F. Mkocheko, A. Schlomer, M. Shou, Z. Meng, S. Seshan and J. Sherry,
"Prudentia: Findings of an Internet fairness watchdog", ACM SIGCOMM 2024: rows are contenders, columns incumbents, a
field is the part of its max-min fair share that the incumbent gets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.report.drawing.figure import Figure, Key
from narrows.report.drawing.plot import BETWEEN, HEAD, RIGHT, Axis, Box, Panel
from narrows.report.drawing.scale import NO_DATA, SECONDS
from narrows.report.drawing.style import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from narrows.report.drawing.figure import Paper
    from narrows.statistics import Estimate

    # By contender and incumbent, the estimates of that pair by name.
    Pairs = Mapping[tuple[str, str], Mapping[str, Estimate]]


@dataclass(frozen=True)
class Quantity:
    """A quantity that a map of pairs shows.

    Attributes:
        name: Name of the estimate.
        title: Title of the map.
        says: Read-out of a tile, with `{contender}`, `{incumbent}`, `{value}` and `{unit}`.
        scale: Factor of the unit as written, in the unit of the estimate; None to derive it from the values.
        middle: Value at which the hue changes; None for a single hue.
        strength: Returns the saturation, 0 to 1, from a value and the largest one.
    """

    name: str
    title: str
    says: str
    scale: float | None
    middle: float | None
    strength: Callable[[float, float], float]


def pair_maps(name: str, title: str, pairs: Pairs, wanted: Sequence[Quantity], basis: str) -> Figure:
    """Draw a map per quantity, stacked, with a tile per pair.

    Args:
        name: Anchor of the figure.
        title: Heading of the figure.
        pairs: Estimates of the pairs, in the order of rows; a pair without a value has no tile.
        wanted: The quantities to show.
        basis: Sentence on the data behind the figure.
    """
    names = list(dict.fromkeys(contender for contender, _ in pairs))
    styles = {_key(each, _mean(found[each.name])) for found in pairs.values() for each in wanted}

    def draw(paper: Paper) -> Sequence[Panel]:
        left = paper.beside(names)
        tall = ROW * len(names)
        panels = []
        for place, each in enumerate(wanted):
            box = Box(left, HEAD + place * (tall + BETWEEN + UNDER), paper.width - left - RIGHT, tall)
            across, down = Axis.of_names("Incumbent", names), Axis.of_names("Contender", names, inverted=True)
            panel = Panel(box, across, down, title=f"{each.title}, {_scale(each, pairs)[1]}")
            _fill(panel, each, names, pairs)
            panels.append(panel)
        return panels

    caption = (
        "Rows are contenders, columns incumbents; ± is half of a 95 % interval.",
        *(COLOURS[each.name] for each in wanted if each.name in COLOURS),
        basis,
    )
    keys = [key for key in KEYS if key.name in styles]
    return Figure(name, title, caption, keys, draw)


def _fill(panel: Panel, wanted: Quantity, names: Sequence[str], pairs: Pairs) -> None:
    values = [abs(_mean(found[wanted.name])) for found in pairs.values()]
    most = max((value for value in values if math.isfinite(value)), default=0.0)
    factor, unit = _scale(wanted, pairs)
    for row, contender in enumerate(names):
        for column, incumbent in enumerate(names):
            found = pairs.get((contender, incumbent), {}).get(wanted.name)
            value = _mean(found) if found else math.nan
            if found is None or not math.isfinite(value):
                continue
            text = field_text(found, factor)
            sentence = wanted.says.format(contender=contender, incumbent=incumbent, value=text, unit=unit)
            key = _key(wanted, value)
            panel.tile(key, (column, row), LOOKS[key], wanted.strength(value, most), (text, sentence))


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


def _mean(found: Estimate) -> float:
    return math.nan if found["mean"] is None else found["mean"]


def _scale(wanted: Quantity, pairs: Pairs) -> tuple[float, str]:
    if wanted.scale is not None:
        return wanted.scale, "%"
    values = [abs(_mean(found[wanted.name])) for found in pairs.values()]
    return SECONDS.best(max((value for value in values if value == value), default=1.0))  # noqa: PLR0124  # NaN


def _key(wanted: Quantity, value: float) -> str:
    if wanted.middle is None:
        return "amount"
    better = value >= wanted.middle if wanted.name == "share" else value <= wanted.middle
    return "more" if better else "less"


def _of_share(part: float, _most: float) -> float:
    """Return how full the hue is: 0 at the fair share, 1 at a quarter or at four times it and beyond."""
    return _visible(min(abs(math.log2(part)) / 2, 1.0)) if part > 0 else 1.0


def _of_harm(part: float, _most: float) -> float:
    return _visible(min(abs(part), 1.0))


def _visible(part: float) -> float:
    """Return how full a hue is that stands for a part of its range, so that on dark paper, too, a tenth shows."""
    return math.pow(part, GAMMA)


def _of_amount(value: float, most: float) -> float:
    return value / most if most > 0 else 0.0


SHARE = Quantity(
    "share",
    "Share of its fair rate",
    "{incumbent} beside {contender}: {value} {unit} of its fair share",
    0.01,
    1.0,
    _of_share,
)
HARM = Quantity(
    "harm",
    "Harm to goodput",
    "{incumbent} beside {contender} loses {value} {unit} of the goodput that it has alone",
    0.01,
    0.0,
    _of_harm,
)
DELAY_HARM = Quantity(
    "delay_harm",
    "Harm to delay",
    "{value} {unit} of the delay of {incumbent} beside {contender} is the contender's doing",
    0.01,
    0.0,
    _of_harm,
)
QUEUE_DELAY = Quantity(
    "queue_delay_s",
    "Queueing delay",
    "packets of {incumbent} and {contender} wait {value} {unit} in the queue on average",
    None,
    None,
    _of_amount,
)
RETRANSMITTED = Quantity(
    "retransmission_rate",
    "Retransmitted by the incumbent",
    "{incumbent} beside {contender} sends {value} {unit} of its packets again",
    0.01,
    None,
    _of_amount,
)
EXCESS = Quantity(
    "excess_harm",
    "Excess harm to goodput",
    "{incumbent} beside {contender} loses {value} {unit} more of what it has alone than beside its own kind",
    0.01,
    0.0,
    _of_harm,
)
ALL = (EXCESS, SHARE, HARM, DELAY_HARM, QUEUE_DELAY, RETRANSMITTED)
COLOURS = {
    "excess_harm": (
        "Excess harm is what the incumbent loses beside the contender less what it loses beside its own kind, "
        "in percentage points of what it has alone."
    ),
    "share": "A share is goodput over the max-min fair one; its colour changes at 100, a half as full as a double.",
    "harm": "Harm is the part of what the incumbent has alone that it loses; below 0 it gains.",
}
LOOKS = {"less": Style(1, 0, 0), "more": Style(0, 0, 0), "amount": Style(7, 0, 0)}
KEYS = (
    Key("less", "less than the fair share, or harmed", "fill", LOOKS["less"]),
    Key("more", "the fair share or more, or not harmed", "fill", LOOKS["more"]),
    Key("amount", "the fuller the more", "fill", LOOKS["amount"]),
)
ROW = 32.0
GAMMA = 0.6
# Names below each map, in drawing units.
UNDER = 34.0
# From here on a field has no room for decimals, and no need.
TENS = 10
