# SPDX-License-Identifier: Apache-2.0
"""Errors as JSON, for commands that are given `--json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from narrows.core import ScenarioError
from narrows.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


def as_json(status: int, message: str, error: BaseException | None = None) -> str:
    """Return an error as a JSON object with the key `error`."""
    match error:
        case ScenarioError():
            diagnostics = [_whole(each) for each in error.diagnostics]
        case InputError():
            whole, _, near = error.problem.partition("; did you mean ")
            problem, _, allowed = whole.partition("; allowed: ")
            entry = {"file": error.file, "message": problem, "given": error.file, "allowed": allowed or None}
            entry["hint"] = f"did you mean {near}" if near else None
            diagnostics = [_whole(entry)]
        case _:
            diagnostics = [_whole({"message": message})]
    found = {"error": {"status": status, "message": message, "diagnostics": diagnostics}}
    return json.dumps(found, indent=2, ensure_ascii=False)


def _whole(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a diagnostic with every key; None for what it does not say."""
    return {key: given.get(key) for key in KEYS}


# What an entry of `diagnostics` says: where, what is wrong, what was given and what is allowed instead.
KEYS = ("file", "line", "column", "path", "message", "given", "allowed", "hint")
