# SPDX-License-Identifier: Apache-2.0
"""Every key of a study file, for the reader, its error messages and `docs/studies.md`."""

from __future__ import annotations

from narrows._internal.experiments.declared import TEXT, Key, anything, listed, needed, one_of, whole

MOST_REPLICATIONS = 1_000_000

STUDY = (
    Key("title", TEXT, "the file's name", "What the study is about."),
    Key("question", TEXT, "none", "The question that the report answers, in words."),
    needed("scenario", anything("a path, or the name of a scenario of the library"), "The base scenario."),
    Key(
        "algorithms",
        listed(anything("text"), 'a list of names, with parameters as in `"aimd(a=1,b=0.8)"`', '["newreno", "cubic"]'),
        "the scenario's own",
        "Each replaces the algorithm of the groups marked `subject`, or of all groups if none is.",
    ),
    Key(
        "replications",
        anything("a whole number from 1 to 1000000, or a table"),
        "5",
        "Replications of each combination of levels and algorithm; a table: until intervals are narrow enough.",
    ),
    Key("seed", whole(0, 2**63 - 1, "a whole number from 0"), "the scenario's own", "Master seed of every cell."),
    Key(
        "on",
        anything('`"simulator"`, `"linux"` or `"linux:NAME"`'),
        '`"simulator"`',
        'The backend that runs the cells. It can be a factor, too: `on = ["simulator", "linux"]` in `[factors]`.',
    ),
    Key("design", anything("the name of a design, or a table"), '`"full"`', "Which combinations of levels run."),
    Key(
        "measures",
        listed(anything("text"), "a list of metrics", '["goodput_bps", "utilization"]'),
        "the main metrics",
        "The metrics to be analysed, a column each. All other metrics are stored too.",
    ),
    Key(
        "margins",
        anything("a table of metrics"),
        "those of the metrics' cards",
        'What a difference must exceed to matter, as in `goodput_bps = "5%"` or `rtt_mean_s = "1ms"`.',
    ),
    Key(
        "set",
        anything("a table of key paths"),
        "none",
        "Changes of the base scenario for all cells, applied before the levels.",
    ),
    Key("words", anything("a table"), "none", "Values of names in braces in texts of this file."),
    Key("factors", anything("a table"), "none", "Key paths of the scenario that are varied, with their levels."),
    Key(
        "extends",
        anything("a path"),
        "none",
        "Another study file, whose description is changed by the keys of this one.",
    ),
    Key("sizes", anything("a table of tables"), "none", "Other values of these keys, chosen by `--size`."),
    Key("variants", anything("a table of tables"), "none", "Other values of these keys, chosen by `--variant`."),
)
REPLICATIONS = (
    Key("minimum", whole(2, MOST_REPLICATIONS, "a whole number from 2"), "5", "The least number of replications."),
    needed("maximum", whole(2, MOST_REPLICATIONS, "a whole number"), "The greatest number of replications."),
    needed("measure", anything("a metric of the study, or several"), "The metrics whose 95 % interval is used."),
    needed(
        "within",
        anything(
            'a part of the mean, as in `"5%"`, or a width in the unit of the metric, as in `"1ms"` or `"2pp"` of a '
            "share"
        ),
        "The greatest half-width of the interval.",
    ),
    Key(
        "by",
        TEXT._replace(words="a factor"),
        "each combination by itself",
        "The interval is that of the mean over all other factors at each level of this one, and all combinations go on "
        "together until it is narrow enough at each.",
    ),
    Key("levels", anything("a list of levels of that factor"), "all", "The levels whose intervals are used."),
)
RANGE = (
    needed("from", anything("a quantity or a number"), "The lowest value."),
    needed("to", anything("the same with the same unit"), "The highest value."),
    Key("scale", one_of("linear", "log"), '`"linear"`', "The spacing of values in the range."),
)
# The name of the key and of the factor of the backend.
ON = "on"
# Names of columns of the results, and keys that the study itself sets, cannot be factors.
RESERVED = frozenset(
    {"cell", "algorithm", "replication", "replications", "seed", "title", "digest", "cpu_s", "packet_hops"}
    | {"checks_failed", "measured"}
)
