"""What the commands share that run something: how they end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from narrows.cli.failure import complain, status_of
from narrows.cli.status import DONE

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from narrows.commands.job import Problem


def end(folder: Path, problem: Problem | None, arguments: argparse.Namespace, status: int = DONE) -> int:
    """Print where the results are, and their page or why there is none, and return the exit status.

    Args:
        folder: The folder of the results.
        problem: Why there is no page; None where it was built.
        arguments: The parsed command line.
        status: The exit status where the page was built.
    """
    if problem is None:
        print(f"Report: {folder / 'report.html'}", file=sys.stderr)
    else:
        status, message = status_of(problem, arguments.given)
        complain(message)
    print(folder, file=sys.stderr if arguments.json else sys.stdout)
    return status
