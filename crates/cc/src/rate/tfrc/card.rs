// SPDX-License-Identifier: Apache-2.0
//! The entry of `tfrc` in the catalogue.

use super::{ReceiveRates, Rules, Tfrc};
use crate::{CongestionControl, Dash, Entry, Hue, LossHistory, Needs, Reports, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::Time;

/// The card of `tfrc`.
pub(crate) const TFRC: Entry = Entry {
    card: Card {
        name: "tfrc",
        family: "rate",
        summary: "TFRC(k): the rate of TCP at the loss event rate of the last k loss intervals; with self-clocking at most the receive rate",
        source: "Floyd, Handley, Padhye and Widmer, SIGCOMM 2000; RFC 5348; self-clocking by Bansal et al., SIGCOMM 2001 §4.1",
        equations: &[
            "X = 1 / (R sqrt(2 p/3) + 4 R min(1, 3 sqrt(3 p/8)) p (1 + 32 p^2)), at most 2 X_recv; rfc5348: without min(1, .)",
            "1 / p = weighted mean of the last k loss intervals, w_i = 1 for i < k/2, else 1 - (i - (k/2 - 1)) / (k/2 + 1)",
            "before the first loss: X = 2 X once per round trip, at most 2 X_recv",
            "self-clocking: X <= X_recv if packets were lost since the last report, else X <= C X_recv",
        ],
        parameters: &[
            Parameter::number("k", "number of loss intervals in the average, rounded", 8.0, 1.0..=1024.0)
                .unit("intervals")
                .source("RFC 5348 §5.4; 6 in Bansal et al. 2001"),
            Parameter {
                name: "rules",
                meaning: "2001: as in ns-2 at that time; rfc5348: as in the RFC",
                unit: "",
                source: "RFC 5348 §9 lists what changed since 2003",
                domain: Domain::Choice { default: "2001", allowed: &["2001", "rfc5348"] },
            },
            Parameter::flag(
                "conservative",
                "self-clocking: the rate is at most the receive rate, or C times it",
                false,
            )
            .source("Bansal et al. 2001 §4.1; off in TFRC itself"),
            Parameter::number(
                "c",
                "C of self-clocking: bound of the rate over the receive rate without losses",
                1.1,
                1.0..=10.0,
            )
            .source("Bansal et al. 2001 §4.1; ns-2.35 ships 1.5"),
            Parameter::flag(
                "discounting",
                "history discounting: closed intervals weigh less \
                 while the open one is longer than twice the mean",
                true,
            )
            .source("RFC 5348 §5.5; on in ns-2"),
            Parameter::flag("damping", "the packet spacing follows the latest round-trip time", true)
                .source("RFC 5348 §4.5; on in ns-2"),
        ],
        variables: &[
            Variable { name: "rate", unit: "packets/s", meaning: "X, the allowed sending rate" },
            Variable { name: "loss_event_rate", unit: "", meaning: "p, loss events per packet" },
            Variable { name: "rtt_s", unit: "s", meaning: "R, the smoothed round-trip time" },
        ],
        deviations: &[
            "the receiver uses the transport's smoothed round-trip time, with weight 1/8, not that of the equation",
            "t_RTO is four round trips with both rules; ns-2 takes TCP's timeout",
            "the receive rate of a regular report is measured from arrival to arrival, not over a whole round trip; ns-2 reports at arrivals, with the same result",
            "without reports the rate is halved with both rules; RFC 5348 §4.4 halves the stored X_recv, with the same result as long as there are losses",
            "no rules for data-limited and idle senders",
            "datagrams have no receive window: with one of 20 packets over 10 Mbps and 40 ms the goodput is 9.7 Mbps, twice the rate that the window permits",
        ],
    },
    style: Some(Style(Hue::Slate, Dash::DashDotDot)),
    needs: |values| Needs::datagrams(Reports::LossEvents(history(values))),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Tfrc {
        rules: rules(values),
        self_clocking: values.flag("conservative").then(|| values.number("c")),
        damping: values.flag("damping"),
        mss: setup.mss,
        rate: INITIAL_RATE,
        rtt: None,
        received: ReceiveRates::default(),
        increased_at: Time::ZERO,
        nofeedback_at: None,
        loss_event_rate: 0.0,
    })
}

fn rules(values: &Values) -> Rules {
    if values.word("rules") == "rfc5348" { Rules::Rfc5348 } else { Rules::Year2001 }
}

/// How the receiver averages loss intervals.
fn history(values: &Values) -> LossHistory {
    let least_discount = match rules(values) {
        _ if !values.flag("discounting") => 1.0,
        Rules::Year2001 => 0.5,
        Rules::Rfc5348 => 0.25,
    };
    LossHistory { intervals: values.number("k").round() as usize, least_discount }
}

/// Rate before the first round-trip time sample, packets per second (RFC 5348 §4.2).
const INITIAL_RATE: f64 = 1.0;
