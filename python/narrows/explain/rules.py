# SPDX-License-Identifier: Apache-2.0
"""Descriptions of the rules by which packets are lost, losses are detected and windows are reduced."""

from __future__ import annotations

LOST = {
    "overflow": "its queue was full",
    "early": "its queue discipline drops before the queue is full",
    "random": "the link loses packets at random",
    "periodic": "the link loses packets at fixed distances",
    "listed": "it is on the list of the link's loss model",
    "policer": "a policer found the rate exceeded",
    "ecn": "the link drops packets that are ECN-capable",
    "ack-thinning": "the link thins out acknowledgements",
    "arq": "the link gave up to repeat it",
    "link-failure": "the link had failed",
}
"""Why a link or its queue lost a packet, by the rule of an event `dropped` or `lost`."""

NOTICED = {
    "duplicate-acks": "three duplicate acknowledgements (RFC 5681)",
    "partial-ack": "an acknowledgement that covered only a part of what was outstanding (RFC 6582)",
    "sack": "selective acknowledgements of enough later segments (RFC 6675)",
    "rack": "the acknowledgement of a segment that was sent sufficiently later (RACK, RFC 8985)",
    "probe": "the acknowledgement of a tail loss probe, which repaired the loss (RFC 8985, section 7.4)",
    "timeout": "the expiry of the retransmission timer (RFC 6298)",
    "syn-timeout": "the expiry of the timer of the SYN (RFC 6298)",
    "mark": "an echo of a congestion mark (RFC 3168)",
    "later-echoes": "echoes of later datagrams",
    "report": "a report of the receiver",
    "stack": "a rule of the hosted stack",
    "idle-restart": "an idle period longer than the retransmission timeout (RFC 5681, section 4.1)",
    "algorithm": "the algorithm's own rule, such as one of delay",
    "duplicate-sacks": "reports of duplicate segments, which showed that the retransmissions were spurious (RFC 3708)",
    "timestamps": "the timestamps of acknowledgements, which showed that the retransmissions were spurious (RFC 3522)",
    "f-rto": "an acknowledgement of data sent before the timeout and not again, so that nothing was lost (RFC 5682)",
}
"""By what the sender noticed or decided something, by the rule of its event, or by the event that has none."""
