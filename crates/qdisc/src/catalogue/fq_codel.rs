//! The card of FQ-CoDel.

use super::codel::{INTERVAL, TARGET};
use super::{Entry, Parameter};

pub(super) const CARD: Entry = Entry {
    name: "fq-codel",
    family: "fair",
    summary: "a queue under CoDel for every flow, served in rounds of equal bytes, flows that have just come first",
    source: "RFC 8290; overflow as in Linux's sch_fq_codel.c",
    equations: &[
        "queue of a flow = hash(flow, leg, salt) of flows",
        "new flows before old; deficit <= 0: deficit += quantum and to the end of the old; deficit -= size sent",
        "emptied: a new flow goes to the end of the old, an old one leaves",
        "limit exceeded: the longest queue loses half its bytes or 64 packets from its head",
        "each queue: as codel",
    ],
    parameters: &[
        Parameter {
            name: "limit",
            meaning: "the most that may wait in all queues, not counting the packet in transmission",
            unit: "pkt, B, time or bdp",
            default: "10240pkt",
            source: "RFC 8290 §5.2.3",
        },
        TARGET,
        INTERVAL,
        Parameter {
            name: "quantum",
            meaning: "bytes that each flow may send in its turn",
            unit: "B or pkt",
            default: "1pkt",
            source: "RFC 8290 §5.2.4: the MTU; 1514 bytes on Ethernet",
        },
        Parameter {
            name: "flows",
            meaning: "queues that flows are hashed into",
            unit: "",
            default: "1024",
            source: "RFC 8290 §5.2.5",
        },
        Parameter {
            name: "ecn",
            meaning: "mark ECN-capable packets instead of dropping them",
            unit: "",
            default: "true",
            source: "RFC 8290 §5.2.6",
        },
    ],
    deviations: &[
        "the hash's salt is drawn from the queue's random numbers with the first arrival, so collisions differ \
         between seeds",
        "the longest queue is found in constant time, to 64 bytes; Linux looks at all",
        "CoDel's \"more than a packet waits behind\" counts the packets of all flows, as in Linux",
        "Linux limits memory too, 32 MB; here limit is all",
    ],
    validation: Some(
        "shares of three flows that wait, with packets of 1500, 700 and 90 bytes, are equal to two quanta",
    ),
};
