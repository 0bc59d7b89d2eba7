# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A page that runs a scenario has it as its author wrote it."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from narrows._internal.commands import playground
from narrows._internal.library import scenario_files
from narrows._internal.run.scenario import read

if TYPE_CHECKING:
    from pathlib import Path

    from narrows._internal.browser.page import Experiment


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Experiment]:
    """Return the experiments of the pages that are written, in place of the pages."""
    found: list[Experiment] = []

    def page(experiment: Experiment) -> str:
        found.append(experiment)
        return ""

    monkeypatch.setattr(playground, "page", page)
    monkeypatch.chdir(tmp_path)
    return found


OWN = '[[flows]]\nname = "a"  # first\nalgorithm = "cubic" # own\n'
UNDER_TEST = "[[flows]]\nname = \"a\"  # first\nalgorithm  =  'subject'  # under test\ncount = 2\n"
NAMED = '[[flows]]\nname = "a"  # first\nalgorithm  =  "cubic"  # under test\nsubject = true\ncount = 2\n'
INLINE = 'flows = [{ algorithm = "subject", count = 2 }]\n'
INLINE_NAMED = 'flows = [{ algorithm = "cubic", subject = true, count = 2 }]\n'


@pytest.mark.parametrize(("given", "named"), [(OWN, OWN), (UNDER_TEST, NAMED), (INLINE, INLINE_NAMED)])
def test_comments_order_and_units_stay(written: list[Experiment], tmp_path: Path, given: str, named: str) -> None:
    lines = '# My line.\ntitle = "Mine"\nduration = "5s"\n'
    path = '\n[path]\nrtt   = "40ms"\nqueue = { kind = "droptail", limit = "1s" }   # of delay\nrate  = "20Mbps"\n\n'
    parts = (lines, given, path) if given.startswith("flows") else (lines, path, given)
    after = (lines, named, path) if given.startswith("flows") else (lines, path, named)
    file = tmp_path / "mine.toml"
    file.write_text("".join(parts), encoding="utf-8")
    playground.write(str(file), tmp_path / "page.html")
    assert written[0].text == "".join(after)
    assert not read(tmp_path / "mine.toml").check(1).files


# A page runs no programs and reads no files.
FILES = [file for file in scenario_files() if file.parent.name != "programs" and not read(file).check(1).files]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_scenario_of_the_library_keeps_its_lines(written: list[Experiment], tmp_path: Path, file: Path) -> None:
    playground.write(str(file), tmp_path / "page.html")
    before, after = file.read_text(encoding="utf-8").splitlines(), written[0].text.splitlines()
    added = [line for line in after if line not in before]
    subjects = sum(group.get("algorithm") == "subject" for group in tomllib.loads("\n".join(before)).get("flows", []))
    assert len(added) <= 2 * subjects
    assert len(after) == len(before) + subjects
    for group in tomllib.loads(written[0].text).get("flows", []):
        assert group.get("algorithm") != "subject"
