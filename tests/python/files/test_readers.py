# SPDX-License-Identifier: Apache-2.0
"""Readers of files that a scenario names: what they do not understand is refused with its line, wherever it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal import core

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "9s"
path = { rate = "10Mbps", rtt = "40ms" }
[[flows]]
algorithm = "cubic"
"""
# A sound file, the change of the scenario that names it, and patterns of tokens that mean nothing by their format.
READERS = {
    "trace": ("1\n2\n5\n", 'path.rate={ kind = "trace", trace = "file" }', ""),
    "arrivals": ("0.5 1000\n2.5, 2000 # large\n", 'flows.0.source={ kind = "arrivals", arrivals = "file" }', "#|large"),
    "records": (
        "start,bytes\n0.5,1000\n2.5,2000\n",
        'flows.0.source={ kind = "flow-records", records = "file" }',
        "start|bytes",
    ),
    "delays": (
        "0 0.01\n1.5 0.02 # far\n",
        'path.impairments=[{ kind = "delay-trace", file = "file" }]',
        "#|far",
    ),
    "sizes": ("1000 0.5\n2000 1 # all\n", 'flows.0.size={ kind = "empirical", file = "file" }', "#|all"),
    "vectors": (
        "SEQ 0 1 ID ID\nw 9000 9000\nr 30000\nl 0.0 0.1\nm 1460 1460\n> 500\nt 10\n< 9000\n",
        'flows.0.source={ kind = "vectors", vectors = "file" }',
        "ID",
    ),
}
GARBAGE = ("x", "nan", "inf", "-1", "1e400", "0x10", "1_0", "\u0661", "--1", "1.2.3", "1 1 1 1")


def loaded(folder: Path, text: str, change: str) -> str:
    """Return the description of a scenario that names a file with this text."""
    (folder / "file").write_text(text, encoding="utf-8")
    scenario = nw.Scenario(SCENARIO, "scenario.toml", folder, [change.replace('"file"', f'"{folder / "file"}"')])
    return "\n".join(words for _, words in scenario.resolve().description)


def refusal(folder: Path, text: str, change: str) -> set[int] | None:
    """Return the lines of a file that its refusal names; None if it is accepted."""
    try:
        loaded(folder, text, change)
    except core.ScenarioError as error:
        return {int(number) for number in re.findall(r"line (\d+)", str(error))}
    return None


@pytest.mark.parametrize("reader", READERS)
def test_no_token_is_passed_over(tmp_path: Path, reader: str) -> None:
    text, change, nothing = READERS[reader]
    loaded(tmp_path, text, change)
    wrong = []
    for token in re.finditer(r"[^\s,]+", text):
        line = 1 + text[: token.start()].count("\n")
        for garbage in GARBAGE:
            # Times count from the first one, which may be any.
            if reader == "delays" and token.start() == 0 and garbage == "-1":
                continue
            # Numbers behind those that a connection begins with are names.
            if (nothing and re.fullmatch(nothing, token[0])) or (reader == "vectors" and line == 1 and " " in garbage):
                continue
            named = refusal(tmp_path, text[: token.start()] + garbage + text[token.end() :], change)
            # A connection is refused at its first line where others do not fit to it.
            if named is None or not named & {line, line + 1, 1}:
                wrong.append((line, token[0], garbage, named))
    assert wrong == []


@pytest.mark.parametrize("reader", READERS)
def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path, reader: str) -> None:
    text, change, _ = READERS[reader]
    plain = re.sub(r"SHA-256 \w+|[0-9a-f]{64}", "", loaded(tmp_path, text, change))
    for other in ("\ufeff" + text, text.replace("\n", "\r\n"), text.rstrip("\n")):
        assert re.sub(r"SHA-256 \w+|[0-9a-f]{64}", "", loaded(tmp_path, other, change)) == plain


def test_what_has_no_effect_is_listed(tmp_path: Path) -> None:
    text, change, _ = READERS["vectors"]
    words = loaded(tmp_path, text, change)
    assert "1 of 1 connections in" in words
    assert "with loss rates, which have no effect" in words
    assert "with segment sizes, which have no effect" in words
    late = loaded(tmp_path, "1 1000\n50 1000\n", READERS["arrivals"][1])
    assert "1 of 2 transfers in" in late
    with pytest.raises(core.ScenarioError, match="none of its transfers starts before 9s"):
        loaded(tmp_path, "50 1000\n", READERS["arrivals"][1])


def test_a_run_lists_what_was_assumed(tmp_path: Path) -> None:
    graph = '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    graph += '<edge source="a" target="b" label="2x10 Mbps"/></graph></graphml>'
    (tmp_path / "graph.graphml").write_text(graph, encoding="utf-8")
    text = """
duration = "2s"
network = { rtt = "40ms", graph = { file = "graph.graphml", delay = "5ms" } }
flows = [{ algorithm = "cubic", from = "a", to = "b" }]
"""
    result = nw.Scenario(text, "scenario.toml", tmp_path).run()
    [check] = [each for each in result.summary["checks"] if each["name"] == "files say everything"]
    assert (check["ok"], check["level"]) == (False, "caution")
    assert 'label "2x10 Mbps" read as 20Mbps: a to b' in check["detail"]
    assert "delay 5ms assumed, no delay stated: a to b" in check["detail"]
    # The resolved scenario, which holds the links themselves, keeps the list.
    again = nw.Scenario(result.scenario.resolved, "again.toml", tmp_path).run()
    assert [each for each in again.summary["checks"] if each["name"] == "files say everything"] == [check]
    assert again.summary["digest"] == result.summary["digest"]
