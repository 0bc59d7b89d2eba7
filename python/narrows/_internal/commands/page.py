# SPDX-License-Identifier: Apache-2.0
"""The page of a folder of results, built from its files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError
from narrows._internal.files.disk import write_whole
from narrows._internal.files.format import SUMMARY, read_kept
from narrows._internal.files.kinds import call, kind_of
from narrows._internal.files.manifest import MANIFEST, check_folder
from narrows._internal.linux.backend import LINUX, SIMULATOR

if TYPE_CHECKING:
    from narrows._internal.experiments.stored import StoredStudy
    from narrows._internal.reproduction.claims import Published
    from narrows._internal.reproduction.ledger import Found

# The modules of pages are imported when they are used: a fault in one must not keep a command from its work.


def build(folder: Path) -> Path:
    """Build the page and the other derived files of a folder of results, or the index of several folders."""
    if not folder.is_dir():
        raise InputError(str(folder), "is a file, not a folder of results" if folder.exists() else "no such folder")
    kind = kind_of(folder)
    if kind is not None and (folder / kind.results).is_file():
        return Path(call(kind.page, folder))
    if kind is not None and (folder / kind.file).is_file() and "shard" in read_kept(folder / kind.file):
        raise InputError(str(folder), "is of a shard: `narrows study merge` joins all of them")
    from narrows._internal.report.index.build import build as index

    return index(folder)


def study(study: StoredStudy) -> Path:
    """Build the page of a study whose plan has been read."""
    from narrows._internal.experiments.views.summary import view_of
    from narrows._internal.report.study.deployment import deployment_page
    from narrows._internal.report.study.matrix import matrix_page
    from narrows._internal.report.study.page import study_page

    given = study.plan, study.table(), study.status()
    view = view_of(study.folder, study.plan)
    if view is None:
        return _write(study.folder, study_page(*given))
    return _write(study.folder, (matrix_page if view.kind == "matrix" else deployment_page)(view, *given))


def reproduction(folder: Path, published: Published, ledger: Mapping[str, Any], results: Found) -> Path:
    """Build the page of a reproduction whose results have been gathered."""
    from narrows._internal.report.reproduction.page import reproduction_page
    from narrows._internal.reproduction.registry import TABLES, origin_of, results_in

    origin = origin_of(results_in(folder), ledger)
    tables = read_kept(folder / TABLES)["tables"]
    return _write(folder, reproduction_page(published, ledger, tables, results, origin))


def paragraph(folder: Path) -> str:
    """Build the page of a folder, and return its paragraph for the text of a paper; empty if it has none."""
    from html import unescape

    found = re.search(r'<pre[^>]*class="prose"[^>]*><code>(.*?)</code>', build(folder).read_text("utf-8"), re.DOTALL)
    return unescape(found[1]) if found else ""


def study_in(folder: Path) -> Path:
    """Build the page of a study."""
    from narrows._internal.experiments.stored import stored

    found = stored(folder)
    if found.share is not None:
        problem = f"is shard {found.share.shard} of a study: `narrows study merge` joins all of them"
        raise InputError(str(folder), problem)
    return study(found)


def run(folder: Path) -> Path:
    """Build the page of a run or comparison."""
    if not (folder / MANIFEST).is_file():
        check_folder(folder)
    from narrows._internal.report.run.page import build

    return build(folder)


def atlas(folder: Path) -> Path:
    """Build the page of a search."""
    from narrows._internal.report.search.page import atlas_page

    if not (folder / CURVES).is_file():
        again = f"`narrows worst ALG … --out {folder}` writes both"
        raise InputError(str(folder), f"its page needs {CURVES}, which is not there: {again}")
    return _write(folder, atlas_page(read_kept(folder / "atlas.json"), read_kept(folder / CURVES)["found"]))


def reproduction_in(folder: Path) -> Path:
    """Build the page of a reproduction."""
    from narrows._internal.reproduction import campaign
    from narrows._internal.reproduction.own_claims import study_of
    from narrows._internal.reproduction.registry import LEDGER

    study, size, experiments = study_of(folder)
    results = campaign.gathered(study, size, experiments, folder)
    return reproduction(folder, study.claims(size), read_kept(folder / LEDGER), results)


def trial(folder: Path) -> Path:
    """Build the page of a trial, and its comment and test report."""
    from narrows._internal.report.trial.comment import comment, junit
    from narrows._internal.report.trial.page import trial_page

    summary = read_kept(folder / SUMMARY)
    write_whole(folder / "comment.md", comment(summary))
    write_whole(folder / "junit.xml", junit(summary))
    return _write(folder, trial_page(summary))


def suite(folder: Path) -> Path:
    """Build the page and the annex of a suite."""
    from narrows._internal.report.evaluation.page import annex, suite_page

    summary = read_kept(folder / SUMMARY)
    write_whole(folder / "annex.md", annex(summary))
    return _write(folder, suite_page(summary))


def both(folder: Path) -> Path:
    """Build the page of a matrix or deployment on both backends, and the page of each."""
    from narrows._internal.report.study.backends import beside_page

    for on in (SIMULATOR, LINUX):
        study_in(folder / on)
    return _write(folder, beside_page(read_kept(folder / SUMMARY)))


def _write(folder: Path, page: str) -> Path:
    place = folder / "report.html"
    write_whole(place, page)
    return place


# Of each find of a search, goodput over time by algorithm.
CURVES = "curves.json"
