# SPDX-License-Identifier: Apache-2.0
"""Runs and comparisons, saved in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal import core
from narrows._internal.commands.job import Job, default_folder, is_whole
from narrows._internal.errors import OutputError
from narrows._internal.files.folder import check_place
from narrows._internal.frozen import frozen
from narrows._internal.metrics.criteria import given_margins
from narrows._internal.run import execution
from narrows._internal.run.execution import Planned
from narrows._internal.run.results import Comparison, Run

if TYPE_CHECKING:
    from narrows._internal.run.options import Options


@frozen
class Running(Job[Run | Comparison]):
    """A run or a comparison."""

    planned: core.Scenario | Planned
    replace: bool

    @classmethod
    def prepare(cls, planned: core.Scenario | Planned, options: Options) -> Running:
        """Check all that can be wrong before the first run."""
        scenarios = [planned] if isinstance(planned, core.Scenario) else [*planned.scenarios.values()]
        execution.wanted_of(options.metrics, scenarios)
        given_margins(options.margins)
        folder, replace = options.out or default_folder(scenarios, options), options.out is None
        check_place(folder, replace=replace)
        return cls(folder, options, planned, replace)

    def work(self) -> Run | Comparison:
        """Run every replication, and save them; if the work is stopped, save the finished ones."""
        found: Run | Comparison
        if isinstance(self.planned, core.Scenario):
            found = execution.run(self.planned, self.options)
        else:
            found = execution.compare(self.planned, self.options)
        # A complete folder that is named after its content already has all that this interrupted run would write.
        if not (found.interrupted and is_whole(self.folder)):
            self._save(found)
        return found

    def _save(self, found: Run | Comparison) -> None:
        try:
            found.keep(self.folder, self.options.command, replace=self.replace)
        except OutputError as error:
            # The disk is full, or another process has taken the place meanwhile.
            import tempfile

            try:
                spare = Path(tempfile.mkdtemp(prefix="narrows-"))
                found.save(spare, self.options.command)
            except (OSError, OutputError):
                raise error from None
            raise OutputError(f"{error}; the results are in {spare}") from error
