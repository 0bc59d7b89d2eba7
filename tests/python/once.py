# SPDX-License-Identifier: Apache-2.0
"""What takes long to make is made once in a session, whichever of its processes needs it first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from narrows._internal.files.system import lock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of the session, which `make` fills in the first process that asks for it; nothing changes it.

    Args:
        factory: Names the folder of the session.
        name: Name of the folder, which no other fixture has.
        make: Fills a new folder; if it fails, the next process tries again.
    """
    session = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # A worker has a folder of its own below the folder of the session.
        session = session.parent
    whole = session / f"{name}.whole"
    with (session / f"{name}.lock").open("w") as held:
        lock(held)
        if not whole.exists():
            place = factory.mktemp(name)
            make(place)
            whole.symlink_to(place, target_is_directory=True)
    return whole.resolve()
