# SPDX-License-Identifier: Apache-2.0
"""Every key of a suite file, for the reader, its error messages and `docs/suites.md`."""

from __future__ import annotations

from narrows.experiments.declared import NUMBER, PROSE, Key, anything, listed, needed, one_of, text

ALGORITHM, QUEUE = "algorithm", "queue"
RELATIVE, BOUND, LIVENESS = "relative", "bound", "liveness"

SUITE = (
    needed("title", PROSE, "What the suite is."),
    needed("source", PROSE, "The document whose criteria the rows are."),
    Key("note", PROSE, "none", "What a reader of the annex must know."),
    Key("subject", one_of(ALGORITHM, QUEUE), f'`"{ALGORITHM}"`', "What is under test."),
    needed("references", listed(PROSE, "a list of names"), "What runs in the same cells with the same seeds."),
    needed("rows", listed(anything("a table"), "a list of tables"), "The criteria."),
)
ROW = (
    needed("section", PROSE, "Section of the document."),
    needed("criterion", PROSE, "The criterion, in words."),
    Key("level", PROSE, "none", 'How the document says it, as in `"MUST"`.'),
    Key("cells", text("the name of a study file beside the suite file, without `.toml`"), "", "Where it is measured."),
    Key(
        "where",
        anything("a table of factors"),
        "every level",
        "The levels, a value or a list of values of each factor.",
    ),
    Key("measure", anything("a metric, as in `group.test.goodput_bps`"), "", "What is measured."),
    Key("per", anything("a metric"), "none", "The measure is divided by this one."),
    Key("predicate", anything("a table"), "", "What the measure is held against."),
    Key("whose", PROSE, "", "Who made the predicate: a document with its section, or `ours`, and why."),
    Key(
        "card",
        text('`"deviations"`'),
        "none",
        "Instead of a measure: the card of the algorithm must have these entries.",
    ),
    Key("not_measured", PROSE, "none", "Instead of a measure: why there is none."),
    Key("not_applicable", PROSE, "none", "Instead of a measure: why the criterion does not apply."),
)
PREDICATE = (
    needed(
        "kind",
        one_of(RELATIVE, BOUND, LIVENESS),
        "relative to references, absolute, or a bound beyond which the algorithm is broken.",
    ),
    Key("at_most", NUMBER, "", "Upper bound; of a predicate with `than`, a factor of what it is compared with."),
    Key("at_least", NUMBER, "", "Lower bound, alike."),
    Key("plus", NUMBER, "0", "What is added to that factor, in the unit of the measure."),
    Key(
        "than",
        text('the name of a reference, `"any"` or `"own"`'),
        "none",
        "What it is compared with: a reference, the most lenient one in each replication, or the subject's own cell "
        "with the levels `at`.",
    ),
    Key("at", anything("a table of factors"), "none", "The levels of the cell compared with."),
)
