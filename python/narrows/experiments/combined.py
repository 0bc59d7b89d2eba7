# SPDX-License-Identifier: Apache-2.0
"""Factors whose levels are combinations of named parts: `each` lists the names, `values` gives their values."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from narrows.experiments.document import Document, Entry, Node
from narrows.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from narrows.experiments.words import Words


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


ALLOWED = 'as in each = { rate = ["slow", "fast"], rtt = ["20ms", "80ms"] }, "path.rtt" = "{rtt}"'
