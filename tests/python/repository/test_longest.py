# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. A test whose commands do not end fails, and names them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

import longest


def test_commands_that_do_not_end_are_killed_with_those_that_they_started(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # Its own child, which holds the pipe open, would keep the test waiting, too.
    endless = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(1000)'])"
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    signal.setitimer(signal.ITIMER_REAL, 2)
    done = subprocess.run([sys.executable, "-c", endless], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert "time.sleep(1000)" in capfd.readouterr().err
    assert not [each for each in longest.descendants(os.getpid()) if "sleep" in longest.command_of(each)]


@pytest.mark.parametrize("module", ["narrows", "narrows._internal.experiments.answering"])
def test_a_command_that_a_test_leaves_is_killed_and_the_test_fails(module: str) -> None:
    teardown = longest.pytest_runtest_teardown()
    next(teardown)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", "-m", module, "run"])
    with pytest.raises(pytest.fail.Exception, match="left 1 of its commands running"):
        teardown.send(None)
    assert process.wait() == -signal.SIGKILL
