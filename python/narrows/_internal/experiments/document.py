# SPDX-License-Identifier: Apache-2.0
"""A TOML document with positions, for diagnostics with file, line, column and the nearest known name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from narrows._internal import core
from narrows._internal.frozen import frozen

Span = tuple[int, int]
# Span, key path, message, value as shown, allowed values, hint.
Fault = tuple[Span, str, str, str | None, str, str | None]


@frozen
class Node:
    """A value of a document with its position."""

    value: Any  # text, a number, a boolean, a list of nodes, or a dict of entries
    span: Span  # offsets of its first byte and of the byte after its last, counted through all files of the document
    path: str  # key path of the value in its file

    @property
    def items(self) -> list[Node]:
        """The elements of a list, as nodes."""
        return list(self.value)

    @property
    def entries(self) -> dict[str, Entry]:
        """The entries of a table by key, in the order of the file."""
        return dict(self.value)

    @property
    def plain(self) -> Any:
        """The value as plain Python values, without positions."""
        match self.value:
            case list():
                return [item.plain for item in self.value]
            case dict():
                return {key: entry.node.plain for key, entry in self.value.items()}
        return self.value


@frozen
class Entry:
    """A key of a table: the position of the key, and its value."""

    span: Span
    node: Node


def placed(value: object, path: str, span: Span = (0, 0)) -> Node:
    """Return a plain value as a node that is not part of the document."""
    match value:
        case Mapping():
            inner = {str(key): Entry(span, placed(each, f"{path}.{key}", span)) for key, each in value.items()}
            return Node(inner, span, path)
        case list() | tuple():
            return Node([placed(each, f"{path}.{index}", span) for index, each in enumerate(value)], span, path)
    return Node(value, span, path)


@frozen
class Source:
    """One file of a document."""

    text: str  # contents of the file
    file: str  # name of the file in messages
    start: int  # offset of its first byte among all files of the document, bytes


@dataclass
class Document:
    """A document and the faults found in it so far."""

    text: str  # contents of its own file
    file: str  # name of that file in messages
    faults: list[Fault] = field(default_factory=list)  # the faults in the order in which they were found
    sources: list[Source] = field(default_factory=list)  # the file itself, then the files that it extends

    def __post_init__(self) -> None:
        """Begin with the document's own file."""
        self.sources.insert(0, Source(self.text, self.file, 0))

    def root(self) -> Node:
        """Parse the document's own file."""
        return _node(core.read_toml(self.text, self.file), "", 0)

    def added(self, text: str, file: str) -> Node:
        """Parse a further file of the document."""
        start = self.sources[-1].start + len(self.sources[-1].text.encode()) + 1
        self.sources.append(Source(text, file, start))
        return _node(core.read_toml(text, file), "", start)

    def file_of(self, node: Node) -> str:
        """Return the name of the file that contains a value."""
        return self._source(node.span).file

    def _source(self, span: Span) -> Source:
        return max((each for each in self.sources if each.start <= span[0]), key=lambda each: each.start)

    def complain(
        self, where: Node | tuple[Span, str], message: str, *, allowed: str = "", hint: str | None = None
    ) -> None:
        """Add a fault; the same fault is added once."""
        if isinstance(where, Node):
            fault: Fault = (where.span, where.path, message, _shown(where.value), allowed, hint)
        else:
            fault = (*where, message, None, allowed, hint)
        if fault not in self.faults:
            self.faults.append(fault)

    def place_of(self, table: Node, key: str) -> Node | tuple[Span, str]:
        """Return the place of the message that a table lacks a key: the table, or the beginning of the file."""
        return table if table.path else ((0, 0), key)

    def unknown(self, where: Node | tuple[Span, str], message: str, given: str, known: Iterable[str]) -> None:
        """Add a fault for an unknown name."""
        names = sorted(set(known))
        near = core.nearest(given, names)
        hint = f"did you mean `{near}`?" if near else None
        shown = [*names[:MOST_NAMES], "…"] if len(names) > MOST_NAMES else names
        self.complain(where, message, allowed=", ".join(shown), hint=hint)

    def whole(self, node: Node | None, least: int, most: int) -> int | None:
        """Return a whole number, or add a fault."""
        if node is None:
            return None
        if isinstance(node.value, int) and not isinstance(node.value, bool) and least <= node.value <= most:
            return node.value
        self.complain(node, f"expected a whole number from {least} to {most}")
        return None

    def table(self, node: Node | None, allowed: str = "names with their values") -> dict[str, Entry]:
        """Return the entries of a table, or add a fault; there are none if it is missing or something else."""
        if node is None or isinstance(node.value, dict):
            return {} if node is None else node.entries
        self.complain(node, "expected a table", allowed=allowed)
        return {}

    def listed(self, node: Node | None, allowed: str = "") -> list[Node]:
        """Return the elements of a list, or add a fault; there are none if it is missing or something else."""
        if node is None or isinstance(node.value, list):
            return [] if node is None else node.items
        self.complain(node, "expected a list", allowed=allowed)
        return []

    def text_of(self, node: Node | None) -> str:
        """Return a text as it is written, or add a fault; it is empty if it is missing or something else."""
        if node is None or (isinstance(node.value, str) and node.value.strip()):
            return "" if node is None else str(node.value)
        self.complain(node, "expected a text")
        return ""

    def number(self, node: Node) -> float | None:
        """Return a finite number, or add a fault and return None."""
        if isinstance(node.value, int | float) and not isinstance(node.value, bool) and math.isfinite(node.value):
            return float(node.value)
        self.complain(node, "expected a finite number")
        return None

    def check(self) -> None:
        """Raise if faults have been added."""
        for source in self.sources:
            here = [fault for fault in self.faults if self._source(fault[0]) == source]
            if here:
                faults = [(_moved(fault[0], -source.start), *fault[1:]) for fault in here]
                raise core.complaint(source.text, source.file, faults)


def _node(written: Any, path: str, start: int) -> Node:
    value, here = written
    span = _moved(here, start)
    match value:
        case list():
            return Node([_node(item, f"{path}.{index}", start) for index, item in enumerate(value)], span, path)
        case dict():
            entries = {
                key: Entry(_moved(key_span, start), _node(item, f"{path}.{key}" if path else key, start))
                for key, (key_span, item) in value.items()
            }
            return Node(entries, span, path)
    return Node(value, span, path)


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case list():
            return "a list"
        case dict():
            return "a table"
    return str(value)


MOST_NAMES = 40
