# SPDX-License-Identifier: Apache-2.0
"""Searches for environments in which an algorithm does worst."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from narrows._internal import core
from narrows._internal.commands.job import Job, folder_of
from narrows._internal.commands.page import CURVES
from narrows._internal.errors import InputError
from narrows._internal.external.source import OF_KERNELS, is_external
from narrows._internal.files.format import write_kept
from narrows._internal.frozen import frozen
from narrows._internal.linux import backend
from narrows._internal.linux.backend import BOTH, SIMULATOR
from narrows._internal.plural import counted
from narrows._internal.run.options import Options, called
from narrows._internal.search.run import Budget, Search


@frozen
class Searching(Job[dict[str, Any]]):
    """A search in a folder."""

    algorithm: str
    against: str
    budget: Budget
    called: str

    @classmethod
    def prepare(cls, algorithm: str, options: Options, against: str | None, budget: str) -> Searching:
        """Check the arguments of a search; see `narrows.worst`."""
        on = options.on
        if on == BOTH:
            problem = "the search is the simulator's, and --on linux repeats every find on the kernel beside it"
            raise InputError("--on both", f"{problem}; allowed: simulator, linux, linux:NAME")
        backend.find(on)
        second = SECOND if on == SIMULATOR else SECOND_OF_KERNELS
        reference = against or (second if algorithm == FIRST else FIRST)
        if algorithm == reference:
            raise InputError(f"--against {reference}", "is the algorithm itself: nothing is worse than itself")
        for each in (algorithm, reference):
            if each.startswith(OF_KERNELS) and not is_external(each):
                raise InputError(each, "the search is the simulator's, which has no algorithms of a kernel")
        options = replace(options, seed=1 if options.seed is None else options.seed)
        folder = options.out or folder_of(f"worst {algorithm}", [reference, str(options.seed), *options.overrides])
        command = called(options, "worst", algorithm, against=reference, budget=budget)
        return cls(folder, options, algorithm, reference, _budget(budget), command)

    def work(self) -> dict[str, Any]:
        """Search, repeat the cases that were found, and return the contents of `atlas.json`."""
        options = self.options
        with Search(self.algorithm, self.against, self.folder, options) as search:
            if search.damaged:
                again = counted(search.damaged, "line is", "lines are")
                options.say(f"{self.folder}: {again} damaged, and evaluated again")
            archive = search.run(self.budget)
            finds = search.finds(archive)
            curves = [search.curves(find) for find in finds if find.confirmed]
            write_kept(self.folder / CURVES, {"found": curves})
            return search.write(archive, finds, self.called)


def _budget(text: str) -> Budget:
    if text.isdigit() and int(text) > 0:
        return Budget(evaluations=int(text))
    try:
        time_s = core.quantity(text, "time")
    except ValueError:
        time_s = 0.0
    if time_s <= 0:
        raise InputError("--budget", f"expected a time, as in 10min, or a number of environments, got {text!r}")
    return Budget(time_s=time_s)


# The default references; the kernel has no BBR 3.
FIRST, SECOND, SECOND_OF_KERNELS = "cubic", "bbr3", "bbr1"
