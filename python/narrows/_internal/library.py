# SPDX-License-Identifier: Apache-2.0
"""The library: scenarios and studies that are part of Narrows."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.files.toml import inline
from narrows._internal.names import UnknownNameError


class ScenarioFile(NamedTuple):
    """A scenario found by path or name."""

    file: Path
    changes: tuple[str, ...] = ()
    given: str = ""


def find_scenario(given: str) -> ScenarioFile:
    """Find a scenario by its path, or by its name in the library."""
    path = Path(given)
    if path.is_file():
        return ScenarioFile(path, given=given)
    known = library()
    # A folder of results may have the name of the scenario that it is of.
    if path.is_dir() and given not in known:
        inner = path / "scenario.toml"
        hint = f"; its scenario is {inner}" if inner.is_file() else ""
        raise InputError(given, f"is a folder, not a scenario file{hint}")
    if given in known:
        return known[given]
    if path.suffix == ".toml" and path.stem in known:
        found = known[path.stem]
        where = (
            f"is {shown(found.file)}, and its name alone will do"
            if not found.changes
            else "has no file: its name will do"
        )
        raise InputError(given, f"no such file; the library's scenario {path.stem} {where}")
    beside = [str(file) for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
    hint = "no such file; `narrows list scenarios` names those of the library"
    raise UnknownNameError("scenario", given, [*beside, *known], hint)


def library() -> dict[str, ScenarioFile]:
    """Return every scenario of the library by its name: files, and then the cases of published studies."""
    files = {file.stem: ScenarioFile(file) for file in scenario_files()}
    written = [cases(file) for file in sorted(STUDIES.glob(f"*/scenarios/{CASES}"))]
    return {**files, **{name: found for each in written for name, found in each.items()}}


def scenario_files() -> list[Path]:
    """Return the files of the scenario library, sorted by family and name."""
    return sorted(SCENARIOS.rglob("*.toml"), key=lambda file: (_family(file.parent), file.stem))


def cases(file: Path) -> dict[str, ScenarioFile]:
    """Read a file of cases: a table `[SCENARIO.NAME]` each, with key paths of `SCENARIO.toml` beside it."""
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        name: ScenarioFile(
            file.parent / f"{base}.toml", tuple(f"{path}={inline(value)}" for path, value in keys.items())
        )
        for base, tables in written.items()
        for name, keys in tables.items()
    }


def scenarios() -> list[dict[str, Any]]:
    """Describe each scenario of the library: its name, family, title, file, and the source its comment names."""
    return [_describe(name, found) for name, found in library().items()]


def field_reports() -> list[dict[str, Any]]:
    """Describe each field report: its question, a controller that fails and one that does not, and the command."""
    files = [file for file in scenario_files() if file.parent.name == FIELD_REPORTS]
    return [_describe_report(file) for file in files]


def _describe_report(file: Path) -> dict[str, Any]:
    comment = [line.removeprefix("# ") for line in file.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    found = dict(line.split(": ", 1) for line in comment if line.startswith(("Fails: ", "Holds: ")))
    fails, holds = found["Fails"], found["Holds"]
    return {
        **_describe(file.stem, ScenarioFile(file)),
        "question": comment[0],
        "fails": fails,
        "holds": holds,
        "command": f"narrows compare {fails} {holds} --scenario {file.stem}",
    }


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


def _describe(name: str, found: ScenarioFile) -> dict[str, Any]:
    text = found.file.read_text(encoding="utf-8")
    comment = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    sources = [line.removeprefix("Source:").strip() for line in comment if line.startswith("Source:")]
    titles = [change for change in found.changes if change.startswith("title=")]
    content = tomllib.loads(titles[0] if titles else text)
    return {
        "name": name,
        "family": found.file.parents[1].name if found.changes else _family(found.file.parent),
        "source": sources[0] if sources else None,
        "validation": None,
        "title": content.get("title", name),
        "path": str(found.file),
    }


def ships(file: Path) -> bool:
    """Return whether a file is part of Narrows; links are followed."""
    real = file.resolve()
    return any(real.is_relative_to(each.resolve()) for each in (SCENARIOS, STUDIES, SUITES))


def _family(folder: Path) -> str:
    return BASIC if folder == SCENARIOS else folder.name


def shown(file: Path) -> str:
    """Return how results name a file: one of the library by its path from the folder that holds the library."""
    home = SCENARIOS.parent
    return file.relative_to(home).as_posix() if file.is_relative_to(home) else file.name


CASES = "cases.toml"
# The family of public reports of controllers that failed.
FIELD_REPORTS = "field-reports"
# The family of what lies in no folder of the library.
BASIC = "basics"
# A link in the source tree, a folder in an installed package.
SCENARIOS = Path(__file__).parents[1] / "scenarios"
STUDIES = Path(__file__).parents[1] / "studies"
SUITES = Path(__file__).parents[1] / "suites"
