# SPDX-License-Identifier: Apache-2.0
"""A mean and the ends of its interval have the same decimals wherever they are written; a constant is one number."""

from __future__ import annotations

import math
import random
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from narrows._internal.cli import main
from narrows._internal.cli.reproduce import _written
from narrows._internal.drawing.scale import BITS_PER_SECOND, BYTES, COUNT, INDEX, MINUS, PACKETS, PERCENT, SECONDS
from narrows._internal.page.estimates import difference_text, difference_texts, estimate_text, relative_text
from narrows._internal.report.run.data import Measure
from narrows._internal.report.run.tables import _cell
from narrows._internal.rounding import decimals_of, estimate_decimals, plus_minus
from narrows._internal.search.finds import score_text
from narrows._internal.statistics import COUNT as COUNTED
from narrows._internal.statistics import SHARE, Range, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from narrows._internal.statistics import Estimate

    Interval = tuple[float, float]

NUMBER = rf"[+{MINUS}-]?\d[\d\u202f]*(?:\.\d+)?(?:e-?\d+)?"
SYMMETRIC = re.compile(rf"({NUMBER}) ± ({NUMBER})")
UNITS = (BITS_PER_SECOND, BYTES, COUNT, INDEX, PACKETS, PERCENT, SECONDS)
WAYS: dict[str, Callable[[float, Interval], str]] = {
    **{f"estimate in {unit.name or 'one'}": partial(estimate_text, unit=unit)
       for unit in UNITS},
    **{f"difference in {unit.name or 'one'}": partial(difference_text, unit=unit)
       for unit in UNITS},
    "relative": relative_text,
    "terminal": lambda mean, ends: plus_minus({"mean": mean, "ci95": ends}, 1.0),
    "claims": lambda mean, ends: " ".join(_written(mean, ends, 1.0)),
    "score": score_text,
    "cell": lambda mean, ends: re.sub("<.*?>", " ", str(_cell(Measure(mean, ends), 1.0, 2))),
}  # fmt: skip


def _drawn() -> Iterator[tuple[float, Interval]]:
    """Yield means with intervals of all sizes: around 0, at a bound, nearly and quite without width."""
    generator = random.Random(7)  # noqa: S311  # draws, no secrets
    for _ in range(4000):
        size = 10.0 ** generator.uniform(-7, 9)
        mean = generator.choice([0.0, 1.0, 100.0, size, -size])
        below, above = (abs(mean or 1.0) * 10.0 ** generator.uniform(-7, 2) for _ in range(2))
        low, high = mean - generator.choice([0.0, below]), mean + generator.choice([0.0, above])
        if generator.random() < 0.2 and mean:
            low, high = min(mean, 1.0), max(mean, 1.0)
        yield mean, (low, high)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _value(text: str) -> float:
    return float(text.replace(MINUS, "-").replace("\u202f", ""))


def _fault(text: str) -> str:
    """Return what is wrong with the numbers of an estimate as written; empty for nothing."""
    if found := SYMMETRIC.fullmatch(text.strip()):
        mean, half = found.groups()
        return "" if _decimals(mean) == _decimals(half) and _value(half) > 0 else "half"
    numbers = re.findall(NUMBER, text)
    if len({_decimals(each) for each in numbers}) > 1:
        return "decimals"
    values = list(map(_value, numbers))
    if words := re.search("at (?:least|most)", text):
        # The other end is left out.
        values.insert(1 if words[0] == "at most" else 2, math.inf if words[0] == "at least" else -math.inf)
    if len(values) == 1:
        return ""
    return "" if len(values) == 3 and values[1] < values[0] < values[2] else "ends"


@pytest.mark.parametrize("way", WAYS)
def test_a_mean_has_as_many_decimals_as_the_ends_of_its_interval(way: str) -> None:
    for mean, ends in _drawn():
        text = WAYS[way](mean, ends)
        assert not _fault(text), (way, mean, ends, text)


def _equal() -> Iterator[Estimate]:
    """Yield the estimates of equal values at the ends of ranges of all kinds, and of their differences."""
    for count in (2, 3, 5, 30):
        for within in (SHARE, COUNTED, Range(0.0, 2.5e6), Range(0.5, 1.0)):
            for value in (within.low, within.high):
                if math.isfinite(value):
                    yield estimate([value] * count, within)
        yield paired([1.0] * count, [0.0] * count, SHARE)
        yield paired([0.0] * count, [0.0] * count, SHARE)


