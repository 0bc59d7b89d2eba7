# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. Findings say what the tests beside them support, and per level where an average would hide it."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from narrows._internal.cli import main
from narrows._internal.cli.study import MOST_FINDINGS
from narrows._internal.experiments.findings import Finding, Interaction, Mean, findings, variance_of
from narrows._internal.report.study.sentences import sentences
from narrows._internal.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

ALGORITHMS = ["cubic", "bbr3"]
LEVELS = ["codel", "droptail"]
NAME = "goodput_bps"


def study(
    value: Callable[[str, str], float],
    *,
    noise: float = 0.05,
    replications: int = 8,
    margins: dict[str, str] | None = None,
    columns: int = 1,
) -> tuple[Any, pa.Table]:
    """Return a plan of two algorithms at two levels of `queue`, and cells with these means and normal noise."""
    rng = np.random.default_rng(3)
    rows = [(name, level, number) for number in range(replications) for level in LEVELS for name in ALGORITHMS]
    plan = SimpleNamespace(
        factors=["queue"],
        algorithms=list(ALGORITHMS),
        columns=[SimpleNamespace(name=NAME, of="group", owner="", measure=NAME)] * columns,
        margins=dict(margins or {}),
        points=[],
    )
    table = {
        "algorithm": [name for name, _, _ in rows],
        "queue": [level for _, level, _ in rows],
        "replication": [number for _, _, number in rows],
        NAME: [value(name, level) + noise * rng.normal() for name, level, _ in rows],
    }
    return plan, pa.table(table)


def found(value: Callable[[str, str], float], **options: Any) -> tuple[Finding, list[str]]:
    plan, cells = study(value, **options)
    finding = findings(plan, cells)[0]
    return finding, list(sentences(finding))


def _changed(said: str, of: str) -> list[float]:
    """Return both values of a sentence: "Goodput: 1.5 Mbps with bbr3 instead of 1 Mbps with cubic (±0.1 Mbps)."."""
    value = r"([\d.]+)\W?\w*"
    values = re.match(rf"{of}: {value} with bbr3 instead of {value} with cubic \(±[\d.]+", said)
    assert values, said
    return [float(each) for each in values.groups()]


def test_a_factor_without_an_effect_moves_nothing() -> None:
    finding, sentences = found(lambda _name, _level: 1.0)
    assert finding.effects[0].high > finding.effects[0].low
    assert sentences == ["Goodput: bbr3 cannot be distinguished from cubic.", "Goodput: no factor has a clear effect."]


def test_an_effect_is_stated_with_its_interval_and_agrees_with_the_analysis_of_variance() -> None:
    finding, sentences = found(lambda _name, level: 2.0 if level == "codel" else 1.0)
    (effect,) = finding.effects
    assert (effect.low_level, effect.high_level) == ("droptail", "codel")
    assert effect.difference["ci95"] is not None
    assert effect.difference["ci95"][0] < 1.0 < effect.difference["ci95"][1]
    assert effect.clear
    plan, cells = study(lambda _name, level: 2.0 if level == "codel" else 1.0)
    table = variance_of(plan, cells, NAME)
    assert table is not None
    (source,) = [source for source in table.sources if source.factors == ("queue",)]
    assert source.p is not None
    assert effect.p is not None
    assert source.p <= effect.p < 0.05
    assert sentences[1].startswith("Goodput depends most on queue: ")


def test_algorithms_whose_order_turns_are_compared_at_each_level() -> None:
    """Equal on average: bbr3 is ahead under drop-tail and behind under CoDel."""
    finding, sentences = found(lambda name, level: 1.0 + 0.5 * ((name == "bbr3") == (level == "codel")))
    assert finding.turns
    assert finding.depends == ["queue"]
    assert not finding.means[1].clear
    assert sentences[0] == "Goodput: the order of the algorithms depends on queue."
    for said, queue, more in zip(sentences[1:], ("codel", "droptail"), (True, False), strict=False):
        found_there = _changed(said, f"Goodput at queue = {queue}")
        assert (found_there[0] > found_there[1]) == more


def test_an_interaction_that_keeps_the_order_is_not_averaged_over_either() -> None:
    finding, sentences = found(lambda name, level: 1.0 + (name == "bbr3") * (1.0 if level == "codel" else 0.5))
    assert finding.depends == ["queue"]
    assert not finding.turns
    assert sentences[0] == "Goodput: the difference between the algorithms depends on queue."
    for said, queue, gained in zip(sentences[1:], ("codel", "droptail"), (1.0, 0.5), strict=False):
        after, before = _changed(said, f"Goodput at queue = {queue}")
        assert abs(after - before - gained) < 0.2
    # The effect of the queue is given for each algorithm.
    assert sentences[3].startswith("Goodput depends most on queue: with bbr3 ")
    assert "; with cubic " in sentences[3]


