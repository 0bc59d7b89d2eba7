# SPDX-License-Identifier: Apache-2.0
"""The clauses of sentences on results: a metric of a group, and what it is with another level."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """A part of a sentence: its text, and the class with which a page shows it; none for plain text."""

    text: str
    css: str = ""


def clause(name: str, of: str, value: str, than: str = "") -> str:
    """Return the clause after "With fq-codel": the value of a metric of a group, and the value it is compared with."""
    return CLAUSES[name].format(of=of, value=value, than=than)


def flows(named: str, *, alone: bool, is_algorithm: bool, several: bool) -> str:
    """Return the words after "the flows" for a group; a group named after its algorithm may have several names."""
    if alone:
        return ""
    if several:
        return " under test"
    # A group is often called `flows`.
    return f" of group {named}" if is_algorithm or named == "flows" else f" of {named}"


# The clause after "With fq-codel" for each metric.
CLAUSES = {
    "page_load_time_p50_s": "half of the pages of {of} load within {value}{than}",
    "stall_share": "playback of {of} stalls for {value} of the time{than}",
    "video_bitrate_bps": "{of} plays at {value}{than}",
    "frame_delay_p95_s": "95 % of the frames of {of} arrive within {value}{than}",
    "missed_frame_share": "the frames of {of} that are not shown in time are {value}{than}",
    "frame_bitrate_bps": "the frames of {of} are sent at {value}{than}",
    "responsiveness_rpm": "{of} measures a responsiveness of {value}{than}",
    "completion_time_s": "transfers of {of} take {value} on average{than}",
    "goodput_bps": "the flows{of} get {value}{than}",
    "delay_p95_s": "95 % of the packets{of} arrive within {value}{than}",
    "rtt_mean_s": "a round trip{of} takes {value} on average{than}",
    "loss_rate": "the flows{of} lose {value} of their packets{than}",
    "jain": "Jain's index{of} is {value}{than}",
}
GOODPUT, DELAY, LOSS, FAIRNESS = ("goodput_bps",), ("delay_p95_s", "rtt_mean_s"), ("loss_rate",), ("jain",)
# Of flows without applications, in the order of the sentences; of each the first that all runs have.
FLOWS = (GOODPUT, DELAY, LOSS, FAIRNESS)
