"""Every key of a study file: the reader, its messages and `docs/studies.md` know them from here."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """One key.

    Attributes:
        name: As written.
        holds: What it may hold, in words.
        default: What counts where it is not written; empty for a required one.
        meaning: What it says.
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
        "Each fills the groups marked as `subject`, or all groups where none is.",
    ),
    Key(
        "replications",
        "a whole number from 1 to 1000000, or a table",
        "5",
        "How often each combination of levels runs with each algorithm; as a table: until intervals are narrow enough.",
    ),
    Key("seed", "a whole number from 0", "the scenario's own", "Master seed of every cell."),
    Key("design", "the name of a design, or a table", '`"full"`', "Which combinations of levels run."),
    Key(
        "measures",
        "a list of measures",
        "the main ones",
        "What is analysed: a column each. Every other measure is kept too.",
    ),
    Key("factors", "a table", "none", "What is varied: key paths of the scenario with their levels."),
)
REPLICATIONS = (
    Key("minimum", "a whole number from 2", "5", "So many at least."),
    Key("maximum", "a whole number", "", "So many at most. **Required.**"),
    Key("measure", "a measure of the study", "", "Whose 95 % interval counts. **Required.**"),
    Key("within", 'a part of the mean, as in `"5%"`', "", "Half the interval's width at most. **Required.**"),
)
RANGE = (
    Key("from", "a quantity or a number", "", "The lowest value. **Required.**"),
    Key("to", "the same with the same unit", "", "The highest value. **Required.**"),
    Key("scale", '`"linear"` or `"log"`', '`"linear"`', "How values are spread between the two."),
)
# What a column of the results is called cannot be a factor; nor can what the study itself decides.
RESERVED = frozenset(
    {"cell", "algorithm", "replication", "replications", "seed", "title", "digest", "cpu_s", "packet_hops"}
    | {"checks_failed", "measured"}
)


def names(keys: tuple[Key, ...]) -> list[str]:
    """Return the names of keys."""
    return [key.name for key in keys]
