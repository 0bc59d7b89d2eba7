# SPDX-License-Identifier: Apache-2.0
"""Generates the reference pages from the declarations in the program.

`python docs/generate.py` writes the table of `command-line.md`, and `scenario.md`, `metrics.md`, `tables.md`,
`studies.md` and others into its own folder, a page with a figure for each card into `algorithms` and `queues`, the
pages of the published studies into `studies`, of drafts into `ccwg`, and the README of each published crate.
`--check` writes nothing and fails if a page is not current.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import cards
import ccwg_page
import claims_page
import exercises_page
import port_page
import readmes
import recommendations_page
import studies_page
from cards import cell

from narrows import metrics
from narrows._internal import core
from narrows._internal.cli.shell import Node, tree
from narrows._internal.metrics import criteria
from narrows._internal.run.tables import schemas

HERE = Path(__file__).parent
FOLDERS = ("algorithms", "queues", "studies", "ccwg")
TOP_LEVEL = 2
DEEPEST_LEVEL = 4
SCENARIO_PREFACE = """\
# The scenario file

A scenario is a TOML file. An unknown key is an error. A quantity with a unit is a string (`"10Mbps"`, `"40ms"`,
`"64KiB"`, `"100pkt"`, `"1.5bdp"`, `"1%"`); a bare number where a unit is required is an error that lists the allowed
units. The key `kind` of a table selects one of its forms; it is required except in a form that has a key of its own
name. `narrows check FILE` reports every error with line and column, and executes nothing. The folder of a run contains
the resolved scenario, with all defaults.

