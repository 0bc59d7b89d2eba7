# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. The recipe for the controllers of ngtcp2 builds, and passes on what happens."""

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
RECIPE = HOUSE / "docs/recipes/ngtcp2"
HEADER = HOUSE / "crates/abi/include/narrows.h"
STAND_IN = Path(__file__).parent / "ngtcp2"
# Of an algorithm of the catalogue: its name in ngtcp2, and by which share the goodput may differ. `reno` halves its
# window again where a retransmission is lost, which was sent after the recovery began (RFC 9002 appendix B.6).
PAIRS = {"cubic": ("cubic", 0.02), "newreno": ("reno", 0.1), "bbr3": ("bbr", 0.02)}
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


def made(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the recipe's make in a copy of its folder."""
    copy = shutil.copytree(RECIPE, folder / "recipe", ignore=shutil.ignore_patterns("build", "*.so"))
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


def test_the_recipe_says_where_the_checkout_must_be(tmp_path: Path) -> None:
    done = made(tmp_path, f"NGTCP2={tmp_path / 'elsewhere'}")
    assert done.returncode == 2
    assert f'NGTCP2 is "{tmp_path / "elsewhere"}": it must be the folder of a checkout' in done.stderr


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


@needs("ngtcp2")
def test_the_controllers_of_a_checkout_fill_a_clean_link(narrows: Narrows, tmp_path: Path) -> None:
    done = made(tmp_path, f"NGTCP2={Path(require('ngtcp2')).resolve()}")
    assert done.returncode == 0, done.stderr
    theirs = {ours: f"./recipe/libngtcp2cc.so:{name}" for ours, (name, _) in PAIRS.items()}
    means = compared(narrows, tmp_path, SCENARIO, *theirs, *theirs.values())
    for ours, (_, share) in PAIRS.items():
        assert means[theirs[ours]]["goodput_bps"] == pytest.approx(means[ours]["goodput_bps"], rel=share), ours
        assert means[theirs[ours]]["timeouts"] == 0
