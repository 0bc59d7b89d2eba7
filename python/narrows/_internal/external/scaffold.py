# SPDX-License-Identifier: Apache-2.0
"""New algorithms from templates: the files that `narrows new algorithm` writes."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path

from narrows._internal.errors import InputError


def check_name(name: str) -> None:
    """Check that `name` can name files, a class and a crate."""
    if NAME.fullmatch(name) is None or keyword.iskeyword(name):
        raise InputError(
            name, "cannot name an algorithm: lower-case letters, digits and _, a letter first, and no keyword of Python"
        )


def new_python(name: str, folder: Path) -> list[Path]:
    """Write a template of an algorithm in Python and its test."""
    check_name(name)
    files = {f"{name}.py": "algorithm.py.template", f"test_{name}.py": "algorithm_test.py.template"}
    return write_new({folder / file: filled(template, name) for file, template in files.items()})


def filled(template: str, name: str) -> str:
    """Return a template of a file in Python with the names of an algorithm and of its class."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return text.replace("NAME", name).replace("CLASS", class_name(name))


def write_new(texts: dict[Path, str]) -> list[Path]:
    """Write new files, none of which may exist."""
    for file in texts:
        if file.exists():
            raise InputError(str(file), "is there already, and nothing is overwritten")
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(error.filename), error.strerror or str(error)) from error
    return list(texts)


def class_name(name: str) -> str:
    """Return the class name of an algorithm.

    Examples:
        >>> class_name("my_reno2")
        'MyReno2'
    """
    return "".join(part.capitalize() for part in name.split("_"))


NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
TEMPLATES = files("narrows._internal.external") / "templates"
