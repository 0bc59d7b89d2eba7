# SPDX-License-Identifier: Apache-2.0
"""The changelog: fragments of `changelog.d` become the part of a version in `CHANGELOG.md`.

python .ci/changelog.py check                      # every fragment has the form of changelog.d/README.md
python .ci/changelog.py collect 0.2.0 2027-03-31   # puts the fragments into CHANGELOG.md, and removes them
python .ci/changelog.py notes v0.1.0               # prints the part of a tag that may be released
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

HOUSE = Path(__file__).parents[1]
FORM = "expected `### AREA`, an empty line and entries that begin with `* `, continued by lines of two blanks"
LAST = "Changed results"
AREAS = (
    "Scenarios and the simulator",
    "Algorithms",
    "Transport",
    "Queues and links",
    "Traffic and applications",
    "Networks",
    "The Linux kernel",
    "Metrics, checks and statistics",
    "Reports",
    "Comparisons, matrices and deployments",
    "Studies",
    "Published studies",
    "Suites, trials and worst environments",
    "Playground",
    "Crates for other programs",
    "Python",
    "Export and sharing",
    "Installation, commands and documentation",
    "Reliability and trust",
    "Performance",
    LAST,
)
VERSION = re.compile(r"\d+\.\d+\.\d+")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
LONGEST = 150
# What stands in place of the date of a version that is being written.
PENDING = "not released yet"


class ChangelogError(Exception):
    """A fragment, a version or a tag is not as it has to be; the text names what was given and what is allowed."""


class Fragment(NamedTuple):
    """A part of a file of `changelog.d`.

    Attributes:
        area: The area of the changelog.
        entries: Its lines; in a file of `changelog.d` the first begins an entry.
    """

    area: str
    entries: str


def fragments(folder: Path) -> list[Fragment]:
    """Read the fragments of a folder, in the order of their names.

    Raises:
        ChangelogError: A file has another form, or names an area that there is not.
    """
    found = []
    for file in sorted(folder.iterdir()):
        if file.name == "README.md":
            continue
        if file.suffix != ".md":
            raise ChangelogError(f"{file.name}: expected a file NAME.md")
        found += _read(file.name, file.read_text(encoding="utf-8"))
    return found


def _read(name: str, text: str) -> list[Fragment]:
    parts = re.split(r"^### ", text, flags=re.MULTILINE)
    if parts[0].strip() or len(parts) == 1:
        raise ChangelogError(f"{name}: begins with {text.partition(chr(10))[0]!r}; {FORM}")
    found = []
    for part in parts[1:]:
        area, _, rest = part.partition("\n")
        entries = rest.strip("\n")
        if area not in AREAS:
            raise ChangelogError(f"{name}: no area {area!r}; there are {', '.join(AREAS)}")
        for number, line in enumerate(entries.splitlines()):
            if not line.startswith("* ") and (number == 0 or not re.match(r"  \S", line)):
                raise ChangelogError(f"{name}: {line!r}; {FORM}")
            if len(line) > LONGEST:
                raise ChangelogError(f"{name}: a line of {len(line)} characters; at most {LONGEST}: {line[:40]}…")
        if not entries:
            raise ChangelogError(f"{name}: {area} has no entry; {FORM}")
        found.append(Fragment(area, entries))
    return found


def collected(changelog: str, found: list[Fragment], version: str, date: str) -> str:
    """Return the changelog with a part of a new version above the others.

    Where there is a part of this version that is not released yet, the fragments come behind its entries.

    Raises:
        ChangelogError: The version or the date has another form, the version is there, or there is no fragment.
    """
    if not VERSION.fullmatch(version) or not DATE.fullmatch(date):
        raise ChangelogError(f"{version} {date}: expected a version and a date, as in 0.2.0 2027-03-31")
    begun = re.search(rf"^## {re.escape(version)}, {PENDING}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if begun is not None:
        found = [*_written(begun[1]), *found]
        changelog = changelog[: begun.start()] + changelog[begun.end() :]
    if re.search(rf"^## {re.escape(version)}\b", changelog, re.MULTILINE):
        raise ChangelogError(f"{version}: is in CHANGELOG.md already")
    if not found:
        raise ChangelogError("changelog.d has no fragment: nothing has changed")
    parts = [f"## {version}, {date}"]
    for area in AREAS:
        entries = [each.entries for each in found if each.area == area]
        if entries:
            parts += [f"### {area}", "\n".join(entries)]
    head, heading, older = changelog.partition("\n## ")
    new = "\n\n".join([head.rstrip("\n"), *parts]) + "\n"
    return new + heading + older


def _written(part: str) -> list[Fragment]:
    """Return the areas of a part, whatever stands in them.

    Raises:
        ChangelogError: It names an area that there is not.
    """
    areas = [area.partition("\n") for area in re.split(r"^### ", part, flags=re.MULTILINE)[1:]]
    for name, _, _ in areas:
        if name not in AREAS:
            raise ChangelogError(f"CHANGELOG.md: no area {name!r}; there are {', '.join(AREAS)}")
    return [Fragment(name, text.strip("\n")) for name, _, text in areas]


def notes(changelog: str, tag: str, built: str, found: list[Fragment]) -> str:
    """Return what is new in the version of a tag.

    Args:
        changelog: The text of `CHANGELOG.md`.
        tag: The tag.
        built: The version that is built from the sources.
        found: The fragments that are left.

    Raises:
        ChangelogError: The tag is not that of the version that is built, that has no date, or fragments are left.
    """
    if tag != f"v{built}":
        raise ChangelogError(f"the tag is {tag}, but version {built} is built: expected v{built}")
    if found:
        raise ChangelogError(f"changelog.d has {len(found)} fragments: collect them first")
    part = re.search(rf"^## {re.escape(built)}, {DATE.pattern}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if part is None:
        raise ChangelogError(f"CHANGELOG.md has no part of version {built} with a date, as in `## {built}, 2026-12-31`")
    return part[1].strip() + "\n"


def main(arguments: list[str]) -> int:
    """Check, collect or print.

    Args:
        arguments: One of the commands above, with what it needs.

    Returns:
        0, or 2 where something is not as it has to be.
    """
    place, folder = HOUSE / "CHANGELOG.md", HOUSE / "changelog.d"
    try:
        _do(arguments, place, folder)
    except ChangelogError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _do(arguments: list[str], place: Path, folder: Path) -> None:
    match arguments:
        case ["check"]:
            fragments(folder)
        case ["collect", version, date]:
            new = collected(place.read_text("utf-8"), fragments(folder), version, date)
            place.write_text(new, encoding="utf-8")
            for file in folder.glob("*.md"):
                if file.name != "README.md":
                    file.unlink()
        case ["notes", tag]:
            built = tomllib.loads((HOUSE / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
            sys.stdout.write(notes(place.read_text("utf-8"), tag, built, fragments(folder)))
        case _:
            raise ChangelogError(f"expected check, collect VERSION DATE or notes TAG, got {' '.join(arguments)!r}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
