# SPDX-License-Identifier: Apache-2.0
"""The results of a trial for a workflow of GitHub: annotations as workflow commands, and outputs of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.external.source import split_stack
from narrows.report.trial.comment import change, headline, values
from narrows.trial.verdict import VERDICTS, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping


def workflow_commands(summary: Mapping[str, Any]) -> list[str]:
    """Return the workflow commands of a trial: an error for each metric that is worse, and a notice of the result."""
    # An error is placed at the changed file, if it is a class in a Python file. GitHub shows ten errors of a step, so
    # the tenth counts the rest.
    worse = [row for row in summary["rows"] if row["verdict"] == WORSE]
    file = source_of(summary["b"])
    shown = worse if len(worse) <= MOST else worse[: MOST - 1]
    lines = [
        annotation(
            "error",
            f"{row['metric']} of {row['owner']} is worse",
            f"{row['scenario']}: {values(row)}, {change(row)}",
            file,
        )
        for row in shown
    ]
    if len(shown) < len(worse):
        lines.append(
            annotation(
                "error", "more is worse", f"{len(worse) - len(shown)} more metrics are worse: see the summary", file
            )
        )
    return [*lines, annotation("notice", "narrows ab", headline(summary))]


def annotation(level: str, title: str, message: str, file: str = "") -> str:
    """Return a workflow command that annotates a run; characters that would end it are escaped."""
    place = f"file={_property(file)}," if file else ""
    return f"::{level} {place}title={_property(title)}::{_data(message)}"


def outputs(summary: Mapping[str, Any], folder: str, status: int) -> dict[str, str]:
    """Return the outputs of the step: the number of metrics with each verdict, the folder and the exit status."""
    counts = {verdict.replace(" ", "-"): str(summary["verdicts"].get(verdict, 0)) for verdict in VERDICTS}
    return {**counts, "status": str(status), "folder": folder, "comment": f"{folder}/comment.md"}


def source_of(algorithm: str) -> str:
    """Return the Python file that an algorithm names, in a stack or not, without `./` before it; empty for none."""
    file, colon, _ = split_stack(algorithm)[1].partition(":")
    return file.removeprefix("./") if colon and file.endswith(".py") and not file.startswith(("/", "../")) else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# Annotations of a level that GitHub shows of a step.
MOST = 10
