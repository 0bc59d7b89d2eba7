//! The card of `tfrc`.

use super::{ReceiveRates, Rules, Tfrc};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{CongestionControl, LossHistory};
use narrows_units::Time;

/// TFRC and its options.
pub(crate) const TFRC: Entry = Entry {
    name: "tfrc",
    family: "rate",
    summary: "TFRC(k): sends as fast as TCP would at the loss-event rate of the last k loss intervals; optionally no faster than packets arrive",
    source: "Floyd, Handley, Padhye and Widmer, SIGCOMM 2000; RFC 5348; self-clocking by Bansal et al., SIGCOMM 2001 §4.1",
    equations: &[
        "X = 1 / (R sqrt(2 p/3) + 4 R min(1, 3 sqrt(3 p/8)) p (1 + 32 p^2)), at most 2 X_recv; rfc5348: without min(1, .)",
        "1 / p = weighted mean of the last k loss intervals, w_i = 1 for i < k/2, else 1 - (i - (k/2 - 1)) / (k/2 + 1)",
        "before the first loss: X = 2 X once a round trip, at most 2 X_recv",
        "self-clocking: X <= X_recv if packets were lost since the last report, else X <= C X_recv",
    ],
    parameters: &[
        Parameter {
            name: "k",
            meaning: "loss intervals that are averaged, rounded to a whole number",
            unit: "intervals",
            source: "RFC 5348 §5.4; 6 in Bansal et al. 2001",
            domain: Domain::Number { default: 8.0, minimum: 1.0, maximum: 1024.0 },
        },
        Parameter {
            name: "rules",
            meaning: "2001: as ns-2 then; rfc5348: as the standard",
            unit: "",
            source: "RFC 5348 §9 lists what changed since 2003",
            domain: Domain::Choice { default: "2001", allowed: &["2001", "rfc5348"] },
        },
        Parameter {
            name: "conservative",
            meaning: "self-clocking: no faster than packets arrive, or C times that",
            unit: "",
            source: "Bansal et al. 2001 §4.1; off in TFRC itself",
            domain: Domain::Flag { default: false },
        },
        Parameter {
            name: "c",
            meaning: "C of self-clocking",
            unit: "",
            source: "Bansal et al. 2001 §4.1; ns-2.35 ships 1.5",
            domain: Domain::Number { default: 1.1, minimum: 1.0, maximum: 10.0 },
        },
        Parameter {
            name: "discounting",
            meaning: "closed intervals weigh less while the open one is longer than twice the mean",
            unit: "",
            source: "RFC 5348 §5.5; on in ns-2",
            domain: Domain::Flag { default: true },
        },
        Parameter {
            name: "damping",
            meaning: "packets are spaced by the newest round trip",
            unit: "",
            source: "RFC 5348 §4.5; on in ns-2",
            domain: Domain::Flag { default: true },
        },
    ],
    deviations: &[
        "a round trip at the receiver is the transport's smoothed one, with weight 1/8, not the average of the equation",
        "t_RTO is four round trips under both rules; ns-2 takes TCP's timeout",
        "the receive rate of a report in turn is measured from arrival to arrival, not over a whole round trip: ns-2 reports on arrivals, which comes to the same",
        "without reports the rate is halved under both rules; RFC 5348 §4.4 halves what it remembers of X_recv, which comes to the same while losses last",
        "no rule for data-limited or idle senders",
    ],
    validation: Some(
        "packets a round trip under random loss of 1 %, of ns-2: -1.4 %; self-clocked at 0.3 % to 3 %: -2.5 % to -1.4 %; 20 flows with k = 6 over RED: loss +5.1 %; loss after a source comes back, k = 256: -9.0 % to -3.6 %; of the equation at 0.3 % to 3 %: -0.9 % to +0.3 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rules = if values.word("rules") == "rfc5348" { Rules::Rfc5348 } else { Rules::Year2001 };
    let least_discount = match rules {
        _ if !values.flag("discounting") => 1.0,
        Rules::Year2001 => 0.5,
        Rules::Rfc5348 => 0.25,
    };
    Box::new(Tfrc {
        rules,
        history: LossHistory { intervals: values.number("k").round() as usize, least_discount },
        self_clocking: values.flag("conservative").then(|| values.number("c")),
        damping: values.flag("damping"),
        mss: setup.mss,
        rate: FIRST_RATE,
        rtt: None,
        received: ReceiveRates::default(),
        grown_at: Time::ZERO,
        halving_at: None,
        loss_event_rate: 0.0,
    })
}

/// Packets a second before the round trip is known (RFC 5348 §4.2).
const FIRST_RATE: f64 = 1.0;
