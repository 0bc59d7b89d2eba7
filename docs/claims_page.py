# SPDX-License-Identifier: Apache-2.0
"""The pages of the published studies and of all their claims, from the claims, ledgers and tables in `studies/`."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import claims_figures
import claims_tables
import findings_page
import printed_bars
from cards import cell
from predicates import Formulas
from quoted import quoted

from narrows._internal.reproduction.agreement import factor_of
from narrows._internal.reproduction.causes import by_class, decides_of, evidence_of, shortened
from narrows._internal.reproduction.headline import by_strength, headline
from narrows._internal.reproduction.ledger import NOT_TESTABLE, RETESTED, STATED
from narrows._internal.reproduction.predicate import HOLDS
from narrows._internal.reproduction.registry import origin_text, published_studies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows._internal.reproduction.claims import Claim
    from narrows._internal.reproduction.registry import StudyFolder

    Ledger = Mapping[str, Any]
    Entry = Mapping[str, Any]


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path below `docs` and the text of every page and figure."""
    known = published_studies()
    known.sort(key=lambda study: study.published.number)
    yield "findings.md", findings_page.page([(study, ledgers_of(study)) for study in known])
    yield "studies/claims.md", "\n\n".join([PREFACE, *(_claims_of(study) for study in known)]) + "\n"
    for study in known:
        yield f"studies/{study.name}.md", _study_page(study)
        for ledger in ledgers_of(study):
            name = f"studies/{study.name}-{ledger['size']}.svg"
            yield name, claims_figures.margins(ledger)
        if tables := _compared(study):
            for number, drawn in enumerate(printed_bars.bars(tables, study.published.labels), 1):
                yield f"studies/{study.name}-printed-{number}.svg", drawn


def ledgers_of(study: StudyFolder) -> list[Ledger]:
    """Return the ledgers that a study has, of its larger size first."""
    found = [study.ledger, study.ledger_quick]
    return list({each["size"]: each for each in found if each is not None}.values())


def _tables(study: StudyFolder) -> dict[str, Any]:
    """Return the tables of a study's larger size, and those of the quick size of which the larger one lacks values."""
    found: dict[str, Any] = {}
    calibrations: dict[str, Any] = {}
    for content in reversed(study.tables):
        size = f" ({content['size'].capitalize()} size.)" if len(study.tables) > 1 else ""
        for each in content["calibrations"]:
            if all(part["values"] for row in each["rows"].values() for part in row):
                calibrations[each["title"]] = {**each, "caption": each["caption"] + size}
        for each in content["tables"]:
            if each["title"] not in found or _values(each) >= _values(found[each["title"]]):
                found[each["title"]] = {**each, "caption": each["caption"] + size}
    return {**study.tables[0], "tables": list(found.values()), "calibrations": list(calibrations.values())}


def _values(table: Mapping[str, Any]) -> int:
    return sum(value is not None for row in table["rows"].values() for value in row["ours"])


def _compared(study: StudyFolder) -> dict[str, Any] | None:
    """Return the tables that have values of the source; None if there are none."""
    tables = study.tables[0]
    compared = [each for each in tables["tables"] if each["agreement"]["values"]]
    return {**tables, "tables": compared} if tables["values"] else None


def _account(study: StudyFolder) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return tomllib.loads((study.folder / "account.toml").read_text(encoding="utf-8"))


def _study_page(study: StudyFolder) -> str:
    published, ledgers, account = study.published, ledgers_of(study), _account(study)
    parts = [
        f"# {published.title}",
        f"Study {published.number}: {published.source}. *{published.question}*",
        f"    narrows reproduce {study.name} --quick",
        "[All its claims](claims.md#study-" + published.number + "), with test, interval, verdict and cause.",
        "## What it is known for",
        findings_page.table(findings_page.found_in(study, ledgers), "claims.md"),
        findings_page.CAPTION,
        "## In one paragraph",
        *(_headline(ledger) for ledger in ledgers),
        *_origins(study, ledgers),
    ]
    for ledger in ledgers:
        image = f"{study.name}-{ledger['size']}.svg"
        parts += [
            f"## Verdicts of the {ledger['size']} size",
            f"![Distance of each claim from its bound, {ledger['size']} size]({image})",
            claims_figures.CAPTION,
            _counts(ledger),
        ]
    if tables := _compared(study):
        parts += ["## Ours beside the published values", *_agreement(study, tables)]
    else:
        parts += ["## Ours beside the published values", NO_TABLES]
    parts += ["## Claims that do not hold", *failing(ledgers)] if ledgers else []
    discussion = study.folder / "discussion.md"
    if discussion.is_file():
        text = discussion.read_text(encoding="utf-8").strip()
        parts += ["## Discussion", _linked(claims_tables.expanded(text, _tables(study), published.labels, ledgers))]
    parts += [
        "## Deviations from the source",
        quoted(_grid(("what", "source", "ours", "why"), account["deviations"]), ledgers),
        "## Threats to validity",
        quoted(_grid(("what", "so"), [*account["threats"], *THREATS]), ledgers),
        "## Tests that were changed after data were seen",
        _grid(("date", "claims", "what", "effect"), account["changes"]),
    ]
    return "\n\n".join(parts) + "\n"


