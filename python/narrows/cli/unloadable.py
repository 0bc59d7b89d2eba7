# SPDX-License-Identifier: Apache-2.0
"""What is said of a package that cannot be loaded, in place of its own words, which are a page of advice with NumPy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def explain(error: ImportError) -> str | None:
    """Return which package cannot be loaded, why, and what to install."""
    chain = list(_chain(error))
    package = _package(error)
    if package == OWN:
        return None
    for each in chain:
        # The dynamic linkers of glibc and of musl.
        found = re.search(
            r"(lib[^\s:/]+\.so[.\d]*): cannot open|loading shared library (lib[^\s:/]+\.so[.\d]*)", str(each)
        )
        if found:
            library = found[1] or found[2]
            return f"{package}: cannot be loaded, since this system lacks {library}{_packages(library)}"
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        return f"{package}: is needed and not installed; install it by `pip install {package}`"
    first = str(chain[-1]).strip().partition("\n")[0]
    return f"{package}: cannot be loaded: {first}; install it again by `pip install --force-reinstall {package}`"


def _chain(error: BaseException | None) -> Iterator[ImportError]:
    """Yield an error and what led to it, the first cause last."""
    while error is not None:
        if isinstance(error, ImportError):
            yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _package(error: ImportError) -> str:
    """Return the package that could not be loaded: that in whose code the error arose, or that which was not found."""
    trace = error.__traceback__
    while trace is not None:
        package = str(trace.tb_frame.f_globals.get("__name__", OWN)).partition(".")[0]
        if package not in {OWN, "__main__", "importlib"}:
            return package
        trace = trace.tb_next
    return (error.name or OWN).partition(".")[0]


def _packages(library: str) -> str:
    """Return in which packages of distributions a library is; nothing where that is not known."""
    if library not in PACKAGES:
        return ""
    debian, others = PACKAGES[library]
    return f", which is in the package {debian} of Debian, {others} of Fedora and Alpine"


OWN = "narrows"

# Those that wheels of NumPy, PyArrow and SciPy take from the system: by Debian, by the others.
PACKAGES = {"libstdc++.so.6": ("libstdc++6", "libstdc++"), "libgcc_s.so.1": ("libgcc-s1", "libgcc")}
