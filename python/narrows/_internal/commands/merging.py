# SPDX-License-Identifier: Apache-2.0
"""Shards joined: the folder that one machine would have written."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from narrows._internal.commands import page
from narrows._internal.commands.job import Job, folder_of
from narrows._internal.commands.reproductions import Reproducing
from narrows._internal.commands.studies import Studied, identity
from narrows._internal.commands.suites import Measuring, planned
from narrows._internal.errors import InputError, Interrupted
from narrows._internal.evaluation import campaign as evaluating
from narrows._internal.experiments import campaign
from narrows._internal.experiments.merge import Shards, open_shards
from narrows._internal.experiments.plan import PLAN
from narrows._internal.experiments.stored import stored
from narrows._internal.experiments.views.summary import write_summary
from narrows._internal.extras import require
from narrows._internal.files.folder import appearing, check_place
from narrows._internal.files.format import read_kept, write_kept
from narrows._internal.files.shape import ANY_NAME, ANYTHING, check_shape
from narrows._internal.frozen import frozen
from narrows._internal.reproduction import campaign as reproducing
from narrows._internal.reproduction.experiment import Part
from narrows._internal.reproduction.registry import find
from narrows._internal.run.options import Options, called


@frozen
class Merging(Job[Studied]):
    """The shards of a study, which fit each other."""

    shards: Shards

    def work(self) -> Studied:
        """Write the folder of the study."""
        with appearing(self.folder) as partial:
            whole = campaign.conclude_whole(self.shards.write(partial), self.options.command, write_summary)
        study = stored(self.folder)
        status = study.status()
        if not whole:
            cells = f"the rule of the study asks for {status.cells - status.finished - status.failed} cells more"
            here = shlex.join(["narrows", "study", "resume", str(self.folder)])
            raise Interrupted(f"{cells}; go on with `{here}`, on several machines with --shard I/N --out DIR")
        return Studied(study, status)

    def build(self, result: Studied) -> None:
        """Build the page."""
        page.study(result.study)


def merging(folders: Sequence[Path], options: Options) -> Merging | Reproducing | Measuring:
    """Check that shards belong together, and that their results have a place, before anything is written."""
    for name, join in ((reproducing.ABOUT, _reproduction), (evaluating.ABOUT, _suite)):
        if (folders[0] / name).is_file():
            if options.out is not None:
                check_place(options.out, replace=False)
            return join(folders, options)
    # The findings need it.
    require("scipy")
    shards = open_shards(folders)
    plan = shards.found[0].plan
    folder = options.out or folder_of(plan.title, [plan.key(point, 0) for point in plan.points])
    check_place(folder, replace=False)
    return Merging(folder, options, shards)


def _reproduction(folders: Sequence[Path], options: Options) -> Reproducing:
    # So do the verdicts.
    require("scipy")
    about, of = _common(folders, reproducing.ABOUT)
    name, size = str(of["name"]), str(about["size"])
    options = replace(options, seed=of["seed"], replications=of["replications"])
    study = find(name)
    parts = reproducing.parts(study, size, options.seed, options.replications, trust=options.trust)
    only = of.get("only", [])
    folder = options.out or folder_of(f"{study.name} {size}", [f"{options.seed} {options.replications}"])
    _join(folders, reproducing.chosen(parts, size, only), "", folder, {reproducing.ABOUT: about})
    words = {size: True, "only": only}
    return Reproducing.prepare(name, _typed(options, folder, "reproduce", name, **words), size, only=only)


def _suite(folders: Sequence[Path], options: Options) -> Measuring:
    about, of = _common(folders, evaluating.ABOUT)
    size, on = str(about["size"]), str(about["on"])
    name, subject, sections = str(of["name"]), str(of["subject"]), list(of["sections"])
    numbers = {"seed": of["seed"], "replications": of["replications"]}
    options = replace(options, on=on, overrides=of["overrides"], **numbers)
    evaluation = planned(name, subject, options, size, sections)
    if evaluation.identity != {key: value for key, value in about.items() if key != "format"}:
        raise InputError(str(folders[0]), f"was made by another version, or {name} or {subject} has changed since")
    folder = options.out or folder_of(f"{evaluation.suite.name} {size}", [evaluation.identity["cells"]])
    _join(folders, evaluation.parts, evaluating.CELLS, folder, {evaluating.ABOUT: about})
    words = {size: True, "rows": ",".join(sections)}
    return Measuring.prepare(name, subject, _typed(options, folder, "suite", name, subject, **words), size, sections)


def _typed(options: Options, folder: Path, *words: str, **flags: object) -> Options:
    """Return the options of the command that does the same on one machine, and goes on if it is interrupted."""
    given = None
    if options.given is not None:
        command = called(replace(options, given=None), *words, **flags, out=folder)
        given = shlex.split(command)[1:]
    return replace(options, out=folder, given=given)


def _common(folders: Sequence[Path], name: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the common description of the folders of shards, and the arguments that determine their cells."""
    found = []
    for folder in folders:
        try:
            about = read_kept(folder / name)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(str(folder), f"is none like {folders[0]}: it has no {name}") from None
        shard = about.pop("shard", None)
        if shard is None:
            raise InputError(str(folder), "is no shard; shards are what the same command writes with --shard I/N")
        check_shape({**about, "shard": shard}, SHAPE, folder / name)
        del shard["shard"]
        found.append((about, shard))
    for folder, (about, shard) in zip(folders, found, strict=True):
        one = {**found[0][0], **found[0][1]}
        differing = [key for key, value in {**about, **shard}.items() if one.get(key, value) != value]
        if differing:
            raise InputError(str(folder), f"differs from {folders[0]} in {', '.join(differing)}")
    return found[0]


def _join(
    folders: Sequence[Path], parts: Sequence[Part], place: str, folder: Path, about: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write the folder of several studies from their shards."""
    joined = {}
    for part in parts:
        places = [each / place / part.path for each in folders]
        for each, found in zip(folders, places, strict=True):
            if not (found / PLAN).is_file():
                raise InputError(str(each), f"has no cell of {part.path} yet: give its command again, which goes on")
        joined[part.path] = open_shards(places)
        if identity(joined[part.path].found[0].plan) != identity(part.plan):
            raise InputError(str(places[0]), "is of other cells than are planned here: its study has changed since")
    with appearing(folder) as partial:
        for name, content in about.items():
            write_kept(partial / name, {key: value for key, value in content.items() if key != "format"})
        for path, shards in joined.items():
            (partial / place / path).mkdir(parents=True)
            campaign.conclude_whole(shards.write(partial / place / path), None, write_summary)


OF = {
    "shard": str,
    "name": str,
    "seed": (int, None),
    "replications": (int, None),
    "subject?": str,
    "sections?": [str],
    "overrides?": [str],
    "only?": [str],
}
SHAPE = {"shard": OF, ANY_NAME: ANYTHING}
