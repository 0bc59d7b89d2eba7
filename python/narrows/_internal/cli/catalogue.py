# SPDX-License-Identifier: Apache-2.0
"""`narrows list` and `narrows show`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import known
from narrows._internal.cli.command import DONE, LOOK_UP, Command
from narrows._internal.cli.options import common
from narrows._internal.names import UnknownNameError

if TYPE_CHECKING:
    from narrows._internal.library import ScenarioFile


def list_kind(arguments: argparse.Namespace) -> int:
    """Print the entries of one kind, one per line or as JSON."""
    from narrows import metrics
    from narrows._internal import cards, core, library
    from narrows._internal.files.json_objects import to_json

    known = {
        "algorithms": cards.algorithms,
        "queues": cards.queues,
        "scenarios": library.scenarios,
        "studies": library.studies,
        "metrics": metrics.catalogue,
        "presets": core.presets,
        "links": cards.links,
        "field-reports": library.field_reports,
    }
    entries = known[arguments.kind]()
    if arguments.json:
        print(to_json(entries))
        return DONE
    name_width = max((len(entry["name"]) for entry in entries), default=0)
    family_width = max((len(entry["family"]) for entry in entries), default=0)
    for entry in entries:
        about = entry.get("summary") or entry.get("title") or entry["source"] or ""
        if arguments.kind == "metrics" and entry["parameters"]:
            choices = ", ".join(f"{each['name']}={each['default'] or '…'}" for each in entry["parameters"])
            about = f"({choices}) {about}"
        elif arguments.kind == "links":
            about = f"{_measured(entry)} {about}; statistics of: {entry['source']}"
        elif arguments.kind == "field-reports":
            about = f"{entry['question']} Fails: {entry['fails']}. Holds: {entry['holds']}. {entry['command']}"
        print(f"{entry['name']:{name_width}}  {entry['family']:{family_width}}  {about}".rstrip())
    return DONE


def _measured(link: dict[str, Any]) -> str:
    """Return the rate of a link over time, its mean, the share of time at less than half of it, and its length."""
    import sys

    bars = BARS
    try:
        bars.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        bars = DIGITS
    bins: list[list[int]] = [[] for _ in range(BINS)]
    for start_s, bps in link["steps"]:
        bins[int(start_s / link["length_s"] * BINS)].append(bps)
    means = [sum(each) / len(each) for each in bins]
    line = "".join(bars[min(int(mean / max(means) * len(bars)), len(bars) - 1)] for mean in means)
    mean, below = f"{link['mean_bps'] / 1e6:.3g} Mbps", f"{link['below_half']:.0%}"
    return f"{line}  {mean}, below half of it for {below} of {link['length_s']:.0f} s:"


def show(arguments: argparse.Namespace) -> int:
    """Print the card of an algorithm, a queue or a preset, or the file of a scenario."""
    from narrows._internal import cards, core, library
    from narrows._internal.external.card import external_card
    from narrows._internal.external.source import is_external
    from narrows._internal.files.json_objects import to_json

    if is_external(arguments.name):
        card = external_card(arguments.name)
        print(to_json(card) if arguments.json else render(card))
        return DONE
    if arguments.name == HEADER and not arguments.json:
        print(core.c_header(), end="")
        return DONE
    known = [*cards.algorithms(), *cards.queues(), *core.presets()]
    named = [card for card in known if card["name"] == arguments.name]
    scenarios = library.library()
    if not named and arguments.name in scenarios:
        return _show_scenario(arguments.name, scenarios[arguments.name], as_json=arguments.json)
    if not named:
        there = [*(card["name"] for card in known), *scenarios]
        hint = "`narrows list` names algorithms, queues, presets and scenarios"
        raise UnknownNameError("name", arguments.name, there, hint)
    if arguments.json:
        print(to_json(named if len(named) > 1 else named[0]))
    else:
        print("\n\n\n".join(map(render, named)))
    return DONE


def _show_scenario(name: str, found: ScenarioFile, *, as_json: bool) -> int:
    """Print the file of a scenario of the library; of a case, its changes behind the file."""
    from narrows._internal import library
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.files.text import read_text

    if as_json:
        print(to_json(next(each for each in library.scenarios() if each["name"] == name)))
        return DONE
    print(read_text(found.file), end="")
    for change in found.changes:
        print(f"# --set {shlex.quote(change)}")
    return DONE


def render(card: dict[str, Any]) -> str:
    """Return a card as text for a terminal of 80 columns."""
    from textwrap import fill

    parts = [
        f"{card['name']} ({card['family']})\n{fill(card['summary'], WIDTH)}",
        _section("Source", [card["source"]]),
    ]
    if "equations" not in card:
        values = [f"{each['name']} = {each['default']}: {each['meaning']}" for each in card["parameters"]]
        return "\n\n".join([*parts, _section("Values", values)])
    parts += [
        _section("Equations", card["equations"]),
        _section("Parameters", [_parameter(each) for each in card["parameters"]] or ["none"]),
        _section("Variables", [_variable(each) for each in card["variables"]] or ["none"]),
        _section("Deviations", card["deviations"] or ["none"]),
        _section("Validation", _validation(card)),
    ]
    if card["judged"]:
        parts.append(
            _section(
                "Comparison with ns-2 and Linux (reference, Narrows, difference)", map(_references, card["judged"])
            )
        )
    return "\n\n".join(parts)


def _validation(card: dict[str, Any]) -> list[str]:
    if card.get("comparisons"):
        return [f"{each['what']}: {each['result']}" for each in card["comparisons"]]
    return [card["validation"] or "unvalidated: not compared with a closed form or a reference"]


def _references(row: dict[str, Any]) -> str:
    verdict = f"within {row['tolerance']}" if row["agrees"] else f"not within {row['tolerance']}"
    cause = f": {row['cause']}" if row["cause"] else ""
    values = f"{row['theirs']}, {row['ours']}, {row['difference']}"
    return f"{row['scenario']} {row['measure']}: {values}; {verdict}{cause}"


def _section(title: str, lines: Iterable[str]) -> str:
    from textwrap import fill

    body = [fill(line, WIDTH, initial_indent="  ", subsequent_indent="    ") for line in lines]
    return "\n".join([title, *body])


def _parameter(parameter: dict[str, Any]) -> str:
    name, default = parameter["name"], parameter["default"]
    unit = f" {parameter['unit']}" if parameter.get("unit") else ""
    value = f"{name}: must be given" if default in {None, ""} else f"{name} = {default}{unit}"
    if "meaning" not in parameter:
        # Of a class in Python only its signature is known.
        return value
    source = f" ({parameter['source']})" if parameter["source"] else ""
    return f"{value}: {parameter['meaning']}; {parameter['allowed']}{source}"


def _variable(variable: dict[str, Any]) -> str:
    unit = f" ({variable['unit']})" if variable["unit"] else ""
    meaning = f": {variable['meaning']}" if variable["meaning"] else ""
    return f"{variable['name']}{unit}{meaning}"


KINDS = ("algorithms", "queues", "scenarios", "studies", "metrics", "presets", "links", "field-reports")
# Heights of a rate over time, and heights for an output that has no such characters.
BARS = "▁▂▃▄▅▆▇█"
DIGITS = "12345678"
BINS = 30
WIDTH = 80
# The name of the C header of controllers.
HEADER = "header"


def _list(command: argparse.ArgumentParser) -> None:
    command.add_argument("kind", choices=KINDS, help="what to list")
    common(command, "json")


def _show(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="name of an algorithm, queue, preset or scenario")
    common(command, "json")


COMMANDS = (
    Command(
        "list",
        "list algorithms, queues, scenarios, studies, metrics, presets, links or field reports",
        LOOK_UP,
        _list,
        ("list algorithms", "list scenarios --json"),
        job=list_kind,
    ),
    Command(
        "show",
        "print the card of an algorithm, queue or preset, or a scenario file",
        LOOK_UP,
        _show,
        ("show cubic", "show call > mine.toml"),
        {"name": known.shown},
        show,
    ),
)
