# SPDX-License-Identifier: Apache-2.0
"""Optional parts: what some tests need and a machine may lack, each with one probe, its purpose and its installation.

A test has the mark `needs(NAME, …)`, or calls `require(NAME)`, and is skipped without the part, with the reason. As a
program, which needs nothing but Python:

    optional.py            prints a table of all parts and their places
    optional.py --missing  prints the missing ones, and how to install them
    optional.py --debian   prints the packages of Debian that have missing parts, one a line
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from narrows._internal.linux.cache import Kernel

HOUSE = Path(__file__).parents[2]
# The folders of the administrator's programs and of Python's packages are searched, too.
PLACES = os.pathsep.join([os.environ.get("PATH", os.defpath), sysconfig.get_path("scripts"), "/usr/sbin", "/sbin"])
WASM = "wasm32-unknown-unknown"
BARE = "thumbv7em-none-eabi"


class Part(NamedTuple):
    """An optional part.

    Attributes:
        use: Its purpose.
        install: How it is installed.
        find: Returns its place; None if it is missing.
        debian: Debian's package that has it; empty if that does not suffice or it is no package.
    """

    use: str
    install: str
    find: Callable[[], str | None]
    debian: str = ""


@cache
def found(name: str) -> str | None:
    """Return the place of a part; None if it is missing."""
    return PARTS[name].find()


def reason(*names: str) -> str:
    """Return which of the parts are missing and how they are installed; empty if all are there."""
    return "; ".join(f"{name} is missing: {PARTS[name].install}" for name in names if found(name) is None)


def needs(*names: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is skipped without these parts."""
    import pytest

    missing = reason(*names)
    return pytest.mark.skipif(bool(missing), reason=missing)


def require(name: str) -> str:
    """Return the place of a part, or skip the test."""
    import pytest

    return found(name) or pytest.skip(reason(name))


def kernels() -> list[Kernel]:
    """Return the kernels on which this version of Narrows runs; none if Narrows is not built."""
    try:
        from narrows._internal.linux import cache as built
        from narrows._internal.linux import library
    except ImportError:
        return []
    return [kernel for kernel in built.kernels() if kernel.is_current and library.path().is_file()]


def _program(*commands: str) -> str | None:
    """Return the first of these commands that is there."""
    return next(filter(None, (shutil.which(each, path=PLACES) for each in commands)), None)


def compiler(target: str, crate: str) -> str | None:
    """Return the first Rust compiler with a standard crate for a target: the compiler in `PATH`, otherwise Debian's.

    `crates/playground/build.sh` and `crates/lab/tests/support/compiled.rs` select compilers in the same way.
    """
    for each in (shutil.which("rustc"), "/usr/bin/rustc"):
        if each is None or not Path(each).is_file():
            continue
        ask = [each, "--print", "target-libdir", "--target", target]
        answer = subprocess.run(ask, capture_output=True, text=True, check=False)
        if answer.returncode == 0 and any(Path(answer.stdout.strip()).glob(f"lib{crate}-*")):
            return each
    return None


def _kernel(fits: Callable[[Kernel], bool]) -> str | None:
    return next((kernel.name for kernel in kernels() if fits(kernel)), None)


def _is_newer(kernel: Kernel) -> bool:
    """Return whether a kernel has DualPI2; one with it is taken to have Accurate ECN, as 7.3 does."""
    return "dualpi2" in kernel.queues


def _is_older(kernel: Kernel) -> bool:
    return not _is_newer(kernel)


def _is_default(kernel: Kernel) -> bool:
    return kernel.name == "default"


def _playground() -> str | None:
    try:
        from narrows._internal.browser.page import MODULE, fault
    except ImportError:
        return None
    file = HOUSE / "python/narrows/_internal/browser" / MODULE
    return None if fault(file) else str(file)


def _debian(name: str, use: str, *commands: str) -> Part:
    """Return the part of a program that Debian's package of this name has."""
    return Part(use, f"apt-get install {name}", partial(_program, *commands or (name,)), name)


def _checkout(name: str, source: str) -> Part:
    """Return the part of the sources of a QUIC stack, for which there is a recipe."""
    variable = f"NARROWS_{name.upper()}"
    return Part(
        "the recipe for its controllers", f"{variable} names a checkout of {source}", partial(os.environ.get, variable)
    )


PARTS = {
    "cc": _debian("gcc", "controllers in C, and kernels", "cc"),
    "chromium": _debian("chromium", "reports in a real browser", "chromium", "chromium-browser", "google-chrome"),
    "tshark": _debian("tshark", "a second reader of exported packets"),
    "valgrind": _debian("valgrind", "counts of instructions"),
    "iperf3": _debian("iperf3", "programs in virtual machines"),
    "curl": _debian("curl", "programs in virtual machines"),
    "dpkg-deb": _debian("dpkg", "a kernel's source from a package of Debian", "dpkg-deb"),
    "node": _debian("nodejs", "the package of npm", "node"),
    "npm": _debian("npm", "the package of npm"),
    "tsc": Part("types of the package of npm", "npm install --global typescript@7", partial(_program, "tsc")),
    "bash": _debian("bash", "the scripts of an action and of wheels"),
    "zsh": _debian("zsh", "its completion"),
    "fish": _debian("fish", "its completion"),
    "rustc": Part("controllers in Rust", "https://rustup.rs", partial(_program, "rustc")),
    "cargo": Part("controllers in Rust, and a wheel", "https://rustup.rs", partial(_program, "cargo")),
    "maturin": Part("a wheel", "pip install maturin", partial(_program, "maturin")),
    "wasm": Part(
        "controllers in WebAssembly",
        f"rustup target add {WASM}; with Debian's rustc, apt-get install libstd-rust-dev-wasm32",
        partial(compiler, WASM, "std"),
    ),
    "bare": Part("crates without an operating system", f"rustup target add {BARE}", partial(compiler, BARE, "core")),
    "playground": Part("the simulator for browsers, of these sources", "make wasm", _playground),
    "kernel": Part("`--on linux`", "narrows linux build", partial(_kernel, _is_default)),
    "kernel before 6.17": Part("`--on linux`", "narrows linux build", partial(_kernel, _is_older)),
    "kernel with dualpi2": Part(
        "Accurate ECN and DualPI2 (7.3)", "narrows linux build --source FILE --name NAME", partial(_kernel, _is_newer)
    ),
    "actionlint": Part(
        "workflows", "go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12", partial(_program, "actionlint")
    ),
    "ngtcp2": _checkout("ngtcp2", "https://github.com/ngtcp2/ngtcp2"),
    "quicly": _checkout("quicly", "https://github.com/h2o/quicly with its submodules"),
    "lsquic": _checkout("lsquic", "https://github.com/litespeedtech/lsquic"),
    "msquic": _checkout("msquic", "https://github.com/microsoft/msquic"),
}


def main(arguments: list[str]) -> int:
    """Print the table, or its missing parts."""
    if arguments not in ([], ["--missing"], ["--debian"]):
        sys.stderr.write(str(__doc__))
        return 2
    missing = {name: part for name, part in PARTS.items() if found(name) is None}
    if arguments == ["--debian"]:
        lines = sorted({part.debian for part in missing.values() if part.debian})
    else:
        wide = max(map(len, PARTS))
        lines = [
            f"missing  {name:{wide}}  for {part.use}: {part.install}"
            if name in missing
            else f"there    {name:{wide}}  {found(name)}"
            for name, part in PARTS.items()
            if name in missing or not arguments
        ]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    # The package of this checkout, if it is built.
    sys.path[0] = str(HOUSE / "python")
    sys.exit(main(sys.argv[1:]))
