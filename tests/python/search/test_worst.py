"""`narrows worst` from the command line: known weaknesses, the same atlas again, scenarios that run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from narrows.linux import cache, library

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Narrows


built = pytest.mark.skipif(
    not any(kernel.name == cache.DEFAULT and kernel.is_current for kernel in cache.kernels())
    or not library.path().is_file(),
    reason="no kernel is built for this version: narrows linux build",
)


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
    # The page begins with the gravest find of each kind.
    answer = report[report.index('id="answer"') : report.index('id="found"')]
    assert max(losses, key=lambda each: each["score"])["words"] in answer


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
    assert "narrows worst ALG … --out out" in narrows("report", "out").stderr


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


@built
def test_every_find_is_repeated_on_the_kernel(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "bbr1", "--budget", "16", "--on", "linux", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stderr
    atlas = _atlas(tmp_path / "out")
    assert atlas["found"]
    for find in atlas["found"]:
        kernel = find["linux"]
        assert kernel["replications"] == find["replications"] == 5
        assert kernel["interval"][0] <= kernel["score"] <= kernel["interval"][1]
        assert kernel["confirmed"] == (kernel["interval"][0] > 0)
        assert "# --on linux: " in (tmp_path / "out" / find["scenario"]).read_text(encoding="utf-8")
    # Both are packets of BBR's first version, so what is lost in a shallow buffer is lost in either.
    assert any(find["kind"] == "loss" and find["linux"]["confirmed"] for find in atlas["found"])
    assert f"On Linux {atlas['kernel']['kernel']}" in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "on linux" in done.stdout
    # The search is that of the simulator: without a kernel the same folder goes on.
    again = narrows("worst", "bbr1", "--budget", "16", "--out", "out", "--quiet", "--json")
    assert again.returncode == 0, again.stderr
    plain = [{key: value for key, value in find.items() if key != "linux"} for find in atlas["found"]]
    assert json.loads(again.stdout)["found"] == plain


@built
def test_an_algorithm_that_the_kernel_lacks_is_refused_before_the_search(narrows: Narrows, tmp_path: Path) -> None:
    done = narrows("worst", "bbr3", "--budget", "16", "--on", "linux", "--out", "out")
    assert done.returncode == 2
    assert "the kernel has no bbr3" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("cubic", "--on", "both"), "--on linux repeats every find on the kernel beside it"),
        (("cubic", "--on", "windows"), "allowed: simulator, linux, linux:NAME"),
        (("linux:illinois",), "the search is the simulator's, which has no algorithms of a kernel"),
    ],
)
def test_a_search_elsewhere_is_refused(narrows: Narrows, arguments: tuple[str, ...], problem: str) -> None:
    done = narrows("worst", *arguments, "--out", "out")
    assert done.returncode == 2
    assert problem in done.stderr