def _origins(study: StudyFolder, ledgers: Sequence[Ledger]) -> Iterator[str]:
    """Yield whence the verdicts of each size are, with a warning if that is an earlier simulator."""
    for ledger in ledgers:
        size = ledger["size"].capitalize()
        yield f"{size} size: {origin_text(study.origin(ledger))}."
        if since := ledger["outdated"]:
            warning = f"The verdicts of the {size} size are of an earlier simulator, and may be others now:"
            yield f"**{warning}** since then {since}."


def _linked(text: str) -> str:
    """Return a text in which every claim that it names is a link."""
    return re.sub(r"\b00[0-4]-\d{3}\b", lambda found: _link(found[0]), text)


def _headline(ledger: Ledger) -> str:
    first, *rest = headline(ledger)
    return " ".join([f"**{first}**", *rest])


def _counts(ledger: Ledger) -> str:
    rows = [f"| | {' | '.join(STATED)} |", "|---|" + "--:|" * len(STATED)]
    for name, found in by_strength(ledger["claims"]).items():
        rows.append(f"| {name} | " + " | ".join(str(count) for count in found.values()) + " |")
    return "\n".join(rows)


def _agreement(study: StudyFolder, tables: Mapping[str, Any]) -> Iterator[str]:
    factor = claims_tables.two_digits(tables["median_factor"])
    yield (
        f"{tables['values']} published values have a counterpart at the {tables['size']} size; ours differ by a median "
        f"factor of {factor}. `tables.json` has every value with its interval."
    )
    for number in range(1, len(printed_bars.bars(tables, study.published.labels)) + 1):
        yield f"![Our values beside the published ones, {number}]({study.name}-printed-{number}.svg)"
    yield printed_bars.CAPTION
    if tables["quantities"]:
        yield _by(
            "quantity",
            tables["quantities"],
            {"rank_correlation": "rank correlation", "rank_correlation_within_settings": "within settings"},
        )
        of_tables = [{"table": each["title"], **each["agreement"]} for each in tables["tables"]]
        yield _by("table or figure", of_tables, {"rank_correlation_within_columns": "rank correlation within columns"})
    if tables["printed"]:
        rows = ["| value of the text | claim | printed | ours | factor |", "|---|---|--:|--:|--:|"]
        for each in tables["printed"]:
            ours = "-" if each["ours"] is None else claims_tables.number(each["ours"])
            factor = claims_tables.two_digits(factor_of(each["ours"], each["published"]))
            rows.append(f"| {cell(each['of'])} | {_link(each['claim'])} | {each['published']:g} | {ours} | {factor} |")
        yield "\n".join(rows)


def _by(heading: str, entries: Sequence[Mapping[str, Any]], ranks: Mapping[str, str]) -> str:
    """Return the table of the agreement of several groups of values."""
    rows = [
        f"| {heading} | values | {' | '.join(ranks.values())} | median factor |",
        "|---|--:" + "|--:" * len(ranks) + "|--:|",
    ]
    for each in entries:
        numbers = [claims_tables.two_digits(each[name]) for name in (*ranks, "median_factor")]
        rows.append(f"| {cell(next(iter(each.values())))} | {each['values']} | {' | '.join(numbers)} |")
    return "\n".join(rows)


def failing(ledgers: Sequence[Ledger]) -> Iterator[str]:
    """Yield the claims that do not hold at the larger size, or at the quick one if only that has run their cells."""
    sizes = {}
    for entries in zip(*(ledger["claims"] for ledger in ledgers), strict=True):
        ran = [number for number, entry in enumerate(entries) if entry["verdict"] != NOT_TESTABLE]
        number = ran[0] if ran else 0
        sizes[entries[number]["id"]] = (entries[number], f" ({ledgers[number]['size']} size)" if number else "")
    for whose, claims in by_class(entry for entry, _ in sizes.values()).items():
        rows = [
            f"Cause {whose}:\n",
            "| claim | strength | verdict | what is known | evidence | what decides |",
            "|---|---|---|---|---|---|",
        ]
        for claim in claims:
            texts = (shortened(claim["cause"] or ""), "; ".join(evidence_of(claim)), decides_of(claim))
            shown = " | ".join(cell(each) for each in texts)
            verdict = claim["verdict"] + sizes[claim["id"]][1] + findings_page.mark([claim])
            rows.append(f"| {_link(claim['id'])} | {claim['strength']} | {verdict} | {shown} |")
        yield "\n".join(rows)
    if untested := [entry["id"] for entry, _ in sizes.values() if entry["verdict"] == NOT_TESTABLE]:
        yield f"Not testable: {', '.join(map(_link, untested))}."


def _link(claim: str) -> str:
    return f"[{claim}](claims.md#claim-{claim})"


def _grid(names: Sequence[str], entries: Sequence[Mapping[str, Any]]) -> str:
    rows = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for entry in entries:
        values = [entry[name] for name in names]
        texts = [", ".join(value) if isinstance(value, list) else str(value) for value in values]
        rows.append("| " + " | ".join(cell(text) for text in texts) + " |")
    return "\n".join(rows)


