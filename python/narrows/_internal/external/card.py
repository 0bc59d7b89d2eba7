# SPDX-License-Identifier: Apache-2.0
"""The card of an external algorithm: of a class in Python, from its docstring and signature."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.external.description import describe
from narrows._internal.external.source import EVERYTHING, LIBRARIES, WASM, AlgorithmError, digest, split_name


def external_card(text: str) -> dict[str, Any]:
    """Return the card of an algorithm in a file."""
    path, name = split_name(text)
    try:
        if Path(path).suffix in (*LIBRARIES, WASM):
            return _of_library(text, Path(path))
        found = describe(Path(path), name, None, EVERYTHING)
    except AlgorithmError as error:
        hint = f"; {error.hint}" if hasattr(error, "hint") else ""
        allowed = f"; allowed: {error.allowed}" if error.allowed else ""
        raise InputError(text, f"{error.message}{allowed}{hint}") from error
    sections = _sections(found.docstring)
    return {
        "name": text,
        "family": "python",
        "summary": sections.get("", "") or "The class has no docstring.",
        "source": sections.get("Source", "") or "not stated",
        "equations": _parted(sections.get("Equations", "")) or ["not stated"],
        "parameters": [_parameter(each, default) for each, default in found.parameters.items()],
        "variables": _variables(sections.get("Variables", "")),
        "deviations": _parted(sections.get("Deviations", "")),
        "validation": sections.get("Validation", ""),
        "judged": [],
        "digest": f"sha256:{found.digest}",
    }


def _of_library(text: str, file: Path) -> dict[str, Any]:
    kind = "WebAssembly module" if file.suffix == WASM else "native library"
    return {
        "name": text,
        "family": "webassembly" if file.suffix == WASM else "native",
        "summary": f"A controller in a {kind}, which is not executed here.",
        "source": "not stated",
        "equations": ["not stated"],
        "parameters": [],
        "variables": [],
        "deviations": [],
        "validation": "",
        "judged": [],
        "digest": f"sha256:{digest(file, EVERYTHING)}",
    }


def _sections(text: str) -> dict[str, str]:
    """Return the sections of a docstring by heading; the text before the first heading has an empty one."""
    pieces = re.split(rf"^({'|'.join(HEADINGS)}):", text, flags=re.MULTILINE)
    sections = {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}
    return {heading: " ".join(each.split()) for heading, each in sections.items()}


def _parted(text: str) -> list[str]:
    plain = text.rstrip(".")
    return [] if plain in {"", "none"} else [each.strip() for each in plain.split(";")]


def _parameter(name: str, default: str | None) -> dict[str, Any]:
    """Return a parameter with its default: a literal as its value, any other expression as it is written."""
    try:
        return {"name": name, "default": None if default is None else ast.literal_eval(default)}
    except (ValueError, SyntaxError):
        return {"name": name, "default": default}


def _variables(text: str) -> list[dict[str, str]]:
    """Return the variables of a section such as `"queue_s (s): time in the queue; gain: gain of the controller"`."""
    found = [VARIABLE.fullmatch(each) for each in _parted(text)]
    return [{key: value or "" for key, value in each.groupdict().items()} for each in found if each]


VARIABLE = re.compile(r"(?P<name>\w+)(?: \((?P<unit>[^)]*)\))?(?:: (?P<meaning>.*))?")
HEADINGS = ("Source", "Equations", "Variables", "Deviations", "Validation")
