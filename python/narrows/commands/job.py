"""The life of a command: prepare, run, save, and then build the page, in a step that can fail alone."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from typing import TYPE_CHECKING

from narrows.commands import page
from narrows.errors import Interrupted, ReportError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    # Why there is no page, though the results are saved.
    Problem = Interrupted | ReportError


def finish(
    folder: Path,
    build: Callable[[Path], object] = page.build,
    stoppable: AbstractContextManager[None] | None = None,
    again: str = "",
) -> Problem | None:
    """Build the page of results that are saved.

    Args:
        folder: The folder of the results.
        build: Builds the page of the folder.
        stoppable: The context in which the page is built; an interrupt in it leaves the results without a page.
        again: The command that builds the page later; empty for `narrows report FOLDER`.

    Returns:
        Why there is no page; None where it was built.
    """
    again = again or shlex.join(["narrows", "report", str(folder)])
    try:
        with stoppable or nullcontext():
            build(folder)
    except KeyboardInterrupt:
        return Interrupted(f"the results are in {folder}, and `{again}` builds their report")
    except Exception as error:  # noqa: BLE001  # hours of simulation are not thrown away for want of a picture
        reason = f"{type(error).__name__}: {error}".removesuffix(": ")
        problem = ReportError(
            f"the results are in {folder}, but their report could not be built: {reason}; `{again}` builds it"
        )
        problem.__cause__ = error
        return problem
    return None
