"""A TOML document whose reader complains with file, line, column and the nearest known name."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from narrows import core

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]


@dataclass(frozen=True)
class Node:
    """A value of the document.

    Attributes:
        value: Text, a number, a boolean, a list of nodes, or a dict of entries.
        span: Where it was written: the first byte and the one behind the last.
        path: Its key path.
    """

    value: Any
    span: Span
    path: str

    @property
    def items(self) -> list[Node]:
        """The elements of a list."""
        return list(self.value)

    @property
    def entries(self) -> dict[str, Entry]:
        """The entries of a table, in their order."""
        return dict(self.value)

    @property
    def plain(self) -> Any:
        """The value without its places."""
        match self.value:
            case list():
                return [item.plain for item in self.value]
            case dict():
                return {key: entry.node.plain for key, entry in self.value.items()}
        return self.value


@dataclass(frozen=True)
class Entry:
    """A key of a table, where it was written, and its value."""

    span: Span
    node: Node


@dataclass
class Document:
    """A document and what was found wrong with it so far.

    Attributes:
        text: As read.
        file: What messages call it.
        faults: Complaints, in the order in which they were made.
    """

    text: str
    file: str
    faults: list[tuple[Span, str, str, str | None, str, str | None]] = field(default_factory=list)

    def root(self) -> Node:
        """Read it.

        Raises:
            ScenarioError: It is no TOML.
        """
        return _node(core.read_toml(self.text, self.file), "")

    def complain(
        self, where: Node | tuple[Span, str], message: str, *, allowed: str = "", hint: str | None = None
    ) -> None:
        """Note a fault.

        Args:
            where: The value that is wrong, or the place and key path of something else.
            message: What is wrong.
            allowed: What would do.
            hint: The nearest known name, or what to do.
        """
        if isinstance(where, Node):
            self.faults.append((where.span, where.path, message, _shown(where.value), allowed, hint))
        else:
            self.faults.append((*where, message, None, allowed, hint))

    def unknown(self, where: Node | tuple[Span, str], message: str, given: str, known: Iterable[str]) -> None:
        """Note a name that does not exist, and the nearest one that does."""
        names = sorted(set(known))
        near = get_close_matches(given, names, n=1, cutoff=0.5)
        hint = f"did you mean `{near[0]}`?" if near else None
        shown = [*names[:MOST_NAMES], "…"] if len(names) > MOST_NAMES else names
        self.complain(where, message, allowed=", ".join(shown), hint=hint)

    def check(self) -> None:
        """Stop if anything was found wrong.

        Raises:
            ScenarioError: All complaints, in the order of the document.
        """
        if self.faults:
            raise core.complaint(self.text, self.file, self.faults)


def _node(written: Any, path: str) -> Node:
    value, span = written
    match value:
        case list():
            return Node([_node(item, f"{path}.{index}") for index, item in enumerate(value)], span, path)
        case dict():
            entries = {
                key: Entry(key_span, _node(item, f"{path}.{key}" if path else key))
                for key, (key_span, item) in value.items()
            }
            return Node(entries, span, path)
    return Node(value, span, path)


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