def test_a_difference_that_interacts_with_two_factors_is_given_at_each_combination_of_both() -> None:
    rng = np.random.default_rng(5)
    shares = {("bbr1", 1): 0.9, ("bbr1", 10): 0.6, ("bbr3", 1): 0.56, ("bbr3", 10): 0.14}
    deep = {"1bdp": 1.0, "16bdp": 0.2}
    rows = [
        (name, count, limit, number)
        for number in range(8)
        for count in (1, 10)
        for limit in deep
        for name in ("bbr1", "bbr3")
    ]
    plan = SimpleNamespace(
        factors=["limit", "count"],
        algorithms=["bbr1", "bbr3"],
        columns=[SimpleNamespace(name="goodput_fraction", of="group", owner="", measure="goodput_fraction")],
        margins={},
        points=[],
    )
    values = [shares[name, count] * deep[limit] + 0.005 * rng.normal() for name, count, limit, _ in rows]
    names = ("algorithm", "count", "limit", "replication")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    (finding,) = findings(plan, pa.table({**columns, "goodput_fraction": values}))  # type: ignore[arg-type]
    assert set(finding.depends) == {"limit", "count"}
    assert len(finding.conditions) == 4
    for words, (first, second) in finding.conditions.items():
        (count,) = (each for each in (1, 10) if words.endswith(f"count = {each}") or f"count = {each}," in words)
        (limit,) = (each for each in deep if f"limit = {each}" in words)
        for mean, name in ((first, "bbr1"), (second, "bbr3")):
            assert mean.mean["mean"] is not None
            assert abs(mean.mean["mean"] - shares[name, count] * deep[limit]) < 0.01
    # The sentence on the factor with the largest effect gives no average over the others.
    (effect,) = (each for each in finding.effects if each.factor == "limit")
    assert set(effect.given) == {f"with {name} at count = {count}" for name, count in shares}


def _many(value: Callable[[tuple[int, ...], int], float]) -> tuple[Finding, list[str]]:
    """Return the findings on two algorithms at 6 times 5 times 13 levels of three factors."""
    rng = np.random.default_rng(7)
    counts = {"queue": 6, "delay": 5, "load": 13}
    columns: dict[str, list[Any]] = {name: [] for name in (*counts, "algorithm", "replication", NAME)}
    for place in np.ndindex(*counts.values(), len(ALGORITHMS), 2):
        *levels, faster, number = place
        row = (*levels, ALGORITHMS[faster], number, value(tuple(levels), faster) + 0.01 * rng.normal())
        for name, each in zip(columns, row, strict=True):
            columns[name].append(each)
    plan, _ = study(lambda _name, _level: 0.0, margins={NAME: "1bps"})
    plan.factors = list(counts)
    (finding,) = findings(plan, pa.table(columns))
    return finding, list(sentences(finding))


def test_no_sentence_on_too_many_combinations_gives_an_average_that_no_combination_has() -> None:
    def gained(queue: int, delay: int, load: int) -> float:
        return 3.0 * queue + 0.7 * delay + 0.2 * load - 9.0

    finding, said = _many(lambda at, faster: 100.0 + faster * gained(*at) + 0.2 * at[0] * at[2])
    assert set(finding.depends) == {"queue", "delay", "load"}
    assert not finding.conditions
    # Six levels of the factor with the strongest interaction have four sentences, after one on the order.
    assert next(iter(finding.spans)).startswith("at queue = 0")
    assert len(finding.spans) == 4
    assert said[0] == "Goodput: the order of the algorithms depends on queue, delay and load."
    combinations = 0
    for words, (span,) in finding.spans.items():
        queues = [int(each) for each in re.findall(r"\d+", words)]
        there = [gained(*each) for each in itertools.product(range(queues[0], queues[-1] + 1), range(5), range(13))]
        combinations += span.of
        assert span.of == len(there)
        for (at, difference), expected in ((span.least, min(there)), (span.most, max(there))):
            where = dict(re.findall(r"(\w+) = (\d+)", f"{words.partition(' to ')[0]}, {at}"))
            assert difference["mean"] is not None
            assert abs(difference["mean"] - expected) < 0.1
            assert abs(gained(*(int(where[each]) for each in ("queue", "delay", "load"))) - expected) < 1e-9
        assert abs(span.more - sum(each > 1.0 for each in there)) <= 1
        assert abs(span.less - sum(each < -1.0 for each in there)) <= 1
    assert combinations == 6 * 5 * 13
    assert re.fullmatch(
        r"Goodput at queue = 0, relative to cubic: with bbr3 from \W[89]\.\d+\Wbps \(.*\) at delay = 0, load = 0 to "
        r"\W[34]\.\d+\Wbps \(.*\) at delay = 4, load = 12, less in all 65 combinations\.",
        said[1],
    ), said[1]
    # The effect of a factor is given where it is largest and smallest, of all combinations.
    assert all(not each.averaged for each in finding.effects)
    assert not any("averaged" in each for each in said)


