# SPDX-License-Identifier: Apache-2.0
"""Overlays of a study file: tables of keys that replace keys of the description above them.

A file that `extends` another one starts from the description of that file, without its sizes and variants.
`[sizes.NAME]` has the keys of a size, `[variants.NAME]` the keys of a variant at every size, and
`[sizes.SIZE.variants.NAME]` the keys of a variant at one size. They are applied in this order.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from narrows._internal.errors import InputError
from narrows._internal.experiments.declared import names
from narrows._internal.experiments.document import Document, Entry, Node
from narrows._internal.experiments.keys import STUDY
from narrows._internal.files.text import read_text
from narrows._internal.names import unknown

EXTENDS = "extends"
SIZES = "sizes"
VARIANTS = "variants"
OWN = (EXTENDS, SIZES, VARIANTS)

# Tables that are merged key by key. Any other value is replaced as a whole: a key of one kind of queue or algorithm may
# be invalid for another kind.
Shape: TypeAlias = "Mapping[str, Shape]"
MERGED: Shape = {"set": {}, "words": {}, "factors": {"*": {"values": {"*": {}}}}}


class Choice(NamedTuple):
    """The size and variant of a study file."""

    size: str | None = None  # name of a size; None for the description without one
    variant: str | None = None  # name of a variant; None for none


AS_DESCRIBED = Choice()


def overlaid(document: Document, root: Node, choice: Choice) -> Node:
    """Apply `extends`, a size and a variant to the description of a study."""
    size, variant = choice
    entries = root.entries
    below = _extended(document, entries.pop(EXTENDS, None))
    sizes = _tables(document, entries.pop(SIZES, None))
    variants = _tables(document, entries.pop(VARIANTS, None))
    inner = {
        name: _tables(document, table.entries[VARIANTS]) for name, table in sizes.items() if VARIANTS in table.value
    }
    for table in sizes.values():
        _check_keys(document, table, EXTENDS, SIZES)
    for table in [*variants.values(), *(each for found in inner.values() for each in found.values())]:
        _check_keys(document, table, EXTENDS, SIZES, VARIANTS)
    chosen = []
    if size is not None:
        chosen.append(_named(document, "size", size, sizes))
    if variant is not None:
        own = inner.get(size or "", {})
        _named(document, "variant" if size is None else f"variant of the size {size}", variant, {**variants, **own})
        chosen += [found[variant] for found in (variants, own) if variant in found]
    found = _over(below, entries, MERGED) if below is not None else Node(entries, root.span, root.path)
    for table in chosen:
        found = _over(found, {key: each for key, each in table.entries.items() if key != VARIANTS}, MERGED)
    return found


def _extended(document: Document, entry: Entry | None) -> Node | None:
    if entry is None:
        return None
    if not isinstance(entry.node.value, str):
        document.complain(entry.node, "the path of a study file is needed")
        return None
    file = Path(document.file).parent / entry.node.value
    try:
        text = read_text(file)
    except InputError as error:
        document.complain(entry.node, f"{file} cannot be read: {error.problem}")
        return None
    root = document.added(text, str(file))
    if EXTENDS in root.entries:
        document.complain(entry.node, f"{file} itself extends another file", allowed="a file with a whole description")
    return Node({key: each for key, each in root.entries.items() if key not in OWN}, root.span, root.path)


def offered(file: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Return the variants available at each size of a study file, by the name of the size."""
    document = Document(read_text(Path(file)), str(file))
    entries = document.root().entries
    always = _tables(document, entries.get(VARIANTS))
    found = {
        name: list(dict.fromkeys([*always, *_tables(document, table.entries.get(VARIANTS))]))
        for name, table in _tables(document, entries.get(SIZES)).items()
    }
    document.check()
    return found


def _tables(document: Document, entry: Entry | None) -> dict[str, Node]:
    if entry is None:
        return {}
    node = entry.node
    if not isinstance(node.value, dict):
        document.complain(node, "expected a table", allowed=f"as in [{node.path}.NAME]")
        return {}
    for name, inner in node.entries.items():
        if not isinstance(inner.node.value, dict):
            document.complain(inner.node, "expected a table", allowed=f"as in [{node.path}.{name}]")
    return {name: inner.node for name, inner in node.entries.items() if isinstance(inner.node.value, dict)}


def _check_keys(document: Document, table: Node, *excluded: str) -> None:
    known = [name for name in names(STUDY) if name not in excluded]
    for key, entry in table.entries.items():
        if key not in known:
            document.unknown((entry.span, entry.node.path), f"unknown key `{key}`", key, known)


def _named(document: Document, what: str, name: str, known: Mapping[str, Node]) -> Node:
    if name in known:
        return known[name]
    raise InputError(document.file, unknown(what, name, sorted(known)))


def _over(below: Node, above: Mapping[str, Entry], merged: Shape) -> Node:
    entries = below.entries
    for key, entry in above.items():
        old, deeper = entries.get(key), merged.get(key, merged.get("*"))
        tables = old is not None and isinstance(old.node.value, dict) and isinstance(entry.node.value, dict)
        if old is not None and deeper is not None and tables:
            entries[key] = Entry(old.span, _over(old.node, entry.node.entries, deeper))
        else:
            entries[key] = entry
    return Node(entries, below.span, below.path)
