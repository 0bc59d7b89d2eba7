# SPDX-License-Identifier: Apache-2.0
"""The commands on a page: all run in the folder of the page, except the command as typed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from narrows.drawing.svg import Markup, element, join

if TYPE_CHECKING:
    from collections.abc import Sequence

Entries = list[tuple[str, object]]


def here(*words: str) -> Markup:
    """Return a command as an entry of a list: it runs in the folder of the page."""
    return element("code", shlex.join(words))


def typed(command: str | None) -> Entries:
    """Return the entry of the command that made the results, as typed; empty for results from Python."""
    if not command:
        return []
    return [("Command, as typed", join((element("code", command, class_="typed"), WHERE)))]


def of_study(cells: Sequence[str], *, trust: bool) -> Entries:
    """Return the commands for a study's folder."""
    more = ["--trust"] if trust else []
    one = here("narrows", "study", "replay", ".", *cells[:1], *more)
    again: Entries = [("This page again", join((element("code", REPORT), IN_PLACE)))]
    return [*again, ("One cell again", join((one, IN_PLACE)))] if cells else again


# Builds the page from the results of its folder.
REPORT = "narrows report ."
WHERE = " in the folder of the files that it names"
IN_PLACE = " in the folder of this page"
