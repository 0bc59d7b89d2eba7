# SPDX-License-Identifier: Apache-2.0
"""The library of the network, which the kernel loads: built from the sources, one for each version of the engine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.files.system import move_file
from narrows._internal.linux import cache

FILE = "libnarrows_linux_network.so"
# The root of the source tree; of an installed package, the folder of the environment.
TREE = Path(__file__).resolve().parents[4]
WITHOUT_SOURCE = (
    "the network that a kernel loads is built from Narrows' source tree, and this installation has none; run "
    "`make build` and `.venv/bin/narrows linux build` in a checkout of the same version, and this installation will "
    "find what they have built"
)


def path() -> Path:
    """Return the place of the library of this version of the engine."""
    return cache.folder() / f"network-{core.fingerprint()}.so"


def find() -> Path:
    """Return the library of this version of the engine."""
    found = path()
    if not found.is_file():
        raise InputError("linux", "the network is not built for this version of Narrows; run `narrows linux build`")
    return found


def check() -> None:
    """Check that the library is there or can be built."""
    if path().is_file():
        return
    if not (TREE / "crates/linux-network/Cargo.toml").is_file():
        raise InputError("linux build", WITHOUT_SOURCE)
    if not shutil.which("cargo"):
        raise InputError("cargo", "is missing: it builds the network that the kernel loads")


def build(say: Callable[[str], None]) -> None:
    """Build the library, unless it is there."""
    if path().is_file():
        return
    check()
    say("network: the links, queues and workloads that the kernel loads, about a minute")
    place = path()
    place.parent.mkdir(parents=True, exist_ok=True)
    # Nothing is written into the source tree, which may belong to another user.
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(dir=place.parent, prefix="network-") as folder:
        target = os.environ.get("CARGO_TARGET_DIR") or folder
        command = [
            "cargo",
            "build",
            "--profile",
            "light",
            "--locked",
            "--quiet",
            "-p",
            "narrows-linux-network",
            "--target-dir",
            target,
        ]
        ended = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise InputError("cargo", f"the network cannot be built:\n{ended.stderr[-2000:]}")
        partial = place.with_suffix(".partial")
        shutil.copy(Path(target) / "light" / FILE, partial)
        move_file(partial, place)
