# SPDX-License-Identifier: Apache-2.0
"""Parameters and sources shared by several metrics."""

from __future__ import annotations

from narrows._internal.metrics.card import Group, Time

AFTER = Time(
    "after",
    "time of the run from which on values count; auto is where the MSER-5 rule finds the end of the warm-up",
    "warmup",
    ("warmup", "auto"),
    zero=True,
)
BIN = Time("bin", "length of a bin, rounded to whole intervals of the series", "1s", ("rtt",))
RTT_BIN = Time(
    "bin",
    "over how long rates are averaged, in whole intervals of the series; rtt is the propagation delay there and back",
    "rtt",
    ("rtt",),
)
AT = Time("at", "time of the run at which the network changes", zero=True)
FROM = Time("from", "start, as time of the run")
UNTIL = Time("until", "end, as time of the run")
TO = Group("to", "group of comparison; other is the only other group", "other")
PEER = Group("to", "group of the earlier flows; own is the group itself", "own")

CHIU = "Jain, Chiu, Hawe, DEC-TR-301; Chiu and Jain, Computer Networks 17, 1989"
BANSAL = "Bansal, Balakrishnan, Floyd, Shenker, SIGCOMM 2001"
HA = "Ha, Kim, Le, Rhee, Xu, A Step toward Realistic Performance Evaluation of High-Speed TCP Variants"
WELZL = "Welzl, Abfalterer, Gjessing, XCP vs. CUBIC with Quick-Start"
MILLS = "Mills et al., NIST SP 500-282, §10"
STABILITY = "RFC 5166 §2.2.1"
MSER = "White, Cobb, Spratt, WSC 2000"
