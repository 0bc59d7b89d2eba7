# SPDX-License-Identifier: Apache-2.0
"""Writes the licences of the crates that a compiled package contains, as a wheel and a package of npm must carry them.

    third_party.py FILE PACKAGE [TARGET...]

PACKAGE is that of the compiled extension, `narrows-python`, or that of the module for browsers, `narrows-playground`.

A text that several crates share is written once. Without targets, the crates are those of any target.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[2]


def crates(compiled: str, targets: Sequence[str]) -> list[dict[str, Any]]:
    """Return the packages of others that are compiled into one of ours, as `cargo metadata` describes them."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    for target in targets:
        command += ["--filter-platform", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    found = json.loads(done.stdout)
    packages = {each["id"]: each for each in found["packages"]}
    needs = {
        node["id"]: [each["pkg"] for each in node["deps"] if _is_inside(each)] for node in found["resolve"]["nodes"]
    }
    reached: set[str] = set()
    todo = [key for key, each in packages.items() if each["name"] == compiled]
    while todo:
        key = todo.pop()
        if key not in reached:
            reached.add(key)
            todo += needs[key]
    own = set(found["workspace_members"])
    return sorted((packages[key] for key in reached - own), key=lambda each: (each["name"], each["version"]))


def _is_inside(dependency: Mapping[str, Any]) -> bool:
    """Return whether a dependency is compiled in, and not only needed by a build script or a test."""
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def texts(package: Mapping[str, Any]) -> list[str]:
    """Return the texts of the licence and the notices of a package, from its sources."""
    folder = Path(package["manifest_path"]).parent
    files = {file for pattern in PATTERNS for file in folder.glob(pattern) if file.is_file()}
    return [file.read_text("utf-8").strip() for file in sorted(files)]


def document(compiled: str, targets: Sequence[str]) -> str:
    """Return the document.

    Raises:
        ValueError: A crate names no licence.
    """
    users: dict[str, list[str]] = {}
    lines = [HEAD]
    for each in crates(compiled, targets):
        name = f"{each['name']} {each['version']}"
        if not each["license"]:
            raise ValueError(f"{name}: names no licence in its Cargo.toml")
        found = texts(each)
        lines.append(f"  {name}: {each['license']}{'' if found else '; its package has no text'}")
        for text in found:
            users.setdefault(text, []).append(name)
    rule = "-" * 100
    lines += [f"\n{rule}\n{', '.join(names)}\n{rule}\n\n{text}" for text, names in users.items()]
    return "\n".join(lines) + "\n"


PATTERNS = ("LICEN[CS]E*", "COPYING*", "COPYRIGHT*", "NOTICE*", "UNLICENSE*")
HEAD = """\
Narrows itself is licensed under the Apache License 2.0. What is compiled here contains the standard library of Rust
(MIT OR Apache-2.0) and these crates, under their own licences, whose texts follow:
"""

if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(sys.argv[2], sys.argv[3:]), encoding="utf-8")