def test_where_all_values_are_equal_words_stand_in_place_of_the_interval_of_a_mean_but_not_of_a_difference() -> None:
    found = list(_equal())
    assert len(found) == 4 * 9
    for each in found:
        mean, ends, method = each["mean"], each["ci95"], each["interval_method"]
        assert mean is not None
        assert ends is not None
        cell = str(_cell(Measure(mean, (ends[0], ends[1]), method=method), 1.0, 2))
        assert "with 95 % confidence" in cell
        written = [
            plus_minus(each, 1.0),
            *(estimate_text(mean, ends, unit, method) for unit in UNITS),
            re.sub("<.*?>", " ", cell),
        ]
        for text in written:
            assert "all runs" in text, text
            assert len(re.findall(NUMBER, text)) == 1, text
        for unit in UNITS:
            assert len(re.findall(NUMBER, " ".join(difference_texts(mean, ends, unit)))) > 1
    assert plus_minus(estimate([1.0] * 5, SHARE), 0.01) == "100 (all runs)"


def test_equal_values_without_an_interval_are_written_as_all_others() -> None:
    found = estimate([10.0] * 3)
    assert found["ci95"] is None
    cell = re.sub("<.*?>", " ", str(_cell(Measure(10.0, None, method=found["interval_method"]), 1.0, 2)))
    texts = [
        plus_minus(found, 1.0),
        cell,
        *(estimate_text(10.0, None, unit, found["interval_method"]) for unit in UNITS),
    ]
    assert all("all runs" in text for text in texts), texts
    single = estimate([10.0])
    assert plus_minus(single, 1.0) == "10"
    assert "all runs" not in str(_cell(Measure(10.0, None, method=single["interval_method"]), 1.0, 2))


def test_an_end_that_is_written_like_the_mean_is_left_out_and_the_other_is_in_words() -> None:
    nearly = estimate([1.0, 0.99996], SHARE)
    assert plus_minus(nearly, 0.01) == "100 (at least 13)"
    assert plus_minus({"mean": 0.0, "ci95": [0.0, 1.2]}, 1.0) == "0.00 (at most 1.20)"


def test_what_is_known_well_is_written_with_more_decimals_and_a_constant_with_none_that_say_nothing() -> None:
    assert plus_minus({"mean": 1.0, "ci95": [1.0, 1.0]}, 0.01) == "100"
    assert plus_minus({"mean": 0.996, "ci95": [0.48, 0.999]}, 0.01) == "99.6 [48.0, 99.9]"
    assert estimate_text(38.928e6, (38.927e6, 38.929e6), BITS_PER_SECOND).replace("\u202f", " ") == (
        "38.928 Mbps (38.927 … 38.929)"
    )
    assert estimate_text(1.0, (1.0, 1.0), PERCENT) == "100\u202f%"
    assert estimate_decimals(0.0, 0.0, 0.0) is None
    assert decimals_of(9.996) == 1


def test_a_whole_page_and_what_the_terminal_prints_have_such_numbers_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["compare", "cubic", "bbr3", "--scenario", "home", "--set", "duration=30s"]
    assert main([*given, "--replications", "2", "--quiet", "--out", str(tmp_path / "home")]) == 0
    printed = capsys.readouterr().out
    page = (tmp_path / "home" / "report.html").read_text(encoding="utf-8")
    shown = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    unit = "[^\\d<>()]{0,12}?"
    written = [*re.findall(rf"{NUMBER}{unit}\({NUMBER}\u202f…\u202f{NUMBER}\)", shown)]
    written += [" ".join(each) for each in
                re.findall(rf"<data[^>]*>({NUMBER}){unit}</data><span class=\"ci\">(.*?)</span>", shown)]  # fmt: skip
    written += re.findall(rf"{NUMBER} ± {NUMBER}|{NUMBER} \[{NUMBER}, {NUMBER}\]", printed)
    assert len(written) > 100
    assert not {each: fault for each in written if (fault := _fault(each))}
