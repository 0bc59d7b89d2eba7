# SPDX-License-Identifier: Apache-2.0
"""Differences of two algorithms besides their rules: services of the host that only one of them uses."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from narrows._internal import core
from narrows._internal.external.description import describe
from narrows._internal.external.source import (
    EVERYTHING,
    LIBRARIES,
    WASM,
    AlgorithmError,
    is_external,
    split_name,
    split_stack,
)


def unlike(sides: Mapping[str, Sequence[str]]) -> str:
    """Return the other differences of the sides of a comparison, in a line; empty if only the algorithms differ."""
    found = {name: _traits(texts) for name, texts in sides.items()}
    differing, remedies = [], dict[str, None]()
    for trait in dict.fromkeys(trait for each in found.values() for trait in each):
        by: dict[str, list[str]] = {}
        for name, traits in found.items():
            if trait in traits:
                by.setdefault(traits[trait], []).append(name)
        if len(by) > 1:
            if by.keys() != {OF_LIBRARY, STANDARD}:
                remedies |= dict.fromkeys(remedy for words, remedy in REMEDIES.items() if words in by)
            differing.append(f"{trait}: {', '.join(f'{_listed(names)} {words}' for words, names in by.items())}")
    if not differing:
        return ""
    return " ".join(("Not the algorithms alone differ.", f"{'; '.join(differing)}.", *remedies))


def _traits(texts: Iterable[str]) -> dict[str, str]:
    """Return the traits of the groups under test; several values if scenarios or groups differ."""
    found: dict[str, list[str]] = {}
    for text in texts:
        scenario = tomllib.loads(text)
        groups = scenario.get("flows", [])
        for group in [each for each in groups if each.get("subject")] or groups:
            stack = _stack(group)
            found.setdefault("endpoints", []).append(f"those of the stack {stack}" if stack else "those of Narrows")
            if stack:
                continue
            transport = (
                scenario["transport"]
                | group.get("transport", {})
                | {key: value for key, value in group.items() if key in scenario["transport"]}
            )
            idle = {UNDO: transport["undo"] == transport["frto"] == "none", RESTART: not transport["idle_restart"]}
            for trait, words in _of(group["algorithm"], transport).items():
                if not idle.get(trait):
                    found.setdefault(trait, []).append(words)
    return {trait: " and ".join(dict.fromkeys(words)) for trait, words in found.items()}


def _stack(group: Mapping[str, Any]) -> str:
    """Return the protocol stack that carries a group; empty for none."""
    algorithm = group["algorithm"]
    name = algorithm if isinstance(algorithm, str) else str(algorithm["name"])
    return str(group.get("stack") or split_stack(name)[0].rstrip(":"))


def _of(algorithm: str | Mapping[str, Any], transport: Mapping[str, Any]) -> dict[str, str]:
    name = algorithm if isinstance(algorithm, str) else str(algorithm["name"])
    keys = {words: str(transport[key]) for key, words in KEYS.items() if key in transport}
    if not is_external(name):
        if _families().get(name) not in OF_THEIR_OWN:
            keys |= {
                "slow start": f"the host's ({transport['slow_start']})",
                UNDO: "yes",
                RESTART: f"the host's ({transport['restart_window']})",
                "count of acknowledged packets": f"the host's ({transport['ack_counting']})",
            }
        return keys
    file, found = split_name(name)
    if Path(file).suffix in (*LIBRARIES, WASM):
        # What it does itself is unknown without executing it, but not what it leaves to the host.
        starts, undoes = core.library_leaves(file, found) or (False, False)
        return keys | {
            "slow start": f"the host's ({transport['slow_start']})" if starts else OF_LIBRARY,
            UNDO: "yes" if undoes else OF_LIBRARY,
            RESTART: f"the host's ({transport['restart_window']})" if starts else OF_LIBRARY,
        }
    try:
        described = describe(Path(file), found, None, EVERYTHING)
    except AlgorithmError:
        return keys
    if not described.complete:
        # A base class in another file may have members that this class lacks.
        return keys
    by_host = described.declared["slow_start"] == HOST
    restarts = by_host or "on_idle_restart" in described.members
    undoes = described.declared["undo"] == HOST or "on_spurious_loss" in described.members
    keys["slow start"] = f"the host's ({transport['slow_start']})" if by_host else OWN
    keys[UNDO] = "yes" if undoes else NONE
    keys[RESTART] = f"the host's ({transport['restart_window']})" if by_host else OWN if restarts else NO_RESTART
    counts = f"the host's ({transport['ack_counting']})" if "counted" in described.reads else OWN
    keys["count of acknowledged packets"] = counts
    return keys


def _families() -> dict[str, str]:
    return {card["name"]: card["family"] for card in core.algorithms()}


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# Keys of the transport that a scenario may set for one group alone, with their words.
KEYS = {
    "recovery": "recovery",
    "pacing": "pacing by the host",
    "ecn": "ECN",
    "initial_window": "initial window",
}
# Traits that count only if the transport's keys cause them.
UNDO, RESTART = "undo of a spurious reduction", "window after an idle time"
HOST, OWN, NONE, NO_RESTART = "host", "its own", "no", "no restart"
# They start and pace by a model, by routers or by a rate, not by the window of the frame.
OF_THEIR_OWN = {"model", "explicit", "rate"}
# The slow start of RFC 5681 alone.
STANDARD = "the host's (standard)"
# The slow start of a native library or of a WebAssembly module.
OF_LIBRARY = "as its file has it"
_CLASS = (
    'A class leaves these to the host by slow_start = "host", undo = "host" and ack.counted (docs/your-algorithm.md).'
)
_LIBRARY = (
    "A library that declines them has slow start and undo of the host (docs/controllers.md); the others are without "
    "them by --set transport.slow_start=standard --set transport.undo=none --set transport.frto=none "
    "--set transport.idle_restart=false."
)
# The change that makes the sides alike, by the trait of one of them.
REMEDIES = {OWN: _CLASS, NONE: _CLASS, NO_RESTART: _CLASS, OF_LIBRARY: _LIBRARY}
