# SPDX-License-Identifier: Apache-2.0
"""The page of a folder of results, built from what the folder holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.files.disk import write_whole
from narrows.files.format import SUMMARY, read_kept
from narrows.files.manifest import MANIFEST, check_folder
from narrows.linux.backend import BOTH, LINUX, SIMULATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from narrows.experiments.stored import StoredStudy
    from narrows.reproduction.claims import Published
    from narrows.reproduction.ledger import Found

# The modules of pages are imported where they are used: what is wrong with one must not keep a command from its work.


def build(folder: Path) -> Path:
    """Build the page of a folder of results, and what else is derived from them; or the index of several folders."""
    if not folder.is_dir():
        raise InputError(str(folder), "is a file, not a folder of results" if folder.exists() else "no such folder")
    for name, kind in KINDS.items():
        if (folder / name).is_file():
            return kind(folder)
    for name in ("reproduction.json", "suite.json"):
        if (folder / name).is_file() and "shard" in read_kept(folder / name):
            raise InputError(str(folder), "is of a shard: `narrows study merge` joins all of them")
    from narrows.report.index.build import build as index

    return index(folder)


def study(study: StoredStudy) -> Path:
    """Build the page of a study whose plan has been read."""
    from narrows.report.study.build import build

    return build(study)


def reproduction(folder: Path, published: Published, ledger: Mapping[str, Any], results: Found) -> Path:
    """Build the page of a reproduction whose results have been gathered."""
    from narrows.report.reproduction.page import reproduction_page

    return _write(folder, reproduction_page(published, ledger, results))


def _study(folder: Path) -> Path:
    from narrows.experiments.stored import stored

    found = stored(folder)
    if found.share is not None:
        problem = f"is shard {found.share.shard} of a study: `narrows study merge` joins all of them"
        raise InputError(str(folder), problem)
    return study(found)


def _search(folder: Path) -> Path:
    from narrows.report.search.page import atlas_page

    if not (folder / CURVES).is_file():
        again = f"`narrows worst ALG … --out {folder}` writes both"
        raise InputError(str(folder), f"its page needs {CURVES}, which is not there: {again}")
    atlas = read_kept(folder / "atlas.json")
    return _write(folder, atlas_page(atlas, read_kept(folder / CURVES)["found"]))


def _reproduction(folder: Path) -> Path:
    from narrows.reproduction import campaign
    from narrows.reproduction.own_claims import study_of
    from narrows.reproduction.registry import LEDGER

    study, size, experiments = study_of(folder)
    results = campaign.gathered(study, size, experiments, folder)
    return reproduction(folder, study.claims(size), read_kept(folder / LEDGER), results)


def _summarized(folder: Path) -> Path:
    summary = read_kept(folder / SUMMARY)
    if not (folder / MANIFEST).is_file():
        if "rows" not in summary:
            check_folder(folder)
        return _trial(folder, summary) if "alpha" in summary else _suite(folder, summary)
    if "kind" in summary and summary.get("on") == BOTH:
        return _both(folder, summary)
    from narrows.report.run.build import build as run

    return run(folder)


def _trial(folder: Path, summary: Mapping[str, Any]) -> Path:
    from narrows.report.trial.comment import comment, junit
    from narrows.report.trial.page import trial_page

    write_whole(folder / "comment.md", comment(summary))
    write_whole(folder / "junit.xml", junit(summary))
    return _write(folder, trial_page(summary))


def _suite(folder: Path, summary: Mapping[str, Any]) -> Path:
    from narrows.report.evaluation.annex import annex
    from narrows.report.evaluation.page import suite_page

    write_whole(folder / "annex.md", annex(summary))
    return _write(folder, suite_page(summary))


def _both(folder: Path, summary: Mapping[str, Any]) -> Path:
    from narrows.report.study.backends import beside_page

    for on in (SIMULATOR, LINUX):
        _study(folder / on)
    return _write(folder, beside_page(summary))


def _write(folder: Path, page: str) -> Path:
    place = folder / "report.html"
    write_whole(place, page)
    return place


# What builds the page of a folder, by a file that only its kind has; the first that is there decides.
KINDS: Mapping[str, Callable[[Path], Path]] = {
    "plan.json": _study,
    "atlas.json": _search,
    "ledger.json": _reproduction,
    SUMMARY: _summarized,
}
# Of each find of a search, goodput over time by algorithm.
CURVES = "curves.json"
