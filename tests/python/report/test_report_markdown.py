# SPDX-License-Identifier: Apache-2.0
"""Whatever a name holds, Markdown and XML that are read back have it as text."""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from markdown_it import MarkdownIt

from narrows._internal.page.markdown import NO_WIDTH, code, text
from narrows._internal.report.trial.comment import comment, junit

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PARTS = ["|", "`", "``", "\\", "<img src=x>", "![x](http://h/x)", "@everyone", "#12", "a", "b_c", "_d_", "*", "&amp;",
         "\n", "\r\n", "1. ", "- ", "# ", "---", "~~x~~", "<!--", "]]>", "$x$", " ", "\x00", "\x1b", "\uffff",
         "é", "\u2028"]  # fmt: skip
names = some.lists(some.sampled_from(PARTS) | some.text(max_size=3), max_size=6).map("".join)


def on_one_line(name: str) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", name).split())


def read(inline: Any) -> str:
    """Return the text of a line, of which nothing has a meaning but the font of code."""
    found = ""
    for token in inline.children:
        assert token.type in {"text", "text_special", "code_inline", "html_inline"}, token
        if token.type == "html_inline":
            assert token.content in {"<code>", "</code>"}
            continue
        found += token.content
    return found.replace(NO_WIDTH, "")


@given(name=names)
@example(name="a\\|b")
@example(name="`")
@example(name="- a")
@settings(max_examples=400, deadline=None)
def test_a_name_is_text_in_a_paragraph_a_heading_and_a_cell(name: str) -> None:
    wanted = on_one_line(name.replace(NO_WIDTH, ""))
    for written in (text(name), code(name)):
        table = READER.parse(f"| a | b |\n|---|---|\n| {written} | {written} |\n")
        assert [each.type for each in table].count("td_open") == 2
        cells = [read(each) for each in table if each.type == "inline"][2:]
        assert [each.strip() for each in cells] == [wanted, wanted]
        heading = READER.parse(f"### {written}")
        assert [each.type for each in heading] == ["heading_open", "inline", "heading_close"]
        assert read(heading[1]).strip() == wanted
        if written:
            paragraph = READER.parse(written)
            assert [each.type for each in paragraph] == ["paragraph_open", "inline", "paragraph_close"]
            assert read(paragraph[1]).strip() == wanted
    assert not re.search(r"[@#]\w", html.unescape(text(name)))


def summary_of(name: str) -> dict[str, Any]:
    row = {
        "verdict": "worse", "scenario": name, "metric": f"share(to={name})", "owner": name, "unit": "bps", "a": 1e6,
        "b": 2e6, "difference": 1e6, "relative": 1.0, "interval": [9e5, 11e5], "margin": 1e4, "better": "lower",
        "replications": 10,
    }  # fmt: skip
    rows = [row, {**row, "verdict": "no worse"}]
    return {
        "a": name, "b": name, "verdicts": {"worse": 1, "no worse": 1}, "margin": "2%", "alpha": 0.05, "rows": rows,
        "command": f"narrows ab {name}",
    }  # fmt: skip


@given(name=names)
@settings(max_examples=200, deadline=None)
def test_no_name_changes_the_comment_of_a_trial(name: str) -> None:
    shape = [token.type for token in READER.parse(comment(summary_of("plain")))]
    found = READER.parse(comment(summary_of(name)))
    assert [token.type for token in found] == shape
    for token in found:
        if token.type == "inline":
            for each in token.children or ():
                assert each.type in {"text", "code_inline", "html_inline"}
                assert each.type != "html_inline" or each.content in {"<code>", "</code>"}
                assert each.type != "text" or not re.search(r"@\w", each.content)


@given(name=names | some.characters(codec="utf-8"))
@settings(max_examples=200, deadline=None)
def test_the_xml_of_a_trial_is_well_formed_and_has_the_name(name: str) -> None:
    cases = ET.fromstring(junit(summary_of(name)).encode()).findall("testcase")  # noqa: S314  # our own text
    assert len(cases) == 2
    kept = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", name)
    assert cases[0].get("classname") == kept


@pytest.mark.parametrize("name", ["transfers/poisson", "./mine.py:Mine", "a b"])
def test_ordinary_names_are_written_as_they_are(name: str) -> None:
    assert code(name) == f"`{name}`"
    assert text("means of cwnd_mean in 5 cells (95 %)") == "means of cwnd_mean in 5 cells (95 %)"
