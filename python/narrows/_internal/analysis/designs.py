# SPDX-License-Identifier: Apache-2.0
"""Designs of experiments: which combinations of factor levels to run.

Two-level designs are coded -1 (low) and +1 (high). Factors are lettered A, B, C … without I, which stands for the
mean, and a generator says which product of columns a further column copies: "F=BCDE".

Sources: full and fractional factorials, defining relation, resolution and aliases: D. C. Montgomery, "Design and
Analysis of Experiments" (8th ed., 2013), ch. 5, 6 and 8; generators of `STANDARD`: NIST/SEMATECH e-Handbook of
Statistical Methods, 5.3.3.4.7; R. L. Plackett and J. P. Burman, "The design of optimum multifactorial experiments",
Biometrika 33 (1946) 305; M. D. McKay, R. J. Beckman and W. J. Conover, Technometrics 21 (1979) 239 (Latin hypercube);
I. M. Sobol', USSR Computational Mathematics and Mathematical Physics 7 (1967) 86, scrambled after A. B. Owen.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from narrows._internal.analysis.table import AnalysisError
from narrows._internal.extras import load
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from narrows._internal.analysis.table import FloatArray

    IntArray: TypeAlias = NDArray[np.int64]

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

# Number of factors and of generators, to generators of the highest resolution there is.
STANDARD: dict[tuple[int, int], tuple[str, ...]] = {
    (3, 1): ("C=AB",),
    (4, 1): ("D=ABC",),
    (5, 1): ("E=ABCD",),
    (5, 2): ("D=AB", "E=AC"),
    (6, 1): ("F=ABCDE",),
    (6, 2): ("E=ABC", "F=BCD"),
    (6, 3): ("D=AB", "E=AC", "F=BC"),
    (7, 1): ("G=ABCDEF",),
    (7, 2): ("F=ABCD", "G=ABDE"),
    (7, 3): ("E=ABC", "F=BCD", "G=ACD"),
    (7, 4): ("D=AB", "E=AC", "F=BC", "G=ABC"),
    (8, 2): ("G=ABCD", "H=ABEF"),
    (8, 3): ("F=ABC", "G=ABD", "H=BCDE"),
    (8, 4): ("E=BCD", "F=ACD", "G=ABC", "H=ABD"),
    (9, 2): ("H=ACDFG", "J=BCEFG"),
    (9, 3): ("G=ABCD", "H=ACEF", "J=CDEF"),
    (9, 4): ("F=BCDE", "G=ACDE", "H=ABDE", "J=ABCE"),
    (9, 5): ("E=ABC", "F=BCD", "G=ACD", "H=ABD", "J=ABCD"),
    (10, 3): ("H=ABCG", "J=BCDE", "K=ACDF"),
    (10, 4): ("G=BCDF", "H=ACDF", "J=ABDE", "K=ABCE"),
    (10, 5): ("F=ABCD", "G=ABCE", "H=ABDE", "J=ACDE", "K=BCDE"),
    (10, 6): ("E=ABC", "F=BCD", "G=ACD", "H=ABD", "J=ABCD", "K=AB"),
    (11, 5): ("G=CDE", "H=ABCD", "J=ABF", "K=BDEF", "L=ADEF"),
    (11, 6): ("F=ABC", "G=BCD", "H=CDE", "J=ACD", "K=ADE", "L=BDE"),
    (11, 7): ("E=ABC", "F=BCD", "G=ACD", "H=ABD", "J=ABCD", "K=AB", "L=AC"),
}


@frozen
class TwoLevel:
    """A design in which every factor takes two levels.

    Attributes:
        factors: Names of the factors; the first has letter A.
        runs: Shape (runs, factors), each -1 or +1; in standard order, the first factor changes fastest.
        words: The defining relation: every product of columns that is constant, as (letters, sign), shortest first;
            empty for a full factorial. A Plackett-Burman design has none either, though its aliases are partial.
    """

    factors: tuple[str, ...]
    runs: IntArray
    words: tuple[tuple[str, int], ...] = ()

    @property
    def resolution(self) -> int | None:
        """Length of the shortest word; None for a design without words (Montgomery, 8.2.2)."""
        return len(self.words[0][0]) if self.words else None

    def aliases(self, order: int = 2, longest: int | None = None) -> dict[str, tuple[str, ...]]:
        """Return the aliases of each effect: the effects that the design cannot distinguish from it.

        Args:
            order: Greatest number of letters of effects with an entry (2: main effects and two-factor interactions).
            longest: Greatest number of letters of an alias; None for no limit.

        Returns:
            By effect ("A", "AB"), the effects that its contrast estimates, too, shortest first, with a minus for the
            opposite sign.
        """
        letters = LETTERS[: len(self.factors)]
        effects = ["".join(each) for size in range(1, order + 1) for each in itertools.combinations(letters, size)]
        return {effect: tuple(_aliases(effect, self.words, longest)) for effect in effects}

    def settings(self, levels: Mapping[str, tuple[Any, Any]]) -> list[dict[str, Any]]:
        """Return the levels of each run.

        Args:
            levels: Low and high level by factor.

        Returns:
            For each run, the level by factor.

        Raises:
            AnalysisError: A factor has no levels, or not two.
        """
        for factor in self.factors:
            if len(levels.get(factor, ())) != _TWO:
                raise AnalysisError(f'"{factor}" needs two levels, low and high, in a two-level design')
        return [
            {factor: levels[factor][int(sign > 0)] for factor, sign in zip(self.factors, run, strict=True)}
            for run in self.runs.tolist()
        ]


def full_factorial(levels: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return a full factorial design: all combinations of levels.

    Args:
        levels: Levels by factor.

    Returns:
        For each combination, the level by factor; the last factor changes fastest.

    Raises:
        AnalysisError: A factor has no level.
    """
    for factor, each in levels.items():
        if not each:
            raise AnalysisError(f'factor "{factor}" has no level')
    return [dict(zip(levels, run, strict=True)) for run in itertools.product(*levels.values())]


