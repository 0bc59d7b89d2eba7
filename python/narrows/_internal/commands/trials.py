# SPDX-License-Identifier: Apache-2.0
"""Trials: whether a change of an algorithm makes anything worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from narrows._internal import core
from narrows._internal.analysis.sequences import MOST
from narrows._internal.commands.job import Job, folder_of
from narrows._internal.comparison import Replaced
from narrows._internal.errors import InputError
from narrows._internal.external.alike import unlike
from narrows._internal.files.format import SUMMARY, write_kept
from narrows._internal.frozen import frozen
from narrows._internal.linux.backend import SIMULATOR, describe, elsewhere
from narrows._internal.metrics.criteria import read_margin
from narrows._internal.plural import counted
from narrows._internal.run.options import Options, called
from narrows._internal.run.summary import replaced_in
from narrows._internal.trial import scenarios
from narrows._internal.trial.contest import Contest, contests
from narrows._internal.trial.programs import UNLIKE, Emulated
from narrows._internal.trial.run import ALPHA, Kept, counts, trial
from narrows._internal.trial.scenarios import Pair, Sides, write_scenarios
from narrows.metrics import resolve


@frozen
class Trying(Job[dict[str, Any]]):
    """Two algorithms in the same scenarios."""

    sides: Sides
    backends: Sequence[Mapping[str, object]]
    pairs: Sequence[Pair]
    # The reason for each cell of a suite that a backend refuses.
    left_out: Mapping[str, str]
    contests: Sequence[Contest]
    # A part of the value, as in `2%`.
    margin: str
    called: str

    @classmethod
    def prepare(  # noqa: PLR0913, PLR0917  # the arguments of the command line
        cls,
        a: str,
        b: str | None,
        options: Options,
        source: str | Sequence[str],
        margin: str,
        subjects: Sequence[str] = (),
        emulated: Emulated | None = None,
        traces: Sequence[str] = (),
    ) -> Trying:
        """Resolve every scenario with both."""
        _check_margin(margin)
        sides = emulated.sides(a, b) if emulated else scenarios.read_sides(a, b, options.on)
        metrics = emulated.metrics(options.metrics) if emulated else options.metrics
        for text in metrics:
            resolve(text, "group")
        left_out: dict[str, str] = {}
        asked = sides, options.seed, options.overrides
        if emulated:
            if isinstance(source, str) or subjects or options.on != SIMULATOR:
                raise InputError("--emulate", "is without --suite, --subject and --on; expected --scenario FILE")
            pairs = emulated.pairs(source, *asked, trust=options.trust)
        elif traces:
            if subjects:
                raise InputError("--subject", "does not apply to --like, which tests the flow of the trace")
            pairs, left_out = scenarios.of_traces(traces, *asked, options.replications or MOST)
        elif not isinstance(source, str):
            pairs = scenarios.of_files(source or scenarios.of_narrows(), *asked, subjects, trust=options.trust)
        elif subjects:
            raise InputError("--subject", f"does not apply to the suite {source}, whose criteria name the groups")
        else:
            pairs, left_out = scenarios.of_suite(source, *asked, trust=options.trust)
        parts = [f"{a.digest} {b.digest} {a.seed}" for each in pairs for a, b in each.draws or [(each.a, each.b)]]
        parts += [each.programs for each in pairs if each.programs]
        folder = options.out or folder_of("ab", [*parts, *metrics])
        suite, files = (source, ()) if isinstance(source, str) else ("", tuple(source))
        command = called(
            options,
            "ab",
            a,
            *filter(None, [b]),
            suite=suite,
            scenario=files,
            like=tuple(traces),
            subject=tuple(subjects),
            margin=margin,
        )
        places = [elsewhere(each) for each in sides.on]
        backends = [describe(each["linux"], each["real_time"]) for each in places]
        found = contests(pairs, metrics)
        return cls(folder, options, sides, backends, pairs, left_out, found, margin, command)

    def work(self) -> dict[str, Any]:
        """Run replications until all is decided, and return the contents of `summary.json`."""
        options = self.options
        with Kept(self.folder, self.contests) as kept:
            if kept.damaged:
                options.say(f"{self.folder}: {counted(kept.damaged, 'line is', 'lines are')} damaged, and run again")
            rows = trial(self.contests, kept, self.options, self.margin, ALPHA)
            a, b = scenarios.names(self.sides)
            content = {
                "title": f"{b} against {a}",
                "a": a,
                "b": b,
                "on": list(self.sides.on),
                "backends": list(self.backends),
                "left_out": self.left_out,
                "unlike": self._unlike,
                **({"replaced": asdict(found)} if (found := self._replaced) else {}),
                "margin": self.margin,
                "alpha": ALPHA,
                "digest_schema": core.digest_schema(),
                "seed": self.pairs[0].a.seed,
                "interrupted": options.watch.stopped(),
                "verdicts": counts(rows),
                "rows": rows,
                **({"traces": len(self.pairs)} if self.pairs[0].draws else {}),
                "scenarios": write_scenarios(self.folder, self.pairs, self.sides),
                "command": self.called,
            }
            return write_kept(self.folder / SUMMARY, content)

    @property
    def _replaced(self) -> Replaced | None:
        """The replaced algorithms of a single scenario; None for several, which have groups of their own."""
        return replaced_in(self.pairs[0].a) if len(self.pairs) == 1 else None

    @property
    def _unlike(self) -> str:
        """Other differences of the sides besides their algorithms; empty if a kernel runs one of them."""
        if self.pairs[0].programs:
            return UNLIKE
        if self.sides.on != (SIMULATOR, SIMULATOR) or self.sides.a == self.sides.b:
            return ""
        a, b = scenarios.names(self.sides)
        return unlike({a: [pair.a.resolved for pair in self.pairs], b: [pair.b.resolved for pair in self.pairs]})


def _check_margin(text: str) -> None:
    try:
        fault = not (text.endswith("%") and read_margin(text, ""))
    except ValueError:
        fault = True
    if fault:
        raise InputError("margin", f"expected a percentage of at least 0%, as in 2%, got {text!r}")
