"""Names and signs of states, such as those of checks and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.svg import element

if TYPE_CHECKING:
    from narrows.drawing.svg import Markup


def state(css: str, sign: str, word: str) -> Markup:
    """Return a word with a sign before it, in the colour of a state.

    Args:
        css: The state: "ok", "failed", "open" or "absent".
        sign: Sign, which screen readers skip.
        word: Word.
    """
    mark = element("span", sign, class_="sign", aria_hidden="true")
    return element("span", mark, element("span", word), class_=f"state {css}")
