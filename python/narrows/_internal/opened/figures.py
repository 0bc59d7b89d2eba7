# SPDX-License-Identifier: Apache-2.0
"""The figures of a page of results, for papers."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from narrows._internal import core
from narrows._internal.arguments import typed
from narrows._internal.drawing.figure import PAPERS
from narrows._internal.errors import InputError
from narrows._internal.experiments.layout import Asked
from narrows._internal.extras import require
from narrows._internal.files.disk import new_file
from narrows._internal.files.kinds import KINDS, call, kind_of
from narrows._internal.files.shape import fitting
from narrows._internal.page.picture import Picture, picture_of, pictures_of, standalone

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@typed
def figure(
    folder: str | os.PathLike[str], name: str, *, width_mm: float = 160.0, replication: int | None = None
) -> Figure:
    """Return a figure of a page of results as a figure of matplotlib, which can be changed and saved.

    Args:
        folder: The folder of a run, comparison, study, matrix or any other results with a page.
        name: Name of the figure, as in `cwnd`; `narrows figure FOLDER` lists all.
        width_mm: Its width, 40 to 400 millimetres. Up to 110 it has the panels of a narrow screen, for a column.
        replication: Number of the replication that a figure over time shows, from 0; None is the first. Others are
            of all replications.

    Raises:
        InputError: The folder has no page, the page no such figure or replication, or matplotlib is not installed.

    Examples:
        >>> import narrows as nw, tempfile
        >>> folder = tempfile.mkdtemp() + "/run"
        >>> nw.load("pair", ["duration=5s", "warmup=1s"]).run().save(folder)
        >>> nw.figure(folder, "cwnd").savefig(folder + "/cwnd.pdf")
    """
    require("matplotlib")
    return printed(chosen(Path(folder), name, width_mm, replication), width_mm)


def write(
    folder: Path, name: str, out: Path | None, width_mm: float, replication: int | None = None
) -> tuple[Path, Picture]:
    """Write a figure of a page of results into a separate file."""
    return written(lambda: chosen(folder, name, width_mm, replication), out or Path(f"{name}.pdf"), width_mm)


def write_response(
    folder: Path, asked: Asked, out: Path | None, width_mm: float, experiment: str | None = None
) -> tuple[Path, Picture]:
    """Write a figure of a metric of a study against its factors into a file."""
    if out is not None:
        return written(lambda: response_picture(folder, asked, width_mm, experiment), out, width_mm)
    drawn = response_picture(folder, asked, width_mm, experiment)
    return written(lambda: drawn, Path(f"{drawn.name}.pdf"), width_mm)


def response_picture(folder: Path, asked: Asked, width_mm: float, experiment: str | None = None) -> Picture:
    """Return a figure of a metric of a study against its factors."""
    _check_width(width_mm)
    kind = kind_of(folder)
    if kind is None or not kind.draws:
        given = f"is the folder of a {kind.name}" if kind else "is not a folder of results"
        able = ", ".join(each.name for each in KINDS if each.draws)
        raise InputError(str(folder), f"{given}; figures against factors are of these: {able}, matrix, deployment")
    with fitting(folder):
        drawn = call(kind.draws, folder, asked, experiment)
    if drawn.absent:
        raise InputError(str(folder), f"no cell has a value of {asked.y} yet")
    return picture_of(drawn, next(paper for paper in PAPERS if paper.name == _paper(width_mm)))


def written(drawing: Callable[[], Picture], place: Path, width_mm: float) -> tuple[Path, Picture]:
    """Write a figure into a file, whose name is checked before it is drawn."""
    form = place.suffix.removeprefix(".")
    if form not in FORMATS:
        given = f"no format .{form}" if form else "its name has no end that says the format"
        raise InputError(str(place), f"{given}; allowed: {', '.join(f'.{each}' for each in FORMATS)}")
    if form != "svg":
        require("matplotlib", also="a file .svg needs none")
    shown = drawing()
    drawn = None if form == "svg" else printed(shown, width_mm)
    with new_file(place) as partial:
        if drawn is None:
            partial.write_text(standalone(shown, width_mm), encoding="utf-8")
        else:
            from narrows._internal.page.printed import save

            save(drawn, partial, form)
    return place, shown


def pictures_in(folder: Path, width_mm: float = 160.0) -> dict[str, Picture]:
    """Return the figures of the page of a folder by their names, drawn for a width in millimetres."""
    page = folder / "report.html"
    if not page.is_file():
        problem = f"has no page: `narrows report {folder}` builds it" if folder.is_dir() else "no such folder"
        raise InputError(str(folder), problem)
    return pictures_of(page.read_text("utf-8", errors="replace"), _paper(width_mm))


def _paper(width_mm: float) -> str:
    return "narrow" if width_mm <= COLUMN_MM else "wide"


def chosen(folder: Path, name: str, width_mm: float, replication: int | None = None) -> Picture:
    """Return the figure of this name; arguments and errors as `figure`."""
    _check_width(width_mm)
    found = pictures_in(folder, width_mm)
    if name not in found:
        near = core.nearest(name, list(found))
        meant = f"did you mean {near!r}? " if near else ""
        raise InputError(str(folder), f"unknown figure {name!r}; {meant}It has: {', '.join(found) or 'none'}")
    shown = found[name]
    if replication is not None and replication not in shown.others:
        over_time = [each.name for each in found.values() if each.others]
        if not shown.others:
            problem = f"{name} has one drawing" + (
                f"; of figures over time: {', '.join(over_time)}" if over_time else ""
            )
        else:
            problem = f"allowed for {name} of this page: {', '.join(map(str, shown.others))}"
        raise InputError(f"--replication {replication}", problem)
    try:
        if replication is not None:
            shown = shown.of_replication(replication, _paper(width_mm))
        _ = shown.tree
    except (ET.ParseError, ValueError, zlib.error):
        raise InputError(str(folder), f"its page is damaged: `narrows report {folder}` builds it again") from None
    return shown


def _check_width(width_mm: float) -> None:
    if not (math.isfinite(width_mm) and LEAST_MM <= width_mm <= MOST_MM):
        raise InputError(f"{width_mm:g} mm", f"no width of a figure; allowed: {LEAST_MM:g} to {MOST_MM:g} millimetres")


def printed(shown: Picture, width_mm: float) -> Any:
    from narrows._internal.page import printed as page

    return page.printed(shown, width_mm)


FORMATS = ("pdf", "svg", "png", "pgf")
LEAST_MM, MOST_MM = 40.0, 400.0
# Up to this width a figure has the panels of a narrow screen.
COLUMN_MM = 110.0
