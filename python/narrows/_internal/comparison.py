# SPDX-License-Identifier: Apache-2.0
"""The factors of a comparison by its summary and its manifest: algorithms, backends, or levels of keys."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from narrows._internal.frozen import frozen
from narrows._internal.typed import JOINED


class Contrast(NamedTuple):
    """Runs that differ in one factor alone; differences are relative to the first run."""

    factor: str
    at: Mapping[str, str]  # the levels of the other factors
    runs: Mapping[str, str]  # the names of the runs, by their level of the factor

    @property
    def place(self) -> str:
        """The levels of the other factors, as in `queue=codel`; empty without another factor."""
        return run_name(self.at)

    def label(self, level: str) -> str:
        """Return the label of a run beside the others: an algorithm by its name, a level with its key."""
        return run_name({self.factor: level})

    def spoken(self, level: str) -> str:
        """Return the words after "with" in a sentence: the name of an algorithm or a queue, a level with its key."""
        return self._level(self.factor, level)

    @property
    def where(self) -> str:
        """The levels of the other factors in words, as in `under cubic, behind codel`; empty without another factor."""
        queues = [factor for factor in self.at if directions(factor) is not None]
        others = [f"{PLAIN.get(factor, 'at')} {self._level(factor, level)}" for factor, level in self.at.items()
                  if factor not in queues]  # fmt: skip
        behind = " and ".join(self._level(factor, self.at[factor]) for factor in queues)
        return ", ".join([*others, *([f"behind {behind}"] if behind else [])])

    def _level(self, factor: str, level: str) -> str:
        if factor in PLAIN:
            return SPOKEN.get(level, level) if factor == BACKEND else level
        if size := _size(factor, level):
            return size
        ways = directions(factor)
        others = [directions(each) for each in (self.factor, *self.at) if each != factor]
        if ways is None or ways in others:
            return run_name({factor: level}).replace("=", " ")
        if len(ways) > 1:
            return f"{level} both ways"
        # The queue of a path is the queue of its forward direction, if nothing else is spoken of.
        both = any("reverse" in each for each in (ways, *filter(None, others)))
        return f"{level} on the {next(iter(ways))} path" if both else level


def _size(factor: str, level: str) -> str:
    """Return the size of a queue in words, as in "with a queue of 1 ms"; empty if a level gives none.

    Examples:
        >>> _size("path.queue.limit", "1ms"), _size("path.reverse.queue.limit", "0.5bdp")
        ('a queue of 1 ms', 'a queue of 0.5 BDP on the reverse path')
        >>> _size("path.queue", "codel(limit=100pkt)"), _size("path.queue", "codel(target=1ms)")
        ('a codel queue of 100 packets', '')
    """
    keys = factor.split(JOINED)
    if all(key.endswith(f".{QUEUE}.limit") for key in keys):
        kind, size = "", SIZE.fullmatch(level)
    else:
        kind, _, inner = level.removesuffix(")").partition("(limit=")
        size = SIZE.fullmatch(inner) if directions(factor) else None
    if size is None:
        return ""
    amount = f"{size[1]} {UNITS.get(size[2], size[2])}"
    if kind:
        return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} queue of {amount}"
    ways = " both ways" if len(keys) > 1 else " on the reverse path" if ".reverse." in factor else ""
    return f"a queue of {amount}{ways}"


def directions(factor: str) -> frozenset[str] | None:
    """Return the directions of a path whose queue a factor is; None for any other factor.

    Examples:
        >>> sorted(directions("path.queue+path.reverse.queue.kind") or ())
        ['forward', 'reverse']
        >>> directions("path.queue.limit")
    """
    keys = [key.removesuffix(".kind").split(".") for key in factor.split(JOINED)]
    ways = frozenset("reverse" if "reverse" in key else "forward" for key in keys)
    return ways if all(key[-1] == QUEUE for key in keys) and len(ways) == len(keys) else None


def run_name(at: Mapping[str, str]) -> str:
    """Return the name of a run by its levels.

    Examples:
        >>> run_name({"algorithm": "cubic", "path.queue": "codel"})
        'cubic, queue=codel'
        >>> run_name({"path.rate": "10Mbps", "path.reverse.rate": "1Mbps"})
        'path.rate=10Mbps, reverse.rate=1Mbps'
        >>> run_name({"path.queue+path.reverse.queue": "cake", "flows.0.start+flows.1.start": "1s"})
        'queues=cake, 0.start+1.start=1s'
    """
    short = _short_keys([key for key in at if key not in PLAIN])
    return ", ".join(level if key in PLAIN else f"{short[key]}={level}" for key, level in at.items())


def kind_of(content: Mapping[str, Any]) -> str | None:
    """Return the kind of a comparison, one of `KINDS`, from its summary or manifest; None for other content."""
    return next((kind for kind in KINDS if isinstance(content.get(kind), Mapping)), None)


def runs_of(content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the part of a summary or manifest on each compared run, by name; None for other content."""
    kind = kind_of(content)
    return None if kind is None else content[kind]


