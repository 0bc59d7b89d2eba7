# SPDX-License-Identifier: Apache-2.0
"""`narrows new`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from narrows._internal.cli.command import ADD, DONE, Command
from narrows._internal.errors import InputError


def new(arguments: argparse.Namespace) -> int:
    """Write the files of a new algorithm and its test, or of a study with claims, and print how to use them."""
    from narrows._internal.external.scaffold import class_name

    name, claims = arguments.name, arguments.kind == "claims"
    if claims and arguments.language:
        raise InputError(f"--{arguments.language}", "a study is in no language: it is for algorithms")
    write, kind = _writer("claims" if claims else arguments.language or "python")
    for file in write(name, Path()):
        print(file)
    for hint in HINTS[kind]:
        words = hint.replace("NAME", name).replace("CLASS", class_name(name)).replace("WORDS", name.replace("_", "-"))
        print(words, file=sys.stderr)
    return DONE


def _writer(kind: str) -> tuple[Callable[[str, Path], list[Path]], str]:
    """Return the function that writes the files, and the kind; Rust in the source tree is compiled in."""
    from narrows._internal.external.scaffold import new_python
    from narrows._internal.external.scaffold_c import new_c, new_crate
    from narrows._internal.external.scaffold_rust import new_rust, source_tree
    from narrows._internal.reproduction.scaffold import new_claims

    if kind == "rust" and source_tree(Path()) is not None:
        return new_rust, "compiled in"
    writers = {"claims": new_claims, "python": new_python, "c": new_c, "rust": new_crate, "wasm": new_crate}
    return writers[kind], kind


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument("kind", choices=["algorithm", "claims"], help="what to create")
    command.add_argument("name", metavar="NAME", help="its name, of lower-case letters, digits and _")
    language = command.add_mutually_exclusive_group()
    for option, what in LANGUAGES.items():
        made = f"for an algorithm: create {what} instead of a Python file"
        language.add_argument(f"--{option}", dest="language", action="store_const", const=option, help=made)


LANGUAGES = {
    "c": "a folder with a controller in C",
    "rust": "a folder with a controller in Rust; in the source tree, a crate of it",
    "wasm": "a folder with a controller for WebAssembly in Rust",
}
TARGET = "wasm32-unknown-unknown"
# How to go on.
HINTS = {
    "claims": ("try it: narrows reproduce ./NAME",),
    "python": ("try it: narrows compare cubic ./NAME.py:CLASS", "test it: python test_NAME.py"),
    "c": ("test it: make -C NAME test", "try it: make -C NAME && narrows compare cubic ./NAME/libNAME.so:NAME"),
    "rust": (
        "test it: cd NAME && cargo test",
        "build it: cd NAME && cargo build --release",
        "try it: narrows compare cubic ./NAME/target/release/libNAME.so:NAME",
    ),
    "wasm": (
        "test it: cd NAME && cargo test",
        f"build it: cd NAME && cargo build --release --target {TARGET}",
        f"try it: narrows compare cubic ./NAME/target/{TARGET}/release/NAME.wasm:NAME",
    ),
    "compiled in": (
        "test it: cargo test -p WORDS -p narrows-external",
        "try it: make build && .venv/bin/narrows compare cubic WORDS",
    ),
}
COMMANDS = (
    Command(
        "new",
        "create a new algorithm with its test, or a new study with claims",
        ADD,
        _options,
        (
            "new algorithm mine",
            "new algorithm mine --rust",
            "new algorithm mine --c",
            "new algorithm mine --wasm",
            "new claims mine",
        ),
        job=new,
    ),
)
