"""The card of an algorithm that somebody wrote in Python: what its class says of itself, in the form of every card."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from narrows.errors import InputError
from narrows.guest import GuestError, find


def guest_card(text: str) -> dict[str, Any]:
    """Return the card of an algorithm in a file.

    The class's docstring gives it: a summary, then `Source:`, `Equations:`, `Deviations:` and `Validation:`, each up to
    the next; equations and deviations are parted by semicolons. Parameters are those of `__init__` after the set-up.

    Args:
        text: A file and a class in it, as in `"./mine.py:Mine"`.

    Raises:
        InputError: There is no such file, or no such algorithm in it.
    """
    path, _, name = text.partition("(")[0].rpartition(":")
    try:
        found, _, digest = find(Path(path), name)
    except GuestError as error:
        hint = f"; {error.hint}" if hasattr(error, "hint") else ""
        allowed = f"; allowed: {error.allowed}" if error.allowed else ""
        raise InputError(text, f"{error.message}{allowed}{hint}") from error
    told = _sections(inspect.cleandoc(found.__dict__.get("__doc__") or ""))
    return {
        "name": text,
        "family": "python",
        "summary": told.get("", "") or "The class has no docstring.",
        "source": told.get("Source", "") or "not told",
        "equations": _parted(told.get("Equations", "")) or ["not told"],
        "parameters": _parameters(found),
        "deviations": _parted(told.get("Deviations", "")),
        "validation": told.get("Validation", ""),
        "judged": [],
        "digest": f"sha256:{digest}",
    }


def is_guest(name: str) -> bool:
    """Tell whether a name is that of something in a Python file."""
    return ":" in name or Path(name).suffix == ".py"


def _sections(text: str) -> dict[str, str]:
    """Split a docstring at its headings; what stands before the first is under an empty one."""
    pieces = re.split(rf"^({'|'.join(HEADINGS)}):", text, flags=re.MULTILINE)
    told = {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}
    return {heading: " ".join(each.split()) for heading, each in told.items()}


def _parted(text: str) -> list[str]:
    plain = text.rstrip(".")
    return [] if plain in {"", "none"} else [each.strip() for each in plain.split(";")]


def _parameters(found: type) -> list[dict[str, Any]]:
    """Return what `__init__` takes after the set-up."""
    _, *given = inspect.signature(found).parameters.values()
    named = [each for each in given if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
    return [{"name": each.name, "default": None if each.default is each.empty else each.default} for each in named]


HEADINGS = ("Source", "Equations", "Deviations", "Validation")
