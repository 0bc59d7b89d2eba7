# SPDX-License-Identifier: Apache-2.0
"""Several responses together: correlated ones, principal components, and algorithms that behave alike.

Sources: K. Pearson, Philosophical Magazine 2 (1901) 559, and H. Hotelling, Journal of Educational Psychology 24 (1933)
417 (principal components); K. R. Gabriel, "The biplot graphic display of matrices with application to principal
component analysis", Biometrika 58 (1971) 453; R. R. Sokal and C. D. Michener, University of Kansas Science Bulletin 38
(1958) 1409 (average linkage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from narrows._internal.analysis.table import AnalysisError, complete, in_order, varies, words
from narrows._internal.extras import load
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.analysis.table import Cells, FloatArray

    Distance = Literal["absolute-correlation", "correlation", "euclidean"]


@frozen
class Correlations:
    """Correlations of responses over the cells.

    Attributes:
        responses: Names of the responses that vary.
        matrix: Pearson's r, shape (responses, responses).
        groups: Responses that are linked by |r| above the threshold, largest group first; each group's representative
            (the greatest mean |r| to its group) is named first.
        constant: Names of the responses that do not vary, so that they have no correlation.
    """

    responses: tuple[str, ...]
    matrix: FloatArray
    groups: tuple[tuple[str, ...], ...]
    constant: tuple[str, ...]


@frozen
class Components:
    """Principal components of standardised responses.

    Attributes:
        responses: Names of the responses that vary.
        loadings: Shape (responses, components): unit vectors, whose largest entry is positive.
        variances: Variance of each component, greatest first; their sum is the number of responses.
        scores: Shape (cells, components): coordinates of the cells, in standard deviations of the responses.
    """

    responses: tuple[str, ...]
    loadings: FloatArray
    variances: FloatArray
    scores: FloatArray

    @property
    def explained(self) -> FloatArray:
        """The fraction of the total variance that each component explains, shape (components,)."""
        share: FloatArray = self.variances / self.variances.sum()
        return share


@frozen
class Biplot:
    """A biplot: cells as points and responses as arrows in the plane of two components.

    Attributes:
        points: Shape (cells, 2), each axis of unit variance.
        arrows: Shape (responses, 2): the correlation of each response with each axis.
    """

    points: FloatArray
    arrows: FloatArray


@frozen
class Link:
    """One link of a dendrogram, drawn as three sides of a rectangle.

    Attributes:
        x: Horizontal positions of the four corners: lower left, upper left, upper right, lower right; leaf i is at i.
        height: Heights of these corners; the height of the upper ones is the distance at which the two clusters join.
    """

    x: Sequence[float]
    height: Sequence[float]


@frozen
class Dendrogram:
    """A hierarchical clustering of algorithms under one condition.

    Attributes:
        leaves: Names of the algorithms, in an order in which no links cross.
        links: The links, lowest first.
        distinct: The algorithm that the highest link joins to all others; both algorithms if there are only two.
    """

    leaves: tuple[str, ...]
    links: tuple[Link, ...]
    distinct: tuple[str, ...]


def correlations(cells: Cells, responses: Sequence[str], threshold: float = 0.8) -> Correlations:
    """Correlate responses over the cells and group those that are strongly correlated.

    Args:
        cells: The table of cells.
        responses: Names of the columns.
        threshold: Value of |r| above which two responses are linked; groups are connected through links.

    Raises:
        AnalysisError: A value is missing, or fewer than three cells.
    """
    import numpy as np

    connected_components = load("scipy.sparse.csgraph").connected_components

    values, varying, constant = _varying(cells, responses)
    matrix = np.atleast_2d(np.corrcoef(values, rowvar=False)) if varying else np.empty((0, 0))
    strength = np.abs(matrix)
    labels = connected_components(strength > threshold, directed=False)[1].tolist() if varying else []
    groups = []
    for label in in_order([str(each) for each in labels]):
        members = [place for place, each in enumerate(labels) if str(each) == label]
        inner = strength[np.ix_(members, members)].mean(axis=1)
        first = members[int(np.argmax(inner))]
        groups.append(tuple(varying[place] for place in [first, *(each for each in members if each != first)]))
    return Correlations(tuple(varying), matrix, tuple(sorted(groups, key=len, reverse=True)), tuple(constant))


def principal_components(cells: Cells, responses: Sequence[str]) -> Components:
    """Return the principal components of standardised responses.

    Args:
        cells: The table of cells.
        responses: Names of the columns; each is standardised (mean 0, variance 1 with n - 1), constant ones are
            omitted.

    Raises:
        AnalysisError: A value is missing, fewer than three cells, or fewer than two responses vary.
    """
    import numpy as np

    values, varying, _ = _varying(cells, responses)
    if len(varying) < _TWO:
        raise AnalysisError(f"principal components need two responses that vary, not {len(varying)}")
    standard = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    _, singular, directions = np.linalg.svd(standard, full_matrices=False)
    loadings = directions.T
    # A component has no sign of its own; this one makes it reproducible.
    loadings = loadings * np.sign(loadings[np.argmax(np.abs(loadings), axis=0), range(loadings.shape[1])])
    return Components(tuple(varying), loadings, singular**2 / (len(values) - 1), standard @ loadings)


def biplot(components: Components, across: int = 0, up: int = 1) -> Biplot:
    """Return the biplot of two components (Gabriel 1971, eq. 20 to 22: the GH' factorisation).

    The inner product of a point and an arrow approximates the standardised response of the cell.

    Raises:
        AnalysisError: The cells do not vary along one of the components.
    """
    import numpy as np

    places = [across, up]
    deviations = np.sqrt(components.variances[places])
    if deviations.min() <= _ROUNDING * deviations.max():
        raise AnalysisError("the cells vary in fewer than two directions; two principal components are needed")
    return Biplot(components.scores[:, places] / deviations, components.loadings[:, places] * deviations)


def clusters(
    cells: Cells, responses: Sequence[str], treatment: str = "algorithm", distance: Distance = "absolute-correlation"
) -> Dendrogram:
    """Cluster algorithms with similar responses, by average linkage.

    Args:
        cells: The cells of one condition.
        responses: Names of the columns; each is averaged over replications and standardised over the algorithms.
        treatment: Name of the column of the algorithms.
        distance: Distance of two algorithms' vectors of standardised responses: 1 - |r|, under which exact opposites
            are
            alike; 1 - r; or Euclidean.

    Raises:
        AnalysisError: A value is missing, fewer than two algorithms, or too few responses vary: one for the Euclidean
            distance, three for correlations; or an algorithm is average in every response, so that it correlates
            with none.
    """
    import numpy as np

    dendrogram = load("scipy.cluster.hierarchy").dendrogram
    linkage = load("scipy.cluster.hierarchy").linkage
    squareform = load("scipy.spatial.distance").squareform

    names, means = _means(cells, responses, treatment)
    means = means[:, [varies(column) for column in means.T]]
    standard = (means - means.mean(axis=0)) / means.std(axis=0)
    fewest = 1 if distance == "euclidean" else 3
    if len(names) < _TWO or standard.shape[1] < fewest:
        raise AnalysisError(
            f"{len(names)} algorithms and {standard.shape[1]} responses that vary between them; "
            f"clusters by {distance} need at least 2 and {fewest}"
        )
    tree = linkage(squareform(_distances(names, standard, distance), checks=False), method="average")
    drawn = dendrogram(tree, no_plot=True)
    order = np.argsort([max(height) for height in drawn["dcoord"]], kind="stable").tolist()
    # SciPy's leaves stand at 5, 15, 25 ...
    links = [
        Link([(x - 5) / 10 for x in drawn["icoord"][place]], [float(each) for each in drawn["dcoord"][place]])
        for place in order
    ]
    last = [int(child) for child in tree[-1, :2] if child < len(names)]
    return Dendrogram(tuple(names[leaf] for leaf in drawn["leaves"]), tuple(links), tuple(names[leaf] for leaf in last))


def clusters_by_condition(
    cells: Cells,
    responses: Sequence[str],
    conditions: Sequence[str],
    treatment: str = "algorithm",
    distance: Distance = "absolute-correlation",
) -> list[tuple[Mapping[str, str], Dendrogram]]:
    """Cluster the algorithms separately under every condition.

    Args:
        cells: The table of cells.
        responses: As for `clusters`.
        conditions: Names of the factor columns whose combinations are the conditions.
        treatment: As for `clusters`.
        distance: As for `clusters`.

    Returns:
        Factor levels and dendrogram of each condition.

    Raises:
        AnalysisError: As for `clusters`.
    """
    import numpy as np

    from narrows._internal.analysis.table import arrow

    table = arrow(cells)
    levels = list(zip(*(words(table, name) for name in conditions), strict=True))
    found: list[tuple[Mapping[str, str], Dendrogram]] = []
    for condition in dict.fromkeys(levels):
        rows = table.filter(np.array([each == condition for each in levels]))
        described = dict(zip(conditions, condition, strict=True))
        found.append((described, clusters(rows, responses, treatment, distance)))
    return found


def _varying(cells: Cells, responses: Sequence[str]) -> tuple[FloatArray, list[str], list[str]]:
    import numpy as np

    values = complete(cells, responses)
    if len(values) < _FEWEST:
        raise AnalysisError(f"{len(values)} cells are too few to see responses vary together; {_FEWEST} are needed")
    moves = np.array([varies(column) for column in values.T])
    varying = [name for name, yes in zip(responses, moves, strict=True) if yes]
    return values[:, moves], varying, [name for name in responses if name not in varying]


def _means(cells: Cells, responses: Sequence[str], treatment: str) -> tuple[tuple[str, ...], FloatArray]:
    import numpy as np

    labels, values = words(cells, treatment), complete(cells, responses)
    names = in_order(labels)
    return names, np.stack([values[np.array(labels) == name].mean(axis=0) for name in names])


def _distances(names: Sequence[str], standard: FloatArray, distance: Distance) -> FloatArray:
    import numpy as np

    pdist = load("scipy.spatial.distance").pdist
    squareform = load("scipy.spatial.distance").squareform

    if distance == "euclidean":
        apart: FloatArray = squareform(pdist(standard))
        return apart
    spread = np.ptp(standard, axis=1)
    if (spread <= _ROUNDING).any():
        raise AnalysisError(f'"{names[int(np.argmin(spread))]}" deviates equally in every response: no correlation')
    correlation = np.corrcoef(standard)
    apart = np.maximum(1 - (np.abs(correlation) if distance == "absolute-correlation" else correlation), 0.0)
    np.fill_diagonal(apart, 0.0)
    return apart


_TWO = 2
_FEWEST = 3
_ROUNDING = 1e-9
