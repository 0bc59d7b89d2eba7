// SPDX-License-Identifier: Apache-2.0
//! The entry of `bbr3` in the catalogue.

use super::Bbr3;
use crate::{Dash, Entry, Hue, Needs, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Variable};

/// The catalogue entry of `bbr3`.
pub const BBR3: Entry = Entry {
    card: Card {
        name: "bbr3",
        family: "model",
        summary: "BBR version 3: paces at the measured bandwidth, within bounds set by losses",
        source: "draft-ietf-ccwg-bbr-06",
        equations: &[
            "bw = min(max over 2 ProbeBW cycles of delivered / max(send time, ACK time), bw_shortterm); min_rtt over 10 s",
            "pacing rate = 0.99 gain bw; gain 2.77 in Startup, 0.5 in Drain, then 0.9 (Down), 1 (Cruise), 1 (Refill), 1.25 (Up); a probe every 2 to 3 s or min(63, BDP) rounds",
            "cwnd = gain bw min_rtt + extra_acked, at most inflight_longterm and inflight_shortterm; gain 2, 2.25 in Up, 0.5 in ProbeRTT every 5 s",
            "loss rate above 2 % in a probe: inflight_longterm = max(inflight, 0.7 min(BDP, cwnd))",
            "round with losses otherwise: bw_shortterm = max(bw_latest, 0.7 bw_shortterm), inflight_shortterm likewise, until the next probe",
        ],
        parameters: &[
            Parameter::number(
                "loss_threshold",
                "loss rate in a round above which a probe or Startup ends",
                0.02,
                0.0..=0.5,
            )
            .source("LossThresh, section 2.8"),
            Parameter::number("beta", "smallest factor by which losses multiply a bound", 0.7, 0.1..=0.99)
                .source("Beta, section 2.8"),
            Parameter::number(
                "headroom",
                "fraction of inflight_longterm left to other flows in Cruise and ProbeRTT",
                0.15,
                0.0..=0.9,
            )
            .source("Headroom, section 2.8"),
        ],
        variables: &[
            Variable {
                name: "state",
                unit: "",
                meaning: "state, numbered from 0: Startup, Drain, ProbeBW_DOWN, ProbeBW_CRUISE, ProbeBW_REFILL, ProbeBW_UP, ProbeRTT",
            },
            Variable { name: "bandwidth_bps", unit: "bps", meaning: "BBR.bw" },
            Variable { name: "max_bandwidth_bps", unit: "bps", meaning: "BBR.max_bw" },
            Variable { name: "min_rtt_s", unit: "s", meaning: "BBR.min_rtt" },
            Variable { name: "pacing_gain", unit: "", meaning: "BBR.pacing_gain" },
            Variable { name: "cwnd_gain", unit: "", meaning: "BBR.cwnd_gain" },
            Variable { name: "extra_acked", unit: "packets", meaning: "BBR.extra_acked" },
            Variable {
                name: "inflight_longterm",
                unit: "packets",
                meaning: "BBR.inflight_longterm, once it is set",
            },
            Variable {
                name: "inflight_shortterm",
                unit: "packets",
                meaning: "BBR.inflight_shortterm, while it is set",
            },
        ],
        deviations: &[
            "A mark counts as losses above the threshold, once in a round trip: it ends Startup or the probe, and otherwise lowers the short-term bounds. Section 3.7 requires that marks are treated as congestion and specifies no response.",
            "The state for undo is saved when a loss episode starts, as in section 5.5.11.1; `NoteLoss` would save it again in the episode.",
            "Before the first round-trip time sample gains multiply the initial window, too; `BDPMultiple` returns it unchanged.",
            "Without selective acknowledgements Startup and probes end at a loss rate above the threshold, not at any loss.",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::Long)),
    needs: |_| Needs { packets: true, rate_samples: true, ..Needs::RELIABLE },
    build: |values, setup| Box::new(Bbr3::new(values, setup)),
};
