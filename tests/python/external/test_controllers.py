# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A native library that misbehaves ends its own runs alone; a WebAssembly module needs no trust."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_line import SHORT, write
from narrows._internal import core
from narrows._internal.external.scaffold import TEMPLATES
from narrows._internal.external.source import split_stack
from optional import WASM, needs, require

if TYPE_CHECKING:
    from command_line import Narrows

HOUSE = Path(__file__).parents[3]
ABI = HOUSE / "crates/abi"
SUBJECT = SHORT.replace('algorithm = "newreno"', 'name = "tested"\nalgorithm = "subject"')
# What of `misbehaving.c` is compiled, and words of the error.
IN_A_RUN = {
    "NO_LIMIT": "neither window nor pacing_rate is set: nothing limits the flow",
    "ZERO_WINDOW": "window is 0",
    "ZERO_RATE": "pacing_rate is 0",
    "ZERO_BURST": "burst is 0",
    "NAN_WINDOW": "not a number",
    "NEGATIVE_WINDOW": "a negative number",
    "PAST_TIMER": "it must be later than now",
    "REFUSES": "create returned NULL",
}
# What is noticed only where variables are recorded.
IN_OBSERVE = {"OBSERVES_PAST": "in observe: it has written more than 1 values"}
# What ends the process, or has to be ended, in which call.
IN_A_CALL = {
    "CRASHES": ("acked", "ended by signal SIGSEGV"),
    "ABORTS": ("acked", "ended by signal SIGABRT"),
    "EXITS": ("acked", "ended with exit status 0"),
    "LOOPS": ("acked", "the call has not returned within 5 s of processor time"),
    "LIMITS_LOOPS": ("limits", "the call has not returned within 5 s of processor time"),
    "CREATE_CRASHES": ("create", "ended by signal SIGABRT"),
    "CREATE_LOOPS": ("create", "the call has not returned within 5 s of processor time"),
    "DESTROY_CRASHES": ("destroy", "ended by signal SIGABRT"),
    "DESTROY_LOOPS": ("destroy", "the call has not returned within 5 s of processor time"),
}
# The start of the flow under test, its first acknowledgement, and the end of the run.
TIMES_S = {"create": (1.0, 1.0), "acked": (1.01, 1.2), "limits": (1.01, 1.2), "destroy": (4.0, 5.0)}
AT_ITS_START = {
    "VERSION=9": "is of version 9 of narrows.h",
    "ECN=7": "has ecn = 7",
    "NO_ACKED": "has no function acked",
    "LOADING_CRASHES": "ended by signal SIGABRT",
    "LOADING_LOOPS": "the call has not returned within 5 s of processor time",
}


def compiled(source: str, library: Path, *defines: str, header: str = "include") -> Path:
    """Compile a C file of the crate's tests with the header in this folder."""
    flags = ["-shared", "-fPIC", "-O2", "-ffp-contract=off", *(f"-D{each}" for each in defines)]
    subprocess.run(
        ["cc", *flags, "-o", library, ABI / "tests" / source, "-I", ABI / header, "-lm"],  # noqa: S607
        check=True,
    )
    return library


def compiled_rust(source: str, library: Path, broken: str) -> Path:
    """Compile a Rust file of the crate's tests, to WebAssembly if the name of the library says so."""
    target = ["--target", WASM, "-C", "link-arg=--export-table"] if library.suffix == ".wasm" else []
    flags = ["--edition", "2024", "-O", "--crate-type", "cdylib", "--cfg", broken, *target]
    compiler = require("wasm" if target else "rustc")
    subprocess.run([compiler, *flags, "-o", library, ABI / "tests" / source], check=True)
    return library


