# SPDX-License-Identifier: Apache-2.0
"""Packages that an extra of Narrows installs, and that are loaded when something first needs them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from narrows._internal.errors import InputError

# The extra of each package; `pyproject.toml` says the same.
EXTRA_OF = {
    "scipy": "study",
    "pydoe": "study",
    "duckdb": "study",
    "matplotlib": "plot",
    "polars": "frame",
    "pandas": "frame",
    "distributed": "dask",
}


def load(module: str) -> Any:
    """Return a module of an extra's package."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # An installed package may lack a module that it needs itself.
        if error.name != package:
            raise
        raise _missing(package) from None


def require(*packages: str, also: str = "") -> None:
    """Check that packages of extras are installed, without loading them."""
    for package in packages:
        if find_spec(package) is None:
            raise _missing(package, also)


def _missing(package: str, also: str = "") -> InputError:
    more = f"; {also}" if also else ""
    return InputError(package, f"is needed here and not installed; install it by {command_for(package)}{more}")


def command_for(package: str) -> str:
    """Return the command that installs a package of an extra."""
    return f"`pip install 'narrows[{EXTRA_OF[package]}]'`"
