# SPDX-License-Identifier: Apache-2.0
"""The command `narrows`: results go to standard output, messages to standard error."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from narrows._internal.cli.command import INTERRUPTED


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    if argv is None:
        sys.unraisablehook = _not_lost
        # Only in this process: external algorithms run in others.
        sys.meta_path.insert(0, _WithoutPandas())
        # A thread for each processor takes longer to start than all products of matrices of a command.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # Within the handler, for an interrupt may come while modules are loaded.
        from narrows._internal.cli.program import run

        return run(argv)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _not_lost(ignored: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that came within a finalizer or a weak reference's callback, in which Python ignores it."""
    if ignored.exc_type is KeyboardInterrupt and hasattr(signal, "setitimer"):
        # Not at once, for the finalizer has not ended.
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    else:
        sys.__unraisablehook__(ignored)


class _WithoutPandas:
    """A finder that hides pandas, which pyarrow imports at its first array: longer than all else of a short command."""

    def find_spec(self, name: str, *_: object) -> None:
        # With None in `sys.modules` in place of this, pyarrow fails.
        if name == "pandas":
            raise ModuleNotFoundError("commands do without pandas", name=name)
