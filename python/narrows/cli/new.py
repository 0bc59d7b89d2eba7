# SPDX-License-Identifier: Apache-2.0
"""`narrows new`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.external.scaffold import class_name, new_python
from narrows.external.scaffold_rust import new_rust
from narrows.reproduction.scaffold import new_claims

if TYPE_CHECKING:
    import argparse


def new(arguments: argparse.Namespace) -> int:
    """Write the files of a new algorithm and its test, or of a study with claims, and print how to use them."""
    name = arguments.name
    if arguments.kind == "claims":
        if arguments.rust:
            raise InputError("--rust", "a study has no crate: it is for algorithms")
        for file in new_claims(name, Path()):
            print(file)
        print(f"try it: narrows reproduce ./{name}", file=sys.stderr)
        return DONE
    if arguments.rust:
        for file in new_rust(name, Path()):
            print(file)
        written = name.replace("_", "-")
        print(f"test it: cargo test -p {written} -p narrows-external", file=sys.stderr)
        print(f"try it: make build && .venv/bin/narrows compare cubic {written}", file=sys.stderr)
        return DONE
    for file in new_python(name, Path()):
        print(file)
    print(f"try it: narrows compare cubic ./{name}.py:{class_name(name)}", file=sys.stderr)
    print(f"test it: python test_{name}.py", file=sys.stderr)
    return DONE
