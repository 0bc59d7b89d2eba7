// SPDX-License-Identifier: Apache-2.0
//! The entry of `c4` in the catalogue.

use super::Sender;
use crate::{Dash, Entry, Hue, Needs, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Variable};

/// The catalogue entry of `c4`.
pub const C4: Entry = Entry {
    card: Card {
        name: "c4",
        family: "model",
        summary: "C4: paces at the measured rate, and takes delays up to the largest without a queue for jitter",
        source: "draft-huitema-ccwg-c4-spec, text after version 04 (2026)",
        equations: &[
            "ACK: R = max(R, delivered / max(send time, ACK time)), but not in a recovery with congestion",
            "era (a round trip) of packets sent at R or below: m = min(E, m + (E - m) / 8) of its least RTT E; M = L, or M + (L - M) / 8 if that is less, of its largest L <= m + max_jitter",
            "pacing rate = alpha R; cwnd = alpha R (M + min(M / 4, 15 ms))",
            "cycle: Recovery, alpha = 15/16, an era; Cruising, 1, two eras; Probing, 17/16 (33/32 where routers mark), an era",
            "Pushing, 5/4, after a probe that raised R, while R grows by 3/16 in an era; after three eras Initial",
            "Initial, alpha = 2, cwnd >= initial_cwnd; ACK: initial_cwnd = initial_cwnd + acked / 8^n, n = eras without growth; over at n = 3, M = cwnd / (2 R)",
            "S = 0 below 50 kB/s, 0.92 at 1 MB/s, 1 above 10 MB/s, linear between; congestion: RTT > M + T, T = min(25 ms, M (4 - 3 S) / 16); losses > 0.02 + 0.5 (1 - S), smoothed with weight 1 / 16; marks > (2 - S) 3/32",
            "congestion in Cruising: R = R (1 - b), b = min(beta, excess / threshold), or beta for losses; then Recovery; two in succession: R <= largest rate since",
        ],
        parameters: &[
            Parameter::number("beta", "part by which congestion lowers the nominal rate, at most", 0.25, 0.0..=0.9)
                .source("draft-huitema-ccwg-c4-spec, Rate Reduction on Congestion"),
            Parameter::number("max_jitter", "most by which the nominal max RTT exceeds the running min RTT", 0.25, 0.0..=60.0)
                .unit("s")
                .source("draft-huitema-ccwg-c4-spec, Nominal max RTT: MAX_JITTER"),
            Parameter::flag("all_delays", "round-trip times of packets sent at the nominal rate or below are signs of congestion, too; false: as in picoquic", true)
                .source("draft-huitema-ccwg-c4-spec, Detecting Excessive Delays"),
        ],
        variables: &[
            Variable { name: "nominal_rate_bps", unit: "bps", meaning: "R, the nominal rate" },
            Variable { name: "nominal_max_rtt_s", unit: "s", meaning: "M, the largest round-trip time without a queue" },
            Variable { name: "running_min_rtt_s", unit: "s", meaning: "m, about the smallest round-trip time" },
            Variable { name: "alpha", unit: "", meaning: "factor of the nominal rate at which packets are paced" },
            Variable { name: "loss_share", unit: "", meaning: "smoothed share of packets lost" },
            Variable { name: "ecn_alpha", unit: "", meaning: "smoothed share of packets marked" },
        ],
        deviations: &[
            "the text changes with each version; this is the one that follows 04, by its source: a push after one successful probe, trimming, draining",
            "the text writes (pacing rate + margin) M for the window, and lowers R to a smaller estimate; as in picoquic the margin is added to M, and R rises",
            "growth in Initial is a quarter or more in an era, as in picoquic; the text says increase",
            "high jitter leads to Initial once in a connection, at the end of an era from which M was taken, below 1 MB/s and with M above 50 ms, as in picoquic; by the text, which has no bound, the queue that Initial leaves counts as jitter and Initial follows again, without end",
            "marks: the share since the last acknowledgement that reported one, or the last era, as in picoquic; of each acknowledgement alone, as in the text, one mark in two packets would be congestion",
            "a recovery drains, with 7/8 (its section; 3/4 in the table of states), where more than 9/8 of R m is in flight; the text names the cases and no measure",
            "one loss is 1 / 16 of the smoothed share, as in the text: above 10 MB/s, where the threshold is 0.02, each single loss lowers R, so that far fewer than 2 % are tolerated",
            "a signal during a recovery (a delay only of packets sent above R) begins it anew once, with 7/8, as in picoquic; by the text, which ends it after one era, the rest of that queue counts as congestion in Cruising, where all_delays is set, and R oscillates by a quarter permanently",
            "losses lower M, too, as in picoquic; the text says in some condition. Losses in Recovery are not counted",
            "persistent congestion lowers R to the largest rate measured, and never raises it",
            "all_delays = true is the text; picoquic (August 2026) compares only round-trip times of packets that were sent above R, and so keeps its rate where delays jump, with a longer queue",
            "where delivery does not limit it, the rate grows by less than 3/16 in the third era of a push, which is over then; Initial follows a push only after a jump of the measured rate",
            "the Resuming state is left out: there is nothing to remember. Timeouts and idle times change nothing, as the text says or is silent on",
            "M is a millisecond or more; Cruising is not faster on paths below a millisecond, which the text proposes for busy processors",
            "a delivery rate is measured from when the packet acknowledged before it left was acknowledged, as for BBR; the text begins when the packet left",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::Pair)),
    needs: |_| Needs { rate_samples: true, ..Needs::RELIABLE },
    build: |values, setup| Box::new(Sender::new(values, setup)),
};