A scenario may name a Python file as an algorithm. A run executes a file at or below the folder of the scenario, or one
named on the command line; others, like the commands of `program`, only with `--trust`. `narrows check` lists all of
them: see [which files are executed](your-algorithm.md#which-files-are-executed)."""
UNITS_PREFACE = """\
## Units

A number is decimal and directly followed by its unit: `"1.5ms"`. k, M, G and T are powers of 1000; Ki, Mi and Gi are
powers of 1024. Rates are in bits per second."""
# The name of a quantity with its units in parentheses, as a description of allowed values has it.
UNITS = re.compile(r"\b(rate|time|size|number of packets|multiple of the bandwidth-delay product) \(([^)]*)\)")
EXAMPLE = re.compile(r', as in "[.0-9]+[A-Za-z]+"')
HEAD = 2
PRESETS_PREFACE = """\
## Presets

`transport.preset`, or `preset` of a flow, names the defaults of the keys of `[transport]`. An algorithm with a variant
of slow start of its own (`cubic-linux`: HyStart) keeps that unless `slow_start` is written. `narrows show modern`
prints the same."""
METRICS_PREFACE = """\
Metrics cover the time after the warm-up unless their definition says otherwise. Intervals over replications are 95 %
intervals from Student's t distribution.

A metric with parameters is computed from the series of a run on request: by
`narrows run FILE --metric 'cov(bin=10s)'`, an `[[expect]]` clause of a scenario, or
`narrows.metrics.evaluate(run, "cov(bin=10s)", group="cubic")` in Python. The name alone stands for the defaults,
which are given in parentheses after each parameter. Every summary contains `cov` and `jain(scale=1s)` of groups. The
intervals of the series are `record.interval`, and metrics of flows need the series of flows (`record.flows`). For a
group, a metric of flows is the mean over its flows that have a value; for a group whose flows have no rows in table
`flows` (random arrivals, users, recorded connections), it is computed from table `census`, the sum over its flows,
where that is meaningful.

Percentiles of times come from histograms whose buckets are 0.39 to 0.78 % wide. A percentile is interpolated within its
bucket, so it is off by less than 0.8 %; it is off by that much only where all values of the bucket lie at one edge."""
MARGINS_PREFACE = """\
## Intervals and margins

Every mean over replications has a 95 % interval. The column "values" decides its method (`interval_method` in
`summary.json`): the t interval of the mean (`t`; Law, *Simulation Modeling and Analysis*, 2015, eq. 4.12), or, so
that the interval stays within what is possible, the t interval of its logarithm (`log t`, values from 0), its square
root (`square-root t`, counts) or its logit (`logit t`, values between two bounds), brought back by the delta method
(Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, §12.6; Bartlett, Biometrics 3, 1947, p. 39, for
counts and shares). Runs and comparisons have further bounds: Jain's index of n flows is at least 1/n, rates and
goodputs are at most what their link offered, bit rates at most the highest of their ladder, waiting packets and bytes
at most the limit of the buffer, waits at most the time to serve a full buffer at a constant rate in order, and times
that end in the run at most the run. Studies have the bounds of goodputs, rates and times, deployments the bounds of
goodputs; suites, matrices and studies on two backends have only the bounds of the column, and the intervals of
`narrows ab` have none ([ab.md](ab.md#statistics)). The bounds of both sides limit paired differences. In
simulations of 3, 5 and 10 replications of skewed values these cover the true mean in 92 to 98 % of the cases, the
plain t interval in 83 % of the worst ones; where most replications have the same value, in 90 % or more.

If all values are equal (`equal`), they say nothing of their spread. For counts and for values at a bound the interval
has the means that they do not exclude: for n zeros 0 to 3.7 / n (Garwood, Biometrika 28, 1936, p. 437), for n shares
of 1 from 0.025^(1/n) on, 0.48 for five, the interval of Clopper and Pearson for n of n (Biometrika 26, 1934, p. 404).
For a share of things that a run counts (packets, frames, segments of video) n is, in runs and comparisons, their
total number in all replications, each taken as a trial of its own: no late frame among 6750 is 0 to 0.05 %;
elsewhere it is the number of replications. Other equal values have no interval. Tables and sentences give words in
place of the interval of the mean of equal values: `100 (all runs)`. If there is one, `summary.json` has it, and a cell
of a page shows it under the pointer. If values are nearly equal, so that their mean is written like an end of the
interval, the other end is given: `100 (at least 48)`. Intervals of differences are t intervals, limited to the greatest
possible difference. If all differences are equal, they follow from the intervals of both means, if these exist.

The intervals of `narrows compare A B --until-decided` are confidence sequences (`confidence sequence`), as are the
intervals of `narrows ab` ([ab.md](ab.md#statistics)), cut to the bounds: the probability that any of them, at whatever
number of replications, excludes the mean is at most 5 %. Equal values keep the interval of their bound.

Replications that are all one and the same run (without random starts, delays or losses, as with `send_delay = "0s"` of
presets `linux` and `ns2`) count as one: they have no interval, nothing is decided by them, and the check
*replications differ* says how to vary them. Another check, *metrics in their ranges*, reports every metric whose value
cannot be, with what it can be: the column "values", and the bounds of the run. A goodput can exceed the link's rate by
one packet, whose transmission began in the warm-up.

A difference between two algorithms *matters* if it exceeds the margin of its metric: the greater of a fraction of
the value that is compared with and an amount in the unit of the metric. It is *clearly better* or *clearly worse*
if its interval excludes zero and it exceeds the margin; there is *no difference that matters* if the interval lies
within the margin; otherwise it is *undecided*, even if no replication differs. `--margin rtt_mean_s=1ms` of
`narrows compare`, and `margins=["goodput_bps=5%"]` in Python, replace a margin: `5%` of the value, `1ms`, `100kbps`,
`2pp` of a share, or a number in the unit."""
TABLES_PREFACE = """\
# The tables of a run

Every table is a Parquet file of the [run folder](run-folder.md); its first column, `replication`, is the number of the
replication, from 0. Values cover the time after the warm-up, unless a row refers to another time. A missing value is
null. Counts are whole numbers, in Arrow, data frames and SQL as well; means of counts over time, flows or
replications are real numbers."""
HEADINGS = {
    "group": "## Metrics of groups",
    "flow": "## Metrics of flows",
    "pair": "## Metrics of a group compared with another",
    "link": "## Metrics of links",
}
KINDS = {"real": "real number", "whole": "whole number", "flag": "true or false", "label": "text"}
Schema = dict[str, Any]


def scenario_page(schema: Schema) -> str:
    """Return the page of all keys of a scenario file.

    Args:
        schema: JSON Schema of the scenario file.

    Returns:
        The page as Markdown.
    """
    flows = schema["properties"]["flows"]
    own, shared = flows["items"]["properties"], schema["properties"]["transport"]["properties"]
    flows["items"]["properties"] = {name: key for name, key in own.items() if shared.get(name) != key}
    flows["description"] += (
        " A group also has every key of [`transport`](#transport), which takes precedence over that table."
    )
    keys = keys_table("The whole file", schema, {})
    return "\n\n".join([SCENARIO_PREFACE, units_section(schema), keys, presets_section()]) + "\n"


def presets_section() -> str:
    """Return what the presets are, and their value of each key."""
    presets = core.presets()
    about = [f"* **{each['name']}**: {each['summary']} Source: {each['source']}." for each in presets]
    rows = [f"| key | {' | '.join(each['name'] for each in presets)} |", f"|---|{'---|' * len(presets)}"]
    for values in zip(*(each["parameters"] for each in presets), strict=True):
        shown = " | ".join(f"`{each['default']}`" for each in values)
        rows.append(f"| `{values[0]['name']}` | {shown} |")
    return "\n\n".join([PRESETS_PREFACE, "\n".join(about), "\n".join(rows)])


def keys_table(title: str, table: Schema, known: dict[str, str], level: int = TOP_LEVEL) -> str:
    """Return the table of the keys of a TOML table, followed by those of the tables in it.

    Args:
        title: Its heading.
        table: Its JSON Schema, of type `object`.
        known: Maps a schema to the path of the first key that has it; later keys refer to that path. Is extended.
        level: Depth of the heading.

    Returns:
        Markdown.
    """
    parts = [f"{'#' * level} {title}"]
    if table.get("description") and level > TOP_LEVEL:
        parts.append(table["description"])
    required = set(table.get("required", []))
    rows = ["| key | value | meaning |", "|---|---|---|"]
    below: list[str] = []
    for name, key in table["properties"].items():
        meaning = key.get("description", "")
        if name in required:
            meaning += " **Required.**"
        if "const" in key:
            continue
        path = f"`{name}`" if level == TOP_LEVEL else f"{title}: `{name}`"
        held = json.dumps({word: value for word, value in key.items() if word != "description"}, sort_keys=True)
        if held in known:
            rows.append(f"| `{name}` | the same as {known[held]} | {cell(meaning)} |")
            continue
        rows.append(f"| `{name}` | {cell(linked(holds(key)))} | {cell(meaning)} |")
        tables = tables_below(path, key, known, level + 1)
        if tables:
            known[held] = path
        below.extend(tables)
    return "\n\n".join([*parts, *(["\n".join(rows)] if len(rows) > HEAD else []), *below])


def tables_below(title: str, key: Schema, known: dict[str, str], level: int) -> list[str]:
    """Return the tables of the keys in the tables that a key may contain.

    Args:
        title: First part of their headings.
        key: The key's JSON Schema.
        known: Maps a schema to the path of the first key that has it.
        level: Depth of their headings.

    Returns:
        Markdown of each.
    """
    if key.get("type") == "object" and "properties" in key:
        return [keys_table(title, key, known, min(level, DEEPEST_LEVEL))]
    if key.get("type") == "array":
        return tables_below(title, {"description": key.get("description", ""), **key["items"]}, known, level)
    forms = [form for form in key.get("anyOf", []) if form.get("type") == "object" and "properties" in form]
    tables: list[str] = []
    same: dict[str, list[str]] = {}
    for form in forms:
        held = json.dumps(form, sort_keys=True)
        if held in known:
            same.setdefault(known[held], []).append(form_name(form))
            continue
        known[held] = title
        tables.append(keys_table(f"{title}, {form_name(form)}", form, known, min(level, DEEPEST_LEVEL)))
    tables += [f"{title}, {', '.join(names)}: the same as {first}." for first, names in same.items()]
    return tables


def form_name(form: Schema) -> str:
    """Return the text that distinguishes one form of a table from the others."""
    kind = form["properties"].get("kind", {}).get("const")
    return f'kind `"{kind}"`' if kind else "as a table"


def holds(key: Schema) -> str:
    """Return a description of the values that a key may have."""
    if "anyOf" in key:
        tables = [form for form in key["anyOf"] if "kind" in form.get("properties", {})]
        # The names of forms that need no key: the schema lists them once more.
        alone = [form for form in key["anyOf"] if tables and "enum" in form]
        others = [holds(form) for form in key["anyOf"] if form not in [*tables, *alone]]
        kinds = [f"`{json.dumps(form['properties']['kind']['const'])}`" for form in tables]
        table = [f"a table of kind {alternatives(kinds)}"] if kinds else []
        return ", or ".join(dict.fromkeys([*others, *table, *(["the kind alone"] if alone else [])]))
    if "const" in key or "enum" in key:
        return ", ".join(f"`{json.dumps(word)}`" for word in key.get("enum", [key.get("const")]))
    if key.get("type") == "object" and "properties" not in key:
        return f"a table of names, each with {holds(key['additionalProperties'])}"
    if key.get("type") == "object":
        return "a table"
    if key.get("type") == "array":
        return (
            f"a list of tables{holds(key['items']).removeprefix('a table')}"
            if tables_only(key["items"])
            else f"a list, each {holds(key['items'])}"
        )
    percentage = 'a percentage, as in `"1%"`' if key.get("pattern") == "%$" else None
    words = {"string": "a string", "boolean": "true or false", "integer": "a whole number", "number": "a number"}
    return key.get("$comment") or percentage or words[key["type"]] + bounds(key)


def tables_only(key: Schema) -> bool:
    """Return whether every value of a key is a table."""
    return all(form.get("type") == "object" or "enum" in form for form in key.get("anyOf", [key]))


def alternatives(each: list[str]) -> str:
    """Return alternatives as a list in words."""
    return " or ".join([", ".join(each[:-1]), each[-1]]) if len(each) > 1 else each[0]


def bounds(key: Schema) -> str:
    """Return a description of the bounds of a number, a whole one as `from 1 to 9`, another as an interval."""
    least, most = key.get("minimum", key.get("exclusiveMinimum")), key.get("maximum")
    if least is None:
        return ""
    if most is None:
        return f", at least {least}"
    if key["type"] == "integer":
        return f" from {least} to {most}"
    return f" in {'[' if 'minimum' in key else '('}{least}, {most}]"


def linked(values: str) -> str:
    """Return a description of quantities with links to the table of units in place of the units."""
    return EXAMPLE.sub("", UNITS.sub(r"[\1](#units)", values)) if UNITS.search(values) else values


def units_section(schema: Schema) -> str:
    """Return the table of the units of all quantities in a scenario file."""
    described = re.findall(r'"\$comment": "((?:[^"\\]|\\.)*)"', json.dumps(schema))
    found = dict.fromkeys(each for values in described for each in UNITS.findall(values))
    rows = [
        f"| {noun} | {', '.join(f'`{unit}`' for unit in re.split(', | or |; also ', units))} |" for noun, units in found
    ]
    return "\n\n".join([UNITS_PREFACE, "\n".join(["| quantity | units |", "|---|---|", *rows])])


def metrics_page(metrics: list[Schema]) -> str:
    """Return the page of all metrics."""
    parts = ["# Metrics", METRICS_PREFACE, MARGINS_PREFACE, margins()]
    for of, heading in HEADINGS.items():
        rows = [
            "| metric | unit | values | better | matters from | definition | source |",
            "|---|---|---|---|---|---|---|",
        ]
        rows += [
            f"| `{m['name']}` | {m['unit']} | {criteria.words(criteria.range_of(m))} | {m['better']} "
            f"| {bound(criteria.margin_of(m))} | {cell(m['summary'])}{choices(m)} | {cell(m['source'])} |"
            for m in metrics
            if m["family"] == of
        ]
        parts += [heading, "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def bound(margin: criteria.Margin) -> str:
    """Return a margin as text."""
    parts = [f"{100 * margin.relative:g} %"] if margin.relative else []
    return " or ".join([*parts, *([f"{margin.absolute:g}"] if margin.absolute else [])])


def margins() -> str:
    """Return a table of the margins with their reasons."""
    given = [(f"unit {unit}", margin) for unit, margin in criteria.MARGIN_BY_UNIT.items()]
    given += [(f"`{name}`", margin) for name, margin in criteria.MARGIN_BY_NAME.items()]
    given += [("all others", criteria.RELATIVE)]
    metrics_of: dict[criteria.Margin, list[str]] = {}
    for of, margin in given:
        metrics_of.setdefault(margin, []).append(of)
    rows = ["| margin | metrics | why less does not matter |", "|---|---|---|"]
    rows += [f"| {bound(margin)} | {', '.join(of)} | {margin.reason} |" for margin, of in metrics_of.items()]
    return "\n".join(rows)


def choices(metric: Schema) -> str:
    """Return a description of the parameters of a metric, with defaults."""
    described = "; ".join(
        f"`{p['name']}` ({p['default'] or 'required'}): {cell(p['meaning'])}" for p in metric["parameters"]
    )
    return f". *{described}*" if described else ""


def tables_page(tables: list[Schema]) -> str:
    """Return the page of all columns of all tables of a run."""
    parts = [TABLES_PREFACE]
    for table in tables:
        absent = f"; the table has no columns {table['absent']}" if table["absent"] else ""
        rows = ["| column | type | unit | meaning |", "|---|---|---|---|"]
        rows += [
            f"| `{each['name']}` | {KINDS[each['kind']]} | {each['unit']} | {cell(each['meaning'])} |"
            for each in table["columns"]
        ]
        parts += [f"## `{table['name']}`", f"Each row is {table['row']}{absent}.", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def command_line_page() -> str:
    """Return the page of the command line, with a row for every command in its table."""
    page = (HERE / "command-line.md").read_text(encoding="utf-8")
    before, heading, rest = page.partition("## The commands\n")
    rows = ["| command | does | for example |", "|---|---|---|"]
    for node in tree():
        if node.path and not node.inner and node.parser.declared:
            # A pipe would end the cell.
            examples = [f"`narrows {each.partition(' | ')[0]}`" for each in node.parser.declared.examples]
            rows.append(f"| {_command(node)} | {node.summary} | {'<br>'.join(examples)} |")
    return f"{before}{heading}\n" + "\n".join(rows) + "\n\n## " + rest.partition("\n## ")[2]


def others_page() -> str:
    """Return the comparison with other tools, with the ratios of speed that the page of measurements has."""
    measured = (HERE / "performance.md").read_text(encoding="utf-8")
    [ns2] = re.findall(r"`ns2` \((\S+)\) and `libns3-dev`", measured)
    [ns3] = re.findall(r"commit `\w+`, after (\S+);", measured)
    [slower] = re.findall(r"The goal for ns-3 is reached at all points \((\S+ to \S+)\)", measured)
    ratios = re.findall(r"^\| \S+ \S+ \| ns-2, .*?\*\*([\d.]+)\*\*", measured, re.MULTILINE)
    range_ns2 = f"{min(map(float, ratios)):.1f} to {max(map(float, ratios)):.1f}"
    sentence = (
        f"At four dumbbells ns-3 (after {ns3}) needs {slower} times, ns-{ns2} {range_ns2} times the processor time of "
        "Narrows per packet and hop."
    )
    page = (HERE / "others.md").read_text(encoding="utf-8")
    return re.sub(r"(?<=<!-- speed -->\n).*(?=\n<!-- end speed -->)", sentence, page)


def _command(node: Node) -> str:
    """Return the name of a command, with a link to its page if it has one."""
    name = f"`narrows {' '.join(node.path)}`"
    pages = (f"{node.path[0]}.md", f"{node.path[0]}s.md")
    found = [page for page in pages if (HERE / page).is_file()]
    return f"[{name}]({found[0]})" if found else name


def pages() -> dict[str, str]:
    """Return every generated page and figure: path relative to this folder, and text."""
    return {
        "command-line.md": command_line_page(),
        "others.md": others_page(),
        "scenario.md": scenario_page(json.loads(core.schema())),
        "metrics.md": metrics_page(metrics.catalogue()),
        "tables.md": tables_page(schemas()),
        "studies.md": studies_page.page(),
        "recommendations.md": recommendations_page.page(),
        "port.md": port_page.page(),
        "exercises.md": exercises_page.page(),
        **dict(cards.pages()),
        **dict(claims_page.pages()),
        **dict(ccwg_page.pages()),
        **dict(readmes.pages()),
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or check them.

    Args:
        arguments: `--check` or nothing.

    Returns:
        0, or 1 if `--check` finds a page that is not current.
    """
    wanted = pages()
    there = {path.relative_to(HERE).as_posix() for folder in FOLDERS for path in (HERE / folder).glob("*")}
    stale = [name for name, text in wanted.items() if _read(HERE / name) != text]
    left_over = sorted(there - set(wanted))
    if "--check" in arguments:
        for name in stale + left_over:
            sys.stderr.write(
                f"{(HERE / name).resolve().relative_to(HERE.parent)} is not current: run `make generate`\n"
            )
        return int(bool(stale or left_over))
    for name in stale:
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_text(wanted[name], encoding="utf-8")
    for name in left_over:
        (HERE / name).unlink()
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