def contrasts(summary: Mapping[str, Any]) -> list[Contrast]:
    """Return the runs of a comparison that differ in one factor alone, the first factor first."""
    runs = runs_of(summary) or {}
    factors: Mapping[str, list[str]] = summary.get("factors") or {}
    if not factors:
        return [Contrast(FACTORS[str(kind_of(summary))], {}, {name: name for name in runs})]
    at = {name: each["at"] for name, each in runs.items()}
    several = [factor for factor, levels in factors.items() if len(levels) > 1]
    found = []
    for factor in several or list(factors)[:1]:
        groups: dict[tuple[str, ...], dict[str, str]] = {}
        for name, levels in at.items():
            groups.setdefault(tuple(levels[other] for other in several if other != factor), {})[levels[factor]] = name
        others = [other for other in several if other != factor]
        found += [Contrast(factor, dict(zip(others, fixed, strict=True)), each) for fixed, each in groups.items()]
    return found


def factors_of(summary: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the algorithm of each run of a comparison, and its level of the other factors; empty texts for none."""
    found = {}
    for name, each in (runs_of(summary) or {}).items():
        at = dict(each.get("at") or {})
        if at:
            found[name] = (at.pop(ALGORITHM, ""), run_name(at))
        else:
            found[name] = (name, "") if kind_of(summary) == ALGORITHMS else ("", name)
    return found


@frozen
class Replaced:
    """The groups whose algorithm a comparison replaces, if it does not replace the algorithm of all."""

    groups: Sequence[str]
    kept: Mapping[str, str]  # the algorithm of each other group; constant-rate senders have none
    bound: Sequence[str] = field(default_factory=list)  # groups without an algorithm of their own, always under test

    @property
    def sentence(self) -> str:
        """The groups whose algorithm was replaced, and the others; before the command line of `other`."""
        named = [f"{name} ({own})" if own else name for name, own in self.kept.items()]
        kept = "keeps its" if len(named) == 1 else "keep their"
        tested = f"The algorithm of {_listed(self.groups)} is under test"
        more = "as well" if self.bound else "instead"
        return f"{tested}; {_listed(named)} {kept} own. To test {next(iter(self.kept))} {more}:"

    def other(self, command: str) -> str:
        """Return the command line that replaces the algorithm of the first other group instead."""
        return asking(command, *self.bound, next(iter(self.kept)))


def asking(command: str, *groups: str) -> str:
    """Return the command line that replaces the algorithm of other groups, its results in another folder.

    Examples:
        >>> asking("narrows compare cubic bbr3 --scenario call --out first", "transfer")
        'narrows compare cubic bbr3 --scenario call --subject transfer'
    """
    kept: list[str] = []
    skipped = False
    for argument in shlex.split(command):
        if not skipped and argument.partition("=")[0] not in ELSEWHERE:
            kept.append(argument)
        skipped = argument in ELSEWHERE
    return shlex.join([*kept, *(word for group in groups for word in ("--subject", group))])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _short_keys(keys: list[str]) -> dict[str, str]:
    """Return the shortest ends of key paths that distinguish them, without parts that mean nothing alone."""
    plain = {part: part.removesuffix(".kind").removesuffix(".name").split(".")
             for key in keys for part in key.split(JOINED)}  # fmt: skip

    def end(part: str, length: int) -> str:
        return ".".join(plain[part][-length:])

    short = {}
    for part, words in plain.items():
        lengths = range(1, len(words) + 1)
        alone = (n for n in lengths if sum(end(other, n) == end(part, n) for other in plain) == 1)
        short[part] = end(part, next(alone, len(words)))
    # The queues of both directions are all that a path has.
    return {key: QUEUES if len(directions(key) or ()) > 1 else JOINED.join(short[part] for part in key.split(JOINED))
            for key in keys}  # fmt: skip


MOST_NAMED = 4
# Options that another question has otherwise.
ELSEWHERE = frozenset({"--subject", "--out"})
ALGORITHMS = "algorithms"
BACKENDS = "backends"
LEVELS = "levels"
KINDS = (ALGORITHMS, BACKENDS, LEVELS)
# The factor of each kind; comparisons of levels name their factors.
ALGORITHM = "algorithm"
BACKEND = "backend"
FACTORS = {ALGORITHMS: ALGORITHM, BACKENDS: BACKEND}
# The last part of a key whose levels are queues.
# A size of a queue: its number and its unit, and units in words.
SIZE = re.compile(r"([\d.]+)([A-Za-z]+)")
UNITS = {"bdp": "BDP", "pkt": "packets"}
QUEUE = "queue"
QUEUES = "queues"
# Backends in sentences.
SPOKEN = {"real-time": "programs in real time", "simulator": "the simulator"}
# Factors whose levels need no key beside them, each with its preposition.
PLAIN = {ALGORITHM: "under", BACKEND: "on"}
