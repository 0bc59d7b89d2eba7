"""`manifest.json`: the origin of a results folder and the digests of its files, to repeat it and to detect changes."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import socket
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from narrows import core

if TYPE_CHECKING:
    from pathlib import Path


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Write `manifest.json` into `folder`, after all other files except the report.

    Args:
        folder: The folder of a run, comparison or study.
        facts: Further entries, such as `seed`, `replications`, `finished`, `scenario`, `digest` and `interrupted`.
    """
    manifest = {
        "format": FORMAT,
        "versions": {
            "narrows": version("narrows"),
            "engine": core.fingerprint(),
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "pyarrow", "scipy")},
        },
        **facts,
        "host": {
            "name": socket.gethostname(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "processors": os.cpu_count(),
        },
        # The report is left out: it can be built again from the rest.
        "files": {path.name: file_digest(path) for path in sorted(folder.iterdir()) if _counts(path)},
    }
    write_json(folder / "manifest.json", manifest)


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented JSON in UTF-8; errors are those of `to_json`."""
    path.write_text(to_json(content) + "\n", encoding="utf-8")


def to_json(content: Any) -> str:
    """Return `content` as indented JSON.

    Raises:
        ValueError: It has a number that is not finite.
    """
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file as `sha256:` followed by hexadecimal digits."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def _counts(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.name not in {"report.html", "manifest.json"}


FORMAT = 1
