"""The scenarios and studies that come with Narrows."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from narrows.errors import InputError


def find_scenario(given: str) -> Path:
    """Find the scenario that somebody named.

    Args:
        given: A path, or the name of a scenario of the library.

    Raises:
        InputError: There is no such file; the message names the nearest that there is.
    """
    path = Path(given)
    if path.is_file():
        return path
    if path.is_dir():
        raise InputError(given, "is a folder, not a scenario file")
    known = {file.stem: file for file in scenario_files()}
    if given in known:
        return known[given]
    beside = [str(file) for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
    near = get_close_matches(given, [*beside, *known], n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else "; `narrows list scenarios` names those of the library"
    raise InputError(given, f"no such file{hint}")


def scenario_files() -> list[Path]:
    """Return the files of the scenario library, sorted."""
    return sorted(SCENARIOS.glob("*.toml"))


def scenarios() -> list[dict[str, Any]]:
    """Describe each scenario of the library: its name, title, file, and the source its comment names."""
    return [_describe(file) for file in scenario_files()]


def studies() -> list[dict[str, Any]]:
    """Describe each published study: a folder with claims."""
    return [_describe_study(file) for file in sorted(STUDIES.glob("*/claims.toml"))]


def _describe_study(file: Path) -> dict[str, Any]:
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        "name": file.parent.name,
        "family": "study",
        "source": content.get("source"),
        "validation": None,
        "title": content.get("title", file.parent.name),
        "path": str(file.parent),
    }


def _describe(file: Path) -> dict[str, Any]:
    text = file.read_text(encoding="utf-8")
    comment = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    sources = [line.removeprefix("Source:").strip() for line in comment if line.startswith("Source:")]
    return {
        "name": file.stem,
        "family": "scenario",
        "source": sources[0] if sources else None,
        "validation": None,
        "title": tomllib.loads(text).get("title", file.stem),
        "path": str(file),
    }


# A link in the source tree, a folder in an installed package.
SCENARIOS = Path(__file__).parent / "scenarios"
STUDIES = Path(__file__).parent / "studies"
