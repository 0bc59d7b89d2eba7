# SPDX-License-Identifier: Apache-2.0
"""Names of algorithms in results: an external algorithm is named after its class, or its controller."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from narrows._internal.external.source import SUFFIXES


def short_names(algorithms: Sequence[str]) -> dict[str, str]:
    """Return the shortest name of each algorithm that no other has: class, parameters, file, then folders.

    Examples:
        >>> short_names(["./copa.py:Copa", "bbr3"])
        {'./copa.py:Copa': 'Copa', 'bbr3': 'bbr3'}
        >>> short_names(["./libmine.so:mine", "mine.wasm:mine"])
        {'./libmine.so:mine': 'libmine.so:mine', 'mine.wasm:mine': 'mine.wasm:mine'}
        >>> list(short_names(["old/copa.py:Copa", "new/copa.py:Copa", "copa.py:Copa(delta=1)"]).values())
        ['old/copa.py:Copa', 'new/copa.py:Copa', 'Copa(delta=1)']
    """
    written = {name: forms(name) for name in algorithms}
    level = dict.fromkeys(written, 0)

    def current() -> dict[str, str]:
        return {name: each[level[name]] for name, each in written.items()}

    while True:
        taken = Counter(current().values())
        alike = [n for n, short in current().items() if taken[short] > 1 and level[n] + 1 < len(written[n])]
        if not alike:
            return current()
        for name in alike:
            level[name] += 1


def forms(name: str) -> list[str]:
    """Return the names of an algorithm from the shortest to the one as written."""
    found = EXTERNAL.fullmatch(name.strip())
    if found is None:
        return [name]
    parts = found["file"].removeprefix("./").split("/")
    whole = found["name"] + (found["parameters"] or "").replace(" ", "")
    files = ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    return [found["name"], whole, *(f"{file}:{whole}" for file in files)]


EXTERNAL = re.compile(rf"(?P<file>.+(?:{'|'.join(map(re.escape, SUFFIXES))})):(?P<name>\w+)\s*(?P<parameters>\(.*\))?")
