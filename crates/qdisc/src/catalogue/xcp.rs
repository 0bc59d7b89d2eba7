//! The card of XCP's router.

use super::{DISCIPLINE, Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "xcp",
    family: "explicit",
    summary: "XCP's router: tells every XCP flow by how much to change its throughput; under it DropTail or RED",
    source: "Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03; as in ns-2.35",
    equations: &[
        "every d = sum(rtt X) / sum(X): phi = alpha (C - y) - beta Q / d, h = max(0, gamma y - |phi|)",
        "P = max(0, phi) + h, N = max(0, -phi) + h, in bytes per second",
        "a departure of s bytes and spacing X: feedback = X P / sum(X) - s N / sum(s), or less if less is asked",
        "Q: least bytes waiting in the last max(2 ms, (d - q / C) / 2)",
    ],
    parameters: &[
        LIMIT,
        DISCIPLINE,
        Parameter {
            name: "alpha",
            meaning: "part of the spare rate that is handed out in a control interval",
            unit: "",
            default: "0.4",
            source: "Katabi, Handley and Rohrs 2002; stable below pi / (4 sqrt 2)",
        },
        Parameter {
            name: "beta",
            meaning: "part of the persistent queue that is taken back in a control interval",
            unit: "",
            default: "0.226",
            source: "Katabi, Handley and Rohrs 2002: alpha^2 sqrt 2",
        },
        Parameter {
            name: "gamma",
            meaning: "part of the traffic that changes hands in a control interval",
            unit: "",
            default: "0.1",
            source: "Katabi, Handley and Rohrs 2002",
        },
        Parameter {
            name: "min_interval",
            meaning: "shortest control interval",
            unit: "time",
            default: "1ms",
            source: "XCP_MIN_INTERVAL in ns-2.35",
        },
        Parameter {
            name: "max_interval",
            meaning: "longest round-trip time that counts",
            unit: "time",
            default: "1s",
            source: "XCP_MAX_INTERVAL in ns-2.35",
        },
        Parameter {
            name: "initial_interval",
            meaning: "control interval while no round-trip time is known",
            unit: "time",
            default: "50ms",
            source: "INITIAL_Te_VALUE in ns-2.35",
        },
    ],
    deviations: &[
        "both timers begin with the first arrival; ns-2 draws their phase when the link is made",
        "the least queue is taken after a packet has left, in ns-2 before, where it is rarely less than one packet",
        "flows without XCP share the queue and count as traffic; the draft gives them a queue of their own",
    ],
    validation: Some(
        "ns-2.35: start on an idle link, utilisation 0.885 against 0.882, no drops; two flows, one late, Jain 1.000 \
         and utilisation 1.000 against 0.9997; an idle link is filled in 1 / alpha round trips, within 5 % for alpha \
         up to 0.2 (above 1/4 the feedback, a round trip late, overshoots)",
    ),
};
