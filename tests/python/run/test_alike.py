# SPDX-License-Identifier: Apache-2.0
"""Like with like: what the host adds to a class in Python, and what results say where two sides differ in more."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal.external.alike import unlike
from optional import require

if TYPE_CHECKING:
    from command_line import Narrows

ABI = Path(__file__).parents[3] / "crates/abi"

RENO = """
class Reno:
    slow_start = "host"
    undo = "host"

    def __init__(self, setup, b=0.5):
        self.b = b
        self.window, self.ssthresh = setup.initial_window, setup.initial_ssthresh

    def on_ack(self, ack):
        if ack.may_grow:
            self.window += ack.counted / self.window

    def on_loss(self, loss):
        if loss.new_episode:
            self.ssthresh = max(self.b * self.window, 2.0)
            self.window = min(self.window, max(self.ssthresh, 1.0))
        if loss.cause == "timeout":
            self.window = 1.0
"""
PLAIN = RENO.replace('    slow_start = "host"\n    undo = "host"\n', "").replace("ack.counted", "ack.newly_acked")


# With slow starts that a delay ends, timeouts, idle times, spurious losses.
@pytest.mark.parametrize(
    ("name", "variant"),
    [
        *(("two-flows", each) for each in ("hystart++", "hystart", "limited", "rapid", "search", "standard")),
        ("returning-source", "hystart++"),
        ("short-transfers", "hystart++"),
    ],
)
def test_a_class_that_leaves_slow_start_and_undo_to_the_host_is_newreno(
    tmp_path: Path, name: str, variant: str
) -> None:
    file = tmp_path / "reno.py"
    file.write_text(RENO, encoding="utf-8")
    loaded = nw.load(name, [f'transport.slow_start="{variant}"'])
    found = loaded.compare(["newreno", f"{file}:Reno"], replications=1)
    goodput = [
        [each["goodput_bps"]["mean"] for each in of["groups"].values()] for of in found.summary["algorithms"].values()
    ]
    assert goodput[0] == goodput[1]
    assert "unlike" not in found.summary


def test_results_say_what_a_plain_class_lacks(narrows: Narrows, tmp_path: Path, scenario: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN.replace("Reno", "Plain"), encoding="utf-8")
    changes = ["--set", "duration=3s", "--set", "warmup=1s"]
    small = ["--replications", "2", "--json", "--seed", "1"]
    made = {
        "compare": [*changes, *small, "newreno", "./plain.py:Plain", "--scenario", scenario.name],
        "ab": [*changes, *small, "newreno", "./plain.py:Plain", "--scenario", scenario.name],
        "matrix": [*changes, *small, "newreno", "./plain.py:Plain", "--rates", "5Mbps", "--rtts", "20ms",
                   "--buffers", "1bdp"],
        "worst": [*changes, "./plain.py:Plain", "--against", "newreno", "--budget", "2", "--json"],
        "suite": ["rfc9743", "./plain.py:Plain", "--rows", "5.1.3", *changes, *small],
    }  # fmt: skip
    for name, arguments in made.items():
        done = narrows(name, *arguments, "--out", name)
        assert done.returncode in {0, 1}, (name, done.stderr)
        assert "Plain its own" in json.loads(done.stdout)["unlike"], name
        assert "Plain its own" in (tmp_path / name / "report.html").read_text("utf-8"), name


def test_what_differs_is_named_and_equal_algorithms_differ_in_nothing() -> None:
    def text(algorithm: str, *more: str) -> str:
        return nw.load("two-flows", [f"flows.0.algorithm={algorithm}", *more]).check().resolved

    assert not unlike({"newreno": [text("newreno")], "cubic": [text("cubic")], "bbr3": [text("bbr3")]})
    said = unlike({"newreno": [text("newreno")], "cubic-linux": [text("cubic-linux")]})
    assert "newreno the host's (hystart++), cubic-linux the host's (hystart)" in said
    said = unlike({"a": [text("newreno", "flows.0.ecn=true")], "b": [text("newreno")]})
    assert "ECN: a True, b False" in said


@pytest.mark.parametrize("file", ["libmine.so", "mine.wasm"])
def test_a_library_lacks_what_the_host_adds_to_built_in_algorithms_and_the_settings_that_take_it_away_are_named(
    file: str,
) -> None:
    text = nw.load("two-flows", ["flows.0.algorithm=newreno"]).check().resolved
    of_library = text.replace('"newreno"', f'"./{file}:mine"')
    assert of_library != text
    said = unlike({"newreno": [text], "mine": [of_library]})
    assert "slow start: newreno the host's (hystart++), mine as its file has it" in said
    assert "undo of a spurious reduction: newreno yes, mine as its file has it" in said
    # Two libraries are alike, and the settings that the sentence names are keys.
    assert not unlike({"a": [of_library], "b": [of_library]})
    named = [each.rstrip(".") for each in said.split(" --set ")[1:]]
    assert len(named) == 4
    plain = nw.load("two-flows", ["flows.0.algorithm=newreno", *named]).check().resolved
    again = unlike({"newreno": [plain], "mine": [plain.replace('"newreno"', f'"./{file}:mine"')]})
    assert again.endswith("slow start: newreno the host's (standard), mine as its file has it.")


def test_a_library_that_leaves_its_parts_to_the_host_is_like_a_built_in_algorithm(tmp_path: Path) -> None:
    text = nw.load("two-flows", ["flows.0.algorithm=newreno"]).check().resolved

    def said(parts: str) -> str:
        library = tmp_path / f"lib{len(parts)}.so"
        flags = ["-shared", "-fPIC", f"-DPARTS=({parts})", "-I", str(ABI / "include")]
        subprocess.run([require("cc"), *flags, "-o", str(library), str(ABI / "tests/avoidance.c"), "-lm"], check=True)
        return unlike({"newreno": [text], "mine": [text.replace('"newreno"', f'"{library}:avoidance"')]})

    assert not said("NARROWS_SLOW_START | NARROWS_UNDO")
    assert "slow start: newreno" not in said("NARROWS_SLOW_START")
    assert "undo of a spurious reduction: newreno yes, mine as its file has it" in said("NARROWS_SLOW_START")
