//! Names and cards of all disciplines: the scenario file, the command line, the docs and the tests read this list.

mod codel;
mod droptail;
mod drr;
mod dualpi2;
mod fq_codel;
mod pie;
mod priority;
mod quick_start;
mod rcp;
mod red;
mod rio;
mod step;
mod xcp;

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
    droptail::CARD,
    red::CARD,
    drr::CARD,
    priority::CARD,
    rio::CARD,
    step::CARD,
    codel::CARD,
    fq_codel::CARD,
    pie::CARD,
    dualpi2::CARD,
    xcp::CARD,
    rcp::CARD,
    quick_start::CARD,
];

/// The key `limit` where the source sets none.
const LIMIT: Parameter = Parameter {
    name: "limit",
    meaning: "the most that may wait, not counting the packet in transmission",
    unit: "pkt, B, time or bdp",
    default: "1bdp",
    source: "Villamizar and Song 1994: one bandwidth-delay product",
};

/// How packets wait under a router's computation.
const DISCIPLINE: Parameter = Parameter {
    name: "discipline",
    meaning: "how packets wait: droptail or red with their own keys; takes the place of limit",
    unit: "",
    default: "droptail",
    source: "the sources leave it open",
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
