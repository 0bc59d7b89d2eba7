"""`narrows new`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.scaffold import class_name, new_python

if TYPE_CHECKING:
    import argparse


def algorithm(arguments: argparse.Namespace) -> int:
    """Write a new algorithm with its test into the working directory, and say what to do with it."""
    name = arguments.name
    for file in new_python(name, Path()):
        print(file)
    print(f"try it: narrows compare cubic ./{name}.py:{class_name(name)}", file=sys.stderr)
    print(f"test it: python test_{name}.py", file=sys.stderr)
    return DONE
