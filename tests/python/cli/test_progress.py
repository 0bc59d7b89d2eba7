# SPDX-License-Identifier: Apache-2.0
"""Progress on a terminal: one line of it, whatever its width."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from narrows._internal import errors
from narrows._internal.cli import main, work
from narrows._internal.commands.job import Job, perform
from narrows._internal.run.options import Options

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("columns", [10, 20, 40, 60, 80, 200])
@pytest.mark.parametrize("text", ["  0%  starting", " 50%  2 min 05 s left  12 of 96 cells, 1 failed, 3.21 cells/s"])
def test_the_line_fits_the_terminal(columns: int, text: str) -> None:
    for fraction in (0.0, 0.5, 1.0):
        line = work.progress_line(fraction, text, columns)
        assert len(line) < columns
        assert text[: columns - 1] in line


class Stopped(Job[int]):
    """Has its result, and is interrupted while its page is built."""

    def work(self) -> int:
        """Return the result."""
        return 3

    def build(self, _result: int) -> None:
        """Interrupt this process."""
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_while_a_page_is_built_says_what_is_kept(tmp_path: Path) -> None:
    # Programs that a shell starts in the background ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = perform(Stopped(tmp_path, Options()))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.result == 3
    assert isinstance(done.problem, errors.Interrupted)
    assert str(done.problem) == f"the results are in {tmp_path}, and `narrows report {tmp_path}` builds their report"


def test_an_interrupt_does_not_say_that_nothing_was_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("narrows._internal.cards.queues", interrupted)
    assert main(["list", "queues"]) == 3
    assert capsys.readouterr().err == "interrupted\n"