def two_level(factors: Sequence[str], generators: Sequence[str] = ()) -> TwoLevel:
    """Build a full or fractional two-level factorial, 2^(k-p) runs for k factors and p generators.

    Args:
        factors: Names of the factors, at most 25.
        generators: A generator for each of the last factors, as "F=BCDE" or "F=-BCDE".

    Raises:
        AnalysisError: Too many factors, two of the same name, or a generator that is no product of basic factors.

    Examples:
        >>> design = two_level(["rate", "rtt", "queue"], ["C=AB"])
        >>> design.resolution, design.aliases(order=1)
        (3, {'A': ('BC',), 'B': ('AC',), 'C': ('AB',)})
    """
    import numpy as np

    fracfact = load("pydoe").fracfact

    _check_names(factors)
    letters = LETTERS[: len(factors)]
    basic, made = letters[: len(factors) - len(generators)], letters[len(factors) - len(generators) :]
    if not basic:
        raise AnalysisError(f"{len(generators)} generators are too many for {len(factors)} factors")
    products = [_generator(text, letter, basic) for text, letter in zip(generators, made, strict=True)]
    spoken = [*basic.lower(), *(("-" if sign < 0 else "") + word.lower() for word, sign in products)]
    runs = np.rint(fracfact(" ".join(spoken))).astype(np.int64)
    runs = runs[np.lexsort(runs[:, : len(basic)].T)]
    defining = [(_product(word, letter), sign) for (word, sign), letter in zip(products, made, strict=True)]
    return TwoLevel(tuple(factors), runs, tuple(_group(defining)))


