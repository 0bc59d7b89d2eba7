//! The card of Quick-Start's router.

use super::{DISCIPLINE, Entry, LIMIT, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "quick-start",
    family: "explicit",
    summary: "Quick-Start's router: approves start-up rates while the link has room; under it DropTail or RED",
    source: "RFC 4782 §3.3; algorithm 3 of QSAgent in ns-2.35",
    equations: &[
        "u = C max(busy fraction of the last 5 intervals) + approvals of this interval and the last",
        "u < threshold C: grant = min(asked, share C - u), rounded down; else 0",
    ],
    parameters: &[
        LIMIT,
        DISCIPLINE,
        Parameter {
            name: "threshold",
            meaning: "nothing is approved while the link is used by this part of its rate",
            unit: "",
            default: "0.85",
            source: "threshold_ in ns-2.35; Welzl, Abfalterer and Gjessing, \"XCP vs. CUBIC with Quick-Start\"",
        },
        Parameter {
            name: "share",
            meaning: "use and approvals together may come to this part of the link's rate",
            unit: "",
            default: "0.85",
            source: "alloc_rate_ in ns-2.35; Welzl, Abfalterer and Gjessing, \"XCP vs. CUBIC with Quick-Start\"",
        },
        Parameter {
            name: "interval",
            meaning: "over which use is measured and approvals are remembered",
            unit: "time",
            default: "200ms",
            source: "state_delay_ and util_check_interval_ in ns-2.35",
        },
        Parameter {
            name: "encoding",
            meaning: "how a rate is written: \"rfc4782\", 40 kbps 2^N up to 1.31 Gbps; \"linear\", multiples of \
                      10 kB/s; \"exact\"",
            unit: "",
            default: "rfc4782",
            source: "RFC 4782 §3.1",
        },
    ],
    deviations: &[
        "use and approvals share one interval, which ns-2 sets apart with the same default",
        "requests are answered as they arrive and are rounded here, not by the sender, with the same result",
        "ns-2's SYN carries data, and it counts 40 bytes more for each packet of the window",
        "an access link is its end host's own and no router that must take part",
        "neither the nonce nor the report of the approved rate is sent: nobody cheats",
    ],
    validation: Some(
        "ns-2.35: NewReno asking 100 Mbps for all, utilisation 0.610 against 0.607 over 3 s, 1502 drops against 1502 \
         when slow start goes on from the approved window; RFC 4782: 85 % of 1 Gbps over 60 ms become a window of \
         4250 packets of 1500 bytes within 0.2 %, paced without a queue",
    ),
};
