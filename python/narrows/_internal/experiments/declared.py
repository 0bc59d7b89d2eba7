# SPDX-License-Identifier: Apache-2.0
"""Keys of files that people write, each declared once, and the one reader of tables by these declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from narrows._internal.experiments.document import Document, Node


class Kind(NamedTuple):
    """The kind of the values of a key."""

    words: str  # description of the allowed values
    read: Callable[[Document, Node], Any]  # returns a value; None after it has added a fault to the document


class Key(NamedTuple):
    """A key of a table."""

    name: str  # name of the key
    kind: Kind  # kind of its values
    default: str  # description of its default; empty for a required key
    meaning: str  # meaning of the key, in a sentence
    required: bool = False  # whether a table without it is faulty

    @property
    def holds(self) -> str:
        """Its allowed values, in words."""
        return self.kind.words

    @property
    def documented(self) -> str:
        """Its meaning, and whether it is required, in Markdown."""
        return f"{self.meaning} **Required.**" if self.required else self.meaning


def needed(name: str, kind: Kind, meaning: str) -> Key:
    """Return a required key."""
    return Key(name, kind, "", meaning, required=True)


def names(keys: Sequence[Key]) -> list[str]:
    """Return the names of `keys`, in order."""
    return [key.name for key in keys]


def fields(document: Document, table: Node | None, keys: Sequence[Key], of: str = "") -> dict[str, Any]:
    """Read a table; unknown and missing keys and faulty values are added to the faults of the document."""
    if table is None:
        return {}
    entries, known = document.table(table), {key.name: key for key in keys}
    found = {}
    for name, entry in entries.items():
        if name in known:
            value = known[name].kind.read(document, entry.node)
            if value is not None:
                found[name] = value
        else:
            what = f"unknown key `{name}`" + (f" of {of}" if of else "")
            document.unknown((entry.span, entry.node.path), what, name, known)
    # A value that is not a table lacks no key.
    for key in keys if isinstance(table.value, dict) else ():
        if key.required and key.name not in entries:
            document.complain(document.place_of(table, key.name), f"`{key.name}` is missing", allowed=key.holds)
    return found


def anything(words: str) -> Kind:
    """Return the kind of a value that another function reads, as a node."""
    return Kind(words, lambda _, node: node)


def text(words: str) -> Kind:
    """Return the kind of a text, as it is written."""
    return Kind(words, lambda document, node: document.text_of(node) or None)


def whole(least: int, most: int, words: str = "") -> Kind:
    """Return the kind of a whole number from `least` to `most`."""
    words = words or f"a whole number from {least} to {most}"
    return Kind(words, lambda document, node: document.whole(node, least, most))


def one_of(*allowed: str) -> Kind:
    """Return the kind of some texts."""

    def read(document: Document, node: Node) -> str | None:
        if node.value not in allowed:
            document.unknown(node, "unknown value", str(node.value), allowed)
            return None
        return str(node.value)

    quoted = [f'`"{each}"`' for each in allowed]
    return Kind(" or ".join([", ".join(quoted[:-1]), quoted[-1]]), read)


def listed(kind: Kind, words: str, example: str = "") -> Kind:
    """Return the kind of a list of values of another kind; faulty ones are left out."""

    def read(document: Document, node: Node) -> list[Any] | None:
        if not isinstance(node.value, list) or (example and not node.value):
            document.complain(node, f"expected {words}", allowed=f"as in {example}" if example else "")
            return None
        read = [kind.read(document, each) for each in node.items]
        return [each for each in read if each is not None]

    return Kind(words, read)


def _truth(document: Document, node: Node) -> bool | None:
    if isinstance(node.value, bool):
        return node.value
    document.complain(node, "expected true or false")
    return None


BOOLEAN = Kind("true or false", _truth)
NUMBER = Kind("a number", lambda document, node: document.number(node))
TEXT = text("text")
# A text with single spaces between its words.
PROSE = Kind("text", lambda document, node: " ".join(document.text_of(node).split()) or None)
