# SPDX-License-Identifier: Apache-2.0
"""A new algorithm behind the C interface: a folder with the controller, the header, its test, and the build files."""

from __future__ import annotations

from pathlib import Path

from narrows._internal import core
from narrows._internal.external.scaffold import TEMPLATES, check_name, write_new


def new_c(name: str, start: Path) -> list[Path]:
    """Write a folder NAME with a controller in C."""
    files = {f"{name}.c": "mine.c", f"test_{name}.c": "mine_test.c", "Makefile": "mine.mk"}
    return _write(name, start / name, files, {"narrows.h": core.c_header()})


def new_crate(name: str, start: Path) -> list[Path]:
    """Write a folder NAME with a controller in Rust, native and for WebAssembly, which depends on no other crate."""
    files = {
        "Cargo.toml": "crate.toml",
        ".cargo/config.toml": "crate-config.toml",
        "src/lib.rs": "crate.rs",
        "src/narrows.rs": "narrows.rs",
    }
    return _write(name, start / name, files, {})


def _write(name: str, folder: Path, files: dict[str, str], whole: dict[str, str]) -> list[Path]:
    check_name(name)
    texts = {
        file: (TEMPLATES / f"{template}.template").read_text(encoding="utf-8").replace("NAME", name)
        for file, template in files.items()
    }
    return write_new({folder / file: text for file, text in {**texts, **whole}.items()})
