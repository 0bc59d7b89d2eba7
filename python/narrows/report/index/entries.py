# SPDX-License-Identifier: Apache-2.0
"""The results below a folder, as the index lists them: read from their summaries only."""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from narrows.comparison import runs_of
from narrows.errors import InputError
from narrows.files.format import FormatError, read_kept
from narrows.files.kinds import KINDS, kind_of
from narrows.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


@frozen
class Entry:
    """A folder of results."""

    place: str  # path relative to the folder of the index
    # Its kind, such as "run" or "matrix"; "damaged" if its summary cannot be read, "another format" if it is of another
    # version.
    kind: str
    title: str  # title of the scenario, study or suite
    # Time at which it was started or, if the manifest lacks it, its summary written; ISO 8601 in UTC.
    time: str = ""
    replications: int | None = None  # number of replications; None if it is not known
    level: str = ""  # the gravest level of a check that fails: "broken" or "caution"; empty without one
    page: str = ""  # path of its page relative to the folder of the index; empty if there is none
    # Name of a group or algorithm with its metrics, as in `summary.json`.
    measured: Sequence[tuple[str, Mapping[str, Any]]] = field(default_factory=list)


def entries(folder: Path) -> list[Entry]:
    """Return the results in the folders below a folder, the latest first; those inside of results are part of them."""
    found = sorted(_below(folder, folder, DEPTH, {folder.resolve()}), key=lambda each: each.place)
    return sorted(found, key=lambda each: each.time, reverse=True)


def holds_results(folder: Path) -> bool:
    """Return whether a folder itself holds results."""
    return any((folder / name).is_file() for name in MARKS)


def _below(folder: Path, root: Path, depth: int, seen: set[Path]) -> Iterator[Entry]:
    for each in sorted(folder.iterdir()):
        # A link may lead to a folder that is listed already, or back to a parent.
        if not each.is_dir() or each.name.startswith(".") or each.resolve() in seen:
            continue
        seen.add(each.resolve())
        if holds_results(each):
            yield _entry(each, root)
        elif depth:
            yield from _below(each, root, depth - 1, seen)


def _entry(folder: Path, root: Path) -> Entry:
    place = folder.relative_to(root).as_posix()
    page = next((f"{place}/{name}" for name in PAGES if (folder / name).is_file()), "")
    try:
        kind = kind_of(folder)
        summary, manifest, results = (
            _object(folder / name) for name in ("summary.json", "manifest.json", kind.results if kind else "")
        )
        title = summary.get("title") or results.get("title") or manifest.get("title") or folder.name
        return Entry(
            place=place,
            kind=str(summary.get("kind") or (kind.name if kind else "")),
            title=str(title),
            time=str(manifest.get("started") or _written(folder)),
            replications=_count(summary.get("replications", manifest.get("replications"))),
            level=_level(summary),
            page=page,
            measured=_measured(summary),
        )
    except FormatError:
        return Entry(place, "another format", folder.name, _written(folder), page=page)
    except (InputError, OSError, ValueError, TypeError, AttributeError, LookupError):
        return Entry(place, "damaged", folder.name, _written(folder), page=page)


def _written(folder: Path) -> str:
    """Return the time at which the results were written, ISO 8601 in UTC; resumed work has no single start."""
    latest = max((folder / name).stat().st_mtime for name in MARKS if (folder / name).is_file())
    return datetime.fromtimestamp(latest, UTC).isoformat(timespec="seconds")


def _object(path: Path) -> dict[str, Any]:
    return read_kept(path) if path.is_file() else {}


def _level(summary: Mapping[str, Any]) -> str:
    runs = _runs(summary)
    levels = {check.get("level") for run in runs for check in run.get("checks", ())}
    return next((level for level in ("broken", "caution") if level in levels), "")


def _runs(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    compared = runs_of(summary)
    return [summary] if compared is None else list(compared.values())


def _measured(summary: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    compared = runs_of(summary)
    groups = summary.get("groups")
    found = list(groups.items()) if isinstance(groups, dict) else []
    if compared is not None:
        found = [(name, metrics) for name, run in compared.items() for metrics in list(run["groups"].values())[:1]]
    for _, metrics in found:
        for name in SHOWN:
            _check_estimate(metrics.get(name))
    return found


def _check_estimate(found: Any) -> None:
    """Check that a metric is the mean of numbers with an interval of two, or nothing."""
    mean, interval = (None, None) if found is None else (found["mean"], found.get("ci95"))
    for each in ([] if mean is None else [mean], [] if interval is None else interval):
        if not all(isinstance(value, int | float) for value in each):
            raise TypeError(str(found))
    if interval is not None and len(interval) != ENDS:
        raise ValueError(str(found))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# The metrics that the index shows, and the ends of an interval.
SHOWN = ("goodput_bps", "delay_p95_s")
ENDS = 2
# Files of which any makes a folder one of results, and the names of pages.
MARKS = tuple(dict.fromkeys(kind.results for kind in KINDS))
PAGES = ("report.html", "index.html")
# Folders between the index and a result at most.
DEPTH = 3