def test_a_large_difference_that_few_replications_cannot_show_is_called_undecided_with_what_would_decide() -> None:
    def value(name: str, _level: str) -> float:
        return 0.34 if name == "bbr3" else 0.72

    finding, sentences = found(value, noise=0.12, replications=3, columns=20)
    assert not finding.means[1].clear
    said = re.fullmatch(
        r"Goodput: not decided after correction for (\d+) tests: 0\.\d+\W\w+ with bbr3 instead of 0\.\d+\W\w+ "
        r"with cubic \(±[\d.]+\W\w+\); (\d+) replications would do\.",
        sentences[0],
    )
    assert said, sentences[0]
    assert int(said[1]) == finding.means[1].tests
    # So many do.
    again, _ = found(value, noise=0.12, replications=3 * int(said[2]), columns=20)
    assert again.means[1].clear


def test_p_values_are_corrected_for_all_tests_of_the_study() -> None:
    plan, cells = study(lambda name, _level: 1.0 + 0.15 * (name == "bbr3"))
    alone = findings(plan, cells)[0].means[1].p
    plan.columns *= 6
    among_six = findings(plan, cells)[0].means[1].p
    assert alone is not None
    assert among_six is not None
    assert among_six > 2 * alone


def test_one_replication_supports_no_difference() -> None:
    finding, sentences = found(lambda name, _level: 1.0 + 5.0 * (name == "bbr3"), replications=1)
    assert finding.means[1].p is None
    assert sentences[0].startswith("Goodput: not decided: ")


def test_a_difference_below_its_margin_is_not_clear() -> None:
    def value(name: str, _level: str) -> float:
        return 1.0 + 0.1 * (name == "bbr3")

    matters = "from which a difference matters."
    small = [f"by less than 0.2 bps, {matters}", f", perhaps by less than 0.102 bps, {matters}"]
    for margin, noise, said in (
        ("20%", 0.01, f"Goodput: bbr3 differs from cubic {small[0]}"),
        ("10.2%", 0.01, f"Goodput: bbr3 differs from cubic{small[1]}"),
        ("20%", 1.0, "Goodput: bbr3 cannot be distinguished from cubic."),
        ("1%", 0.01, None),
    ):
        finding, sentences = found(value, noise=noise, margins={NAME: margin})
        assert finding.means[1].clear == (said is None)
        assert said in {None, sentences[0].replace("\N{NARROW NO-BREAK SPACE}", " ")}, sentences[0]


def test_the_order_turns_where_a_sign_does_and_only_what_is_significant_is_said_to_depend() -> None:
    less, more = (estimate([mean - 1.0, mean, mean + 1.0]) for mean in (-97.0, 5.0))
    first = Mean("cubic", less, None)
    one, other = [first, Mean("bbr3", less, less, 0.001)], [first, Mean("bbr3", more, more, 0.001)]
    for conditions, turns in (({"a": one, "b": one}, False), ({"a": one, "b": other}, True)):
        for p, depends in ((0.001, ["queue"]), (0.5, []), (None, [])):
            found = Finding("late", 5, 0, less, one, [], [Interaction("queue", p)], conditions)
            assert (found.turns, found.depends) == (turns, depends)


def test_a_study_ends_with_its_first_findings_those_with_which_its_page_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        'title = "Buffers"\nscenario = "two-flows"\nreplications = 3\nset = { duration = "30s" }\n'
        '[factors]\nbuffer = { "path.queue.limit" = ["0.2bdp", "1bdp", "4bdp"] }\n',
        encoding="utf-8",
    )
    assert main(["study", "run", str(file), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    printed = capsys.readouterr().out.splitlines()
    place = printed.index("9 of 9 cells are finished, 0 failed")
    said = printed[place + 1 : place + 1 + MOST_FINDINGS]
    assert any("depends most on buffer" in each for each in said), said
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8").replace("\N{NARROW NO-BREAK SPACE}", " ")
    answer = page[page.index('<ul class="answer">') :].partition("</ul>")[0]
    assert not [each for each in said if each not in answer]
