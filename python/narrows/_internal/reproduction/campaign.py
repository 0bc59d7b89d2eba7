# SPDX-License-Identifier: Apache-2.0
"""The run of a published study: its experiments in sequence, each a study with a folder that can be resumed."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.experiments import campaign
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.overlay import Choice, offered
from narrows._internal.experiments.plan import load_plan
from narrows._internal.experiments.planner import make_plan
from narrows._internal.experiments.store import Store
from narrows._internal.experiments.stored import stored
from narrows._internal.files.kept import open_or_make
from narrows._internal.frozen import frozen
from narrows._internal.names import unknown
from narrows._internal.reproduction.deciding import added_rows
from narrows._internal.reproduction.experiment import Part, Placed, Rows, Standing, is_finished
from narrows._internal.reproduction.judges import cells_of
from narrows._internal.reproduction.ledger import Found, ledger, unwatched
from narrows._internal.reproduction.needed_cells import missing, of_claim, of_source, reduced
from narrows._internal.reproduction.quantity import Asked
from narrows._internal.reproduction.stored_cells import ADDED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from narrows._internal.experiments.campaign import Watch
    from narrows._internal.experiments.task import Executor
    from narrows._internal.reproduction.claims import Variant
    from narrows._internal.reproduction.ledger import Watched
    from narrows._internal.reproduction.quantity import Selection
    from narrows._internal.reproduction.registry import StudyFolder
    from narrows._internal.run.shared import Shared


class Whole:
    """The progress of several experiments as one."""

    def __init__(
        self, before: Sequence[Standing], update: Callable[[float, str], None], stopped: Callable[[], bool]
    ) -> None:
        """Start without progress; cells that were finished before do not count."""
        self.stopped = stopped
        self._update = update
        self._finished = {each.path: each.finished for each in before}
        self._costs = costs(before)
        self._whole = math.fsum(self._costs.values())
        self._before = dict(zip(self._costs, itertools.accumulate(self._costs.values(), initial=0.0), strict=False))

    def of(self, part: Part) -> Watch:
        """Return the observer of the progress of one of the experiments."""
        return _PartOfWhole(self, part)

    def report(self, part: Part, progress: campaign.Progress) -> None:
        """Receive the progress of one of the experiments."""
        done = self._before[part.path] + progress.fraction * self._costs[part.path]
        # No cell may fall to a shard.
        fraction = done / self._whole if self._whole else 1.0
        there = self._finished[part.path]
        self._update(fraction, f"{part.path}: {progress.finished - there} of {progress.cells - there} cells")


@frozen
class _PartOfWhole:
    whole: Whole
    part: Part

    def update(self, progress: campaign.Progress) -> None:
        self.whole.report(self.part, progress)

    def stopped(self) -> bool:
        return self.whole.stopped()


def costs(before: Sequence[Standing]) -> dict[str, float]:
    """Return the expected processor time of the cells to run by path; without finished cells, the simulated time.

    The speed is that of the finished cells of the same experiment, under whichever variant, else of all.
    """

    def speed(of: Sequence[Standing]) -> float:
        done_s = math.fsum(each.done_s for each in of)
        return math.fsum(each.cpu_s for each in of) / done_s if done_s else 0.0

    whole = speed(before) or 1.0
    alike = {each.experiment: [other for other in before if other.experiment == each.experiment] for each in before}
    return {each.path: each.left_s * (speed(alike[each.experiment]) or whole) for each in before}


class Spent(NamedTuple):
    """The cost of cells."""

    packet_hops: int  # packets that crossed a link, over all links
    cpu_s: float  # processor time


def parts(
    study: StudyFolder, size: str, seed: int | None, replications: int | None, *, trust: bool = False
) -> list[Part]:
    """Plan a reproduction: read every study file and resolve every scenario."""
    files = study.experiments(size)
    forms: list[tuple[Variant | None, Choice, list[str]]] = [(None, Choice(size), list(files))]
    forms += [
        (variant, Choice(size, variant.key), [name for name in files if variant.key in offered(files[name])[size]])
        for variant in study.published.variants
    ]
    published = study.claims(size)
    # The first claim that reads a selection, with the selection.
    read: dict[str, tuple[str, Selection]] = {}
    for claim in published.claims:
        for wanted in of_claim(claim):
            read.setdefault(repr(wanted), (claim.id, wanted))
    asked = [*(wanted for _, wanted in read.values()), *of_source(published)]
    found = []
    ran: dict[str, set[str]] = defaultdict(set)
    for variant, choice, experiments in forms:
        for name in experiments:
            experiment = read_study(files[name], seed, replications, choice)
            plan = make_plan(experiment, trust=trust)
            # A variant may have only some of the points; the description has the others.
            own = [each for each in read.values() if each[1].experiment == name]
            if problem := missing(plan, own, points=not variant):
                form = f"{name} under the variant {variant.key}" if variant else name
                raise InputError(str(study.claims_file), f"claims.{problem[0]}: experiment {form}: {problem[1]}")
            if variant:
                ran[variant.name] |= {str(point.algorithm) for point in plan.points}
            if size == MEDIUM:
                needed = [each.where for each in asked if each.experiment == name]
                plan = reduced(plan, [variant.asked(where) for where in needed] if variant else needed)
            found.append(Part(name, variant.name if variant else "", experiment, plan))
    for each in study.published.variants:
        if each.name in ran and (unknown := set(each.algorithms.values()) - ran[each.name]):
            raise InputError(str(study.claims_file), f"variant {each.name}: none of its cells has {min(unknown)}")
    return [part for part in found if part.plan.points]


def chosen(found: Sequence[Part], size: str, only: Sequence[str]) -> list[Part]:
    """Return the experiments whose cells a command runs: those of `only`, else at the medium size no variant."""
    names = list(dict.fromkeys(part.name for part in found))
    for name in only:
        if name not in names:
            raise InputError("--only", unknown("experiment or variant", name, names))
    if only:
        return [part for part in found if part.name in only]
    return [part for part in found if size != MEDIUM or not part.variant]


def prepare(study: StudyFolder, size: str, folder: Path, shard: Mapping[str, Any] | None = None) -> None:
    """Create the folder of a reproduction, unless it exists and belongs to the same study and size."""
    # Hours of cells must not end with a file that is missing.
    judges_of(study, size, {})
    about = {"study": study.name, "size": size, **({"shard": shard} if shard else {})}
    open_or_make(folder, ABOUT, about, "holds another reproduction, or another part of one")


def work(  # noqa: PLR0913  # each is an option with a default
    found: Sequence[Part],
    folder: Path,
    executor: Callable[[], Executor],
    watch: Callable[[Part], Watch],
    *,
    retry: bool = False,
    shared: Shared | None = None,
) -> int:
    """Run every cell that has no result yet."""
    failed = 0
    for part in found:
        failed += campaign.work(part.opened(folder), executor(), watch(part), retry=retry, shared=shared).failed
    return failed


def judge(
    study: StudyFolder,
    size: str,
    found: Sequence[Part],
    folder: Path,
    watched: Watched = unwatched,
) -> tuple[dict[str, Any], Found]:
    """Judge the claims of a reproduction by the experiments whose cells are finished."""
    seed = found[0].plan.seed if found else 0
    results = gathered(study, size, [part.placed for part in found], folder)
    return ledger(study.name, study.claims(size), size, seed, results, watched=watched), results


def gathered(study: StudyFolder, size: str, found: Sequence[Placed], folder: Path) -> Found:
    """Return the results of the experiments of a reproduction whose cells are finished, and of others at this size."""
    rows: Rows = {}
    grown: Rows = {}
    varied: dict[str, Mapping[str, Asked]] = {}
    variants = {variant.name: variant for variant in study.published.variants}
    for part in found:
        place = folder / part.path
        if not is_finished(place):
            continue
        own = Asked(stored(place).table().drop_columns(["measured", "cpu_s"]).to_pylist())
        if part.variant:
            own = Asked(variants[part.variant].read_as(row) for row in own)
            varied[part.variant] = {**varied.get(part.variant, {}), part.experiment: own}
        else:
            rows[part.experiment] = own
            added = folder / ADDED / part.path
            if added.exists() and (more := added_rows(load_plan(place), Store(added))):
                grown[part.experiment] = Asked([*own, *more])
    factors = {part.experiment: part.factors for part in found if not part.variant}
    open_variants = {part.variant for part in found if not is_finished(folder / part.path)}
    whole = {name: each for name, each in varied.items() if name not in open_variants}
    return Found(rows, whole, factors, grown, judges_of(study, size, whole))


def judges_of(study: StudyFolder, size: str, varied: Mapping[str, Mapping[str, Asked]]) -> dict[str, Rows]:
    """Return the cells that other implementations have of a study at a size, by their names."""
    asked = [judge for judge in study.published.judges if judge.size in {"", size}]
    judges = {judge.name: cells_of(judge, study.folder) for judge in asked}
    for variant in study.published.variants:
        if variant.judge and variant.name in varied:
            judges[variant.judge] = {**judges.get(variant.judge, {}), **varied[variant.name]}
    return judges


def spent(found: Sequence[Part], folder: Path) -> Spent:
    """Return the cost of all finished cells of a reproduction, including cells of earlier commands."""
    places = [folder / part.path for part in found if is_finished(folder / part.path)]
    tables = [stored(place).table().select(["packet_hops", "cpu_s"]).to_pydict() for place in places]
    hops = sum(sum(table["packet_hops"]) for table in tables)
    return Spent(hops, math.fsum(each for table in tables for each in table["cpu_s"]))


# Of this size, only cells run that a claim, table or figure needs.
MEDIUM = "medium"
ABOUT = "reproduction.json"
