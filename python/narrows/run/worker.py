"""A worker process: `python -m narrows.run.worker` reads a pickled job, runs it and writes the result.

Standard output carries pickles, each preceded by its length: `("progress", simulated_s)` repeatedly, then one of
`("records", …)`, `("algorithm error", text)`, `("run error", text)`. Output of an algorithm goes to standard error. A
worker whose parent has ended exits at its next progress message.
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
    """Run the job on standard input."""
    # The parent handles the interrupt.
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
        return "algorithm error", f"the scenario was valid when the run started and no longer is:\n{error}"
    if scenario.digest != digest:
        return "algorithm error", "a file of the scenario changed while its runs were in progress"
    progress = core.Progress()
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(core.run, [(scenario, replication)], 1, progress)
        while wait([future], timeout=STEP_S).not_done:
            _send(answers, ("progress", progress.simulated_s()))
        try:
            return "records", future.result()[0]
        except core.AlgorithmError as error:
            return "algorithm error", str(error)
        except core.RunError as error:
            return "run error", str(error)


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
