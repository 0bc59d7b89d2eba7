# SPDX-License-Identifier: Apache-2.0
"""How often `narrows ab` finds an algorithm worse than itself, and how often it finds planted changes.

A trial is what `narrows ab A B` computes without flags: its scenarios, metrics, looks and replications. Hundreds of
trials would take hours, so this program makes some runs of A and of each B, and draws the replications of every trial
from them, with replacement. A change is drawn in pairs of the same seed. A against itself has equal bits with equal
seeds, so there the two runs of a pair are drawn apart: their true difference is exactly 0, and all that is found is
chance.

Examples:
    .venv/bin/python validation/trials.py cubic cubic 'cubic(beta=0.72)' --runs 80 --jobs 1
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from narrows._internal.analysis.sequences import MOST, batches
from narrows._internal.run.execution import execute
from narrows._internal.run.jobs import Unwatched
from narrows._internal.trial.contest import Contest, Values, contests
from narrows._internal.trial.run import ALPHA
from narrows._internal.trial.scenarios import Sides, of_files, of_narrows
from narrows._internal.trial.verdict import UNDECIDED, WORSE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows._internal.trial.contest import Wanted
    from narrows._internal.trial.verdict import Judged

MARGINS = ("0%", "1%", "2%", "5%")
Z = 1.96


class Outcome(NamedTuple):
    """What a trial gives.

    Attributes:
        worse: Number of metrics that are `worse`.
        undecided: Share of the metrics that are `undecided`.
        pairs: Replications of the scenario that was the first to have a metric that is `worse`; None without one.
    """

    worse: int
    undecided: float
    pairs: int | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates of each change and margin as a table in Markdown."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("a", metavar="A", help="an algorithm")
    parser.add_argument("changes", metavar="B", nargs="+", help="what is compared with A; A itself with other seeds")
    parser.add_argument("--scenario", metavar="FILE", action="append", default=[], help="instead of those of `ab`")
    parser.add_argument(
        "--runs", metavar="N", type=int, default=100, help="of each algorithm and scenario (%(default)s)"
    )
    parser.add_argument("--trials", metavar="N", type=int, default=300, help="drawn from the runs (%(default)s)")
    parser.add_argument("--jobs", metavar="N", type=int, help="runs at a time (one per processor)")
    given = parser.parse_args(arguments)
    began = time.process_time()
    lines = [
        "| A | B | margin | trials | any `worse` | 95 % interval | metrics `worse` | pairs | undecided |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for b in given.changes:
        sides = Sides(given.a, b)
        found = contests(of_files(given.scenario or of_narrows(), sides, None), ())
        for contest in found:
            _run(contest, given.runs, given.jobs)
        for margin in MARGINS:
            generator = random.Random(1)  # noqa: S311  # draws, no secrets
            outcomes = [trial(found, margin, generator, apart=given.a == b) for _ in range(given.trials)]
            lines.append(
                f"| `{given.a}` | {'itself' if given.a == b else f'`{b}`'} | {margin[:-1]} % | {_row(outcomes)} |"
            )
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stderr.write(
        f"{given.runs} runs of each algorithm and scenario, {time.process_time() - began:.0f} s of processor time\n"
    )
    return 0


def trial(found: Sequence[Contest], margin: str, generator: random.Random, *, apart: bool) -> Outcome:
    """Draw a trial and return what it gives.

    Args:
        found: The scenarios with all runs.
        margin: The margin, as for `narrows ab`.
        generator: Of the draws.
        apart: Whether the two runs of a pair are drawn apart.
    """
    alpha = ALPHA / sum(len(each.wanted) for each in found)
    ends = [_end(_drawn(each, generator, apart=apart), margin, alpha) for each in found]
    states = [state for _, end in ends for _, state in end]
    pairs = [count for count, end in ends if any(state.verdict == WORSE for _, state in end)]
    undecided = sum(state.verdict == UNDECIDED for state in states) / len(states)
    return Outcome(sum(state.verdict == WORSE for state in states), undecided, min(pairs, default=None))


def wilson(count: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, Journal of the American Statistical Association 22, 1927)."""
    share = count / trials
    centre = share + Z * Z / (2 * trials)
    half = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    scale = 1 + Z * Z / trials
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def _run(contest: Contest, runs: int, jobs: int | None) -> None:
    sides = (contest.pair.a, contest.pair.b)
    # Equal runs have equal records.
    different = sides if sides[0].digest != sides[1].digest else sides[:1]
    for index in range(runs):
        records = [
            each for each in execute([(side, index) for side in different], jobs, Unwatched()) if each is not None
        ]
        a, b = (contest.side(side, each) for side, each in zip(sides, (records[0], records[-1]), strict=True))
        contest.add(Values(a.values, b.values, f"{a.digest} {b.digest}"))


def _drawn(contest: Contest, generator: random.Random, *, apart: bool) -> Contest:
    """Return the contest with as many replications as a trial has at most."""
    runs = range(len(contest.values[0][0]))
    of_a = generator.choices(runs, k=MOST)
    of_b = generator.choices(runs, k=MOST) if apart else of_a
    values = {
        place: ([a[index] for index in of_a], [b[index] for index in of_b]) for place, (a, b) in contest.values.items()
    }
    return Contest(contest.pair, contest.wanted, values)


def _end(contest: Contest, margin: str, alpha: float) -> tuple[int, list[tuple[Wanted, Judged]]]:
    """Return the replications at which all metrics are decided, or the most, and the states of the metrics then."""
    for count in (each.stop for each in batches(MOST)):
        values = {place: (a[:count], b[:count]) for place, (a, b) in contest.values.items()}
        states = Contest(contest.pair, contest.wanted, values).judge(margin, alpha)
        if all(state.verdict != UNDECIDED for _, state in states):
            break
    return count, states


def _row(outcomes: Sequence[Outcome]) -> str:
    worse = [each for each in outcomes if each.worse]
    low, high = wilson(len(worse), len(outcomes))
    pairs = f"{statistics.median(each.pairs or 0 for each in worse):.0f}" if worse else "-"
    metrics = statistics.fmean(each.worse for each in outcomes)
    undecided = statistics.fmean(each.undecided for each in outcomes)
    share = f"{_percent(len(worse) / len(outcomes))} | {_percent(low)} to {_percent(high)}"
    return f"{len(outcomes)} | {share} | {metrics:.2f} | {pairs} | {_percent(undecided)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
