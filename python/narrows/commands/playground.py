# SPDX-License-Identifier: Apache-2.0
"""Pages that run a scenario in a browser."""

from __future__ import annotations

import tomllib
from pathlib import Path

from narrows.browser.page import Experiment, page
from narrows.errors import InputError
from narrows.files.disk import new_file
from narrows.files.text import read_text
from narrows.library import ScenarioFile, find_scenario
from narrows.run.scenario import read


def write(given: str, out: Path) -> Path:
    """Write a page that runs a scenario in a browser; arguments and errors are those of `narrows.playground`."""
    folder = Path(given)
    found = ScenarioFile(folder / "scenario.toml") if (folder / "scenario.toml").is_file() else find_scenario(given)
    content = page(_experiment(found, given))
    with new_file(out) as partial:
        partial.write_text(content, encoding="utf-8")
    return out


def _experiment(found: ScenarioFile, given: str) -> Experiment:
    # The algorithm of a subject is chosen in the page.
    resolved = read(found.file, list(found.changes)).check(1)
    if resolved.files:
        names = ", ".join(Path(path).name for path, _, _ in resolved.files)
        raise InputError(given, f"names files ({names}), and a page cannot read files; `narrows run` can")
    text = read_text(found.file)
    groups = tomllib.loads(text).get("flows", [])
    # A case of a study is a file with changes, and a subject has no algorithm: what they resolve to stands for them.
    if found.changes or any(group.get("algorithm") == "subject" for group in groups):
        text = resolved.resolved
    return Experiment(text, given)
