# SPDX-License-Identifier: Apache-2.0
"""What was run, as files to copy or save: the resolved scenario of each run, and the text files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.drawing.svg import Markup, element, join

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.report.run.data import Run


def sources(runs: Sequence[Run], folders: Mapping[str, str]) -> Markup:
    """Return the files of all runs, each once."""
    files: dict[str, str] = {}
    for run in runs:
        place = f"{folders[run.name]}/" if run.name in folders else ""
        for name, text in run.sources.items():
            files[f"{place}{name}"] = text
    return join(_file(name, text) for name, text in files.items())


def _file(name: str, text: str) -> Markup:
    tools = (
        element("button", "Copy", type="button", class_="tool", data_copy=True, aria_label=f"Copy {name}", hidden=True),
        element("button", "Save", type="button", class_="tool", data_keep=name.rpartition("/")[2],
                aria_label=f"Save {name}", hidden=True),
    )  # fmt: skip
    return element(
        "details",
        element("summary", element("code", name)),
        element("div", *tools, class_="tools"),
        element("pre", element("code", text), tabindex="0", aria_label=name),
        class_="source",
    )
