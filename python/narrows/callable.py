"""Packages that are also functions of the same name: `narrows.study` holds modules, and `nw.study(...)` runs a study.

Importing a package binds its name in `narrows`, where the function would be found. So the package itself is callable.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that calls the function of its name in `narrows.api`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        return getattr(import_module("narrows.api"), self.__name__.rpartition(".")[2])(*arguments, **options)


def make_callable(package: str) -> None:
    """Make the package with this name callable."""
    sys.modules[package].__class__ = CallablePackage