def test_what_a_library_does_in_a_run_ends_that_run_alone(narrows: Narrows, tmp_path: Path) -> None:
    expected = {define: ("", words) for define, words in IN_A_RUN.items()} | IN_A_CALL
    for define in expected:
        compiled("misbehaving.c", tmp_path / f"lib{define.lower()}.so", define)
    compiled_rust("misbehaving.rs", tmp_path / "libpanics.so", "panics")
    expected["panics"] = ("acked", "ended by signal SIGABRT")
    expected = {f"lib{name.lower()}.so": each for name, each in expected.items()}
    expected["quinn:libcrashes.so"] = expected["libcrashes.so"]
    names = [f"{stack}./{library}:mine" for stack, library in map(split_stack, expected)]
    flags = ["--replications", "1", "--out", "out"]
    late = SUBJECT.replace('count = 2\nstart = "0s..1s"', 'start = "1s"')
    done = narrows("compare", "newreno", *names, "--scenario", write(tmp_path, late), *flags)
    assert done.returncode == 2, done.stderr
    top = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert list(top["algorithms"]) == ["newreno"]
    assert len(top["failed"]) == len(expected)
    for library, (function, words) in expected.items():
        (problem,) = [each for each in top["failed"].values() if f" {library}:mine failed at" in each]
        assert words in problem, library
        head, _, tail = problem.partition(" s of simulated time, in flow 0 of group tested:\n")
        assert tail.startswith(f"in {function}: " if function else ""), problem
        least, most = TIMES_S[function or tail.split()[1 if tail.startswith("after") else 0].strip(",")]
        assert least <= float(head.rpartition(" ")[2]) <= most, problem


def test_the_memory_of_a_run_with_a_library_is_bounded(
    narrows: Narrows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARROWS_LIBRARY_MEMORY", "50000000")
    scenario = write(tmp_path, SUBJECT.replace('"subject"', '"./libmine.so:mine"'))
    for define, status in [("LEAKS", 2), ("BEHAVES", 0)]:
        compiled("misbehaving.c", tmp_path / "libmine.so", define)
        done = narrows("run", scenario, "--replications", "1", "--out", define)
        assert done.returncode == status, done.stderr
        problem = " ".join(done.stderr.split())
        assert ("took more than 50000000 bytes of memory" in problem) == bool(status), problem
        assert ("libmine.so:mine" in problem) == bool(status), problem


def test_what_a_library_does_where_variables_are_recorded_is_an_error(narrows: Narrows, tmp_path: Path) -> None:
    for define, words in IN_OBSERVE.items():
        compiled("misbehaving.c", tmp_path / "libmine.so", define)
        scenario = write(tmp_path, SUBJECT.replace('"subject"', '"./libmine.so:mine"'))
        done = narrows("run", scenario, "--replications", "1", "--out", "out", "--set", "record.internals=true")
        assert done.returncode == 2, done.stderr
        assert words in " ".join(done.stderr.split())
        assert "of group tested" in done.stderr


@pytest.mark.parametrize("define", AT_ITS_START)
def test_a_library_that_is_no_controller_is_refused_by_name(narrows: Narrows, tmp_path: Path, define: str) -> None:
    compiled("misbehaving.c", tmp_path / "libmine.so", define)
    compiled("newreno.c", tmp_path / "libgood.so")
    names = ["./libgood.so:newreno", "./libmine.so:mine"]
    done = narrows("compare", *names, "--scenario", write(tmp_path, SUBJECT), "--replications", "1", "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert AT_ITS_START[define] in " ".join(done.stderr.split())
    assert "libmine.so" in done.stderr
    assert "libgood.so" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_is_no_library_of_this_machine_is_refused(narrows: Narrows, tmp_path: Path) -> None:
    good = compiled("newreno.c", tmp_path / "libgood.so").read_bytes()
    # The number of the processor in the header of the file.
    (tmp_path / "libother.so").write_bytes(good[:18] + b"\x16\x00" + good[20:])
    (tmp_path / "libtext.so").write_text("no library", encoding="utf-8")
    (tmp_path / "text.wasm").write_text("no module", encoding="utf-8")
    scenario = write(tmp_path, SUBJECT)
    for name, words in {
        "./libother.so:newreno": "is a library for",
        "./libtext.so:newreno": "is no library for this system",
        "./text.wasm:newreno": "is no WebAssembly module",
        "./libgood.so:other": "exports no controller other; it exports newreno",
        "./libgood.so": "a file without the name of an algorithm in it",
        "./libmissing.so:mine": "cannot be read",
    }.items():
        done = narrows("compare", "newreno", name, "--scenario", scenario, "--replications", "1", "--out", "out")
        assert (done.returncode, done.stdout) == (2, ""), name
        assert words in " ".join(done.stderr.split()), name
        assert not (tmp_path / "out").exists()


def test_every_command_takes_a_library_like_a_name(narrows: Narrows, tmp_path: Path) -> None:
    compiled("newreno.c", tmp_path / "libmine.so")
    scenario = write(tmp_path, SUBJECT)
    mine, short = "./libmine.so:newreno", ("--set", "duration=8s", "--set", "warmup=1s")
    for words in (
        ("suite", "rmcat", mine, "--rows", "5.1", "--replications", "1", "--quick"),
        ("worst", mine, "--budget", "1"),
        ("ab", "cubic", mine, "--scenario", scenario, "--replications", "2"),
        ("deploy", mine, "--fractions", "50", "--flows", "2", "--replications", "2", *short),
        (
            "matrix",
            mine,
            "cubic",
            "--rates",
            "5Mbps",
            "--rtts",
            "20ms",
            "--buffers",
            "1bdp",
            "--replications",
            "2",
            *short,
        ),
        ("compare", "cubic", mine, "--scenario", scenario, "--replications", "1"),
    ):
        done = narrows(*words, "--quiet", "--out", f"out-{words[0]}")
        assert done.returncode in {0, 1}, f"{words}: {done.stderr}"


def test_libraries_for_two_versions_of_the_header_are_compared(narrows: Narrows, tmp_path: Path) -> None:
    for folder, header in {"base": "tests/versions/1", "new": "include"}.items():
        (tmp_path / folder).mkdir()
        compiled("newreno.c", tmp_path / folder / "libmine.so", header=header)
    base, new = "./base/libmine.so:newreno", "./new/libmine.so:newreno"
    flags = ("--scenario", write(tmp_path, SUBJECT), "--replications", "2", "--json", "--out", "out", "--quiet")
    done = narrows("ab", base, new, *flags)
    assert done.returncode in {0, 1}, done.stderr
    rows = json.loads(done.stdout)["rows"]
    # One rule: a difference would be one of the headers.
    assert {row["metric"]: row["difference"] for row in rows if row["difference"]} == {}
    assert {row["owner"] for row in rows} >= {"tested"}


def elsewhere(folder: Path, file: str) -> Path:
    """Return a scenario with a controller of this file, which is not below its folder."""
    (folder / "here").mkdir(exist_ok=True)
    text = SHORT.replace('"newreno"', f'"../{file}:newreno"')
    return write_as(folder / "here" / f"{file}.toml", text)


def of_the_competitor(out: Path) -> object:
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))["groups"]["other"]


