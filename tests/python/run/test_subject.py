# SPDX-License-Identifier: Apache-2.0
"""Every command that replaces the algorithm of some groups says of which, and replaces that of others when asked."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal.cli import main
from narrows._internal.comparison import Replaced, asking

if TYPE_CHECKING:
    from pathlib import Path

SHORT = ["--set", "duration=8s", "--set", "warmup=2s", "--replications", "2", "--quiet"]
STUDY = """
title      = "A call beside a transfer"
scenario   = "call"
algorithms = ["cubic", "bbr3"]

[factors]
queue = { "path.queue.limit" = ["1bdp", "4bdp"] }
"""


def _command(name: str, folder: Path) -> list[str]:
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return {
        "compare": ["compare", "cubic", "bbr3", "--scenario", "call"],
        "ab": ["ab", "cubic", "bbr3", "--scenario", "call"],
        "study": ["study", "run", str(folder / "study.toml")],
    }[name]


def _replaced(name: str, folder: Path) -> Replaced:
    content = json.loads((folder / ("plan.json" if name == "study" else "summary.json")).read_text(encoding="utf-8"))
    return Replaced(**content["replaced"])


@pytest.mark.parametrize("name", ["compare", "ab", "study"])
def test_terminal_and_page_say_whose_algorithm_was_replaced_and_the_command_that_they_offer_replaces_the_others(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [*_command(name, tmp_path), *SHORT]
    # What results record has no folders of absolute paths.
    given = [each.removeprefix(f"{tmp_path}/") for each in given]
    assert main([*given, "--out", "first"]) in {0, 1}
    said = "The algorithm of call is under test; transfer (cubic) keeps its own."
    printed = capsys.readouterr().out
    assert said in printed
    assert said in (tmp_path / "first" / "report.html").read_text(encoding="utf-8")
    assert _replaced(name, tmp_path / "first") == Replaced(["call"], {"transfer": "cubic"})

    line = next(each for each in printed.splitlines() if said in each)
    program, *offered = shlex.split(line.partition("To test transfer instead: ")[2])
    assert program == "narrows"
    assert main([*offered, "--out", "second"]) in {0, 1}
    assert _replaced(name, tmp_path / "second") == Replaced(["transfer"], {"call": "cubic"})


@pytest.mark.parametrize("name", ["compare", "ab", "study"])
def test_a_group_that_is_not_there_is_refused_with_those_that_are(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*_command(name, tmp_path), "--subject", "nothing", "--out", str(tmp_path / "out")]
    assert main(given) == 2
    message = capsys.readouterr().err
    assert "'nothing'" in message
    assert "call, transfer" in message
    assert not (tmp_path / "out").exists()


def test_a_group_that_has_no_algorithm_of_its_own_cannot_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.toml"
    groups = '[[flows]]\nname = "a"\nalgorithm = "subject"\n[[flows]]\nname = "b"\nalgorithm = "cubic"\n'
    file.write_text(f'duration = "5s"\n[path]\nrate = "10Mbps"\nrtt = "40ms"\n{groups}', encoding="utf-8")
    given = ["compare", "cubic", "bbr3", "--scenario", str(file), "--subject", "b"]
    assert main([*given, "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert message.startswith("--subject b: a is not among them")
    assert "--set flows.a.algorithm=NAME" in message


def test_a_suite_and_a_study_without_algorithms_name_the_groups_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert main(["ab", "cubic", "bbr3", "--suite", "rmcat", "--subject", "call", *out]) == 2
    assert "criteria name the groups" in capsys.readouterr().err
    file = tmp_path / "study.toml"
    file.write_text(STUDY.replace("algorithms", "# algorithms"), encoding="utf-8")
    assert main(["study", "check", str(file), "--subject", "transfer"]) == 2
    assert "has no `algorithms`" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["matrix cubic bbr3", "deploy bbr3", "suite rfc9743 cubic", "run call"])
def test_a_command_that_replaces_no_choice_of_groups_names_those_that_do(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*given.split(), "--subject", "call"]) == 2
    assert "only `narrows compare`, `narrows ab`, `narrows study run`" in capsys.readouterr().err


def test_python_replaces_the_algorithm_of_other_groups_too() -> None:
    found = nw.compare(
        ["cubic", "bbr3"], "call", subjects="transfer", overrides=["duration=8s", "warmup=2s"], replications=1
    )
    assert found.summary["replaced"] == {"groups": ["transfer"], "kept": {"call": "cubic"}, "bound": []}
    with pytest.raises(nw.InputError, match="call, transfer"):
        nw.ab("cubic", "bbr3", scenarios="call", subjects=["nothing"])


def test_the_offered_command_has_neither_the_groups_nor_the_folder_of_the_first() -> None:
    given = "narrows ab cubic bbr3 --subject=call --out=x --scenario call --subject other --out y"
    assert asking(given, "the rest") == "narrows ab cubic bbr3 --scenario call --subject 'the rest'"
    many = Replaced(["a"], {f"group{number}": "cubic" for number in range(6)})
    assert "group3 (cubic) and 2 more keep their own" in many.sentence
