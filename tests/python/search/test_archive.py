# SPDX-License-Identifier: Apache-2.0
"""The map of a search, by hand-made scores."""

from __future__ import annotations

import random

from narrows._internal.search.archive import RELEVANT, Archive, chosen
from narrows._internal.search.space import (
    BDP_NAMES,
    BUFFER_NAMES,
    PLAIN,
    SCALES,
    Environment,
    changed,
    place_of,
    simpler,
)


def _score(environment: Environment) -> dict[str, float]:
    # Nothing but a small buffer and many flows make it worse.
    return {"loss": 0.1 * environment.flows * (environment.buffer < 2), "goodput": -0.1}


def _searched(seed: int, batches: list[int]) -> Archive:
    archive = Archive(seed)
    for count in batches:
        for each in archive.proposals(count):
            archive.add(each, _score(each))
    return archive


def test_a_search_is_a_function_of_its_seed_and_scores() -> None:
    assert _searched(1, [32] * 6).elites == _searched(1, [32] * 6).elites
    assert _searched(1, [32] * 6).elites != _searched(2, [32] * 6).elites


def test_no_environment_is_tried_twice_and_the_plain_one_is_tried_first() -> None:
    archive = Archive(1)
    seen: list[Environment] = []
    for _ in range(8):
        batch = archive.proposals(32)
        seen += batch
        for each in batch:
            archive.add(each, _score(each))
    assert seen[0] == PLAIN
    assert len(seen) == len(set(seen)) == archive.evaluations == 256


def test_the_search_finds_the_best_of_each_place() -> None:
    archive = _searched(1, [32] * 20)
    best = max(each.score for each in archive.elites if each.kind == "loss")
    assert best == 0.1 * 3
    assert all(each.place == place_of(each.environment) for each in archive.elites)


def test_only_what_matters_is_looked_at() -> None:
    found = chosen(_searched(1, [32] * 6).elites, 50)
    assert found
    assert all(each.kind == "loss" and each.score >= RELEVANT["loss"] for each in found)


def test_simpler_environments_differ_in_one_value_less() -> None:
    environment = Environment(0, 0, 0, 1, 1, 1, 1)
    assert [each.unusual for each in simpler(environment)] == [environment.unusual - 1] * 7
    assert list(simpler(PLAIN)) == []


def test_every_environment_is_on_the_scales_and_on_the_map() -> None:
    draw = random.Random(1)  # noqa: S311  # no secret
    environment = PLAIN
    for _ in range(500):
        environment = changed(environment, draw)
        assert all(0 <= value < len(scale) for value, scale in zip(environment, SCALES, strict=True))
        product, buffer = place_of(environment)
        assert product < len(BDP_NAMES)
        assert buffer < len(BUFFER_NAMES)
