"""Writes the reference pages from what the program itself knows, so that they cannot drift.

`python docs/generate.py` writes `scenario.md` and `metrics.md` beside itself, and a page with a figure for each card in
`algorithms` and `queues`; `--check` writes nothing and fails if one of them is not what it would write.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cards
import studies_page
from cards import cell

from narrows import core

HERE = Path(__file__).parent
FOLDERS = ("algorithms", "queues")
TOP_LEVEL = 2
DEEPEST_LEVEL = 4
SCENARIO_PREFACE = """\
# The scenario file

A scenario is a TOML file. Keys are strict: an unknown one is an error. A number with a unit is a string with its unit
(`"10Mbps"`, `"40ms"`, `"64KiB"`, `"100pkt"`, `"1.5bdp"`, `"1%"`); a bare number where a unit is needed is an error that
says which units are allowed. `narrows check FILE` names every fault with line and column, and the folder of a run holds
the scenario as it was resolved, with every default written out."""
METRICS_PREFACE = """\
All are taken after the warm-up unless they say otherwise. Intervals over replications are Student's, 95 %.

A measure with parameters is taken of the series of a run, on request: `narrows run FILE --measure 'cov(bin=10s)'`, an
`[[expect]]` clause of a scenario, or `narrows.measures.evaluate(run, "cov(bin=10s)", group="cubic")` in Python. Its
bare name has the defaults, which stand in parentheses behind each parameter. Every summary holds `cov` and
`jain(scale=1s)` of groups. Series have intervals of `record.interval`, and measures of flows need the series of flows
(`record.flows`). Of a group, a measure of a flow is the mean over those of its flows that have one; of a
group whose transfers come and go it is taken of all its transfers together (`census`), where that says something."""
Schema = dict[str, Any]


def scenario_page(schema: Schema) -> str:
    """The page of every key of a scenario file, a table of keys after the other.

    Args:
        schema: JSON Schema of the scenario file.

    Returns:
        The page as Markdown.
    """
    return f"{SCENARIO_PREFACE}\n\n{keys_table('The whole file', schema, {})}\n"


def keys_table(title: str, table: Schema, known: dict[str, str], level: int = TOP_LEVEL) -> str:
    """One table's keys, then the tables below it.

    Args:
        title: Its heading.
        table: Its JSON Schema, of type `object`.
        known: Which key was the first to hold what; a key that holds the same is only referred to it. Grows.
        level: Depth of the heading.

    Returns:
        Markdown.
    """
    parts = [f"{'#' * level} {title}"]
    if "description" in table and level > TOP_LEVEL:
        parts.append(table["description"])
    required = set(table.get("required", []))
    rows = ["| key | holds | meaning |", "|---|---|---|"]
    below: list[str] = []
    for name, key in table["properties"].items():
        meaning = key.get("description", "")
        if name in required:
            meaning += " **Required.**"
        path = f"`{name}`" if level == TOP_LEVEL else f"{title}: `{name}`"
        held = json.dumps({word: value for word, value in key.items() if word != "description"}, sort_keys=True)
        if held in known:
            rows.append(f"| `{name}` | the same as {known[held]} | {cell(meaning)} |")
            continue
        rows.append(f"| `{name}` | {cell(holds(key))} | {cell(meaning)} |")
        tables = tables_below(path, key, known, level + 1)
        if tables:
            known[held] = path
        below.extend(tables)
    return "\n\n".join([*parts, "\n".join(rows), *below])


def tables_below(title: str, key: Schema, known: dict[str, str], level: int) -> list[str]:
    """The tables that a key may hold.

    Args:
        title: What their headings begin with.
        key: The key's JSON Schema.
        known: Which key was the first to hold what.
        level: Depth of their headings.

    Returns:
        Markdown of each.
    """
    if key.get("type") == "object" and "properties" in key:
        return [keys_table(title, key, known, min(level, DEEPEST_LEVEL))]
    if key.get("type") == "array":
        return tables_below(title, key["items"], known, level)
    forms = [form for form in key.get("anyOf", []) if form.get("type") == "object" and "properties" in form]
    return [keys_table(f"{title}, {form_name(form)}", form, known, min(level, DEEPEST_LEVEL)) for form in forms]


def form_name(form: Schema) -> str:
    """What tells one form of a table from the others."""
    kind = form["properties"].get("kind", {}).get("const")
    return f'kind `"{kind}"`' if kind else "as a table"


def holds(key: Schema) -> str:
    """What a key may hold, in words."""
    if "anyOf" in key:
        return ", or ".join(dict.fromkeys(holds(form) for form in key["anyOf"]))
    if "const" in key or "enum" in key:
        return ", ".join(f"`{json.dumps(word)}`" for word in key.get("enum", [key.get("const")]))
    if key.get("type") == "object" and "properties" not in key:
        return f"a table of names, each with {holds(key['additionalProperties'])}"
    if key.get("type") == "object":
        return f"a table, {form_name(key)}" if "kind" in key.get("properties", {}) else "a table"
    if key.get("type") == "array":
        return f"a list of: {holds(key['items'])}"
    percentage = 'a percentage, as in `"1%"`' if key.get("pattern") == "%$" else None
    words = {"string": "text", "boolean": "true or false", "integer": "a whole number", "number": "a number"}
    return key.get("$comment") or percentage or words[key["type"]] + bounds(key)


def bounds(key: Schema) -> str:
    """The bounds of a number, in words."""
    low = f" from {key['minimum']}" if "minimum" in key else ""
    low = f" above {key['exclusiveMinimum']}" if "exclusiveMinimum" in key else low
    return low + (f" to {key['maximum']}" if "maximum" in key else "")


def metrics_page(metrics: list[Schema]) -> str:
    """The page of all measures."""
    parts = ["# Measures", METRICS_PREFACE]
    for of in ("group", "flow", "pair", "link"):
        rows = ["| measure | unit | better | definition | source |", "|---|---|---|---|---|"]
        rows += [
            f"| `{m['name']}` | {m['unit']} | {m['better']} | {cell(m['summary'])}{choices(m)} | {cell(m['source'])} |"
            for m in metrics
            if m["family"] == of
        ]
        parts += ["## Of a group against another" if of == "pair" else f"## Of a {of}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def choices(metric: Schema) -> str:
    """What can be chosen about a measure, with defaults."""
    told = "; ".join(
        f"`{p['name']}` ({p['default'] or 'to be given'}): {cell(p['meaning'])}" for p in metric["parameters"]
    )
    return f". *{told}*" if told else ""


def pages() -> dict[str, str]:
    """Every generated page and figure: path below this folder, and text."""
    return {
        "scenario.md": scenario_page(json.loads(core.schema())),
        "metrics.md": metrics_page(core.metrics()),
        "studies.md": studies_page.page(),
        **dict(cards.pages()),
    }


def main(arguments: list[str]) -> int:
    """Writes the pages, or checks them.

    Args:
        arguments: `--check` or nothing.

    Returns:
        0, or 1 if a page that was to be checked is not current.
    """
    wanted = pages()
    there = {path.relative_to(HERE).as_posix() for folder in FOLDERS for path in (HERE / folder).glob("*")}
    stale = [name for name, text in wanted.items() if _read(HERE / name) != text]
    left_over = sorted(there - set(wanted))
    if "--check" in arguments:
        for name in stale + left_over:
            sys.stderr.write(f"docs/{name} is not current: run `python docs/generate.py`\n")
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
