# SPDX-License-Identifier: Apache-2.0
"""Kernels in the user's cache."""

from __future__ import annotations

import json
import platform
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.files.system import user_cache
from narrows._internal.frozen import frozen
from narrows._internal.linux import additions

LINUX = "linux"
DEFAULT = "default"


@frozen
class Kernel:
    """A kernel that is built; digests are SHA-256 in hexadecimal."""

    name: str
    version: str
    key: str  # of source, configuration and additions: equal keys give equal results
    additions: str
    timer_hz: int
    algorithms: tuple[str, ...]
    queues: tuple[str, ...]
    built_s: float

    @property
    def program(self) -> Path:
        """The executable file."""
        return folder() / self.name / "linux"

    @property
    def is_current(self) -> bool:
        """Whether it has the driver of this version of Narrows."""
        return self.additions == additions.digest()

    def save(self) -> None:
        """Write the description beside the program."""
        (folder() / self.name / "kernel.json").write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")


def folder() -> Path:
    """Return the folder of the kernels: `$XDG_CACHE_HOME/narrows/linux`, by default `~/.cache/narrows/linux`."""
    return user_cache() / "linux"


def kernels() -> list[Kernel]:
    """Return all kernels, by name."""
    found = [_read(file) for file in sorted(folder().glob("*/kernel.json"))]
    return [kernel for kernel in found if kernel is not None and kernel.program.is_file()]


def find(name: str) -> Kernel:
    """Return the kernel `name`; if none has it, the only one whose version begins with it, as `6.12`."""
    built = kernels()
    found = [each for each in built if each.name == name]
    found = found or [each for each in built if f"{each.version}.".startswith(f"{name}.")]
    if not found:
        allowed = ", ".join(["simulator", *(option(each.name) for each in built)])
        command = "narrows linux build" + ("" if name == DEFAULT else f" --name {name}")
        raise InputError(f"--on {option(name)}", f"the kernel is not built; allowed: {allowed}; `{command}` builds it")
    if len(found) > 1:
        allowed = ", ".join(option(each.name) for each in found)
        raise InputError(f"--on {option(name)}", f"several kernels are of this version; allowed: {allowed}")
    if not found[0].is_current:
        problem = "is of another version of Narrows, which has another driver; `narrows linux build` builds it again"
        raise InputError(f"linux:{name}", problem)
    return found[0]


def option(name: str) -> str:
    """Return the argument of `--on` for the kernel `name`."""
    return LINUX if name == DEFAULT else f"{LINUX}:{name}"


def check(name: str) -> None:
    """Refuse a machine that runs no kernels, and a text that names none."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        machine = f"{platform.system()} on {platform.machine()}"
        raise InputError("linux", f"kernels run on Linux on x86_64 only; this is {machine}")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        raise InputError("--name", f"expected lower-case letters, digits, dots, - and _, got {name!r}")


def described(entry: dict[str, Any]) -> Kernel:
    """Return the kernel that `kernel.json` describes.

    Raises:
        TypeError, KeyError: It describes none.
    """
    return Kernel(**{**entry, **{name: tuple(entry[name]) for name in ("algorithms", "queues")}})


def at(place: Path) -> Kernel:
    """Return the kernel in a folder."""
    kernel = _read(place / "kernel.json")
    if kernel is None:
        raise InputError(str(place), "has no kernel")
    return kernel


def _read(file: Path) -> Kernel | None:
    try:
        return described(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
