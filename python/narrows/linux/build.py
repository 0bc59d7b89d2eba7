"""The build of a kernel."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.linux import additions, cache, library, source

if TYPE_CHECKING:
    from collections.abc import Callable

# The program, and the package of Debian that has it.
TOOLS = {"make": "make", "gcc": "gcc", "flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils"}
DEFAULT_TIMER_HZ = 250


def build(
    given: str | None, name: str, timer_hz: int, jobs: int, say: Callable[[str], None]
) -> tuple[cache.Kernel, bool]:
    """Build a kernel into the cache, unless it is there, and the network that it loads.

    Args:
        given: The source as the user names it; None looks for one of the distribution.
        name: Name of the kernel.
        timer_hz: Timer frequency, hertz.
        jobs: Number of compilers at a time.
        say: Receives a line before each step.

    Returns:
        The kernel, and whether it was built now.

    Raises:
        InputError: Something that the build needs is missing, or the build fails.
    """
    _check(name)
    found = source.find(given)
    say(f"source: {found}")
    text = f"{source.digest(found)} {additions.digest()} {timer_hz}"
    key = hashlib.sha256(text.encode()).hexdigest()
    known = {kernel.name: kernel for kernel in cache.kernels()}
    fresh = name in known and known[name].key == key
    kernel = known[name] if fresh else _compile(found, name, key, timer_hz, jobs, say)
    say("network: the links, queues and workloads that the kernel loads")
    library.build()
    return kernel, not fresh


def _check(name: str) -> None:
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        machine = f"{platform.system()} on {platform.machine()}"
        raise InputError("linux", f"kernels run on Linux on x86_64 only; this is {machine}")
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    if missing:
        raise InputError("linux", f"the build needs what is missing here; Debian's packages: {' '.join(missing)}")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise InputError(name, "is no name of a kernel: lower-case letters, digits, - and _ are allowed")


def _compile(  # noqa: PLR0913, PLR0917  # what determines the kernel, and a receiver of messages
    found: Path, name: str, key: str, timer_hz: int, jobs: int, say: Callable[[str], None]
) -> cache.Kernel:
    began = time.monotonic()
    place = cache.folder() / name
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, prefix="build-") as folder:
        say("unpack: 1.5 GB of disk until the build ends")
        root = source.unpack(found, Path(folder))
        additions.apply(root, timer_hz)
        (root / "narrows.config").write_text(additions.configuration(root))
        log = place / "build.log"
        log.write_text("")
        say("configure")
        _make(root, log, "KCONFIG_ALLCONFIG=narrows.config", "allnoconfig")
        say(f"compile: about 6 minutes of processor time, {jobs} at a time; log in {log}")
        _make(root, log, f"-j{jobs}", "linux")
        version = subprocess.run(
            ["make", "-s", "ARCH=um", "kernelversion"], cwd=root, capture_output=True, text=True, check=True
        ).stdout.strip()
        built = (root / ".config").read_text()
        algorithms = {"reno"} | {
            algorithm for option, algorithm in additions.algorithms(root).items() if f"{option}=y" in built
        }
        shutil.copy(root / "linux", place / "linux.partial")
    (place / "linux.partial").replace(place / "linux")
    elapsed_s = round(time.monotonic() - began, 1)
    kernel = cache.Kernel(name, version, key, timer_hz, tuple(sorted(algorithms)), elapsed_s)
    kernel.save()
    return kernel


def _make(root: Path, log: Path, *arguments: str) -> None:
    # A fixed user, host and time, so that equal sources give equal kernels.
    environment = os.environ | {
        "KBUILD_BUILD_USER": "narrows",
        "KBUILD_BUILD_HOST": "narrows",
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
    }
    with log.open("a") as file:
        ended = subprocess.run(
            ["make", "ARCH=um", *arguments], cwd=root, stdout=file, stderr=file, env=environment, check=False
        )
    if ended.returncode:
        last = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise InputError("linux", f"the kernel cannot be built; the log, {log}, ends with:\n{last}")
