# SPDX-License-Identifier: Apache-2.0
"""Lines of `tc` and the chains of queueing disciplines that they build: one for each direction of a device.

Source: the grammar of iproute2 6.19 (tc/tc_qdisc.c, tc_class.c, tc_filter.c); handles are hexadecimal (tc/tc_util.c).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.formats.tc.words import Words, shown


class Line(NamedTuple):
    """A discipline, class or filter of a device."""

    number: int
    kind: str  # qdisc, class or filter
    device: str
    parent: str  # root, ingress or a handle
    handle: tuple[int, int] | None
    name: str
    words: list[str]
    table: list[str]  # the size table: words behind stab

    @property
    def place(self) -> str:
        return f"line {self.number}: {shown(self.name)}"


class Chain(NamedTuple):
    """The disciplines and classes that the packets of one direction pass, the outermost first."""

    device: str
    parts: list[Line]
    filters: list[Line]


def read(text: str) -> tuple[list[str], list[Chain]]:
    """Return the lines without comments, and the chain of each direction in the order of the lines."""
    if len(text) > LARGEST:
        raise InputError("tc", f"more than {LARGEST} characters")
    commands = _commands(text)
    lines = [_line(number, words) for number, words in enumerate(commands, 1)]
    if not lines:
        raise InputError("tc", "no line; expected one such as tc qdisc add dev eth0 root netem delay 50ms")
    directions = dict.fromkeys((each.device, _is_ingress(each)) for each in lines)
    chains = []
    for device, is_ingress in directions:
        of = [each for each in lines if (each.device, _is_ingress(each)) == (device, is_ingress)]
        chain = _chain(f"{device} (ingress)" if is_ingress else device, of)
        if chain.parts or chain.filters:
            chains.append(chain)
    if len(chains) > MOST_DIRECTIONS:
        names = ", ".join(each.device for each in chains)
        raise InputError("tc", f"{len(chains)} directions ({names}); a path has two: of the data and of the answers")
    return [shown(" ".join(words)) for words in commands], chains


def _commands(text: str) -> list[list[str]]:
    """Split a text as a shell does, with `;`, `&&` and ends of lines between commands."""
    found: list[list[str]] = []
    for number, line in enumerate(text.replace("\\\n", " ").splitlines(), 1):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&")
        lexer.whitespace_split = True
        words: list[str] = []
        try:
            for token in [*lexer, ";"]:
                if not set(token) <= {";", "&"}:
                    words.append(token)
                elif words:
                    found.append(words)
                    words = []
        except ValueError as error:
            raise InputError("tc", f"{str(error).lower()} in the text's line {number}") from None
    if len(found) > MOST_LINES:
        raise InputError("tc", f"more than {MOST_LINES} lines")
    return found


def _line(number: int, command: list[str]) -> Line:
    place = f"line {number}"
    words = Words(place, command[1:] if command[0] == "sudo" else command)
    if words.rest() and words.take().rpartition("/")[2] != "tc":
        raise InputError("tc", f"{place}: {shown(command[0])} is no tc; expected tc qdisc, class or filter")
    kind, verb = words.take(), words.take()
    if kind not in KINDS or verb not in VERBS:
        expected = f"{', '.join(KINDS)}, with {' or '.join(VERBS)}"
        raise InputError("tc", f"{place}: tc {shown(kind)} {shown(verb)} builds no link; expected {expected}")
    found = {"dev": "", "parent": "", "handle": "", "classid": ""}
    table: list[str] = []
    name = ""
    while not name:
        name = _place(words, found, table, kind)
    if not found["dev"]:
        raise InputError("tc", f"{place}: no device; expected dev NAME")
    parent = found["parent"]
    if kind == "qdisc" and not parent:
        raise InputError("tc", f"{place}: {shown(name)} has no place; expected root or parent HANDLE")
    if parent and parent not in {"root", "ingress"}:
        parent = "{:x}:{:x}".format(*_handle(place, parent))
    handle = {"class": found["classid"], "qdisc": found["handle"]}.get(kind)
    own = _handle(place, handle) if handle else None
    return Line(number, kind, found["dev"], parent, own, name, words.rest(), table)


def _place(words: Words, found: dict[str, str], table: list[str], kind: str) -> str:
    """Read a word that says where a discipline is; return another word, its name."""
    word = words.take()
    if word in found:
        found[word] = words.take()
    elif word == "root":
        found["parent"] = "root"
    elif word in INGRESS:
        found["parent"] = "ingress"
        return "ingress" if kind == "qdisc" else ""
    elif word == "stab":
        while words.rest() and words.rest()[0] in OF_TABLES:
            table += [words.take(), words.take()]
    elif kind == "filter" and word in OF_FILTERS:
        words.take()
    else:
        return word
    return ""


def _handle(place: str, text: str) -> tuple[int, int]:
    if not (match := re.fullmatch(r"([0-9a-fA-F]{1,4}):([0-9a-fA-F]{0,4})", text)):
        raise InputError("tc", f"{place}: {shown(text)} is no handle; expected one such as 1: or 1:10, in hexadecimal")
    return int(match[1], 16), int(match[2] or "0", 16)


def _is_ingress(line: Line) -> bool:
    return line.parent in {"ingress", "ffff:0", "ffff:fff1", "ffff:fff2"} or line.name == "ingress"


def _chain(device: str, lines: Sequence[Line]) -> Chain:
    filters = [each for each in lines if each.kind == "filter"]
    left = [each for each in lines if each.kind != "filter" and each.name != "ingress"]
    classes = {each.handle for each in left if each.kind == "class"}
    parts: list[Line] = []
    below = [each for each in left if each.parent == "root"]
    while below:
        # The classes of drr are its flows.
        if len(below) > 1 and not all(each.name == "drr" and each.kind == "class" for each in below):
            names = ", ".join(f"{shown(each.name)} (line {each.number})" for each in below)
            raise InputError("tc", f"{names} are side by side; a link has one queue, without classes that borrow")
        parts += below
        left = [each for each in left if each not in below]
        below = [each for each in left if _is_below(each, parts[-1], classes)]
    if left:
        first = left[0]
        known = ", ".join("{:x}:{:x}".format(*each.handle) for each in parts if each.handle) or "none"
        raise InputError("tc", f"{first.place} has the parent {first.parent}; handles of {shown(device)}: {known}")
    return Chain(device, parts, filters)


def _is_below(line: Line, part: Line, classes: set[tuple[int, int] | None]) -> bool:
    if part.handle is None or line.parent in {"", "root", "ingress"}:
        return False
    parent = _handle(line.place, line.parent)
    # The bands of disciplines whose classes no line makes.
    is_band = part.kind == line.kind == "qdisc" and parent not in classes
    return parent == part.handle or (is_band and parent[0] == part.handle[0])


KINDS = ("qdisc", "class", "filter")
VERBS = ("add", "replace")
INGRESS = ("ingress", "clsact")
OF_TABLES = ("overhead", "mpu", "mtu", "tsize", "linklayer")
OF_FILTERS = ("protocol", "prio", "pref", "preference", "chain")
LARGEST, MOST_LINES, MOST_DIRECTIONS = 1 << 16, 100, 2
