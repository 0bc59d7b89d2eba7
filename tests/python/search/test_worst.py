"""`narrows worst` from the command line: known weaknesses, the same atlas again, scenarios that run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows


def _atlas(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "atlas.json").read_text(encoding="utf-8"))
    return found


def test_the_losses_of_bbr1_in_shallow_buffers_are_found(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "bbr1", "--budget", "96", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    losses = [each for each in _atlas(tmp_path / "out")["found"] if each["kind"] == "loss"]
    assert losses
    environment = losses[0]["environment"]
    product = environment["rate_bps"] * environment["rtt_s"] / 12000
    assert environment["buffer_packets"] <= 1.5 * product
    assert environment["flows"] > 1
    ran = narrows("run", tmp_path / "out" / losses[0]["scenario"], "--out", "again", "--json", "--quiet")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["groups"]["test"]["loss_rate"]["mean"] > 0.05
    report = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert losses[0]["words"] in report


def test_cubic_under_random_loss_on_a_long_path_is_found(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "cubic", "--budget", "96", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    found = [each for each in _atlas(tmp_path / "out")["found"] if each["kind"] == "goodput"]
    assert any(each["environment"]["loss"] >= 0.003 and each["environment"]["rtt_s"] >= 0.1 for each in found)


def test_vegas_beside_reno_is_found(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "vegas", "--against", "newreno", "--budget", "64", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    found = [each for each in _atlas(tmp_path / "out")["found"] if each["kind"] == "goodput"]
    assert any(each["environment"]["rivals"] > 0 and each["score"] > 0.3 for each in found)


def test_a_search_that_goes_on_ends_with_the_atlas_of_one_that_was_not_stopped(
    narrows: Narrows, tmp_path: Path
) -> None:
    for folder, budgets in (("once", ["40"]), ("twice", ["24", "40"])):
        for budget in budgets:
            done = narrows(
                "worst", "bbr1", "--budget", budget, "--seed", "3", "--out", folder, "--quiet", "--jobs", "1"
            )
            assert done.returncode == 0, done.stderr
    once, twice = (_atlas(tmp_path / name) for name in ("once", "twice"))
    del once["command"], twice["command"]
    assert once == twice
    assert once["evaluations"] == 40


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cubik"], "cubic"),
        (["cubic", "--against", "cubic"], "is the algorithm itself"),
        (["cubic", "--budget", "soon"], "as in 10min"),
        (["cubic", "--budget", "0"], "as in 10min"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    narrows: Narrows, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = narrows("worst", *arguments, "--out", "out")
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert not (tmp_path / "out").exists()
