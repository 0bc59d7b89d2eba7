# SPDX-License-Identifier: Apache-2.0
"""A page begins with what people perceive, by group, and says whose algorithm was replaced (product)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from narrows.cli import main
from narrows.cli.table import PERCEIVED_COLUMNS
from narrows.drawing.scale import PERCENT, SECONDS
from narrows.metrics import catalogue
from narrows.metrics.perceived import APPLICATIONS, PERCEIVED, perceived, stated
from narrows.page.estimates import changed_texts
from narrows.page.metrics import meaning
from narrows.report.run.perceived import _CLAUSES

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SHORT = ["--replications", "2", "--set", "duration=12s", "--quiet"]


def _compared(folder: Path, *more: str) -> str:
    assert main(["compare", "cubic", "bbr3", "--scenario", "call", *SHORT, *more, "--out", str(folder)]) == 0
    return (folder / "report.html").read_text(encoding="utf-8")


def _answer(page: str) -> list[str]:
    said = re.search(r'<ul class="answer">(.*?)</ul>', page, re.DOTALL)
    assert said is not None
    return [re.sub("<.*?>", "", each) for each in re.findall(r"<li>(.*?)</li>", said[1], re.DOTALL)]


def test_a_page_begins_with_frames_and_names_what_was_not_replaced(tmp_path: Path) -> None:
    page = _compared(tmp_path / "call")
    first, *_, last = _answer(page)
    assert re.match(r"With bbr3 95 % of the frames of call arrive within [\d.]+\W", first), first
    assert "Replaced was the algorithm of call, not that of transfer (cubic)." in last
    assert "--subject transfer" in last
    assert not any("Jain" in each for each in _answer(page))
    figures = re.findall(r'data-name="(\w+)"', page)
    assert figures[0] == "perceived"
    measures = re.findall(r'data-measure="(\w+)"', page)
    assert measures[0] in APPLICATIONS


def test_a_sentence_on_a_change_gives_both_values_and_what_is_known_of_their_difference_with_the_same_decimals(
    tmp_path: Path,
) -> None:
    given = [
        "compare",
        "--scenario",
        "call",
        "--vary",
        "path.queue=droptail,fq-codel",
        "--replications",
        "3",
        "--quiet",
    ]
    assert main([*given, "--set", "duration=20s", "--out", str(tmp_path / "queue")]) == 0
    said = _answer((tmp_path / "queue" / "report.html").read_text(encoding="utf-8"))
    (frames,) = (each.replace("\u202f", " ") for each in said if "frames of call arrive" in each)
    assert re.fullmatch(
        r"With fq-codel 95 % of the frames of call arrive within [\d.]+ m?s(?: instead of|, with droptail) [\d.]+ m?s "
        r"\(3 runs, [^()]*[\d.]+ m?s[^()]*\): [a-z ]+\.",
        frames,
    ), frames
    # As one would say it: 0.8 s instead of 4.6 s, ±0.1 s.
    texts = changed_texts(4.63, 0.82, -3.81, (-3.91, -3.71), SECONDS)
    assert [each.replace("\u202f", " ") for each in texts] == ["4.63 s", "0.82 s", "±0.10 s"]
    assert changed_texts(0.98, 0.0, -0.98, (-1.0, -0.95), PERCENT)[2].startswith("a difference of \N{MINUS SIGN}98")
    assert changed_texts(1.0, 1.0, 0.0, (0.0, 0.0), SECONDS)[2] == ""


def test_the_mean_of_a_metric_is_named_as_one_says_it() -> None:
    assert meaning("rtt_mean_s").of("web").title == "Mean RTT of web"
    assert meaning("goodput_bps").of("web").title == "Goodput of web"
    assert not [each["name"] for each in catalogue() if meaning(each["name"]).of("web").label.endswith("of web, mean")]


def test_another_group_is_put_to_the_test_by_its_name(tmp_path: Path) -> None:
    page = _compared(tmp_path / "transfer", "--subject", "transfer")
    assert "Replaced was the algorithm of transfer, not that of call (cubic)." in _answer(page)[-1]


def test_a_subject_that_is_no_group_is_refused_with_the_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", "cubic", "bbr3", "--scenario", "call", "--subject", "nothing", "--out", str(tmp_path / "no")]
    assert main(command) == 2
    assert re.search("call.*transfer", capsys.readouterr().err)
    assert not (tmp_path / "no").exists()


def test_terminal_and_page_lead_with_the_same_metrics_and_each_has_a_sentence() -> None:
    assert [column.metric for column in PERCEIVED_COLUMNS] == list(APPLICATIONS)
    assert set(PERCEIVED) <= {str(card["name"]) for card in catalogue()}
    for name in PERCEIVED:
        for moved in ([], [name]):
            assert set(stated([name], moved)) <= set(_CLAUSES)
    assert set(_CLAUSES) == {each for name in PERCEIVED for each in stated([name], [name])}
    assert perceived(["completion_time_s", "stall_share"]) == ["stall_share"]
