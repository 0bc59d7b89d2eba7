"""One run in a process of its own: `python -m narrows.worker` takes a pickled job and sends back what came of it.

What goes to standard output are pickles, each after its length: `("progress", simulated_s)` again and again, then
one of `("records", …)`, `("mistake", text)`, `("failure", text)`. What an algorithm prints goes to standard error. A
worker whose parent is gone ends at its next progress.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import struct
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from typing import IO, Any

from narrows import core


def main() -> None:
    """Run one job."""
    # The parent hears the interrupt and decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _send(answers, _work(answers))
    except BrokenPipeError:
        os._exit(1)
    # Not even a thread that an algorithm has started keeps the process alive.
    os._exit(0)


def _work(answers: IO[bytes]) -> tuple[str, Any]:
    job = sys.stdin.buffer.read()
    try:
        scenario, digest, replication = _unpack(job)
    except core.ScenarioError as error:
        return "mistake", f"what was sound a moment ago no longer is:\n{error}"
    if scenario.digest != digest:
        return "mistake", "a file of the scenario changed while its runs were going on"
    progress = core.Progress()
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(core.run, [(scenario, replication)], 1, progress)
        while wait([future], timeout=STEP_S).not_done:
            _send(answers, ("progress", progress.simulated_s()))
        try:
            return "records", future.result()[0]
        except core.AlgorithmError as error:
            return "mistake", str(error)
        except core.RunError as error:
            return "failure", str(error)


def _unpack(job: bytes) -> tuple[core.Scenario, str, int]:
    load, digest, replication, seed = pickle.loads(job)  # noqa: S301  # the parent is this program
    # An algorithm that draws from Python's own generator meets the same numbers in every process.
    random.seed(f"{seed} {replication}")
    return pickle.loads(load), digest, replication  # noqa: S301


def _send(answers: IO[bytes], answer: tuple[str, Any]) -> None:
    content = pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
    answers.write(LENGTH.pack(len(content)) + content)
    answers.flush()


LENGTH = struct.Struct("<Q")
STEP_S = 0.1

if __name__ == "__main__":
    main()
