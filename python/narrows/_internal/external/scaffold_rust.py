# SPDX-License-Identifier: Apache-2.0
"""A new algorithm in Rust in the source tree: a crate that depends on `narrows-cc` alone, and its entry in a list."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.external.scaffold import TEMPLATES, check_name, class_name, write_new


def source_tree(start: Path) -> Path | None:
    """Return the source tree of Narrows that `start` is in; None if there is none."""
    return next((each for each in [start, *start.resolve().parents] if (each / LIST).is_file()), None)


def new_rust(name: str, start: Path) -> list[Path]:
    """Write a crate `algorithms/NAME` into the source tree and add it to the list of `crates/external`."""
    check_name(name)
    written = name.replace("_", "-")
    if written in {card["name"] for card in core.algorithms()} or written.startswith("narrows"):
        raise InputError(name, "is the name of another algorithm")
    root = source_tree(start)
    if root is None:
        raise InputError(str(start), "is not in the source tree of Narrows, where algorithms in Rust are compiled in")
    changed = {
        root / MANIFEST: (DEPENDENCY, f'{written} = {{ path = "../../algorithms/{written}" }}\n'),
        root / LIST: (ENTRY, f"    &{name}::ENTRY,\n"),
    }
    texts = {file: _with_line(file, mark, line) for file, (mark, line) in changed.items()}
    crate = root / "algorithms" / written
    new = write_new(
        {
            crate / "Cargo.toml": CARGO % written,
            crate / "src/lib.rs": from_template("mine.rs", name),
            crate / "tests/rule.rs": from_template("rule.rs", name),
        }
    )
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
    _lock(root)
    return [*new, *texts]


def from_template(file: str, name: str) -> str:
    """Return the text of a file of `templates/`, with the name of the new algorithm in place of `mine`."""
    text = (TEMPLATES / file).read_text(encoding="utf-8")
    # In quotes it is the name that scenarios use, elsewhere an identifier.
    for word, replacement in [('"mine"', f'"{name.replace("_", "-")}"'), ("mine", name), ("Mine", class_name(name))]:
        text = re.sub(rf"(?<!\w){word}(?!\w)", replacement, text)
    return text


def _with_line(file: Path, mark: str, line: str) -> str:
    text = file.read_text(encoding="utf-8")
    if text.count(mark) != 1:
        raise InputError(str(file), f"has no line that ends with: {mark}")
    return text.replace(mark, f"{mark}\n{line.rstrip()}")


def _lock(root: Path) -> None:
    # The builds here take the lock as it is; a new member changes nothing but its own entry.
    command = ["cargo", "update", "--workspace", "--offline", "--quiet"]
    try:
        subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        problem = f"is not up to date; run `{' '.join(command)}` there ({error})"
        raise InputError(str(root / "Cargo.lock"), problem) from error


LIST = "crates/external/src/lib.rs"
MANIFEST = "crates/external/Cargo.toml"
DEPENDENCY = "# `narrows new algorithm NAME --rust` adds a line below this one."
ENTRY = "// `narrows new algorithm NAME --rust` adds a line below this one."

CARGO = """\
[package]
name = "%s"
description = "A congestion control of your own"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
publish.workspace = true

[lints]
workspace = true

[dependencies]
narrows-cc.workspace = true
"""
