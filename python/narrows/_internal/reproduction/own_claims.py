# SPDX-License-Identifier: Apache-2.0
"""The claims of an unpublished study, kept beside its results, so that the folder is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows._internal.errors import InputError
from narrows._internal.files.disk import write_whole
from narrows._internal.files.format import read_kept, write_kept
from narrows._internal.files.place import inside, leaves
from narrows._internal.files.shape import check_shape
from narrows._internal.files.text import read_text
from narrows._internal.reproduction.campaign import ABOUT, parts
from narrows._internal.reproduction.experiment import Part, Placed
from narrows._internal.reproduction.registry import CLAIMS, StudyFolder, published_studies

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def keep_claims(study: StudyFolder, found: Sequence[Part], folder: Path) -> None:
    """Copy the files that judging a study needs, unless it is published."""
    if study in published_studies():
        return
    own = folder / OWN / study.name
    for place in _files(study):
        (own / place).parent.mkdir(parents=True, exist_ok=True)
        write_whole(own / place, read_text(study.folder / place))
    write_kept(own / EXPERIMENTS, {"experiments": [part.placed._asdict() for part in found]})


def study_of(folder: Path) -> tuple[StudyFolder, str, list[Placed]]:
    """Return the study of a folder of results, published or kept in the folder, its size and its experiments."""
    file = folder / ABOUT
    about = read_kept(file)
    check_shape(about, {"study": str, "size": str, "format?": int}, file)
    name, size = about["study"], about["size"]
    # A folder of results may come from somebody else, so it cannot name files outside of it.
    own = StudyFolder(inside(folder, f"{OWN}/{name}", file))
    if not own.claims_file.is_file():
        published = next((each for each in published_studies() if each.name == name), None)
        if published is not None:
            return published, size, [part.placed for part in parts(published, size, None, None)]
        problem = f"{name} is not a published study, and its claims are not kept there"
        again = f"`narrows reproduce DIR --{size} --judge --out {folder}` keeps them; DIR is the folder of the study"
        raise InputError(str(folder), f"{problem}; {again}")
    for place in _files(own):
        inside(folder, f"{OWN}/{name}/{place}", own.claims_file)
    content = read_kept(own.folder / EXPERIMENTS)
    one = {"experiment": str, "variant": str, "factors": [str]}
    check_shape(content, {"format": int, "experiments": [one]}, own.folder / EXPERIMENTS)
    found = [Placed(**each) for each in content["experiments"]]
    for each in found:
        inside(folder, each.path, own.folder / EXPERIMENTS)
    return own, size, found


def _files(study: StudyFolder) -> list[str]:
    """Return the places, in the folder of a study, of the files that judging needs."""
    judged = {place for judge in study.published.judges for place in judge.cells.values()}
    return [CLAIMS, *sorted(place for place in judged if not leaves(place))]


# No experiment has this name: its file would be `claims.toml`.
OWN = "claims"
EXPERIMENTS = "experiments.json"