def test_a_library_is_executed_only_with_trust(narrows: Narrows, tmp_path: Path) -> None:
    compiled("newreno.c", tmp_path / "libmine.so")
    scenario = elsewhere(tmp_path, "libmine.so")
    refused = narrows("run", scenario, "--replications", "1", "--out", "out")
    assert refused.returncode == 2
    assert "--trust" in refused.stderr
    done = narrows("run", scenario, "--replications", "1", "--out", "out", "--trust")
    assert done.returncode == 0, done.stderr
    assert "libmine.so:newreno (controller in a native library)" in narrows("check", scenario).stderr


@needs("wasm")
def test_a_module_is_executed_without_trust(narrows: Narrows, tmp_path: Path) -> None:
    compiled_rust("newreno.rs", tmp_path / "mine.wasm", "whole")
    compiled("newreno.c", tmp_path / "libmine.so")
    for file, *trust in (("mine.wasm",), ("libmine.so", "--trust")):
        done = narrows("run", elsewhere(tmp_path, file), "--replications", "1", "--out", file.partition(".")[0], *trust)
        assert done.returncode == 0, done.stderr
    checked = narrows("check", elsewhere(tmp_path, "mine.wasm"))
    assert checked.returncode == 0, checked.stderr
    assert "would execute" not in checked.stdout + checked.stderr
    assert of_the_competitor(tmp_path / "mine") == of_the_competitor(tmp_path / "libmine"), "it meets the same packets"


def write_as(file: Path, text: str) -> Path:
    """Write a scenario file of this name."""
    file.write_text(text, encoding="utf-8")
    return file


def test_a_new_controller_in_c_passes_its_test_and_runs(narrows: Narrows, tmp_path: Path) -> None:
    made = narrows("new", "algorithm", "my_rule", "--c")
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "my_rule"
    assert (folder / "narrows.h").read_text(encoding="utf-8") == narrows("show", "header").stdout == core.c_header()
    for target in ("test", "libmy_rule.so"):
        done = subprocess.run(["make", "-C", folder, target], capture_output=True, text=True, check=False)  # noqa: S607
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
    ran = narrows("run", write(tmp_path, SHORT.replace('"newreno"', '"./my_rule/libmy_rule.so:my_rule(factor=0.7)"')))
    assert ran.returncode == 0, ran.stderr
    again = narrows("new", "algorithm", "my_rule", "--c")
    assert again.returncode == 2
    assert "is there already" in again.stderr


