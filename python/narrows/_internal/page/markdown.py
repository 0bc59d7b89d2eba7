# SPDX-License-Identifier: Apache-2.0
"""Escapes text for Markdown as CommonMark and GitHub read it, including mentions that notify people."""

from __future__ import annotations

import re


def text(of: object) -> str:
    """Return text for a paragraph or a cell of a table; line breaks become spaces, and nothing in it has a meaning.

    Examples:
        >>> text("a|b *c* by d_e")
        'a&#124;b &#42;c&#42; by d_e'
    """
    return MEANINGFUL.sub(_entity, _without_mentions(_on_one_line(of)))


def code(of: object) -> str:
    """Return text in the font of code, for a name or a command; line breaks become spaces.

    Examples:
        >>> code("goodput_bps"), code("a|b")
        ('`goodput_bps`', '<code>a&#124;b</code>')
    """
    line = _on_one_line(of)
    # Neither in a span of code nor in a cell of a table is there another way to write these.
    if not line or re.search(r"[`|\\]", line):
        return f"<code>{ALL.sub(_entity, _without_mentions(line))}</code>"
    return f"`{line}`"


def _on_one_line(of: object) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", str(of)).split())


def _without_mentions(line: str) -> str:
    # GitHub looks for mentions and references after Markdown is read, and a space without width ends them.
    return re.sub(r"([@#])(?=\w)", f"\\1{NO_WIDTH}", line)


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


NO_WIDTH = "\N{ZERO WIDTH SPACE}"
ALL = re.compile(r"[!-/:-@\[-`{-~]")
# Inside a line; then at its start, the place of a list, a heading or a rule.
MEANINGFUL = re.compile(r"[\\|&*<>\[\]`~$#]|(?<![^\W_])_|_(?![^\W_])|^[-+=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]")
