# SPDX-License-Identifier: Apache-2.0
"""Product: a comparison that ends when it is decided. Statistics: its error rates, without the engine."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import narrows as nw
from command_line import SHORT, write
from narrows._internal.analysis.sequences import FIRST, MOST, always_valid, batches
from narrows._internal.metrics.criteria import verdict
from narrows._internal.statistics import REAL, SEQUENCE, SHARE, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command_line import Narrows

TRIALS = 500
# 500 trials at 5 % exceed 41 once in a thousand times.
GREATEST = 41
SHAPES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "normal": lambda random: random.normal(size=MOST),
    "uniform": lambda random: random.uniform(-1, 1, size=MOST),
    "long tail": lambda random: random.exponential(size=MOST) - 1,
    "longer tail": lambda random: random.lognormal(size=MOST) - math.exp(0.5),
}
# Rates that differ by a factor of four, and by a thousandth with a margin that is smaller still.
CLEAR = ["--vary", "path.rate=5Mbps,20Mbps", "--margin", "jain=1"]
TINY = ["--vary", "path.rate=10Mbps,10.01Mbps", "--margin", "goodput_bps=0.0001%"]


def ends(shape: str, shift: float, margin: float, *, sequential: bool = True) -> list[tuple[str, int]]:
    """Return the verdict with which each of many simulated comparisons ends, and its number of replications."""
    random = np.random.default_rng(1)
    found = []
    for _ in range(TRIALS):
        differences = [float(each) for each in SHAPES[shape](random) + shift]
        for batch in batches(MOST):
            values = differences[: batch.stop]
            difference = paired(values, [0.0] * len(values))
            said = verdict(always_valid(difference, values, REAL) if sequential else difference, margin, "higher")
            if said != "undecided":
                break
        found.append((said, batch.stop))
    return found


def count(found: list[tuple[str, int]], *verdicts: str) -> int:
    return sum(said in verdicts for said, _ in found)


@pytest.mark.parametrize("shape", SHAPES)
def test_without_a_difference_one_is_found_as_rarely_as_promised(shape: str) -> None:
    assert count(ends(shape, 0.0, 0.0), "better", "worse") <= GREATEST


def test_intervals_of_a_fixed_number_would_find_one_more_often() -> None:
    assert count(ends("normal", 0.0, 0.0, sequential=False), "better", "worse") > 2 * GREATEST


@pytest.mark.parametrize("shape", SHAPES)
def test_a_difference_of_the_margin_is_rarely_found_to_be_less(shape: str) -> None:
    assert count(ends(shape, 1.0, 1.0), "same") <= GREATEST
    assert count(ends(shape, -1.0, 1.0), "same") <= GREATEST


def test_clear_differences_end_at_the_first_look_and_small_ones_within_the_limit() -> None:
    assert set(ends("normal", 20.0, 1.0)) == {("better", FIRST)}
    small = ends("normal", 0.0, 2.0)
    assert count(small, "same") == TRIALS
    assert any(stop > FIRST for _, stop in small)


def test_the_bound_of_equal_values_holds_at_every_number_of_them() -> None:
    random, missed = np.random.default_rng(1), 0
    for _ in range(TRIALS):
        values = [float(each) for each in random.uniform(size=MOST) < 0.1]
        for batch in batches(MOST):
            seen = values[: batch.stop]
            interval = always_valid(estimate(seen, SHARE), seen, SHARE)["ci95"]
            if len(set(seen)) == 1 and interval is not None and not interval[0] <= 0.1 <= interval[1]:
                missed += 1
                break
    assert missed <= GREATEST / 2


def test_an_interval_stays_within_the_possible_values_and_has_its_name() -> None:
    values = [0.9, 1.0, 0.95, 1.0, 0.99, 1.0, 0.97, 1.0, 0.98, 1.0]
    found = always_valid(estimate(values, SHARE), values, SHARE)
    assert found["interval_method"] == SEQUENCE
    assert found["ci95"] is not None
    assert found["ci95"][1] == 1.0
    assert always_valid(estimate(values[:2], SHARE), values[:2], SHARE)["ci95"] is None


def test_no_value_and_one_value_stay_as_they_are() -> None:
    for values in ([], [1.0]):
        assert always_valid(estimate(values), values, REAL) == estimate(values)


def read(folder: Path, file: str = "summary.json") -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / file).read_text(encoding="utf-8"))
    return content


def compare(narrows: Narrows, tmp_path: Path, *arguments: str) -> str:
    done = narrows("compare", "--scenario", write(tmp_path, SHORT), *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_clear_difference_ends_early_with_the_records_of_that_number_of_replications(
    narrows: Narrows, tmp_path: Path
) -> None:
    said = compare(narrows, tmp_path, *CLEAR, "--until-decided", "--out", "until")
    summary, manifest = read(tmp_path / "until"), read(tmp_path / "until", "manifest.json")
    ran = summary["replications"]
    assert FIRST <= ran < MOST == summary["at_most"]
    assert f"After {ran} replications of at most {MOST} each of these comparisons was decided." in said
    assert f"{ran} replications; 95 % confidence sequences" in said
    assert manifest["replications"] == ran
    assert manifest["interrupted"] is False
    compare(narrows, tmp_path, *CLEAR, "--replications", str(ran), "--out", "fixed")
    fixed = read(tmp_path / "fixed")
    assert summary["digest"] == fixed["digest"]
    for run in ("rate=5Mbps", "rate=20Mbps"):
        names = [tmp_path / folder / run / "scenario.toml" for folder in ("until", "fixed")]
        assert names[0].read_bytes() == names[1].read_bytes()
    mine, other = (each["differences"][0]["groups"]["newreno"]["goodput_bps"] for each in (summary, fixed))
    assert mine["mean"] == other["mean"]
    assert mine["interval_method"] == SEQUENCE
    # An interval that is valid at every number of replications is wider.
    assert mine["ci95"][1] - mine["ci95"][0] > other["ci95"][1] - other["ci95"][0]


def test_verify_repeats_it_and_the_page_says_how_its_intervals_were_made(narrows: Narrows, tmp_path: Path) -> None:
    compare(narrows, tmp_path, *CLEAR, "--until-decided", "--out", "until")
    page = (tmp_path / "until/report.html").read_text(encoding="utf-8")
    assert "each of these comparisons was decided" in page
    assert "95 % confidence sequences, which are valid at every number of replications" in page
    assert "95 % confidence intervals" not in page
    assert "95 % intervals" not in page
    narrows("pack", "until", "--out", "packed.zip")
    done = narrows("verify", "packed.zip", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["same"] is True


def test_a_tiny_difference_reaches_the_limit_and_is_named(narrows: Narrows, tmp_path: Path) -> None:
    said = compare(narrows, tmp_path, *TINY, "--until-decided", "--at-most", "11", "--out", "until")
    assert read(tmp_path / "until")["replications"] == 11
    assert "Undecided after 11 replications (the greatest number): rate 10.01Mbps against rate 10Mbps (goodput" in said


def test_of_several_algorithms_the_undecided_pairs_are_named(narrows: Narrows, tmp_path: Path) -> None:
    # The second is the first under another name, the third no algorithm that adapts.
    flags = ["aimd(a=1,b=0.5)", "aimd(a=1,b=0.505)", "aimd(a=40,b=0.9)", "--margin", "goodput_bps=0.0001%"]
    said = compare(narrows, tmp_path, *flags, "--until-decided", "--at-most", "10", "--out", "until")
    line = next(each for each in said.splitlines() if each.startswith("Undecided after 10"))
    assert "aimd(a=1,b=0.505) against aimd(a=1,b=0.5) (" in line


def test_replications_that_are_one_run_end_at_once(narrows: Narrows, tmp_path: Path) -> None:
    file = write(tmp_path, SHORT.replace('start = "0s..1s"', 'start = "0s"'))
    flags = ["--set", "transport.send_delay=0s", "--until-decided", "--out", "out"]
    done = narrows("compare", "newreno", "cubic", "--scenario", file, *flags)
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "out")["replications"] == FIRST
    assert f"More than {FIRST} replications decide nothing" in done.stdout


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--at-most", "20"], "limits the replications of --until-decided, which is not given"),
        (["--until-decided", "--replications", "5"], "allowed: --at-most N"),
        (["--until-decided", "--at-most", "1"], "expected a whole number from 2"),
    ],
)
def test_numbers_that_contradict_are_refused(narrows: Narrows, tmp_path: Path, flags: list[str], said: str) -> None:
    done = narrows("compare", "newreno", "cubic", "--scenario", write(tmp_path, SHORT), *flags, "--out", "out")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_python_does_the_same(tmp_path: Path) -> None:
    levels = {"path.rate": ["5Mbps", "20Mbps"]}
    file = write(tmp_path, SHORT)
    seen: list[str] = []

    class Watch:
        def update(self, fraction: float) -> None:
            seen.append(f"{fraction:.2f}")

        def stopped(self) -> bool:
            return False

    found = nw.compare(scenario=file, vary=levels, margins="jain=1", until_decided=True, watch=Watch())
    ran = found.summary["replications"]
    assert FIRST <= ran < MOST
    assert all(run.scenario.replications == ran for run in found.runs.values())
    fixed = nw.compare(scenario=file, vary=levels, margins="jain=1", replications=ran)
    assert found.summary["digest"] == fixed.summary["digest"]
    assert "confidence sequences" in found._repr_html_()
    assert seen
    with pytest.raises(ValueError, match="replications is 1; allowed: a whole number from 2"):
        nw.compare(scenario=file, vary=levels, replications=1, until_decided=True)
