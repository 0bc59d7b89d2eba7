# SPDX-License-Identifier: Apache-2.0
"""Methods and results in the past tense, for the text of a paper, from the sentences of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable

from narrows._internal.drawing.svg import Markup


def pasted(setting: str, method: str, results: Iterable[str], command: str | None = None) -> str:
    """Return a paragraph: what was simulated, how intervals were made, the results, the command.

    The results are sentences as text or markup; without any the paragraph is empty.

    Examples:
        >>> pasted("Two flows were simulated (seed 1).", "Values were means.", ["Queue depends on rate."])
        'Two flows were simulated (seed 1). Values were means. Queue depended on rate.'
    """
    said = [past(_unmarked(each)) for each in results]
    return " ".join([setting, method, *said, *([f"The command was: {command}."] if command else [])]) if said else ""


def _unmarked(said: str) -> str:
    if not isinstance(said, Markup):
        return said
    # A run without markup starts faster.
    from html import unescape

    return unescape(TAG.sub("", said))


def past(sentence: str) -> str:
    """Return a sentence on a finding in the past tense."""
    for now, before in PAST.items():
        sentence = sentence.replace(now, before)
    return sentence


TAG = re.compile(r"<[^>]*>")
PAST = {
    " depends ": " depended ",
    " differs from ": " differed from ",
    " differ from ": " differed from ",
    " cannot be ": " could not be ",
    " has a clear ": " had a clear ",
    " which changes ": " which changed ",
    " which change ": " which changed ",
    " would do": " would have done",
    " difference matters": " difference mattered",
    # Of pairs in a matrix.
    " loses ": " lost ",
    " keeps ": " kept ",
    " has alone": " had alone",
    " are late": " were late",
    " is the contender": " was the contender",
    " clearly takes ": " clearly took ",
    " kind does": " kind did",
    # Of a deployment.
    " test says ": " test said ",
    " flows switch,": " flows switched,",
    " effect is ": " effect was ",
    " is wrong ": " was wrong ",
    " is the A/B test ": " was the A/B test ",
    " that stay on ": " that stayed on ",
    " have switched": " had switched",
    # Of an atlas, and of the rows of a suite.
    " that is ": " that was ",
    " is worse than ": " was worse than ",
    "; so is ": "; so was ",
    "; so are ": "; so were ",
}
