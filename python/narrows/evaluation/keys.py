"""Every key of a suite file, for the reader, its error messages and `docs/suites.md`."""

from __future__ import annotations

from narrows.study.keys import Key

SUITE = (
    Key("title", "text", "", "What the suite is. **Required.**"),
    Key("source", "text", "", "The document whose criteria the rows are. **Required.**"),
    Key("note", "text", "none", "What a reader of the annex must know."),
    Key("subject", '`"algorithm"` or `"queue"`', '`"algorithm"`', "What is under test."),
    Key("references", "a list of names", "", "What runs in the same cells with the same seeds. **Required.**"),
    Key("rows", "a list of tables", "", "The criteria. **Required.**"),
)
ROW = (
    Key("section", "text", "", "Section of the document. **Required.**"),
    Key("criterion", "text", "", "The criterion, in words. **Required.**"),
    Key("level", "text", "none", 'How the document says it, as in `"MUST"`.'),
    Key("cells", "the name of a study file beside the suite file, without `.toml`", "", "Where it is measured."),
    Key("where", "a table of factors", "every level", "The levels, a value or a list of values of each factor."),
    Key("measure", "a metric, as in `group.test.goodput_bps`", "", "What is measured."),
    Key("per", "a metric", "none", "The measure is divided by this one."),
    Key("predicate", "a table", "", "What the measure is held against."),
    Key("whose", "text", "", "Who made the predicate: a document with its section, or `ours`, and why."),
    Key("card", '`"deviations"`', "none", "Instead of a measure: the card of the algorithm must have these entries."),
    Key("not_measured", "text", "none", "Instead of a measure: why there is none."),
    Key("not_applicable", "text", "none", "Instead of a measure: why the criterion does not apply."),
)
PREDICATE = (
    Key(
        "kind",
        '`"relative"`, `"bound"` or `"liveness"`',
        "",
        "relative to references, absolute, or a bound beyond which the algorithm is broken. **Required.**",
    ),
    Key("at_most", "a number", "", "Upper bound; of a predicate with `than`, a factor of what it is compared with."),
    Key("at_least", "a number", "", "Lower bound, alike."),
    Key("plus", "a number", "0", "What is added to that factor, in the unit of the measure."),
    Key(
        "than",
        'the name of a reference, `"any"` or `"own"`',
        "none",
        "What it is compared with: a reference, the most lenient one in each replication, or the subject's own cell "
        "with the levels `at`.",
    ),
    Key("at", "a table of factors", "none", "The levels of the cell compared with."),
)
