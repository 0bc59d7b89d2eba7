# SPDX-License-Identifier: Apache-2.0
"""The annex of a suite as one HTML document, with its figure, and in Markdown, for a draft or a repository."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import NO_DATA, PERCENT
from narrows._internal.drawing.style import Style
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.evaluation.verdict import (
    BETTER,
    BROKEN,
    NOT_APPLICABLE,
    NOT_MEASURED,
    VERDICTS,
    WITHIN,
    WORSE,
    by_criterion,
    counts,
    views,
)
from narrows._internal.linux.backend import LINUX
from narrows._internal.page import document as page
from narrows._internal.page.blocks import REPORT, badge, facts, state, table, typed
from narrows._internal.page.blocks import row as line
from narrows._internal.page.estimates import relative_text
from narrows._internal.page.markdown import code, text
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.report.evaluation import words
from narrows._internal.report.study.rows import rows_panel

Row = Mapping[str, Any]
Criteria = Mapping[tuple[str, str], Sequence[Row]]


def suite_page(summary: Mapping[str, Any]) -> str:
    """Return the report of a suite."""
    rows = summary["rows"]
    seen = views(rows, summary["on"])
    criteria = {name: by_criterion(found) for name, found in seen.items()}
    about = [element("p", _marked(text)) for text in words.preface(summary)]
    parts = [
        page.answer(_answer(seen), distances(seen), REPORT, summary.get("unlike", "")),
        *_worse(seen),
        page.section(
            "overview", "Criteria", element("details", element("summary", "All criteria"), _overview(criteria))
        ),
        page.section("about", "What was measured", *about, _facts(summary), link="About"),
        *(_section(section, by_criterion(found), criteria) for section, found in words.sections(rows).items()),
    ]
    return page.document(summary["title"], "Suite", _badge(seen), parts, paste=_paragraph(summary, seen))


def _paragraph(summary: Mapping[str, Any], seen: Mapping[str, Sequence[Row]]) -> str:
    seeds = sorted(set(summary["seeds"].values()))
    beside = f", beside {' and '.join(summary['references'])}" if summary["references"] else ""
    setting = (
        f"{summary['subject']} was evaluated by {counted(len(summary['rows']), 'row')} of the criteria of "
        f"{summary['source']} in the {summary['size']} size{beside} "
        f"(seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}, on common random numbers)."
    )
    method = (
        "Values were means over replications with 95 % confidence intervals, not corrected for the number of rows; a "
        "row was worse or broken if its whole interval was beyond the bound."
    )
    return pasted(setting, method, _answer(seen), summary["command"])


def _answer(seen: Mapping[str, Sequence[Row]]) -> Iterator[Markup]:
    """Yield a sentence per criterion with broken, worse or better rows, then the number of all other rows."""
    several = len(seen) > 1
    for name, rows in seen.items():
        where = f" ({name})" if several else ""
        alike = [
            (of, [row for row in of if row["verdict"] == verdict])
            for verdict in (BROKEN, WORSE, BETTER)
            for of in by_criterion(rows).values()
        ]
        alike = [(of, judged) for of, judged in alike if judged]
        found = [row for _, judged in alike for row in judged]
        for of, judged in alike[:MOST_NAMED]:
            row = max(judged, key=lambda each: abs(each["excess"]["mean"] or 0.0) if each["excess"] else 0.0)
            others = _others(len(judged) - 1, len(of) - 1)
            at = words.condition(row)
            held = words.against(row)
            link = element("a", f"§{row['section']}", href=f"#{_anchor(row['section'])}")
            title = element("b", f"{row['criterion']}{where}")
            text = f"{words.measured(row)}{f', {held}' if held else ''}{f', at {at}' if at else ''}, "
            css = "better" if row["verdict"] == BETTER else "worse"
            yield join(
                (link, " ", title, ": ", text, element("span", row["verdict"], class_=f"word {css}"), f"{others}.")
            )
        if len(alike) > MOST_NAMED:
            left = sum(len(judged) for _, judged in alike[MOST_NAMED:])
            rows_of = f"{counted(left, 'row')} of {counted(len(alike) - MOST_NAMED, 'more criterion', 'more criteria')}"
            yield join((f"{rows_of}{where} {'is' if left == 1 else 'are'} broken, worse or better; see below.",))
        rest = Counter("within (not decided)" if _is_open(row) else row["verdict"] for row in rows if row not in found)
        listed = ", ".join(f"{count} {verdict}" for verdict, count in rest.items())
        if listed:
            yield join((f"{'Of the other' if found else 'Of all'} {rest.total()} rows{where}: {listed}.",))


def _others(alike: int, others: int) -> str:
    """Return how many other conditions of a criterion have the verdict of the one in the sentence."""
    if not alike:
        return ""
    if alike == others:
        return "; so is the other condition" if others == 1 else f"; so are the other {others} conditions"
    return f"; so {'is' if alike == 1 else 'are'} {alike} of the other {others} conditions"


def _is_open(row: Row) -> bool:
    """Return whether a row is within its bound, but its interval is not."""
    return row["verdict"] == WITHIN and not row["decided"]


def _marked(text: str) -> Markup:
    """Return a text with the parts between grave accents as code."""
    return join(element("code", part) if place % 2 else part for place, part in enumerate(text.split("`")))


def _facts(summary: Mapping[str, Any]) -> Markup:
    entries = [
        ("Criteria", summary["source"]),
        ("Size", summary["size"]),
        *typed(summary["command"]),
        ("Results", element("code", "summary.json")),
        ("Annex in Markdown", element("code", "annex.md")),
    ]
    if summary["kernel"] is not None:
        entries.append(("Kernel", f"{summary['kernel']['kernel']}, {summary['kernel']['timer_hz']} Hz"))
    return facts(entries)


def _badge(seen: Mapping[str, Sequence[Row]]) -> Markup:
    found = {name: counts(rows) for name, rows in seen.items()}
    css, sign = ("open", "!") if any(each[WORSE] for each in found.values()) else ("ok", "✓")
    if any(each[BROKEN] for each in found.values()):
        css, sign = "failed", "✕"
    texts = {
        name: ", ".join(f"{count} {verdict}" for verdict, count in each.items() if count)
        for name, each in found.items()
    }
    text = (
        "; ".join(f"{name}: {each}" for name, each in texts.items()) if len(texts) > 1 else next(iter(texts.values()))
    )
    return badge(css, sign, text)


def _worse(seen: Mapping[str, Sequence[Row]]) -> list[page.Part]:
    """Return the section with all rows that are broken or worse, of all criteria together; none without any."""
    found = [
        (name, row) for of in (BROKEN, WORSE) for name, rows in seen.items() for row in rows if row["verdict"] == of
    ]
    if not found:
        return []
    heads = ("Criterion", "Condition", "Measured", "Compared with", "Verdict", "Again")
    body = []
    for name, row in found:
        link = element("a", f"§{row['section']}", href=f"#{_anchor(row['section'])}")
        where = f" ({name})" if len(seen) > 1 else ""
        on = " --on linux" if name == LINUX else ""
        command = element("code", f"narrows run {shlex.quote(row['scenario'])}{on}") if row["scenario"] else ""
        cells = (words.condition(row), words.measured(row), words.against(row), _state(row), command)
        body.append(line(join((link, f" {row['criterion']}{where}")), *cells))
    title = "Rows that are broken or worse"
    shown = body[:MOST_WORSE]
    more = body[MOST_WORSE:]
    folded = element("details", element("summary", f"{len(more)} more"), table(title, heads, more, "sheet worse"),
                     class_="rows") if more else ""  # fmt: skip
    return [page.section("worse", title, element("p", AGAIN, class_="note"),
                         table(title, heads, shown, "sheet worse", named=False), folded, link="Worse")]  # fmt: skip


def _overview(criteria: Mapping[str, Criteria]) -> Markup:
    first = next(iter(criteria.values()))
    backend = ["Backend"] if len(criteria) > 1 else []
    # Narrow enough for a page of 1280 pixels.
    titles = ("Section", "Criterion", *backend, *("n/a" if each == NOT_APPLICABLE else each for each in STATES))
    body = []
    for section, criterion in first:
        link = element("a", f"§{section}", href=f"#{_anchor(section)}")
        for place, (name, of) in enumerate(criteria.items()):
            cells = [element("td", name)] if backend else []
            cells += [element("td", str(count) if count else "") for count in counts(of[section, criterion]).values()]
            named = (element("th", link, scope="row"), element("td", criterion)) if place == 0 else _SPACE
            body.append(element("tr", *named, *cells))
    return table("Number of rows of each criterion by verdict", titles, body)


def _section(section: str, keys: Iterable[tuple[str, str]], criteria: Mapping[str, Criteria]) -> page.Part:
    parts = []
    for key in keys:
        seen = {name: of[key] for name, of in criteria.items()}
        first = next(iter(seen.values()))
        level = f" ({first[0]['level']})" if first[0]["level"] else ""
        parts.append(element("h3", f"{key[1]}{level}"))
        reason = words.absent([row for rows in seen.values() for row in rows])
        if reason:
            parts.append(element("p", state(*STATES[first[0]["verdict"]]), f": {reason}"))
            continue
        text = f". Predicate: {words.about(first)}."
        parts.append(element("p", element("code", words.measure(first)), text, class_="note"))
        found = Counter(row["verdict"] for rows in seen.values() for row in rows)
        listed = ", ".join(f"{count} {verdict}" for verdict, count in found.items())
        parts.append(element("details", element("summary", f"Rows: {listed}"), _rows(key[1], seen), class_="rows"))
    return page.section(_anchor(section), f"Section {section}", *parts, link=f"§{section}")


def _rows(criterion: str, seen: Mapping[str, Sequence[Row]]) -> Markup:
    several = len(seen) > 1
    titles = ["Condition", *(["Backend"] if several else []), "Measured", "Compared with", "Verdict", "Scenario"]
    titles += ["Minus simulator"] if several else []
    body = []
    for alike in zip(*seen.values(), strict=True):
        for place, (name, row) in enumerate(zip(seen, alike, strict=True)):
            named = element("th", words.condition(row) or "as in the scenario", scope="row")
            file = element("a", "file", href=quote(row["scenario"])) if row["scenario"] else ""
            cells = [element("td", name)] if several else []
            cells += [element("td", each) for each in (words.measured(row), words.against(row))]
            cells += [element("td", _state(row), f" {row['reason']}" if row["reason"] else ""), element("td", file)]
            cells += [element("td", words.difference(row) if place else "")] if several else []
            body.append(element("tr", named if place == 0 else element("td"), *cells))
    return table(criterion, titles, body)


def _state(row: Row) -> Markup:
    css, sign, word = STATES[row["verdict"]]
    if _is_open(row):
        css, sign = "open", "?"
    return state(css, sign, words.verdict(row) if css == "open" else word)


def _anchor(section: str) -> str:
    return f"section-{section.replace(' ', '-')}"


def distances(seen: Mapping[str, Sequence[Row]]) -> list[Figure]:
    """Return a figure per backend with the distances of rows from their bounds; none for a backend without bounds."""
    found = []
    for name, rows in seen.items():
        criteria = {key: [row for row in of if _distance(row) is not None] for key, of in by_criterion(rows).items()}
        whole = sorted(((key, of) for key, of in criteria.items() if of), key=lambda each: -max(map(_reach, each[1])))
        if whole:
            found.append(_figure(name if len(seen) > 1 else "", whole))
    return found


def _figure(backend: str, criteria: Sequence[tuple[tuple[str, str], Sequence[Row]]]) -> Figure:
    shown = criteria[:MOST]
    there = {row["verdict"] for _, of in shown for row in of}

    def draw(paper: Paper) -> Sequence[Panel]:
        names = [f"§{section} {criterion}" for (section, criterion), _ in shown]
        panel = rows_panel(paper, Axis("Beyond the bound", PERCENT, -1.04, 1.04), "", names, row=22.0)
        panel.guide(0.0, "bound", above=True)
        for place, (_, of) in enumerate(shown):
            for row in sorted(of, key=lambda each: list(STYLES).index(each["verdict"]), reverse=True):
                beyond = _distance(row) or 0.0
                at = words.condition(row)
                text = f"{names[place]}{f', {at}' if at else ''}: {words.measured(row)}, {relative_text(beyond)} "
                at_edge = (min(max(beyond, -1.0), 1.0), place)
                panel.event(
                    row["verdict"], at_edge, STYLES[row["verdict"]], f"{text}beyond the bound, {row['verdict']}"
                )
        return [panel]

    caption = (
        (
            "A mark is a row: how far the mean of its measure is beyond its bound (to the right) or within it, in per "
            "cent of the bound; at either edge it is farther. Criteria with the row that is farthest beyond are on top."
        ),
        f"{len(shown)} of {len(criteria)} criteria are drawn." if len(shown) < len(criteria) else "",
        "Rows whose bound is 0 are in the tables alone.",
    )
    keys = [Key(verdict, verdict, "dot", style) for verdict, style in STYLES.items() if verdict in there]
    end = f"-{backend}" if backend else ""
    where = f", {backend}" if backend else ""
    return Figure(f"distances{end}", f"How far rows are from their bounds{where}", caption, keys, draw)


def _distance(row: Row) -> float | None:
    """Return the distance of a row beyond its bound, as a part of the bound; None without either."""
    bound, excess = row.get("bound"), row.get("excess")
    if not bound or not excess or excess["mean"] is None or row["verdict"] not in STYLES:
        return None
    ((kind, value),) = list(bound.items())[:1]
    if not value:
        return None
    return float(excess["mean"]) / abs(float(value)) * (1.0 if kind == "at_most" else -1.0)


def _reach(row: Row) -> float:
    """Return the order of a row: broken or worse rows first, then by the distance beyond the bound."""
    return (_distance(row) or 0.0) + (FAR if row["verdict"] in {BROKEN, WORSE} else 0.0)


def annex(summary: Mapping[str, Any]) -> str:
    """Return the annex as Markdown."""
    parts = [f"# {text(summary['title'])}", f"Criteria: {text(summary['source'])}."]
    parts += [*map(text, words.preface(summary)), _counts(summary)]
    seen = {name: by_criterion(rows) for name, rows in views(summary["rows"], summary["on"]).items()}
    for section, rows in words.sections(summary["rows"]).items():
        parts.append(f"## Section {text(section)}")
        for key in by_criterion(rows):
            parts += _criterion(key[1], {name: found[key] for name, found in seen.items()})
    return "\n\n".join(parts) + "\n"


def _counts(summary: Mapping[str, Any]) -> str:
    seen = views(summary["rows"], summary["on"])
    titles = list(seen) if len(seen) > 1 else ["rows"]
    head = [f"| verdict | {' | '.join(titles)} |", "|---|" + "--:|" * len(titles)]
    body = [
        f"| {verdict} | {' | '.join(words.count(rows, verdict) for rows in seen.values())} |" for verdict in VERDICTS
    ]
    return "\n".join(head + body)


def _criterion(criterion: str, seen: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    first, *others = seen.values()
    level = f" ({text(first[0]['level'])})" if first[0]["level"] else ""
    parts = [f"**{text(criterion)}**{level}"]
    reason = words.absent([row for rows in seen.values() for row in rows])
    if reason:
        return [*parts, f"{first[0]['verdict'].capitalize()}: {text(reason)}."]
    backend = ["on"] if others else []
    last = ["minus simulator"] if others else []
    titles = ["condition", *backend, "measured", "compared with", "verdict", "scenario", *last]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for alike in zip(*seen.values(), strict=True):
        for name, row in zip(seen, alike, strict=True):
            cells = [words.condition(row), *([name] if others else []), words.measured(row), words.against(row)]
            cells = [
                *map(text, [*cells, _verdict(row)]),
                f"[file]({quote(row['scenario'])})" if row["scenario"] else "",
            ]
            cells += [words.difference(row) if name == LINUX else ""] if others else []
            lines.append(f"| {' | '.join(cells)} |")
    named = f"{code(words.measure(first))}. Predicate: {text(words.about(first))}."
    return [*parts, named, "\n".join(lines)]


def _verdict(row: Mapping[str, Any]) -> str:
    return words.verdict(row) + (f": {row['reason']}" if row["reason"] else "")


# Rows that the answer names.
MOST_NAMED = 6
# Rows that stand together on top, and are not folded away.
MOST_WORSE = 10
AGAIN = "The commands run in the folder of this page; --out FOLDER keeps the run, and narrows why FOLDER explains it."
# In the second line of a criterion or condition, in place of repeated text.
_SPACE = (element("td"), element("td"))
STATES = {
    BROKEN: ("failed", "✕", BROKEN),
    WORSE: ("failed", "▼", WORSE),
    WITHIN: ("ok", "✓", WITHIN),
    BETTER: ("ok", "▲", BETTER),
    NOT_APPLICABLE: ("absent", NO_DATA, NOT_APPLICABLE),
    NOT_MEASURED: ("absent", NO_DATA, NOT_MEASURED),
}
STYLES = {BROKEN: Style(6, 0, 5), WORSE: Style(1, 0, 4), BETTER: Style(2, 0, 3), WITHIN: Style(0, 0, 0)}
# Criteria of a figure.
MOST = 30
FAR = 1e9
