# SPDX-License-Identifier: Apache-2.0
"""Rule: what runs only in `make test-full` says why, and the file has tests that always run."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from repository import HOUSE

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["pytester"]

MARKED = [
    file
    for file in sorted((HOUSE / "tests/python").rglob("test_*.py"))
    if re.search(r"\bmark\.full\b", file.read_text(encoding="utf-8")) and file.name != "test_full.py"
]


def marks(tree: ast.AST) -> list[ast.Attribute]:
    """Return every mention of the mark."""
    return [
        each for each in ast.walk(tree) if isinstance(each, ast.Attribute) and ast.unparse(each) == "pytest.mark.full"
    ]


def without_reason(tree: ast.AST) -> list[int]:
    """Return the lines of marks that are not called with one sentence."""
    given = {
        call.func
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and len(call.args) == 1
        and not call.keywords
        and isinstance(reason := call.args[0], ast.Constant)
        and isinstance(reason.value, str)
        and len(reason.value.split()) > 3
    }
    return [mark.lineno for mark in marks(tree) if mark not in given]


def always_run(tree: ast.Module) -> list[str]:
    """Return the tests of a file of which some case has no mark."""
    named = {ast.unparse(each.targets[0]) for each in tree.body if isinstance(each, ast.Assign) and marks(each.value)}
    return [
        each.name
        for each in tree.body
        if isinstance(each, ast.FunctionDef)
        and each.name.startswith("test_")
        and not {ast.unparse(it).partition("(")[0] for it in each.decorator_list} & {"pytest.mark.full", *named}
    ]


@pytest.mark.parametrize("file", MARKED, ids=lambda file: file.stem)
def test_every_mark_has_its_reason_and_a_test_that_always_runs_beside_it(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert without_reason(tree) == [], "full(…) needs a sentence: why the test is long and what is short instead"
    assert always_run(tree), "all tests of the file are only in `make test-full`"


@pytest.mark.parametrize("mark", ["", "()", "('long')", "(reason='it takes a long time here')"])
def test_a_mark_without_a_sentence_is_found(mark: str) -> None:
    for text in (
        f"@pytest.mark.full{mark}\ndef test_it(): ...\n",
        f"LONG = pytest.mark.full{mark}\n@LONG\ndef test_it(): ...\n",
    ):
        tree = ast.parse(text)
        assert without_reason(tree) == [1]
        assert always_run(tree) == []


def test_a_case_with_a_mark_leaves_the_others() -> None:
    text = "@pytest.mark.parametrize('it', [1, pytest.param(2, marks=pytest.mark.full('two takes a long time'))])\n"
    tree = ast.parse(f"{text}def test_it(it): ...\n")
    assert without_reason(tree) == []
    assert always_run(tree) == ["test_it"]


@pytest.mark.parametrize(("options", "found"), [([], "1 passed, 2 skipped"), (["--full"], "3 passed")])
def test_marked_tests_run_only_where_they_are_asked_for(
    pytester: pytest.Pytester, options: list[str], found: str
) -> None:
    pytester.makepyfile("""
        import pytest
        @pytest.mark.full("it takes a long time")
        @pytest.mark.parametrize("case", [1, 2])
        def test_long(case): pass
        def test_short(): pass
        """)
    pytester.makeini("[pytest]\nmarkers = full(reason): long\n")
    done = pytester.runpytest("-p", "full", "-rs", "-p", "no:cacheprovider", *options)
    assert found in done.stdout.str()
    # One line for all.
    assert done.stdout.str().count("make test-full") == (0 if options else 1)


def test_the_rest_are_the_tests_that_were_skipped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import os, pytest
        def test_runs(): pass
        @pytest.mark.xfail(strict=True)
        def test_fails_as_it_should(): assert False
        @pytest.mark.skipif("PART" not in os.environ, reason="the part is missing")
        def test_needs_a_part(): pass
        def test_finds_out_what_it_needs():
            if "PART" not in os.environ: pytest.skip("the part is missing")
        """)
    options = ["-p", "rest", "-p", "no:cacheprovider", "--ran", "ran.txt"]
    pytester.runpytest(*options).assert_outcomes(passed=1, xfailed=1, skipped=2)
    pytester._monkeypatch.setenv("PART", "here")  # noqa: SLF001  # pytest has no public name for it
    pytester.runpytest(*options, "--rest", "ran.txt").assert_outcomes(passed=2, deselected=2)
    pytester.runpytest(*options, "--rest", "ran.txt").assert_outcomes(deselected=4)
