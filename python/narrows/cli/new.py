# SPDX-License-Identifier: Apache-2.0
"""`narrows new`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.external.scaffold import class_name, new_python
from narrows.external.scaffold_c import new_c, new_crate
from narrows.external.scaffold_rust import new_rust, source_tree
from narrows.reproduction.scaffold import new_claims

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    # What writes the files, and how to go on.
    Kind = tuple[Callable[[str, Path], list[Path]], tuple[str, ...]]


def new(arguments: argparse.Namespace) -> int:
    """Write the files of a new algorithm and its test, or of a study with claims, and print how to use them."""
    name = arguments.name
    if arguments.kind == "claims" and arguments.language:
        raise InputError(f"--{arguments.language}", "a study is in no language: it is for algorithms")
    write, hints = CLAIMS if arguments.kind == "claims" else _languages()[arguments.language]
    for file in write(name, Path()):
        print(file)
    for hint in hints:
        words = hint.replace("NAME", name).replace("CLASS", class_name(name)).replace("WORDS", name.replace("_", "-"))
        print(words, file=sys.stderr)
    return DONE


def _languages() -> dict[str | None, Kind]:
    return LANGUAGES if source_tree(Path()) is None else {**LANGUAGES, "rust": COMPILED_IN}


TARGET = "wasm32-unknown-unknown"
CLAIMS: Kind = (new_claims, ("try it: narrows reproduce ./NAME",))
COMPILED_IN: Kind = (
    new_rust,
    (
        "test it: cargo test -p WORDS -p narrows-external",
        "try it: make build && .venv/bin/narrows compare cubic WORDS",
    ),
)
LANGUAGES: dict[str | None, Kind] = {
    None: (new_python, ("try it: narrows compare cubic ./NAME.py:CLASS", "test it: python test_NAME.py")),
    "c": (
        new_c,
        ("test it: make -C NAME test", "try it: make -C NAME && narrows compare cubic ./NAME/libNAME.so:NAME"),
    ),
    "rust": (
        new_crate,
        (
            "test it: cd NAME && cargo test",
            "build it: cd NAME && cargo build --release",
            "try it: narrows compare cubic ./NAME/target/release/libNAME.so:NAME",
        ),
    ),
    "wasm": (
        new_crate,
        (
            "test it: cd NAME && cargo test",
            f"build it: cd NAME && cargo build --release --target {TARGET}",
            f"try it: narrows compare cubic ./NAME/target/{TARGET}/release/NAME.wasm:NAME",
        ),
    ),
}
