"""Factors of a study: what is varied, and the values that each takes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from narrows.study import keys
from narrows.toml import inline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from narrows.study.document import Document, Entry, Node


@dataclass(frozen=True)
class Level:
    """One level of a factor.

    Attributes:
        label: What the factor's column of the results holds: text, a number or a boolean.
        moves: The values of the scenario's keys, by key path.
    """

    label: Any
    moves: Mapping[str, Any]


@dataclass(frozen=True)
class Range:
    """All values between two.

    Attributes:
        low: The lowest, in `unit`.
        high: The highest.
        unit: What is written behind the number; empty for a bare number.
        logarithmic: Equal ratios, not equal differences, take equal shares.
        whole: Only whole numbers, because both ends are.
    """

    low: float
    high: float
    unit: str
    logarithmic: bool
    whole: bool


@dataclass(frozen=True)
class Factor:
    """What is varied.

    Attributes:
        name: A key path, or a free name where several keys move together.
        levels: Its levels in the order of the file; empty for a range.
        span: Where the file names it.
        range: All values between two; None where levels are listed.
    """

    name: str
    levels: tuple[Level, ...]
    span: tuple[int, int]
    range: Range | None = None

    @property
    def paths(self) -> list[str]:
        """The key paths that it moves."""
        return list(self.levels[0].moves) if self.levels else [self.name]

    def at(self, value: float) -> Level:
        """Return the level of a value within the range, rounded to five digits."""
        number = float(f"{value:.5g}")
        if self.range is not None and self.range.unit:
            digits = f"{number:.12f}".rstrip("0").rstrip(".")
            return Level(digits + self.range.unit, {self.name: digits + self.range.unit})
        plain = round(value) if self.range is not None and self.range.whole else number
        return Level(plain, {self.name: plain})


def read_factors(document: Document, table: Node) -> list[Factor]:
    """Read `[factors]`, noting every fault in the document."""
    if not isinstance(table.value, dict):
        document.complain(table, "a table is needed", allowed='as in "path.rtt" = ["10ms", "100ms"]')
        return []
    read = [_factor(document, name, entry) for name, entry in table.entries.items()]
    factors = [factor for factor in read if factor is not None]
    moved: dict[str, str] = {}
    for factor in factors:
        for path in factor.paths:
            if path in moved:
                where = (factor.span, f"factors.{factor.name}")
                document.complain(where, f"{path} is moved by two factors", hint=f"the other is {moved[path]}")
            moved[path] = factor.name
    return factors


def _factor(document: Document, name: str, entry: Entry) -> Factor | None:
    node = entry.node
    first = name.split(".", maxsplit=1)[0]
    if name in keys.RESERVED or first in keys.RESERVED:
        document.complain((entry.span, node.path), f"`{name}` cannot be a factor", allowed=NO_FACTOR)
        return None
    match node.value:
        case list():
            return _listed(document, name, entry)
        case dict() if {"from", "to"} & set(node.value):
            return _ranged(document, name, entry)
        case dict():
            return _together(document, name, entry)
    document.complain(node, "a list of levels is needed", allowed=LEVELS)
    return None


def _listed(document: Document, name: str, entry: Entry) -> Factor | None:
    items = entry.node.items
    if not items:
        document.complain(entry.node, "there is no level", allowed=LEVELS)
        return None
    levels = [Level(_label(item.plain), {name: item.plain}) for item in items]
    _check_distinct(document, items, [level.label for level in levels])
    return Factor(name, tuple(levels), entry.span)


def _together(document: Document, name: str, entry: Entry) -> Factor | None:
    if name in SECTIONS:
        hint = f'write "{name}.KEY" = [...]'
        document.complain((entry.span, entry.node.path), "a key path stands in quotes", allowed=LEVELS, hint=hint)
        return None
    columns = dict(entry.node.entries)
    labels = columns.pop("labels", None)
    lists = {path: column.node for path, column in columns.items()}
    wrong = [node for node in [*lists.values(), *([labels.node] if labels else [])] if not isinstance(node.value, list)]
    for node in wrong:
        document.complain(node, "a list is needed", allowed="one value of this key for each level")
    if wrong or not lists:
        if not lists:
            document.complain((entry.span, entry.node.path), "moves no key", allowed=LEVELS)
        return None
    count = len(next(iter(lists.values())).items)
    for node in [*lists.values(), *([labels.node] if labels else [])]:
        if len(node.items) != count or count == 0:
            document.complain(
                (node.span, node.path),
                f"{len(node.items)} values, where the first key has {count}: all keys move together",
                allowed="lists of one length",
            )
            return None
    rows = [{path: node.items[index].plain for path, node in lists.items()} for index in range(count)]
    written = labels.node.items if labels else next(iter(lists.values())).items
    named = [item.plain for item in written] if labels else [", ".join(map(_short, row.values())) for row in rows]
    _check_distinct(document, written, named)
    levels = [Level(label, row) for label, row in zip(named, rows, strict=True)]
    return Factor(name, tuple(levels), entry.span)


def _ranged(document: Document, name: str, entry: Entry) -> Factor | None:
    table = entry.node.entries
    for key, inner in table.items():
        if key not in keys.names(keys.RANGE):
            document.unknown((inner.span, inner.node.path), f"unknown key `{key}`", key, keys.names(keys.RANGE))
    ends = [table[key].node if key in table else None for key in ("from", "to")]
    for key, end in zip(("from", "to"), ends, strict=True):
        if end is None:
            document.complain((entry.span, entry.node.path), f"`{key}` is missing", allowed=RANGE)
    scale = table["scale"].node if "scale" in table else None
    if scale is not None and scale.value not in {"linear", "log"}:
        document.complain(scale, "is no scale", allowed='"linear" or "log"')
    if ends[0] is None or ends[1] is None:
        return None
    span = _between(document, ends[0], ends[1], logarithmic=scale is not None and scale.value == "log")
    return None if span is None else Factor(name, (), entry.span, span)


def _between(document: Document, first: Node, last: Node, *, logarithmic: bool) -> Range | None:
    low, high = _quantity(first), _quantity(last)
    for end, read in ((first, low), (last, high)):
        if read is None:
            document.complain(end, "is no quantity", allowed=RANGE)
    if low is None or high is None:
        return None
    if low[1] != high[1]:
        document.complain(last, "has another unit than `from`", allowed=f"a number with {low[1] or 'no unit'}")
        return None
    if not low[0] < high[0] or (logarithmic and low[0] <= 0):
        document.complain(last, "is not above `from`, or `from` not above 0 on a logarithmic scale", allowed=RANGE)
        return None
    whole = isinstance(first.value, int) and isinstance(last.value, int)
    return Range(low[0], high[0], low[1], logarithmic, whole)


def _quantity(node: Node) -> tuple[float, str] | None:
    if isinstance(node.value, bool):
        return None
    if isinstance(node.value, int | float):
        return (float(node.value), "") if math.isfinite(node.value) else None
    match = QUANTITY.fullmatch(node.value) if isinstance(node.value, str) else None
    return (float(match["number"]), match["unit"]) if match else None


def _check_distinct(document: Document, items: list[Node], labels: list[Any]) -> None:
    for index, (item, label) in enumerate(zip(items, labels, strict=True)):
        if label in labels[:index]:
            document.complain(item, "is there twice", allowed="different levels")


def _label(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else inline(value)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else inline(value)


QUANTITY = re.compile(r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>[A-Za-z%]*)\s*")
SECTIONS = frozenset({"path", "transport", "flows", "network", "record"})
LEVELS = 'a list of levels, as in "path.rtt" = ["10ms", "100ms"]; a table of such lists that move together; or a range'
RANGE = 'as in { from = "10ms", to = "100ms", scale = "log" }'
NO_FACTOR = "key paths of the scenario; algorithms, replications and seed have keys of their own"
