# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The recipes for controllers of QUIC stacks build, and pass on what happens."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

from command_line import write
from optional import needs, require

if TYPE_CHECKING:
    from command_line import Narrows

HOUSE = Path(__file__).parents[3]
RECIPES = HOUSE / "docs/recipes"
RECIPE = RECIPES / "ngtcp2"
HEADER = HOUSE / "crates/abi/include/narrows.h"
STAND_IN = Path(__file__).parent / "ngtcp2"
# Of a stack: an algorithm of the catalogue, its name in the stack, and by which share the goodput may differ. `reno`
# of ngtcp2 halves its window again where a retransmission is lost, which was sent after the recovery began (RFC 9002
# appendix B.6).
PAIRS = {
    "ngtcp2": [("cubic", "cubic", 0.02), ("newreno", "reno", 0.1), ("bbr3", "bbr", 0.02)],
    "quicly": [("cubic", "cubic", 0.02), ("newreno", "reno", 0.02), ("newreno", "pico", 0.02)],
    "lsquic": [("cubic", "cubic", 0.02)],
    "msquic": [("bbr1", "bbr", 0.02)],
}
SCENARIO = """\
duration = "30s"
warmup = "5s"
[path]
rate = "20Mbps"
rtt = "40ms"
queue = { kind = "droptail", limit = "1bdp" }
[[flows]]
name = "tested"
algorithm = "cubic"
"""
# A window of some thousand packets, more than the recipe has room for at first; losses, retransmissions and timeouts.
ROUGH = """\
duration = "20s"
warmup = "1s"
[path]
rate = { kind = "steps", rates = ["400Mbps", "2Mbps", "400Mbps"], times = ["0s", "5s", "10s"] }
rtt = "60ms"
loss = { kind = "gilbert-elliott", good_to_bad = 0.00001, bad_to_good = 0.01 }
impairments = [{ kind = "delay-steps", delays = ["0s", "1s", "0s"], times = ["0s", "15s", "15.5s"] }]
queue = { kind = "droptail", limit = "1bdp" }
[[flows]]
name = "tested"
algorithm = "cubic"
"""


def made(folder: Path, stack: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the make of the recipe for a stack in a copy of its folder."""
    copy = shutil.copytree(RECIPES / stack, folder / "recipe", ignore=shutil.ignore_patterns("build", "*.so"))
    (copy / "build").mkdir()
    shutil.copy(HEADER, copy / "build")
    return subprocess.run(["make", "-C", copy, *arguments], capture_output=True, text=True, check=False)  # noqa: S607


def compared(narrows: Narrows, folder: Path, scenario: str, *names: str) -> dict[str, dict[str, float]]:
    """Compare algorithms in a scenario; return the means of each one's group."""
    options: list[str | Path] = [
        "--scenario",
        write(folder, scenario),
        "--replications",
        "1",
        "--trust",
        "--json",
        "--out",
        folder / "out",
    ]
    done = narrows("compare", *names, *options)
    assert done.returncode == 0, done.stderr
    algorithms = json.loads(done.stdout)["algorithms"]
    return {
        name: {metric: value["mean"] for metric, value in one["groups"]["tested"].items() if isinstance(value, dict)}
        for name, one in zip(names, algorithms.values(), strict=True)
    }


@pytest.mark.parametrize("stack", PAIRS)
def test_a_recipe_says_where_the_checkout_must_be(tmp_path: Path, stack: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    done = made(tmp_path, stack, f"{stack.upper()}={elsewhere}")
    assert done.returncode == 2
    assert f'{stack.upper()} is "{elsewhere}": it must be the folder of a checkout' in done.stderr


@pytest.fixture
def stand_in(tmp_path: Path) -> str:
    """Return the name of the recipe's `bbr` with types and functions of the tests in place of those of ngtcp2."""
    source = RECIPE / "ngtcp2.c"
    for name in re.findall(r'#include "(ngtcp2_.*\.h)"', source.read_text(encoding="utf-8")):
        (tmp_path / name).write_text('#include "stand_in.h"\n', encoding="utf-8")
    flags = ["-std=gnu11", "-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"]
    folders: list[str | Path] = ["-I", tmp_path, "-I", STAND_IN, "-I", HEADER.parent]
    command: list[str | Path] = [
        "cc",
        *flags,
        *folders,
        "-o",
        tmp_path / "libstandin.so",
        source,
        STAND_IN / "stand_in.c",
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return "./libstandin.so:bbr"


def test_what_the_recipe_passes_on_is_consistent(narrows: Narrows, tmp_path: Path, stand_in: str) -> None:
    assert compared(narrows, tmp_path, ROUGH, stand_in)[stand_in]["timeouts"] > 0


def test_the_recipe_passes_on_when_the_application_limits_the_rate(
    narrows: Narrows, tmp_path: Path, stand_in: str
) -> None:
    limited = []
    for source in ("", 'source = { kind = "writes", interval = "10ms", size = "5kB" }\n'):
        scenario = write(tmp_path, SCENARIO.replace('"cubic"', f'"{stand_in}"') + source)
        options: list[str | Path] = [
            "--replications",
            "1",
            "--trust",
            "--set",
            "record.internals=true",
            "--out",
            tmp_path / "out",
        ]
        done = narrows("run", scenario, *options)
        assert done.returncode == 0, done.stderr
        table = parquet.read_table(tmp_path / "out/internals.parquet").to_pandas()
        limited.append(int(table["value"][table["variable"] == "cycle_count"].max()))
        shutil.rmtree(tmp_path / "out")
    assert limited[0] == 0
    assert limited[1] > 1000


@pytest.mark.parametrize("stack", [pytest.param(stack, marks=needs(stack)) for stack in PAIRS])
def test_the_controllers_of_a_checkout_fill_a_clean_link(narrows: Narrows, tmp_path: Path, stack: str) -> None:
    done = made(tmp_path, stack, f"{stack.upper()}={Path(require(stack)).resolve()}")
    assert done.returncode == 0, done.stderr
    library = f"./recipe/lib{stack}cc.so"
    ours = dict.fromkeys(name for name, _, _ in PAIRS[stack])
    means = compared(narrows, tmp_path, SCENARIO, *ours, *(f"{library}:{theirs}" for _, theirs, _ in PAIRS[stack]))
    for name, theirs, share in PAIRS[stack]:
        found = means[f"{library}:{theirs}"]
        assert found["goodput_bps"] == pytest.approx(means[name]["goodput_bps"], rel=share), theirs
        assert found["timeouts"] == 0
