# SPDX-License-Identifier: Apache-2.0
"""The README of each published crate, from the documentation of the crate itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CRATES = Path(__file__).parents[1] / "crates"
END = """\
## License and versions

Apache-2.0. This crate is a part of Narrows, a packet-level simulator for congestion control, and has the version of the
simulator. Rust {rust} is the lowest version.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Return each README with its path, relative to this folder."""
    workspace = tomllib.loads((CRATES.parent / "Cargo.toml").read_text(encoding="utf-8"))
    rust = workspace["workspace"]["package"]["rust-version"]
    for manifest in sorted(CRATES.glob("*/Cargo.toml")):
        package = tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]
        if package["publish"] is True:
            text = (manifest.parent / "src/lib.rs").read_text(encoding="utf-8")
            lines = [line[4:] for line in text.splitlines() if line.startswith("//!")]
            # Text and code in turn. Links within the documentation lead nowhere here.
            parts = re.split(r"```\n(.*?)```\n", "\n".join(lines) + "\n", flags=re.DOTALL)
            texts = [re.sub(r"\[(`[^`]+`|\w+)\](?:\([^)]+\))?", r"\1", text) for text in parts[::2]]
            codes = [*map(_example, parts[1::2]), ""]
            body = "".join(text + code for text, code in zip(texts, codes, strict=True))
            page = f"# {package['name']}\n\n{body}\n{END.format(rust=rust)}"
            yield f"../crates/{manifest.parent.name}/README.md", page


def _example(block: str) -> str:
    """Return an example as a program of its own: rustdoc hides lines and wraps the rest."""
    result = re.search(r"^# Ok::<\(\), (.+)>\(\(\)\)$", block, re.MULTILINE)
    shown = [line for line in block.splitlines() if not re.match(r"#( |$)", line)]
    used = [line for line in shown if line.startswith("use ")]
    rest = "\n".join(line for line in shown if line not in used).strip("\n").splitlines()
    head = f"fn main() -> Result<(), {result[1]}> {{" if result else "fn main() {"
    body = [*rest, *(["Ok(())"] if result else [])]
    crates = sorted({name.replace("_", "-") for name in re.findall(r"\b(narrows_\w+|quinn_proto|noq_proto)::", block)})
    program = "\n".join([*used, *([""] if used else []), head, *(f"    {line}".rstrip() for line in body), "}"])
    return f"After `cargo add {' '.join(crates)}`:\n\n```rust\n{program}\n```\n"
