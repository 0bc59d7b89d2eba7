# SPDX-License-Identifier: Apache-2.0
"""Every key of a file of claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows._internal.experiments.declared import BOOLEAN, TEXT, Key, Kind, anything, listed, needed, one_of, whole
from narrows._internal.reproduction.claims import CLASSES, OURS, SCALES, STRENGTHS
from narrows._internal.reproduction.quantity import FOLD

if TYPE_CHECKING:
    from narrows._internal.experiments.document import Document, Node

SIZES = ("quick", "medium", "full")
# Kept as written, so that the digest of a test does not depend on the reader.
NUMBER = Kind("a number", lambda document, node: None if document.number(node) is None else node.value)
NODES = listed(anything("a table"), "a list of tables")
QUANTITY = anything("a quantity")


def _table_of(kind: Kind, words: str) -> Kind:
    def read(document: Document, node: Node) -> dict[str, Any]:
        read = {name: kind.read(document, entry.node) for name, entry in document.table(node).items()}
        return {name: value for name, value in read.items() if value is not None}

    return Kind(words, read)


TEXTS = _table_of(TEXT, "a table of texts")
PLAIN = Kind("a table", lambda document, node: {name: each.node.plain for name, each in document.table(node).items()})
PRINTED = _table_of(
    listed(
        Kind(
            "a number, or an empty text",
            lambda document, node: "" if node.value == "" else document.number(node),
        ),
        "a list of numbers, with an empty text where the source has none",
    ),
    "a table of lists of numbers",
)
PUBLISHED = (
    needed("title", TEXT, "Title of the study."),
    needed("number", TEXT, "Short name, as used in claims."),
    needed("source", TEXT, "The publication."),
    needed("question", TEXT, "The question of the study."),
    needed("experiments", TEXTS, "Descriptions of the experiments, by name."),
    Key("packet_hops", anything("a table"), "none", "Approximate number of packet-hops by size."),
    Key("words", anything("a table"), "none", "Values of names in braces, by size."),
    Key("lists", anything("a table of lists"), "none", "Lists of levels by name."),
    Key("quantities", anything("a table of quantities"), "none", "Quantities by name."),
    Key("labels", TEXTS, "none", "How rows and columns of tables are named."),
    *(Key(name, NODES, "none", f"Its {name}.") for name in ("variants", "judges", "claims", "headlines")),
    *(Key(name, NODES, "none", f"Reproduced {name}.") for name in ("figures", "tables", "calibrations")),
)
HOPS = tuple(Key(size, NUMBER, "none", "Packet-hops of the size.") for size in SIZES)
VARIANT = (
    needed("name", TEXT, "Name of the variant."),
    needed("about", TEXT, "The difference."),
    needed("variant", TEXT, "Its name in the study files."),
    Key("claims", anything("a list"), "all that use its experiments", "Claims that are judged under it."),
    Key("algorithms", TEXTS, "none", "Algorithms of its cells by those of the tests."),
    Key("judge", TEXT, "none", "The other implementation that runs its cells."),
)
JUDGE = (
    needed("name", TEXT, "Name of the implementation."),
    needed("about", TEXT, "How its cells were made."),
    needed("cells", TEXTS, "Files of its cells by experiment."),
    Key("size", one_of(*SIZES), "every size", "The size at which it judges."),
)
CLAIM = (
    needed("id", TEXT, "Number of the claim."),
    needed("statement", TEXT, "The claim."),
    needed("strength", one_of(*STRENGTHS), "Confidence of the source."),
    needed("place", TEXT, "Section, figure or table of the source."),
    needed("supported", TEXT, "Whether the source supports it."),
    Key("direction", anything("a test"), "none", "The test that decides."),
    Key("magnitude", anything("a test"), "none", "The test of the claimed magnitude."),
    Key("whose", one_of("study", "ours"), "none", "Source of the threshold of the magnitude."),
    Key("experiment", TEXT, "none", "The experiment that its quantities mean by themselves."),
    Key("check", BOOLEAN, "false", "Whether it holds by construction."),
    Key("bound", one_of(OURS), "the source's", "Origin of the bound of the direction."),
    Key("printed", anything("a number, or a list of tables"), "none", "Values of the source's text."),
    Key("cause", anything("a text or a table"), "none", "Why it does not hold."),
    *(Key(name, TEXT, "none", f"The {name} in words.") for name in ("published", "not_testable", "note")),
)
HEADLINE = (
    needed("says", TEXT, "What the source is known for, in a sentence."),
    needed("claims", listed(anything("a claim"), "a list of claims"), "The claims that it rests on."),
    Key("numbers", NODES, "that of the claim that decides", "Values of tables to show."),
)
SHOWN = (
    needed("table", TEXT, "Title of the table or figure."),
    needed("row", TEXT, "Its row or line."),
    needed("column", TEXT, "Its column or position."),
    Key("unit", one_of(*SCALES), "that of the table", "The unit to write it in."),
)
VALUE = (
    needed("value", NUMBER, "The printed value."),
    needed("is", QUANTITY, "The quantity that it is of."),
    Key("label", TEXT, "that of the quantity", "What it is."),
)
CAUSE = (
    needed("whose", one_of(*CLASSES), "Whose it is."),
    needed("text", TEXT, "What is known, in at most two sentences."),
    Key("evidence", anything("a text, or a list of texts"), "none", "Variants and judges, or sentences on a run."),
    Key("decides", TEXT, "none", "What would decide."),
)
OF_FIGURES = (
    needed("title", TEXT, "Its title."),
    needed("caption", TEXT, "What it reproduces."),
    needed("label", TEXT, "Label of the horizontal axis, or heading of the names of rows."),
    needed("experiment", TEXT, "The experiment that its quantities mean by themselves."),
    Key("published", PRINTED, "none", "Values of the source by name."),
    Key(
        "quantity", TEXT, "the title", "The quantity of its columns, compared over all tables; it may have `{column}`."
    ),
)
FIGURE = (
    *OF_FIGURES,
    needed("x", anything("a list"), "Positions on the horizontal axis."),
    needed("lines", anything("a table"), "Levels by the name of a line."),
    Key("measure", TEXT, "none", "The metric that is drawn."),
    Key("over", one_of(*FOLD), "one", "Aggregation over several cells."),
    Key("is", QUANTITY, "none", "The quantity that is drawn, in place of a metric."),
    Key("axis", TEXT, "that of the metric", "Label of the vertical axis."),
    Key("log", BOOLEAN, "false", "Whether the vertical axis is logarithmic."),
)
TABLE = (
    *OF_FIGURES,
    needed("rows", anything("a list"), "Names of the rows."),
    needed("columns", anything("a list"), "Headings of the columns."),
    needed("is", QUANTITY, "The quantity of each cell."),
    Key("under", TEXT, "none", "The variant or implementation of each row or column."),
)
CALIBRATION = (
    needed("title", TEXT, "Its title."),
    needed("caption", TEXT, "What was chosen and tested."),
    needed("parts", anything("a table"), "Parts of the printed values by heading."),
    needed("under", listed(anything("a name"), "a list of variants"), "The variants, a row each."),
)
PART = (
    needed("tables", anything("a list"), "Titles of tables."),
    needed("column", TEXT, "Heading of the column."),
)
BOUNDS = (Key("at_least", NUMBER, "none", "Lower bound."), Key("at_most", NUMBER, "none", "Upper bound."))
LEAST = whole(0, 10**6)
OVER = anything("a table of names with lists")
OR_EQUAL = Key("or_equal", BOOLEAN, "false", "Whether equal values are allowed.")
# The keys of each kind of test and of quantity, by the key that distinguishes it.
TESTS = {
    "each": (
        needed("each", OVER, "Conditions."),
        needed("test", anything("a test"), "The test under each condition."),
        Key("least", LEAST, "all", "Number of conditions under which it must hold."),
    ),
    "all": (needed("all", NODES, "Tests that must all hold."),),
    "any": (needed("any", NODES, "Tests."), Key("least", LEAST, "1", "Number of tests that must hold.")),
    "order": (needed("order", listed(QUANTITY, "a list of quantities"), "Quantities, the smallest first."), OR_EQUAL),
    "rising": (needed("rising", QUANTITY, "A quantity."), needed("over", OVER, "Conditions in order."), OR_EQUAL),
    "falling": (needed("falling", QUANTITY, "A quantity."), needed("over", OVER, "Conditions in order."), OR_EQUAL),
    "is": (needed("is", QUANTITY, "A quantity."), *BOUNDS),
}
PAIR = listed(QUANTITY, "a list of two quantities")
FOLDS, COMBINATIONS = ("sum", "mean", "max", "min"), ("ratio", "ratio_of_means", "minus", "plus", "times")
QUANTITIES = {
    "named": (needed("named", TEXT, "Name of a quantity."), Key("where", PLAIN, "none", "Values of names in it.")),
    **{how: (needed(how, QUANTITY, "Quantities."), Key("over", OVER, "none", "Conditions.")) for how in FOLDS},
    **{how: (needed(how, PAIR, "Two quantities."),) for how in COMBINATIONS},
    "correlation": (needed("correlation", PAIR, "Two quantities."), needed("over", OVER, "Conditions.")),
    "constant": (needed("constant", QUANTITY, "A quantity of one value."),),
    "probability": (needed("probability", QUANTITY, "A quantity."), *BOUNDS),
    "rank": (
        needed("rank", QUANTITY, "A quantity."),
        needed("at", PLAIN, "The condition whose rank is taken."),
        needed("among", OVER, "All conditions."),
        needed("best", one_of("highest", "lowest"), "Which value has rank 1."),
    ),
    "measure": (
        needed("measure", TEXT, "A metric."),
        Key("where", PLAIN, "none", "Values of columns that select the cells."),
        Key("over", one_of(*FOLD), "one", "Aggregation over several cells."),
        Key("missing", NUMBER, "none", "Value of a cell without data."),
        Key("never", NUMBER, "none", "Time from which on it had not happened by the end of the run."),
        Key("experiment", TEXT, "that of the claim", "The experiment."),
    ),
}
