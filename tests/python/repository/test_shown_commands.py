# SPDX-License-Identifier: Apache-2.0
"""Truth: product. A command that a page, a document or a message shows runs as it stands."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from command_line import finished
from narrows._internal.cli import main
from narrows._internal.cli import parser as parsing
from narrows._internal.cli.command import Command, load
from narrows._internal.cli.shell import tree
from repository import HOUSE, tracked
from shown_commands import (
    Shown,
    commands,
    fault_of,
    fault_of_form,
    is_form,
    of_document,
    of_page,
    of_sources,
    resolve,
    stop,
)

DOCUMENTS = [file for file in tracked() if file.suffix == ".md" and file.name != "CHANGELOG.md"]


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which a user has worked: files of the user, and results of each kind below `results`."""
    folder = tmp_path_factory.mktemp("worked")
    (folder / "s.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "own.toml").write_text(SCENARIO.replace("subject", "./mine.py:Mine"), encoding="utf-8")
    (folder / "st.toml").write_text(STUDY, encoding="utf-8")
    short = "--set duration=6s --set warmup=1s"
    quick = f"--rates 20Mbps --rtts 20ms --buffers 1bdp --queues red(gentle=true) {short}"
    for line in (
        "new algorithm mine",
        "new claims bloat",
        "run own.toml --out results/run",
        "run wi-fi --set duration=12s --set warmup=1s --set flows.0.algorithm=cubic --out results/wi-fi",
        f"run {folder}/own.toml --seed 3 --out results/elsewhere",
        "compare cubic ./mine.py:Mine --scenario s.toml --replications 2 --out results/compare",
        "compare cubic --vary path.queue=droptail,fq-codel --scenario s.toml --out results/vary",
        f"matrix cubic ./mine.py:Mine {quick} --replications 2 --out results/matrix",
        f"deploy ./mine.py:Mine --flows 2 --fractions 50 {short} --replications 2 --out results/deploy",
        "study run st.toml --out results/study",
        "suite aqm codel(target=10ms) --rows 7 --out results/suite",
        "ab cubic ./mine.py:Mine --scenario s.toml --replications 2 --out results/ab",
        "worst ./mine.py:Mine --budget 2 --out results/worst",
        "reproduce ./bloat --out results/reproduction",
        "report results",
    ):
        done = finished(line.split(), folder)
        assert done.returncode in {0, 1}, (line, done.stderr)
    return folder


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source tree's files, and those that documents let a reader write."""
    folder = tmp_path_factory.mktemp("reader")
    for name in ("docs", "scenarios", "studies", "suites"):
        (folder / name).symlink_to(HOUSE / name)
    assert finished(["new", "algorithm", "mine"], folder).returncode == 0
    (folder / "base").mkdir()
    shutil.copy(folder / "mine.py", folder / "base/mine.py")
    (folder / "reno.py").write_text(
        (folder / "mine.py").read_text("utf-8").replace("class Mine", "class Reno"), "utf-8"
    )
    shutil.copy(HOUSE / "crates/external/tests/examples/aimd.py", folder)
    for name in ("mine", "cc"):
        assert finished(["new", "algorithm", name, "--c"], folder).returncode == 0
        subprocess.run(["make", "-C", folder / name], check=True, capture_output=True)  # noqa: S607
    shutil.copytree(folder / "cc", folder / "base/cc")
    # In place of a library that only a checkout of ngtcp2 gives.
    abi = HOUSE / "crates/abi"
    flags: list[str | Path] = [
        "-shared",
        "-fPIC",
        "-Dnewreno=cubic",
        "-I",
        abi / "include",
        "-o",
        folder / "libngtcp2cc.so",
    ]
    subprocess.run(["cc", *flags, abi / "tests/newreno.c", "-lm"], check=True)  # noqa: S607
    for name in ("mine.toml", "line.toml", "path.toml"):
        (folder / name).write_text(SCENARIO, encoding="utf-8")
    (folder / "first").mkdir()
    for name in ("scenario.toml", "first/scenario.toml"):
        (folder / name).write_text(SCENARIO.replace("subject", "cubic"), encoding="utf-8")
    (folder / "traces").mkdir()
    packets = gzip.decompress((HOUSE / "tests/python/trace/captures/linux-sender.pcap.gz").read_bytes())
    for name in ("capture.pcapng", "traces/capture.pcapng"):
        (folder / name).write_bytes(packets)
    return folder


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let pages for browsers be written where the simulator for them was not built."""
    file = tmp_path / "narrows.wasm"
    file.write_bytes(b"")
    monkeypatch.setattr("narrows._internal.browser.page.module_file", lambda: file)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize("moved", [False, True])
def test_the_commands_of_a_page_run_in_its_folder_wherever_that_lies(
    worked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, moved: bool
) -> None:
    results = worked / "results"
    if moved:
        results = Path(shutil.copytree(results, tmp_path / "moved"))
        for each in [*results.iterdir()]:
            each.rename(each.with_name(f"renamed {each.name}"))
        # The figures are those that are painted where the folder lies at first.
        monkeypatch.setattr("narrows._internal.page.printed.paint", stop)
    pages = sorted([*results.rglob("report.html"), *results.rglob("index.html")])
    seen: set[str] = set()
    for page in pages:
        for shown in of_page(page):
            # What was typed names files of the folder in which it was typed.
            folder = worked if shown.typed else page.parent
            for written in ("playground.html", "*.pdf"):
                for file in folder.glob(written):
                    file.unlink()
            assert resolve(_elsewhere(shown), folder, monkeypatch) in {0, 1}, (page.name, page.parent.name, str(shown))
            seen |= {f"{page.parent.name.removeprefix('renamed ')}: {shown.words[0]}"}
    assert seen >= {
        "run: run", "run: why", "compare: run", "vary: run", "compare: why", "wi-fi: run", "matrix: run",
        "matrix: report", "matrix: study", "matrix: matrix", "deploy: deploy", "study: study", "suite: run",
        "suite: suite", "ab: ab", "worst: worst", "worst: report", "reproduction: report", "cubic: run",
    }  # fmt: skip


def test_what_was_asked_from_python_is_shown_as_a_command(worked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command of a call does the same: every argument that is not the usual one is in it."""
    import narrows as nw

    monkeypatch.chdir(worked)
    changes = ["duration=4s", "warmup=1s"]
    study = nw.matrix(
        ["cubic", "reno"], "m", rates=["5Mbps"], rtts=["20ms"], buffers=["2bdp"], replications=2, seed=7,
        overrides=changes,
    )  # fmt: skip
    nw.deploy("reno", "d", fractions=[50], flows=2, replications=2, seed=7, overrides=["duration=6s", "warmup=1s"])
    trial = nw.ab(
        "cubic", "reno", "t", scenarios="s.toml", margin="3%", metrics=["goodput_bps"], replications=2, seed=7
    )
    atlas = nw.worst("reno", "w", budget=1, seed=7)
    suite = nw.suite("aqm", "codel", "s", rows=["7"], replications=2, seed=7)
    again = [of_page(worked / "m/report.html"), of_page(worked / "d/report.html")]
    typed = [str(each) for page in again for each in page if each.typed]
    typed += [each["command"].removeprefix("narrows ") for each in (trial, atlas, suite)]
    assert len(typed) == 5
    for line, parts in zip(
        typed,
        (
            ("matrix cubic reno", "--rates 5Mbps", "--buffers 2bdp", "--set duration=4s", "--replications 2"),
            ("deploy reno", "--fractions 50", "--flows 2", "--replications 2"),
            ("ab cubic reno", "--scenario s.toml", "--margin 3%", "--metric goodput_bps", "--replications 2"),
            ("worst reno", "--budget 1"),
            ("suite aqm codel", "--rows 7", "--replications 2"),
        ),
        strict=True,
    ):
        assert all(part in line for part in (*parts, "--seed 7")), line
        assert not fault_of(tuple(line.split()))
    assert study.path == Path("m")


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: str(file.relative_to(HOUSE)))
def test_the_commands_of_a_document_run(reader: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for shown in of_document(file):
        if is_form(shown.words):
            assert not fault_of_form(shown.words), str(shown)
            continue
        fault = fault_of(shown.words)
        # Within a sentence a command may be named without its arguments; `mine` is a crate that a reader has added.
        if len(shown.words) > 1 and "missing argument" not in fault and "mine" not in shown.words:
            assert not fault, f"{shown}: {fault}"
            if _is_resolved(shown):
                assert resolve(_elsewhere(shown), reader, monkeypatch) in {0, 1}, str(shown)


def test_the_commands_in_messages_are_commands() -> None:
    found = list(of_sources(HOUSE / "python/narrows"))
    for rust in sorted((HOUSE / "crates").glob("*/src/**/*.rs")):
        lines = rust.read_text(encoding="utf-8").splitlines()
        text = "\n".join(line for line in lines if not re.match(r"\s*//", line))
        found += [(rust.name, each) for each in re.findall(r"`(narrows [a-z][^`\n]*)`", text)]
    assert len(found) > 40
    for file, text in found:
        words = tuple(text.split()[1:])
        if words[0] != "X":
            assert not fault_of_form(words), f"{file}: {text}"


def test_a_command_without_examples_or_a_group_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def bare(command: Command) -> Command:
        return command._replace(group="", examples=(), actions=tuple(map(bare, command.actions)))

    monkeypatch.setattr(parsing, "EXAMPLES", ())
    monkeypatch.setattr(parsing, "load", lambda name: bare(load(name)))
    pages = {" ".join(command.path): command.parser.format_help() for command in tree()}
    assert all(re.search(rf"^ +{name} ", pages[""], re.MULTILINE) for name in ("run", "linux", "doctor", "completion"))
    assert "Others:" in pages[""]
    assert not [path for path, page in pages.items() if "examples:" in page]
    assert main(["man"]) == 0
    assert "study resume" in capsys.readouterr().out


def test_every_command_has_examples_and_a_group(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for node in tree():
        path, declared, page = " ".join(node.path), node.parser.declared, node.parser.format_help()
        lines = declared.examples if declared else parsing.EXAMPLES
        assert lines, path
        assert not declared or len(node.path) > 1 or declared.group, path
        for line in lines:
            assert f"  narrows {line}\n" in f"{page}\n"
            assert line.startswith(path)
            (words, *_) = commands(f"narrows {line}")
            assert words[-1] == "--help" or not fault_of(words), line
            if _is_resolved(Shown(words)):
                assert resolve(_elsewhere(Shown(words)), reader, monkeypatch) in {0, 1}, line


def test_a_command_that_does_not_run_is_found(worked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge of the tests above: the wrong commands that it must not pass."""
    assert fault_of_form(("rn", "FILE"))
    assert fault_of_form(("run", "FILE", "--vary", "X"))
    assert fault_of_form(("study", "go"))
    assert fault_of(("run",))
    assert resolve(("run", "nowhere.toml"), worked, monkeypatch) == 2
    assert resolve(("run", "own.toml", "--set", "flows.0.algorithm=Mine"), worked, monkeypatch) == 2
    assert resolve(("study", "replay", "results/study", "CELL"), worked, monkeypatch) == 2


def _is_resolved(shown: Shown) -> bool:
    """Return whether a command of a document is resolved: in a moment, without kernel or programs, beyond its help."""
    words = set(re.findall(r"\w+", str(shown)))
    return shown.words[0] in RESOLVED and not {"linux", "both", "emulate", "help"} & words


def _elsewhere(shown: Shown) -> tuple[str, ...]:
    """Return the words of a command that writes into a new folder, as a reader who repeats it would."""
    words = [*shown.words]
    if "--out" in words:
        del words[words.index("--out") : words.index("--out") + 2]
    return tuple(words)


# What is resolved in a second, of what a document shows.
RESOLVED = {"run", "compare", "check", "show", "list", "ab", "worst", "matrix", "deploy"}
SCENARIO = """\
title = "Three flows"
duration = "5s"
warmup = "1s"

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
algorithm = "subject"
count = 2
start = "0s..1s"

[[flows]]
name = "other"
algorithm = "aiad"
"""
STUDY = """\
title = "My study"
question = "Which?"
scenario = "s.toml"
algorithms = ["cubic", "./mine.py:Mine"]
replications = 2

[factors]
"path.rtt" = ["20ms", "100ms"]
"""
