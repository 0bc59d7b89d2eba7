# SPDX-License-Identifier: Apache-2.0
"""The design of a study: the combinations of levels that run, and the effects that it confounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.experiments.declared import TEXT, Key, anything, fields, listed, needed, whole
from narrows._internal.plural import counted

if TYPE_CHECKING:
    from narrows._internal.analysis.designs import TwoLevel
    from narrows._internal.experiments.document import Document, Node
    from narrows._internal.experiments.factors import Factor, Level

Row = dict[str, "Level"]


class Kind(NamedTuple):
    """A kind of design: its name, its meaning in a sentence, and the keys of its table."""

    name: str
    meaning: str
    keys: tuple[Key, ...] = ()


class Design(NamedTuple):
    """The design of a study."""

    kind: str  # name of its kind
    rows: list[Row]  # for each combination that runs, the level by factor
    facts: dict[str, Any]  # letters, generators, resolution and aliases, as plain data


MOST_POINTS = 1_000_000
RUNS = needed("runs", whole(1, MOST_POINTS, "a whole number"), "How many combinations.")
KIND = needed("kind", TEXT, "Its name.")
KINDS = (
    Kind("full", "Every combination of the levels of all factors."),
    Kind(
        "fractional",
        "A two-level fractional factorial 2^(k-p). Either `generators` or `fraction` is needed.",
        (
            Key(
                "generators",
                listed(TEXT, 'a list of texts, as in `["D=ABC"]`', '["D=ABC"]'),
                "",
                "A generator for each of the last p factors.",
            ),
            Key(
                "fraction",
                anything("a whole number"),
                "",
                "p: selects the standard fraction of the highest resolution.",
            ),
        ),
    ),
    Kind("plackett-burman", "Two levels of each factor, for screening of main effects."),
    Kind("latin-hypercube", "Points spread over ranges, one in each equal part of every range.", (RUNS,)),
    Kind("sobol", "Points of a scrambled Sobol' sequence; `runs` is a power of two.", (RUNS,)),
)


def read_design(document: Document, node: Node | None, factors: Sequence[Factor], seed: int) -> Design | None:
    """Read `design` and enumerate its combinations; errors are added to the document."""
    from narrows._internal.analysis.table import AnalysisError

    kind, options = _kind(document, node)
    if kind is None:
        return None
    if not factors:
        if kind.name != "full" and node is not None:
            document.complain(node, "a design needs factors")
        return Design("full", [{}], {"name": "no factor"})
    try:
        if kind.name in {"latin-hypercube", "sobol"}:
            return _points(kind, options["runs"], factors, seed)
        if kind.name == "full":
            return _full(factors) if _listed(document, kind, factors) else None
        return _two_level(document, kind, options, factors, node) if _listed(document, kind, factors) else None
    except AnalysisError as error:
        where = node if node is not None else ((0, 0), "design")
        document.complain(where, str(error))
        return None


def describe(facts: Mapping[str, Any]) -> str:
    """Return the facts of a design as text: generators, resolution and alias table."""
    lines = [f"Design: {facts['name']}"]
    lines += [f"  {letter}: {name}" for letter, name in facts.get("letters", {}).items()]
    if facts.get("generators"):
        lines.append(f"  Generators: {', '.join(facts['generators'])}")
    if facts.get("defining"):
        lines.append(f"  Defining relation: I = {' = '.join(facts['defining'])}")
    if facts.get("resolution"):
        lines.append(f"  Resolution: {ROMAN[facts['resolution']]}")
    if facts.get("aliases"):
        lines.append("  Aliases, main effects and interactions of two:")
        lines += [f"    {effect} = {' = '.join(others)}" for effect, others in facts["aliases"].items() if others]
    if facts.get("note"):
        lines.append(f"  {facts['note']}")
    return "\n".join(lines)


def _kind(document: Document, node: Node | None) -> tuple[Kind | None, Mapping[str, Any]]:
    known = {kind.name: kind for kind in KINDS}
    if node is None:
        return known["full"], {}
    table = isinstance(node.value, dict) and "kind" in node.value
    named = node.entries["kind"].node if table else node
    if not isinstance(named.value, str):
        document.complain(node, "expected the name of a design, or a table with its `kind`", allowed=", ".join(known))
        return None, {}
    kind = known.get(named.value)
    if kind is None:
        document.unknown(named, "unknown design", named.value, known)
        return None, {}
    before = len(document.faults)
    options = fields(document, node, (*kind.keys, KIND), f"design {kind.name}") if table else {}
    if not table and RUNS in kind.keys:
        document.complain(node, "`runs` is missing", allowed=f'{{ kind = "{kind.name}", runs = 16 }}')
    return (kind if len(document.faults) == before else None), options


def _full(factors: Sequence[Factor]) -> Design:
    from narrows._internal.analysis.designs import full_factorial

    rows = full_factorial({factor.name: factor.levels for factor in factors})
    sizes = " x ".join(str(len(factor.levels)) for factor in factors)
    product = f"{sizes} = " if len(factors) > 1 else ""
    return Design("full", rows, {"name": f"full factorial, {product}{counted(len(rows), 'combination')}"})


def _two_level(
    document: Document, kind: Kind, options: Mapping[str, Any], factors: Sequence[Factor], node: Node | None
) -> Design | None:
    from narrows._internal.analysis import designs

    named = [factor.name for factor in factors]
    if kind.name == "plackett-burman":
        coded = designs.plackett_burman(named)
        screening = {"name": f"Plackett-Burman design of {len(coded.runs)} runs", "note": SCREENING}
        return _coded(kind, coded, factors, screening)
    if ("generators" in options) == ("fraction" in options):
        document.complain(
            node or ((0, 0), "design"), "either `generators` or `fraction` is needed", allowed="fraction = 1"
        )
        return None
    if "generators" in options:
        generators = options["generators"]
        coded = designs.two_level(named, generators)
    else:
        count = document.whole(options["fraction"], 1, len(factors))
        if count is None:
            return None
        coded = designs.fractional(named, count)
        generators = list(designs.STANDARD[len(named), count])
    facts: dict[str, Any] = {
        "name": f"2^({len(named)}-{len(generators)}) fractional factorial, {len(coded.runs)} runs",
        "generators": generators,
        "defining": [("-" if sign < 0 else "") + word for word, sign in coded.words],
        "resolution": coded.resolution,
        "aliases": {effect: list(others) for effect, others in coded.aliases(longest=ALIAS_LENGTH).items()},
    }
    return _coded(kind, coded, factors, facts)


def _coded(kind: Kind, coded: TwoLevel, factors: Sequence[Factor], facts: dict[str, Any]) -> Design:
    from narrows._internal.analysis.designs import LETTERS

    rows = coded.settings({factor.name: (factor.levels[0], factor.levels[1]) for factor in factors})
    letters = {LETTERS[index]: factor.name for index, factor in enumerate(factors)}
    return Design(kind.name, rows, {"letters": letters, **facts})


def _points(kind: Kind, runs: int, factors: Sequence[Factor], seed: int) -> Design:
    from narrows._internal.analysis import designs

    draw = designs.latin_hypercube if kind.name == "latin-hypercube" else designs.sobol
    rows = [
        {factor.name: _at(factor, float(part)) for factor, part in zip(factors, point, strict=True)}
        for point in draw(len(factors), runs, seed)
    ]
    called = "Latin hypercube" if kind.name == "latin-hypercube" else "Sobol' points"
    return Design(kind.name, rows, {"name": f"{called}, {counted(runs, 'combination')}, drawn from seed {seed}"})


def _at(factor: Factor, part: float) -> Level:
    """Return the level at a part, 0 to 1, of the factor; levels that are listed take equal shares."""
    span = factor.range
    if span is None:
        return factor.levels[min(int(part * len(factor.levels)), len(factor.levels) - 1)]
    if span.logarithmic:
        return factor.at(span.low * (span.high / span.low) ** part)
    return factor.at(span.low + (span.high - span.low) * part)


def _listed(document: Document, kind: Kind, factors: Sequence[Factor]) -> bool:
    two = kind.name in {"fractional", "plackett-burman"}
    good = True
    for factor in factors:
        where = (factor.span, f"factors.{factor.name}")
        if factor.range is not None:
            document.complain(where, f"design {kind.name} needs a list of levels, not a range")
        elif two and len(factor.levels) != TWO:
            document.complain(where, f"{len(factor.levels)} levels, where design {kind.name} needs two, low and high")
        else:
            continue
        good = False
    return good


TWO = 2
ALIAS_LENGTH = 3
SCREENING = "Main effects are clear of each other, but mixed with interactions of two: for screening."
ROMAN = {3: "III", 4: "IV", 5: "V", 6: "VI", 7: "VII", 8: "VIII", 9: "IX", 10: "X"}