@needs("cargo")
@pytest.mark.parametrize("language", ["rust", pytest.param("wasm", marks=needs("wasm"))])
def test_a_new_controller_in_rust_builds_by_itself_passes_its_test_and_runs(
    narrows: Narrows, tmp_path: Path, language: str
) -> None:
    made = narrows("new", "algorithm", "my_rule", f"--{language}")
    assert made.returncode == 0, made.stderr
    assert sorted(Path(each) for each in made.stdout.split()) == sorted(
        each.relative_to(tmp_path) for each in tmp_path.rglob("*") if each.is_file()
    )
    assert "dependencies" not in tomllib.loads((tmp_path / "my_rule/Cargo.toml").read_text(encoding="utf-8"))
    library = {"rust": "release/libmy_rule.so", "wasm": f"{WASM}/release/my_rule.wasm"}[language]
    assert f"my_rule/target/{library}:my_rule" in made.stderr
    for arguments in (["test"], ["build", "--release", *(["--target", WASM] if language == "wasm" else [])]):
        done = subprocess.run(
            [require("cargo"), *arguments, "--offline"],
            cwd=tmp_path / "my_rule",
            env={**os.environ, "RUSTC": require("wasm" if language == "wasm" else "rustc")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
    mine = f'"./my_rule/target/{library}:my_rule(factor=0.7)"'
    ran = narrows("run", write(tmp_path, SHORT.replace('"newreno"', mine)))
    assert ran.returncode == 0, ran.stderr


def test_the_header_in_rust_and_the_contract_have_the_fields_of_the_header() -> None:
    header = core.c_header()
    structures = dict(re.findall(r"struct narrows_(\w+) \{([^}]*)\};", header))
    del structures["controller"]
    plain = {
        name: [field for line in re.findall(r"uint64_t ([^;]*);", body) for field in re.split(r",\s*", line)]
        for name, body in structures.items()
    }
    rust = (TEMPLATES / "narrows.rs.template").read_text(encoding="utf-8")
    page = (HOUSE / "docs/controllers.md").read_text(encoding="utf-8")
    for name, fields in plain.items():
        (found,) = re.findall(rf"^    {name.capitalize()} {{ (.*) }}$", rust, flags=re.MULTILINE)
        assert found.split(", ") == fields, name
        for field in fields:
            assert f"`{field}`" in page, f"{name}.{field}"
    functions = re.findall(r"\(\*(\w+)\)", header)
    assert re.findall(r"pub (\w+): (?:unsafe|Option|Moment)", rust) == functions
    for function in functions:
        assert f"`{function}`" in page, function


def test_the_job_of_the_page_runs_as_written(narrows: Narrows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    page = (HOUSE / "docs/ab.md").read_text(encoding="utf-8").partition("## A controller in C as a CI job")[2]
    built = re.findall(r"^ {10}(make .*)$", page, flags=re.MULTILINE)
    (compared,) = re.findall(r"- run: narrows (ab .*)$", page, flags=re.MULTILINE)
    (tmp_path / "base").mkdir()
    assert narrows("new", "algorithm", "cc", "--c").returncode == 0
    shutil.copytree(tmp_path / "cc", tmp_path / "base/cc")
    # The change of the pull request: a loss leaves a tenth of the window.
    rule, test = tmp_path / "cc/cc.c", tmp_path / "cc/test_cc.c"
    rule.write_text(rule.read_text(encoding="utf-8").replace("? 0.5 :", "? 0.1 :"), encoding="utf-8")
    before, lost, after = test.read_text(encoding="utf-8").partition("cc.lost")
    stated = after.replace("10 * MSS", "2 * MSS", 1).replace("11 * MSS", "7 * MSS")
    test.write_text(before + lost + stated, encoding="utf-8")
    for each in built:
        done = subprocess.run(each.split(), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert len(built) == 4
    done = narrows(*compared.split())
    assert done.returncode == 1, done.stderr
    assert "worse" in (tmp_path / "trial/comment.md").read_text(encoding="utf-8")
