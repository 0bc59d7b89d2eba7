# SPDX-License-Identifier: Apache-2.0
"""Pages that run a scenario in a browser."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from narrows._internal.browser.page import Experiment, page
from narrows._internal.errors import InputError
from narrows._internal.files.disk import new_file
from narrows._internal.files.text import read_text
from narrows._internal.library import ScenarioFile, find_scenario
from narrows._internal.run.scenario import read


def write(given: str, out: Path) -> Path:
    """Write a page that runs a scenario in a browser; see `narrows.playground`."""
    folder = Path(given)
    found = ScenarioFile(folder / "scenario.toml") if (folder / "scenario.toml").is_file() else find_scenario(given)
    content = page(_experiment(found, given))
    with new_file(out) as partial:
        partial.write_text(content, encoding="utf-8")
    return out


def _experiment(found: ScenarioFile, given: str) -> Experiment:
    # Checked with an algorithm for the subject.
    resolved = read(found).check(1)
    if resolved.files:
        names = ", ".join(Path(path).name for path, _, _ in resolved.files)
        raise InputError(given, f"names files ({names}), and a page cannot read files; `narrows run` can")
    text = read_text(found.file)
    # A case of a study is a file with changes: the page has the resolved scenario instead.
    return Experiment(resolved.resolved if found.changes else _with_subject(text, resolved.resolved), given)


def _with_subject(text: str, resolved: str) -> str:
    """Return a scenario as its author wrote it, except that the algorithm under test is named."""
    groups = tomllib.loads(text).get("flows", [])
    if not any(group.get("algorithm") == "subject" for group in groups):
        return text
    wanted = tomllib.loads(text)
    for group in wanted["flows"]:
        if group.get("algorithm") == "subject":
            group |= {"algorithm": SUBJECT, "subject": True}
    named = SUBJECT_LINE.sub(rf'\g<1>"{SUBJECT}"\g<2>\nsubject = true', text)
    named = SUBJECT_INLINE.sub(rf'\g<1>"{SUBJECT}", subject = true', named)
    try:
        return named if tomllib.loads(named) == wanted else resolved
    except tomllib.TOMLDecodeError:
        return resolved


# The algorithm under test when the page is opened; the page offers others.
SUBJECT = "cubic"
SUBJECT_LINE = re.compile(r"""^([ \t]*algorithm\s*=\s*)(?:"subject"|'subject')([ \t]*(?:#.*)?)$""", re.MULTILINE)
SUBJECT_INLINE = re.compile(r"""(\balgorithm\s*=\s*)(?:"subject"|'subject')""")
