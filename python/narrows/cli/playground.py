"""`narrows playground`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.files.disk import new_file
from narrows.files.text import read_text
from narrows.library import Found, find_scenario
from narrows.playground.page import Experiment, page
from narrows.run.scenario import read

if TYPE_CHECKING:
    import argparse


def playground(arguments: argparse.Namespace) -> int:
    """Write a page that runs a scenario in a browser, and print its path."""
    given = Path(arguments.file)
    found = Found(given / "scenario.toml") if (given / "scenario.toml").is_file() else find_scenario(arguments.file)
    out: Path = arguments.out or Path("playground.html")
    content = page(_experiment(found, arguments.file))
    with new_file(out) as partial:
        partial.write_text(content, encoding="utf-8")
    print(out)
    return DONE


def _experiment(found: Found, given: str) -> Experiment:
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
