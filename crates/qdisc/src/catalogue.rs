//! Names and cards of all disciplines: the scenario file, the command line, the docs and the tests read this list.

/// The card of one discipline.
#[derive(Debug)]
pub struct Entry {
    /// The name people write as `kind`.
    pub name: &'static str,
    /// Kin: `"passive"`, `"active"`, …
    pub family: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// Paper or RFC with section.
    pub source: &'static str,
    /// The formulas, plain text, one per line.
    pub equations: &'static [&'static str],
    /// Parameters in the order of the source.
    pub parameters: &'static [Parameter],
    /// Where it departs from its source, and why.
    pub deviations: &'static [&'static str],
    /// What it has been held against, with the figure; `None` where no judge has seen it.
    pub validation: Option<&'static str>,
}

/// One parameter of a discipline.
#[derive(Debug)]
pub struct Parameter {
    /// The key people write.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What a person must write behind the number: units of a queue's length, or `""` for a pure number or a flag.
    pub unit: &'static str,
    /// The value unless given, as a person would write it.
    pub default: &'static str,
    /// What gives the default.
    pub source: &'static str,
}

/// Every discipline, in the order in which lists show them.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// The discipline of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

static ENTRIES: &[Entry] = &[
    Entry {
        name: "droptail",
        family: "passive",
        summary: "first in, first out; an arrival that finds no room is dropped",
        source: "the Internet's default; RFC 7567 §2 tells what it costs",
        equations: &["drop the arrival if waiting + arrival > limit"],
        parameters: &[LIMIT],
        deviations: &["a limit of L packets holds L waiting packets; ns-2 holds L - 1"],
        validation: None,
    },
    Entry {
        name: "red",
        family: "active",
        summary: "random early detection: signals at random, more often the longer the average queue",
        source: "Floyd and Jacobson 1993; gentle: Floyd 2000; adaptive: Floyd, Gummadi and Shenker 2001; \
                 as in ns-2.35",
        equations: &[
            "avg = (1 - weight) avg + weight q on every arrival; (1 - weight)^m avg after m idle packet times",
            "p_b = max_p (avg - min) / (max - min); gentle: max_p + (1 - max_p) (avg - max) / max up to 2 max",
            "p_a = p_b / (1 - count p_b); wait: 0 while count p_b < 1, then p_b / (2 - count p_b)",
            "adaptive, every 0.5 s: max_p += min(0.01, max_p / 4) if avg > min + 0.6 (max - min) and max_p <= 0.5; \
             max_p *= 0.9 if avg < min + 0.4 (max - min) and max_p >= 0.01",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "min",
                meaning: "average queue below which nothing is signalled; its unit is the average's",
                unit: "pkt, B, time or bdp",
                default: "5pkt",
                source: "Floyd 1997, \"RED: Discussions of Setting Parameters\"",
            },
            Parameter {
                name: "max",
                meaning: "average queue at which max_p is reached",
                unit: "pkt, B, time or bdp",
                default: "15pkt",
                source: "Floyd 1997: three times min",
            },
            Parameter {
                name: "max_p",
                meaning: "probability of a signal just below max",
                unit: "",
                default: "0.1",
                source: "Floyd 1997; linterm 10 in ns-2.35",
            },
            Parameter {
                name: "weight",
                meaning: "weight of the newest queue length in the average",
                unit: "",
                default: "0.002",
                source: "Floyd and Jacobson 1993 §6",
            },
            Parameter {
                name: "gentle",
                meaning: "between max and twice max the probability grows from max_p to 1 instead of being 1",
                unit: "",
                default: "true",
                source: "ns-2.35 (since April 2001)",
            },
            Parameter {
                name: "wait",
                meaning: "after a signal wait 1/p_b packets before the next becomes possible",
                unit: "",
                default: "true",
                source: "ns-2.35",
            },
            Parameter {
                name: "ecn",
                meaning: "mark ECN-capable packets instead of dropping them while the average is below max",
                unit: "",
                default: "false",
                source: "ns-2.35; RFC 3168 §7",
            },
            Parameter {
                name: "adaptive",
                meaning: "every half second move max_p so that the average stays half-way between min and max",
                unit: "",
                default: "false",
                source: "ns-2.35",
            },
        ],
        deviations: &[
            "the arrival that ends an idle time decays the average once more, as ns-2 does and the paper does not",
            "count holds the present arrival, as in the paper's algorithm and ns-2: signals are 1 to 1/p_b - 1 \
             arrivals apart, 1/p_b to 2/p_b - 1 with wait, so their mean rate at a constant average is \
             2 p_b or 2/3 p_b, not p_b",
            "one packet or none waiting is never signalled, as in ns-2, and counted in packets in byte mode too",
            "thresholds in bytes imply an average in bytes and probabilities in proportion to packet size; \
             ns-2 sets the two apart",
            "adaptive: max_p moves by a timer from the first arrival on, as in the paper; ns-2 waits for the first \
             arrival after the interval and rests only after a change",
        ],
        validation: None,
    },
    Entry {
        name: "drr",
        family: "fair",
        summary: "deficit round robin: a queue for every flow, served in rounds of equal bytes",
        source: "Shreedhar and Varghese 1995; dropping as in ns-2.35",
        equations: &[
            "each visit: deficit += quantum; send while size <= deficit, deficit -= size; emptied: deficit = 0",
            "|sent_i - sent_j| <= quantum + 2 size_max while both flows wait",
            "limit exceeded: drop from the longest queue, at its head or tail",
        ],
        parameters: &[
            LIMIT,
            Parameter {
                name: "quantum",
                meaning: "bytes that each flow may send more in each round",
                unit: "B or pkt",
                default: "1pkt",
                source: "Shreedhar and Varghese 1995: at least the largest packet, so that a packet costs constant time",
            },
            Parameter {
                name: "drop",
                meaning: "which packet of the longest queue makes room: \"head\", the oldest, or \"tail\", the youngest",
                unit: "",
                default: "head",
                source: "ns-2.35",
            },
        ],
        deviations: &[
            "each leg of each flow has a queue of its own; the paper and ns-2 hash flows into buckets",
            "the longest queue is found to 64 bytes; of equals it is the one that grew last, in ns-2 the one whose \
             turn is next",
        ],
        validation: Some(
            "fairness measure of Shreedhar and Varghese 1995: three flows with packets of 40 to 1500 bytes never differ by more \
             than quantum + 2 x 1500 bytes over any interval, quantum 200 to 3000 bytes",
        ),
    },
];

const LIMIT: Parameter = Parameter {
    name: "limit",
    meaning: "the most that may wait, not counting the packet in transmission",
    unit: "pkt, B, time or bdp",
    default: "1bdp",
    source: "Villamizar and Song 1994: one bandwidth-delay product",
};

#[cfg(test)]
mod tests {
    use super::{entries, find};

    #[test]
    fn every_card_is_found_by_its_name_and_names_its_source() {
        for entry in entries() {
            assert!(std::ptr::eq(find(entry.name).expect("listed"), entry), "{} is listed twice", entry.name);
            assert!(!entry.summary.is_empty() && !entry.source.is_empty());
            assert!(entry.parameters.iter().all(|each| !each.default.is_empty() && !each.source.is_empty()));
        }
        assert!(find("no such queue").is_none());
    }
}