def fractional(factors: Sequence[str], generators: int) -> TwoLevel:
    """Build the standard 2^(k-p) fraction of k factors, p = `generators`, of the highest resolution.

    Raises:
        AnalysisError: No such fraction is tabulated.
    """
    if generators == 0:
        return two_level(factors)
    try:
        return two_level(factors, STANDARD[len(factors), generators])
    except KeyError:
        known = ", ".join(f"2^({k}-{p})" for k, p in STANDARD)
        asked = f"2^({len(factors)}-{generators})"
        raise AnalysisError(f"no generators of {asked} are tabulated; give generators, or use one of {known}") from None


def plackett_burman(factors: Sequence[str]) -> TwoLevel:
    """Build a Plackett-Burman design: as many runs as the next multiple of four above the number of factors.

    Main effects are not aliased with each other, but with two-factor interactions: a design for screening.

    Raises:
        AnalysisError: Two factors have the same name, or no such design is known for their number.
    """
    import numpy as np

    pbdesign = load("pydoe").pbdesign

    _check_names(factors)
    try:
        runs = pbdesign(len(factors))
    except ValueError:
        size = 4 * (len(factors) // 4 + 1)
        raise AnalysisError(f"no Plackett-Burman design of {size} runs is known here; name more factors") from None
    return TwoLevel(tuple(factors), np.rint(runs).astype(np.int64))


def latin_hypercube(factors: int, runs: int, seed: int) -> FloatArray:
    """Draw a Latin hypercube sample: each of `runs` equal slices of every factor contains one point.

    Args:
        factors: Number of dimensions.
        runs: Number of points.
        seed: Seed of the points.

    Returns:
        Shape (runs, factors), in [0, 1).
    """
    qmc = load("scipy.stats").qmc

    points: FloatArray = qmc.LatinHypercube(factors, rng=seed).random(runs)
    return points


def sobol(factors: int, runs: int, seed: int) -> FloatArray:
    """Draw the first points of a scrambled Sobol' sequence, which fills the space evenly.

    Args:
        factors: Number of dimensions.
        runs: Number of points, a power of two, as the balance of the points requires.
        seed: Seed of the points.

    Returns:
        Shape (runs, factors), in [0, 1).

    Raises:
        AnalysisError: `runs` is no power of two.
    """
    qmc = load("scipy.stats").qmc

    if runs < 1 or runs & (runs - 1):
        raise AnalysisError(f"a Sobol' design needs a power of two as number of runs, not {runs}")
    points: FloatArray = qmc.Sobol(factors, rng=seed).random_base2(runs.bit_length() - 1)
    return points


def _check_names(factors: Sequence[str]) -> None:
    if not 0 < len(factors) <= len(LETTERS):
        raise AnalysisError(f"a two-level design takes 1 to {len(LETTERS)} factors, not {len(factors)}")
    if len(set(factors)) < len(factors):
        raise AnalysisError(f"two factors have the same name: {', '.join(factors)}")


def _generator(text: str, letter: str, basic: str) -> tuple[str, int]:
    target, _, product = text.replace(" ", "").partition("=")
    sign = -1 if product.startswith("-") else 1
    word = product.lstrip("+-")
    if target != letter or len(word) < _TWO or len(set(word)) < len(word) or not set(word) <= set(basic):
        raise AnalysisError(
            f'generator "{text}" should say "{letter}=" and a product of at least two different letters of {basic}'
        )
    return word, sign


def _product(one: str, other: str) -> str:
    """Multiply two words: a letter squared is the identity."""
    return "".join(letter for letter in LETTERS if (letter in one) != (letter in other))


def _group(defining: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    words = [("", 1)]
    for word, sign in defining:
        words += [(_product(word, other), sign * other_sign) for other, other_sign in words]
    return sorted(words[1:], key=lambda each: (len(each[0]), each[0]))


def _aliases(effect: str, words: Sequence[tuple[str, int]], longest: int | None) -> list[str]:
    found = [(_product(effect, word), sign) for word, sign in words]
    kept = [each for each in found if longest is None or len(each[0]) <= longest]
    return [("-" if sign < 0 else "") + word for word, sign in sorted(kept, key=lambda each: (len(each[0]), each[0]))]


_TWO = 2
