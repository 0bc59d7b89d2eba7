# SPDX-License-Identifier: Apache-2.0
"""Substitution of references, names in braces, in the texts of a study file.

A text that consists of one reference becomes the value, of any type; a reference within a text becomes the value as
text. Values may contain references. `{name.entry}` refers to an entry of a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from narrows._internal.experiments.document import Document, Entry, Node

REFERENCE = re.compile(r"\{([A-Za-z][\w-]*)(?:\.([\w-]+))?\}")


class Words:
    """Values of the names in references."""

    def __init__(self, document: Document, known: Mapping[str, Node]) -> None:
        """Create from values by name."""
        self._document = document
        self._known = dict(known)

    def with_names(self, known: Mapping[str, Node]) -> Words:
        """Return a copy with further values by name, which replace values of the same name."""
        return Words(self._document, {**self._known, **known})

    def filled(self, node: Node, within: tuple[str, ...] = ()) -> Node:
        """Return a value with all references in its texts replaced; unknown names are added to the faults."""
        if not self._known:
            return node
        match node.value:
            case list():
                return Node([self.filled(item, within) for item in node.items], node.span, node.path)
            case dict():
                entries = {key: Entry(each.span, self.filled(each.node, within)) for key, each in node.entries.items()}
                return Node(entries, node.span, node.path)
            case str():
                return Node(self._text(node, within), node.span, node.path)
        return node

    def _text(self, node: Node, within: tuple[str, ...]) -> Any:
        text: str = node.value
        whole = REFERENCE.fullmatch(text)
        if whole is not None:
            found = self._looked_up(node, whole, within)
            return text if found is None else found.value
        return REFERENCE.sub(lambda match: self._as_text(node, match, within), text)

    def _as_text(self, node: Node, match: re.Match[str], within: tuple[str, ...]) -> str:
        found = self._looked_up(node, match, within)
        if found is None:
            return match[0]
        if isinstance(found.value, list | dict | bool):
            self._document.complain(node, f"`{match[0]}` stands for more than a text within it can hold")
        return str(found.value)

    def _looked_up(self, node: Node, match: re.Match[str], within: tuple[str, ...]) -> Node | None:
        name, entry = match.groups()
        if match[0] in within:
            self._document.complain(node, f"`{match[0]}` stands for itself")
            return None
        if name not in self._known:
            self._document.unknown(node, f"`{match[0]}` stands for nothing", name, self._known)
            return None
        found = self._known[name]
        if entry is not None:
            found = self.filled(found, (*within, match[0])) if isinstance(found.value, str) else found
            inner = found.value if isinstance(found.value, dict) else {}
            if entry not in inner:
                self._document.unknown(node, f"`{name}` has no entry `{entry}`", entry, inner)
                return None
            found = inner[entry].node
        return self.filled(found, (*within, match[0]))
