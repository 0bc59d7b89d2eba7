# SPDX-License-Identifier: Apache-2.0
"""The scenario with the links that lines of `tc` describe, as a file that people go on with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from narrows._internal.formats.tc import lines, link, words
from narrows._internal.formats.tc.draft import DEVICE_BPS, FLOW, Draft


def scenario(text: str) -> str:
    """Return the scenario of lines of `tc`; words without counterpart are named in its comments.

    Raises:
        InputError: A line builds no link, or has a word that is unknown or changes what a link is.
    """
    commands, chains = lines.read(text)
    drafts = [link.read(chain) for chain in chains]
    several = len(chains) > 1
    notes = [
        f"{chain.device}: {note}" if several else note
        for chain, draft in zip(chains, drafts, strict=True)
        for note in draft.notes
    ]
    if several:
        notes.insert(0, f"path is the direction of {chains[0].device}, path.reverse of {chains[1].device}")
    delay_s = sum((draft.delay_s for draft in drafts), Decimal(0))
    if not delay_s:
        delay_s = LEAST_S
        notes.append(f"a round-trip time: a path needs one besides the delays of packets; {words.time(delay_s)} here")
    forward, *backward = drafts or [Draft(bps=DEVICE_BPS)]
    # What no line limits, a device sends at its own rate.
    path = _table(forward) | {"rtt": words.time(delay_s), "reverse": {"rate": words.rate(DEVICE_BPS)}}
    if backward:
        path["reverse"] = _table(backward[0])
    transport = {key: value for draft in drafts for key, value in draft.transport.items()}
    seeds = [draft.seed for draft in drafts if draft.seed is not None]
    written = [
        *(f"# {words.shown(command)}" for command in commands),
        *(["#", "# Not from these lines, or without counterpart:"] if notes else []),
        *(f"# * {words.shown(note)}" for note in notes),
        'duration = "30s"',
        *([f"seed = {seeds[0]}"] if seeds else []),
        "",
        "[path]",
        *_lines(path),
        *(["", "[transport]", *_lines(transport)] if transport else []),
        "",
        "[[flows]]",
        f'name = "{FLOW}"',
        'algorithm = "cubic"',
    ]
    return "\n".join(written) + "\n"


def _table(draft: Draft) -> dict[str, Any]:
    found = {
        "rate": draft.bucket or words.rate(draft.bps or DEVICE_BPS),
        "overhead": draft.overhead,
        "queue": draft.queue,
        "loss": draft.loss,
        "impairments": draft.impairments or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_inline(value)}" for key, value in table.items()]


def _inline(value: Any) -> str:
    """Return a value in TOML; no text in it needs an escape."""
    if isinstance(value, dict):
        return f"{{ {', '.join(_lines(value))} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


LEAST_S = Decimal("1e-4")
