# SPDX-License-Identifier: Apache-2.0
"""The outputs of `narrows ab --github` for the workflow in which it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from narrows._internal.cli.failure import status_of
from narrows._internal.errors import InputError
from narrows._internal.report.trial.comment import annotation, comment, outputs, workflow_commands


class Step:
    """The step of a workflow, by the files that GitHub names to it."""

    def __init__(self, given: Sequence[str]) -> None:
        """Find the files."""
        self._given = given
        self._outputs, self._summary = (_file(name) for name in VARIABLES)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Within the context, an error is an annotation of the run as well."""
        try:
            yield
        except Exception as error:
            status, message = status_of(error, self._given)
            print(annotation("error", f"narrows ab, exit status {status}", message), file=sys.stderr)
            raise

    def report(self, summary: Mapping[str, Any], folder: Path, status: int) -> None:
        """Print annotations on standard error, and append to the summary of the job and to the outputs of the step."""
        for line in workflow_commands(summary):
            print(line, file=sys.stderr)
        found = outputs(summary, folder.as_posix(), status)
        _append(self._summary, comment(summary))
        _append(self._outputs, "".join(f"{name}={value}\n" for name, value in found.items()))


def _file(variable: str) -> str:
    place = os.environ.get(variable, "")
    if not place:
        raise InputError("--github", f"the variable {variable} is not set; allowed only in a step of a GitHub workflow")
    try:
        _append(place, "")
    except OSError as error:
        raise InputError("--github", f"the file of {variable} cannot be written: {place}: {error.strerror}") from None
    return place


def _append(place: str, text: str) -> None:
    with open(place, "a", encoding="utf-8") as file:  # noqa: PTH123  # GitHub gives a path as text
        file.write(text)


VARIABLES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
