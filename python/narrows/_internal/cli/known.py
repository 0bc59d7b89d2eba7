# SPDX-License-Identifier: Apache-2.0
"""The names that arguments of commands can have, for completion in a shell."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from narrows._internal import core


def algorithms() -> list[str]:
    """Return the names of all algorithms."""
    return [card["name"] for card in core.algorithms()]


def queues() -> list[str]:
    """Return the names of all queue disciplines."""
    return [card["name"] for card in core.queues()]


def subjects() -> list[str]:
    """Return the names of all subjects of a suite: algorithms and queues."""
    return [*algorithms(), *queues()]


def shown() -> list[str]:
    """Return the names that `narrows show` accepts."""
    return [*subjects(), *(preset["name"] for preset in core.presets()), *scenarios()]


def scenarios() -> list[str]:
    """Return the names of the scenarios of the library."""
    from narrows._internal.library import library

    return list(library())


def studies() -> list[str]:
    """Return the names of the published studies."""
    from narrows._internal.library import STUDIES

    return sorted(file.parent.name for file in STUDIES.glob("*/claims.toml"))


def suites() -> list[str]:
    """Return the names of the suites."""
    from narrows._internal.library import SUITES

    return sorted(file.parent.name for file in SUITES.glob("*/suite.toml"))


def metric_names() -> list[str]:
    """Return the names of all metrics."""
    from narrows import metrics

    return list(dict.fromkeys(card["name"] for card in metrics.catalogue()))


def backends() -> list[str]:
    """Return the backends."""
    return ["simulator", "linux", "both"]


@functools.cache
def keys() -> list[str]:
    """Return the paths of the keys of a scenario, each with the sign that follows it."""
    return [f"{path}=" for path in dict.fromkeys(_paths(json.loads(core.schema()), ()))]


def _paths(schema: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    """Yield the key paths below a part of the schema; a place in a list is 0."""
    alternatives: Sequence[Mapping[str, Any]] = [schema, *schema.get("anyOf", ())]
    for each in alternatives:
        for name, inner in each.get("properties", {}).items():
            path = (*above, name)
            yield ".".join(path)
            if len(path) < DEEPEST:
                yield from _paths(inner, path)
        if "items" in each and len(above) < DEEPEST - 1:
            yield from _paths(each["items"], (*above, "0"))


# A key path with more parts is one of a table that is written whole.
DEEPEST = 4
# The values of options, which have one meaning in all commands.
OPTIONS: Mapping[str, Callable[[], list[str]]] = {
    "--scenario": scenarios,
    "--suite": suites,
    "--against": algorithms,
    "--metric": metric_names,
    "--on": backends,
    "--set": keys,
    "--vary": keys,
    "--queues": queues,
}
