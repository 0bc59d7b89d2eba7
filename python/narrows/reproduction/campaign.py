"""Running a published study: one experiment after the other, each a study of its own, resumed where it was left."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.errors import OutputError
from narrows.folder import check_place
from narrows.manifest import to_json
from narrows.reproduction.ledger import Found, ledger
from narrows.reproduction.quantity import Asked
from narrows.study import campaign
from narrows.study.definition import read_study
from narrows.study.plan import PLAN, make_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from narrows.reproduction.shelf import Shelved
    from narrows.study.campaign import Watch
    from narrows.study.definition import Study
    from narrows.study.executors import Executor
    from narrows.study.plan import Plan

Rows = dict[str, Asked]


@dataclass(frozen=True)
class Part:
    """An experiment of a reproduction, as written or in a variant.

    Attributes:
        experiment: Its name.
        variant: Empty where it is as written.
        study: Its study file, read.
        plan: What it runs.
    """

    experiment: str
    variant: str
    study: Study
    plan: Plan

    @property
    def path(self) -> str:
        """Where its folder is in that of the reproduction."""
        return f"variants/{self.variant}/{self.experiment}" if self.variant else self.experiment

    @property
    def cells(self) -> int:
        """How many cells it has, at least."""
        return len(self.plan.points) * self.plan.replications.minimum

    @property
    def simulated_s(self) -> float:
        """How much time it simulates, seconds."""
        return sum(point.duration_s for point in self.plan.points) * self.plan.replications.minimum


class Spent(NamedTuple):
    """What cells took.

    Attributes:
        packet_hops: Packets that crossed a link.
        cpu_s: Processor time, seconds.
    """

    packet_hops: int
    cpu_s: float


def parts(shelved: Shelved, size: str, seed: int | None, replications: int | None) -> list[Part]:
    """Return what a reproduction runs; every scenario is resolved.

    Raises:
        InputError: A file of the study has a fault.
        ScenarioError: The same.
    """
    files = shelved.experiments(size)
    found = []
    for name, file in files.items():
        study = read_study(file, seed, replications)
        found.append(Part(name, "", study, make_plan(study)))
    for variant in shelved.published.variants:
        for name in variant.experiments:
            if size in variant.sizes and name in files:
                file = shelved.folder / variant.folder / f"{name}.toml" if variant.folder else files[name]
                study = read_study(file, seed, replications)
                found.append(Part(name, variant.name, study, make_plan(study, variant.set)))
    return found


def prepare(shelved: Shelved, size: str, folder: Path) -> None:
    """Make the folder of a reproduction, or see to it that the one there can be continued.

    Raises:
        OutputError: The place is taken by something else.
    """
    told = {"study": shelved.name, "size": size}
    file = folder / ABOUT
    if file.is_file():
        if json.loads(file.read_text(encoding="utf-8")) != told:
            raise OutputError(f"{folder} holds another reproduction: name another folder")
        return
    check_place(folder, replace=False)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(to_json(told) + "\n", encoding="utf-8")


def work(found: Sequence[Part], folder: Path, executor: Callable[[], Executor], watch: Callable[[Part], Watch]) -> int:
    """Run every cell that is missing.

    Returns:
        How many cells failed.

    Raises:
        Interrupted: It was stopped. What had finished is kept.
    """
    failed = 0
    for part in found:
        place = folder / part.path
        if not (place / PLAN).exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            campaign.begin(part.study, part.plan, place)
        failed += campaign.work(place, executor(), watch(part)).failed
    return failed


def judge(shelved: Shelved, size: str, found: Sequence[Part], folder: Path) -> tuple[dict[str, Any], Rows]:
    """Return the ledger of a reproduction whose cells are finished, and the rows of its experiments."""
    rows: Rows = {}
    varied: dict[str, Mapping[str, Asked]] = {}
    for part in found:
        table = campaign.table(folder / part.path)
        own = Asked(table.drop_columns(["measured", "cpu_s"]).to_pylist())
        if part.variant:
            varied.setdefault(part.variant, {})
            varied[part.variant] = {**varied[part.variant], part.experiment: own}
        else:
            rows[part.experiment] = own
    seed = found[0].plan.seed if found else 0
    factors = {part.experiment: part.plan.factors for part in found if not part.variant}
    return ledger(shelved.name, shelved.claims(size), size, seed, Found(rows, varied, factors)), rows


def spent(found: Sequence[Part], folder: Path) -> Spent:
    """Return what the finished cells of a reproduction took, those of earlier sittings too."""
    tables = [campaign.table(folder / part.path).select(["packet_hops", "cpu_s"]).to_pydict() for part in found]
    hops = sum(sum(table["packet_hops"]) for table in tables)
    return Spent(hops, math.fsum(each for table in tables for each in table["cpu_s"]))


ABOUT = "reproduction.json"
