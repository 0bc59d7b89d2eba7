# SPDX-License-Identifier: Apache-2.0
"""Quality of experience of applications and transfers: the metrics with which tables, sentences and figures begin."""

from __future__ import annotations

from collections.abc import Iterable

# In the order in which they stand.
APPLICATIONS = (
    "page_load_time_p50_s",
    "page_load_time_p95_s",
    "video_bitrate_bps",
    "stall_share",
    "frame_delay_p95_s",
    "missed_frame_share",
    "frame_bitrate_bps",
    "responsiveness_rpm",
)
TRANSFERS = ("completion_time_s", "completion_time_p95_s")
PERCEIVED = (*APPLICATIONS, *TRANSFERS)
# Those that a sentence gives, of each application.
_STATED = (
    ("page_load_time_p50_s",),
    ("stall_share", "video_bitrate_bps"),
    ("frame_delay_p95_s",),
    ("missed_frame_share",),
    ("frame_bitrate_bps",),
    ("responsiveness_rpm",),
    ("completion_time_s",),
)


def perceived(known: Iterable[str]) -> list[str]:
    """Return the names of metrics with a value, by which an application or a transfer is perceived.

    A group with an application has completion times of its transfers, too, but its user perceives the application.

    Args:
        known: Names of the metrics of a group that have a value.
    """
    names = set(known)
    return [name for name in APPLICATIONS if name in names] or [name for name in TRANSFERS if name in names]


def stated(known: Iterable[str], nonzero: Iterable[str]) -> list[str]:
    """Return the perceived metrics that a sentence gives: one or two of each application.

    Args:
        known: Names of the metrics of a group that have a value.
        nonzero: Those whose value is not zero; if nothing stalls, videos differ in their bit rates.
    """
    names, moved = set(perceived(known)), set(nonzero)
    found = []
    for choices in _STATED:
        there = [name for name in choices if name in names]
        found += [next((name for name in there if name in moved), there[-1])] if there else []
    return found
