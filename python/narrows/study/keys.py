"""Every key of a study file, for the reader, its error messages and `docs/studies.md`."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """A key of a study file.

    Attributes:
        name: Name of the key.
        holds: Description of its allowed values.
        default: Description of its default; empty for a required key.
        meaning: Its meaning, in a sentence.
    """

    name: str
    holds: str
    default: str
    meaning: str


STUDY = (
    Key("title", "text", "the file's name", "What the study is about."),
    Key("question", "text", "none", "The question that the report answers, in words."),
    Key("scenario", "a path, or the name of a scenario of the library", "", "The base scenario. **Required.**"),
    Key(
        "algorithms",
        'a list of names, with parameters as in `"aimd(a=1,b=0.8)"`',
        "the scenario's own",
        "Each replaces the algorithm of the groups marked `subject`, or of all groups if none is.",
    ),
    Key(
        "replications",
        "a whole number from 1 to 1000000, or a table",
        "5",
        "Replications of each combination of levels and algorithm; a table: until intervals are narrow enough.",
    ),
    Key("seed", "a whole number from 0", "the scenario's own", "Master seed of every cell."),
    Key(
        "on",
        '`"simulator"`, `"linux"` or `"linux:NAME"`',
        '`"simulator"`',
        'The backend that runs the cells. It can be a factor, too: `on = ["simulator", "linux"]` in `[factors]`.',
    ),
    Key("design", "the name of a design, or a table", '`"full"`', "Which combinations of levels run."),
    Key(
        "measures",
        "a list of metrics",
        "the main metrics",
        "The metrics to be analysed, a column each. All other metrics are stored too.",
    ),
    Key(
        "margins",
        "a table of metrics",
        "those of the metrics' cards",
        'What a difference must exceed to matter, as in `goodput_bps = "5%"` or `rtt_mean_s = "1ms"`.',
    ),
    Key(
        "set", "a table of key paths", "none", "Changes of the base scenario for all cells, applied before the levels."
    ),
    Key("words", "a table", "none", "Values of names in braces in texts of this file."),
    Key("factors", "a table", "none", "Key paths of the scenario that are varied, with their levels."),
    Key("extends", "a path", "none", "Another study file, whose description is changed by the keys of this one."),
    Key("sizes", "a table of tables", "none", "Other values of these keys, chosen by `--size`."),
    Key("variants", "a table of tables", "none", "Other values of these keys, chosen by `--variant`."),
)
REPLICATIONS = (
    Key("minimum", "a whole number from 2", "5", "The least number of replications."),
    Key("maximum", "a whole number", "", "The greatest number of replications. **Required.**"),
    Key("measure", "a metric of the study, or several", "", "The metrics whose 95 % interval is used. **Required.**"),
    Key(
        "within",
        'a part of the mean, as in `"5%"`, or a width in the unit of the metric, as in `"1ms"` or `"2pp"` of a share',
        "",
        "The greatest half-width of the interval. **Required.**",
    ),
    Key(
        "by",
        "a factor",
        "each combination by itself",
        "The interval is that of the mean over all other factors at each level of this one, and all combinations go on "
        "together until it is narrow enough at each.",
    ),
    Key("levels", "a list of levels of that factor", "all", "The levels whose intervals are used."),
)
RANGE = (
    Key("from", "a quantity or a number", "", "The lowest value. **Required.**"),
    Key("to", "the same with the same unit", "", "The highest value. **Required.**"),
    Key("scale", '`"linear"` or `"log"`', '`"linear"`', "The spacing of values in the range."),
)
# The name of the key and of the factor of the backend.
ON = "on"
# Names of columns of the results, and keys that the study itself sets, cannot be factors.
RESERVED = frozenset(
    {"cell", "algorithm", "replication", "replications", "seed", "title", "digest", "cpu_s", "packet_hops"}
    | {"checks_failed", "measured"}
)


def names(keys: tuple[Key, ...]) -> list[str]:
    """Return the names of `keys`, in order."""
    return [key.name for key in keys]