def _claims_of(study: StudyFolder) -> str:
    ledgers = ledgers_of(study)
    entries = {ledger["size"]: {claim["id"]: claim for claim in ledger["claims"]} for ledger in ledgers}
    parts = [
        f'<a id="study-{study.published.number}"></a>\n\n## Study {study.published.number}: {study.published.title}',
        f"[The study's page]({study.name}.md). {study.published.source}.",
    ]
    parts += _origins(study, ledgers)
    size = ledgers[0]["size"] if ledgers else "quick"
    formulas = Formulas(study, size)
    if ledgers:
        classes = by_class(ledgers[0]["claims"]).items()
        listed = [f"* {whose}: {', '.join(_here(each['id']) for each in own)}" for whose, own in classes]
        parts += ["Claims that do not hold, by whose the cause is:", "\n".join(listed)] if listed else []
    parts += _quantities(formulas)
    for claim in study.claims(size).claims:
        parts.append(_claim(claim, formulas, {size: each[claim.id] for size, each in entries.items()}))
    return "\n\n".join(parts)


def _here(claim: str) -> str:
    return f"[{claim}](#claim-{claim})"


def _quantities(formulas: Formulas) -> list[str]:
    lines = [f"* {each}" for each in formulas.quantities()]
    return ["Quantities that its tests name:", "\n".join(lines)] if lines else []


def _claim(claim: Claim, formulas: Formulas, entries: Mapping[str, Entry]) -> str:
    kind = "check of the implementation" if claim.check else claim.strength
    lines = [
        f'<a id="claim-{claim.id}"></a>\n\n**{claim.id}** {claim.statement} *({kind}; {claim.place})*',
        *_listed("Test", formulas.direction(claim.id) if claim.direction else [f"none; {cell(claim.not_testable)}"]),
    ]
    if claim.magnitude:
        lines += _listed(f"Magnitude ({claim.magnitude.whose})", formulas.magnitude(claim.id))
    if claim.published:
        lines.append(f"* Published: {cell(claim.published)}")
    for size, entry in entries.items():
        lines.append(f"* {_verdict(size, entry)}")
        if entry["cause"] and entry["verdict"] not in {HOLDS, NOT_TESTABLE}:
            lines += [f"  {each}" for each in _cause(entry)]
    if claim.note:
        lines.append(f"* Note: {cell(claim.note)}")
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def _cause(entry: Entry) -> list[str]:
    """Return the lines of the cause of a claim: what is known, whose it is, what shows it and what decides."""
    lines = [f"Cause: {cell(entry['cause'])}"]
    if explained := entry["explained"]:
        evidence = evidence_of(entry)
        facts = [f"Whose: {explained['whose']}", *([f"evidence: {'; '.join(evidence)}"] if evidence else [])]
        facts += [f"what decides: {decides}"] if (decides := decides_of(entry)) else []
        lines.append(cell(". ".join(facts)))
    return lines


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    return [f"* {title}: {lines[0]}", *lines[1:]]


def _verdict(size: str, entry: Entry) -> str:
    text = f"{size.capitalize()}{findings_page.mark([entry])}: **{entry['verdict']}**"
    text += f", {RETESTED}" if entry["cause"] == RETESTED else ""
    if entry["effect"] is not None and entry["ci95"]:
        unit = f" {entry['unit']}" if entry["unit"] else ""
        low, high = entry["ci95"]
        text += (
            f", {entry['effect']:.3g}{unit} ({low:.3g} to {high:.3g}), {entry['seeds']} seeds, {entry['parts']} parts"
        )
        text += f" `{claims_figures.strip(entry)}`"
    changed = [f"{name}: {verdict}" for name, verdict in (entry["variants"] or {}).items()]
    text += f"; under variants {', '.join(changed)}" if changed else ""
    for judge, judged in (entry["judged"] or {}).items():
        text += f"; by the cells of {judge}: {judged['verdict']}"
        if judged["effect"] is not None and judged["ci95"]:
            low, high = judged["ci95"]
            text += f", {judged['effect']:.3g} ({low:.3g} to {high:.3g}), {judged['seeds']} seeds"
    return text


PREFACE = """\
# All claims of the published studies

The 300 claims with their tests, and what was found; [reproduce.md](../reproduce.md) describes tests and verdicts. The
bar after a verdict shows the 95 % interval `─●─` and the bound `│` (`┆` if it is not claimed itself); the claimed side
is shaded `░`.

In a test, `metric[condition]` is a metric of the cells under a condition, `name(x = value)` a quantity that is defined
before the study's first claim, `{x}` is replaced by each of the values that follow the formula or its semicolon, and
`mean(…; cells)` combines several cells of a replication."""
NO_TABLES = "The source prints no value that this size can be compared with."
THREATS = [
    {"what": "many claims and many variants", "so": "one in forty verdicts may be wrong by chance alone"},
    {
        "what": "seeds were raised where claims were open",
        "so": "mild optional stopping in the quick sizes; `--decide` is free of it",
    },
]
