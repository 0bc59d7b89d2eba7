"""Trials: whether a change of an algorithm makes anything worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from narrows.commands.default_folder import folder_of
from narrows.commands.job import Job
from narrows.errors import InputError
from narrows.files.disk import write_whole
from narrows.files.format import SUMMARY, numbered
from narrows.files.manifest import to_json
from narrows.linux.backend import SIMULATOR
from narrows.metrics import resolve
from narrows.metrics.criteria import read_margin
from narrows.trial import scenarios
from narrows.trial.contest import contests
from narrows.trial.kept import Kept
from narrows.trial.run import LEAST, MOST, counts, trial
from narrows.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from narrows.run.options import Options
    from narrows.trial.contest import Contest
    from narrows.trial.scenarios import Pair, Sides


MARGIN = "1%"


@dataclass(frozen=True)
class Trying(Job[dict[str, Any]]):
    """Two algorithms in the same scenarios.

    Attributes:
        sides: The algorithms and their backends.
        pairs: The scenarios with either.
        left_out: Of each cell of a suite that a backend refuses, the reason by its name.
        contests: What is compared.
        margin: How much worse does not matter, as a part of the value: `2%`.
    """

    sides: Sides
    pairs: Sequence[Pair]
    left_out: Mapping[str, str]
    contests: Sequence[Contest]
    margin: str

    @classmethod
    def prepare(  # noqa: PLR0913  # each has a default
        cls,
        a: str,
        b: str,
        options: Options,
        out: Path | None = None,
        *,
        suite: str | None = None,
        given: Sequence[str] = (),
        on: str = SIMULATOR,
        margin: str = MARGIN,
    ) -> Trying:
        """Resolve every scenario with both; arguments and errors are those of `narrows.ab`."""
        _check_margin(margin)
        sides = scenarios.Sides(a, b, scenarios.read_backends(on))
        for text in options.metrics:
            resolve(text, "group")
        left_out: dict[str, str] = {}
        if suite is not None:
            pairs, left_out = scenarios.of_suite(suite, sides, options.seed, trust=options.trust)
        elif given:
            pairs = scenarios.of_files(given, sides, options.seed, trust=options.trust)
        else:
            pairs = scenarios.of_narrows(sides, options.seed)
        parts = [f"{each.a.digest} {each.b.digest} {each.a.seed}" for each in pairs]
        folder = out or folder_of("ab", [*parts, *options.metrics])
        return cls(folder, options, sides, pairs, left_out, contests(pairs, options.metrics), margin)

    def work(self) -> dict[str, Any]:
        """Run replications until all is decided, and return the contents of `summary.json`."""
        options, most = self.options, self.options.replications or MOST
        with Kept(self.folder, self.contests) as kept:
            if kept.damaged:
                options.say(f"{self.folder}: {counted(kept.damaged, 'line is', 'lines are')} damaged, and run again")
            rows = trial(
                self.contests,
                margin=self.margin,
                alpha=ALPHA,
                least=min(LEAST, most),
                most=most,
                jobs=options.jobs,
                watch=options.watch,
                kept=kept,
            )
            a, b = scenarios.names(self.sides)
            content = {
                "title": f"{b} against {a}",
                "a": a,
                "b": b,
                "on": list(self.sides.on),
                "left_out": self.left_out,
                "margin": self.margin,
                "alpha": ALPHA,
                "seed": self.pairs[0].a.seed,
                "interrupted": options.watch.stopped(),
                "verdicts": counts(rows),
                "rows": rows,
                "command": options.command or f"narrows ab {a} {b}",
            }
            summary = numbered(SUMMARY, content)
            write_whole(self.folder / SUMMARY, to_json(summary) + "\n")
        return summary


def _check_margin(text: str) -> None:
    try:
        fault = not (text.endswith("%") and read_margin(text, ""))
    except ValueError:
        fault = True
    if fault:
        raise InputError(f"margin {text}", "is no part of a value; allowed: from 0%, as in 2%")


ALPHA = 0.05
