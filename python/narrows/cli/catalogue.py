"""`narrows list` and `narrows show`."""

from __future__ import annotations

from difflib import get_close_matches
from textwrap import fill
from typing import TYPE_CHECKING, Any

from narrows import cards, core, library
from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.guest_card import guest_card, is_guest
from narrows.manifest import to_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable


def list_kind(arguments: argparse.Namespace) -> int:
    """Print what there is of one kind, a line each."""
    entries = KINDS[arguments.kind]()
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
        print(f"{entry['name']:{name_width}}  {entry['family']:{family_width}}  {about}".rstrip())
    return DONE


def show(arguments: argparse.Namespace) -> int:
    """Print the card of an algorithm or a queue; of both where an end host and its router have one name."""
    if is_guest(arguments.name):
        card = guest_card(arguments.name)
        print(to_json(card) if arguments.json else render(card))
        return DONE
    known = [*cards.algorithms(), *cards.queues()]
    named = [card for card in known if card["name"] == arguments.name]
    if not named:
        near = get_close_matches(arguments.name, [card["name"] for card in known], n=1)
        hint = f"did you mean {near[0]}?" if near else "`narrows list algorithms` and `narrows list queues` name them"
        raise InputError(arguments.name, f"no algorithm or queue has this name; {hint}")
    if arguments.json:
        print(to_json(named if len(named) > 1 else named[0]))
    else:
        print("\n\n\n".join(map(render, named)))
    return DONE


def render(card: dict[str, Any]) -> str:
    """Write a card as text for a terminal of 80 columns."""
    parts = [
        f"{card['name']} ({card['family']})\n{fill(card['summary'], WIDTH)}",
        _section("Source", [card["source"]]),
        _section("Equations", card["equations"]),
        _section("Parameters", [_parameter(each) for each in card["parameters"]] or ["none"]),
        _section("Deviations", card["deviations"] or ["none"]),
        _section("Validation", [card["validation"] or "unvalidated: no judge has seen it"]),
    ]
    if card["judged"]:
        parts.append(_section("Judged by ns-2 and Linux, whose figures come first", map(_judged, card["judged"])))
    return "\n\n".join(parts)


def _judged(row: dict[str, Any]) -> str:
    verdict = f"within {row['tolerance']}" if row["agrees"] else f"not within {row['tolerance']}"
    cause = f": {row['cause']}" if row["cause"] else ""
    said = f"{row['theirs']}, ours {row['ours']}: {row['difference']}, {verdict}{cause}"
    return f"{row['scenario']} {row['measure']}: {said}"


def _section(title: str, lines: Iterable[str]) -> str:
    body = [fill(line, WIDTH, initial_indent="  ", subsequent_indent="    ") for line in lines]
    return "\n".join([title, *body])


def _parameter(parameter: dict[str, Any]) -> str:
    value = f"{parameter['name']} = {parameter['default']}"
    if "meaning" not in parameter:
        # Of a class in Python only its signature is known.
        return value if parameter["default"] is not None else f"{parameter['name']}: must be given"
    if "allowed" in parameter:
        unit = f" {parameter['unit']}" if parameter["unit"] else ""
        return f"{value}{unit}: {parameter['meaning']}; {parameter['allowed']} ({parameter['source']})"
    # A queue's value is written with its unit, of which there may be several to choose from.
    units = f" (in {parameter['unit']})" if parameter["unit"] else ""
    return f"{value}{units}: {parameter['meaning']} ({parameter['source']})"


KINDS = {
    "algorithms": core.algorithms,
    "queues": core.queues,
    "scenarios": library.scenarios,
    "studies": library.studies,
    "metrics": core.metrics,
}
WIDTH = 80
