# SPDX-License-Identifier: Apache-2.0
"""Factors of a study and their levels."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from narrows._internal.experiments import keys
from narrows._internal.experiments.declared import fields
from narrows._internal.experiments.document import Document, Entry, Node
from narrows._internal.files.toml import inline
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.experiments.words import Words


@frozen
class Level:
    """One level of a factor."""

    label: Any  # value of the factor's column in the results: text, a number or a boolean
    moves: Mapping[str, Any]  # values of the scenario's keys, by key path


def combined(document: Document, entry: Entry, words: Words) -> list[Level]:
    """Read the levels of a factor with `each`."""
    # Each table of `each` gives all combinations of the names that it lists, the last list varying fastest. In the
    # values of key paths, `{PART}` becomes the value that `values.PART` has for the name, or else the name.
    columns = {key: each.node for key, each in entry.node.entries.items()}
    each, label, values = (columns.pop(key, None) for key in ("each", "label", "values"))
    before = len(document.faults)
    meanings = _meanings(document, values)
    levels = []
    places = []
    for where, names in _combinations(document, words.filled(each) if each is not None else entry.node):
        chosen = {name: _chosen(document, where, name, given, meanings) for name, given in names.items()}
        here = words.with_names(chosen)
        shown = words.with_names({name: Node(str(given), where.span, where.path) for name, given in names.items()})
        text = ", ".join(map(str, names.values())) if label is None else shown.filled(label).value
        levels.append(Level(text, {path: here.filled(node).plain for path, node in columns.items()}))
        places.append(where)
    if not columns:
        document.complain((entry.span, entry.node.path), "moves no key", allowed=ALLOWED)
    for index, level in enumerate(levels):
        if level.label in [other.label for other in levels[:index]]:
            document.complain(places[index], f"the level {level.label!r} is there twice", allowed="different levels")
    return levels if len(document.faults) == before else []


def _combinations(document: Document, each: Node) -> Iterator[tuple[Node, dict[str, Any]]]:
    for table in each.items if isinstance(each.value, list) else [each]:
        if not isinstance(table.value, dict) or not table.value:
            document.complain(table, "a table of names is needed", allowed=ALLOWED)
            continue
        listed = {name: _names(document, inner.node) for name, inner in table.entries.items()}
        for names in itertools.product(*listed.values()):
            yield table, dict(zip(listed, names, strict=True))


def _names(document: Document, node: Node) -> list[Any]:
    items = node.items if isinstance(node.value, list) else [node]
    if not items:
        document.complain(node, "an empty list of names", allowed=ALLOWED)
    for item in items:
        if not isinstance(item.value, str | int | float):
            document.complain(item, "a name is needed", allowed="text or a number")
    return [item.plain for item in items]


def _meanings(document: Document, values: Node | None) -> dict[str, dict[str, Node]]:
    if values is None:
        return {}
    found = {}
    for name, inner in values.entries.items() if isinstance(values.value, dict) else ():
        if isinstance(inner.node.value, dict):
            found[name] = {key: each.node for key, each in inner.node.entries.items()}
        else:
            document.complain(inner.node, "a table is needed: what each name stands for", allowed=ALLOWED)
    if not isinstance(values.value, dict):
        document.complain(values, "a table is needed", allowed=ALLOWED)
    return found


def _chosen(document: Document, where: Node, name: str, given: Any, meanings: Mapping[str, Mapping[str, Node]]) -> Node:
    plain = Node(given, where.span, where.path)
    if name not in meanings:
        return plain
    if str(given) not in meanings[name]:
        document.unknown(where, f"`{given}` stands for nothing in `values.{name}`", str(given), meanings[name])
        return plain
    return meanings[name][str(given)]


@frozen
class Range:
    """A range of values of a factor."""

    low: float  # lower end, in `unit`
    high: float  # upper end, in `unit`
    unit: str  # unit as written after the number; empty for a bare number
    logarithmic: bool  # whether values are uniform in their logarithm
    whole: bool  # whether only whole numbers are valid: both ends are


@frozen
class Factor:
    """A factor of a study."""

    name: str  # key path, or a free name if several keys change together
    levels: tuple[Level, ...]  # levels in the order of the file; empty for a range
    span: tuple[int, int]  # position of the name in the document
    range: Range | None = None  # range of values; None if the factor has levels
    # Positions of the keys of a table in the document.
    keys: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """Key paths of the scenario that the factor changes."""
        return list(self.levels[0].moves) if self.levels else [self.name]

    def at(self, value: float) -> Level:
        """Return the level for a value of the range, rounded to five significant digits."""
        number = float(f"{value:.5g}")
        if self.range is not None and self.range.unit:
            digits = f"{number:.12f}".rstrip("0").rstrip(".")
            return Level(digits + self.range.unit, {self.name: digits + self.range.unit})
        plain = round(value) if self.range is not None and self.range.whole else number
        return Level(plain, {self.name: plain})


def read_factors(document: Document, table: Node, words: Words) -> list[Factor]:
    """Read `[factors]`."""
    entries = document.table(table, 'as in "path.rtt" = ["10ms", "100ms"]')
    read = [_factor(document, name, entry, words) for name, entry in entries.items()]
    factors = [factor for factor in read if factor is not None]
    moved: dict[str, str] = {}
    for factor in factors:
        for path in factor.paths:
            if path in moved:
                where = (factor.span, f"factors.{factor.name}")
                document.complain(where, f"{path} is moved by two factors", hint=f"the other is {moved[path]}")
            moved[path] = factor.name
    return factors


def _factor(document: Document, name: str, entry: Entry, words: Words) -> Factor | None:
    node = entry.node
    first = name.split(".", maxsplit=1)[0]
    if name in keys.RESERVED or first in keys.RESERVED:
        document.complain((entry.span, node.path), f"`{name}` cannot be a factor", allowed=NO_FACTOR)
        return None
    if isinstance(node.value, dict):
        return _table(document, name, entry, words)
    filled = words.filled(node)
    if isinstance(filled.value, list):
        return _listed(document, name, Entry(entry.span, filled))
    document.complain(node, "a list of levels is needed", allowed=LEVELS)
    return None


def _table(document: Document, name: str, entry: Entry, words: Words) -> Factor | None:
    node = entry.node
    if name in SECTIONS:
        hint = f'write "{name}.KEY" = [...]'
        document.complain((entry.span, node.path), "a key path stands in quotes", allowed=LEVELS, hint=hint)
        return None
    if "each" in node.value:
        levels = combined(document, entry, words)
        return Factor(name, tuple(levels), entry.span, keys=_spans(node)) if levels else None
    filled = Entry(entry.span, words.filled(node))
    return _ranged(document, name, filled) if {"from", "to"} & set(node.value) else _together(document, name, filled)


def _spans(table: Node) -> dict[str, tuple[int, int]]:
    return {key: entry.span for key, entry in table.entries.items()}


def _listed(document: Document, name: str, entry: Entry) -> Factor | None:
    items = entry.node.items
    if not items:
        document.complain(entry.node, "an empty list of levels", allowed=LEVELS)
        return None
    levels = [Level(label_of(item.plain), {name: item.plain}) for item in items]
    _check_distinct(document, items, [level.label for level in levels])
    return Factor(name, tuple(levels), entry.span)


def _together(document: Document, name: str, entry: Entry) -> Factor | None:
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
    return Factor(name, tuple(levels), entry.span, keys=_spans(entry.node))


def _ranged(document: Document, name: str, entry: Entry) -> Factor | None:
    found = fields(document, entry.node, keys.RANGE)
    if not {"from", "to"} <= set(found):
        return None
    span = _between(document, found["from"], found["to"], logarithmic=found.get("scale") == "log")
    return None if span is None else Factor(name, (), entry.span, span)


def _between(document: Document, first: Node, last: Node, *, logarithmic: bool) -> Range | None:
    low, high = _quantity(first), _quantity(last)
    for end, read in ((first, low), (last, high)):
        if read is None:
            document.complain(end, "not a quantity", allowed=RANGE)
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
    seen = set()
    for item, label in zip(items, labels, strict=True):
        # A label that is a list or a table is refused when it is used.
        shown = label_of(label)
        if shown in seen:
            document.complain(item, "is there twice", allowed="different levels")
        seen.add(shown)


def label_of(value: Any) -> Any:
    """Return a value as a column of results can hold it."""
    return value if isinstance(value, str | int | float) else inline(value)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else inline(value)


ALLOWED = 'as in each = { rate = ["slow", "fast"], rtt = ["20ms", "80ms"] }, "path.rtt" = "{rtt}"'
QUANTITY = re.compile(r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>[A-Za-z%]*)\s*")
SECTIONS = frozenset({"path", "transport", "flows", "network", "record"})
LEVELS = 'a list of levels, as in "path.rtt" = ["10ms", "100ms"]; a table of such lists that move together; or a range'
RANGE = 'as in { from = "10ms", to = "100ms", scale = "log" }'
NO_FACTOR = "key paths of the scenario; algorithms, replications and seed have keys of their own"
