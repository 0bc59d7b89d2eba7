# SPDX-License-Identifier: Apache-2.0
"""Commands without pandas, which pyarrow imports at its first array: longer than all else of a short command."""

from __future__ import annotations

import sys


class WithoutPandas:
    """A finder of modules, whose `find_spec` Python calls first; it hides pandas from pyarrow, and from no other."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Find no module, so that the other finders are asked."""
        del path, target
        if name == "pandas" and _asking().partition(".")[0] in {"narrows", "pyarrow"}:
            raise ModuleNotFoundError("pyarrow does without pandas in commands", name=name)


def _asking() -> str:
    """Return the name of the module in Python whose import this is."""
    frame = sys._getframe()  # noqa: SLF001  # the only way to know
    while frame.f_back is not None and (
        frame.f_globals.get("__name__", "").startswith("importlib") or frame.f_globals.get("__name__") == __name__
    ):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))
