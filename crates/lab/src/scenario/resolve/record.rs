//! `[record]`: what is written down of a run.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Table};
use crate::model::RecordModel;
use crate::network::Group;
use narrows_units::Span;

/// What to record, and how that came about.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Recording {
    pub model: RecordModel,
    /// The interval as written, where it had to be widened.
    pub widened_from: Option<Span>,
}

/// Resolves `[record]`; `None` if a value in it did not pass.
pub(super) fn resolve(
    root: &Table,
    duration: Span,
    groups: &[Group],
    links: u64,
    replications: u32,
    faults: &mut Vec<Fault>,
) -> Option<Recording> {
    let nothing = Table::new("record", &root.place);
    let table = root.section("record", &nothing)?;
    let written = table.read("interval", Span::from_ms(100), Checked::span)?;
    let flows = table.read("flows", "auto", Checked::word)?;
    let limit = table.read("packet_limit", MOST_PACKETS, Checked::integer)?;
    let packets = table.read("packets", false, Checked::flag)?.then_some(limit);
    if packets.is_none() && table.has("packet_limit") {
        let place = table.place_of("packet_limit");
        let fault = Fault::new(place, table.path_of("packet_limit"), "packets are not logged");
        faults.push(fault.allowed("only beside packets = true"));
    }
    let transfers = match table.read("transfers", "auto", Checked::word)? {
        "all" => u64::MAX,
        "none" => 0,
        _ => MOST_TRANSFERS,
    };
    let still = groups.iter().filter(|group| group.transfers.is_none());
    let count: u64 = still.map(|group| group.count).sum();
    let flows = flows == "all" || (flows == "auto" && count <= MOST_FLOWS);
    let series = links + if flows { count } else { 0 };
    let rows = |interval: Span| {
        let intervals = duration.as_ps().div_ceil(interval.as_ps());
        u128::from(intervals) * u128::from(series) * u128::from(replications)
    };
    // The interval stays a multiple of the one written, so that series of one study can be laid over each other.
    let mut factor = u64::try_from(rows(written).div_ceil(MOST_ROWS)).unwrap_or(u64::MAX).max(1);
    while rows(written * factor) > MOST_ROWS && written * factor < duration {
        factor += 1;
    }
    let interval = (written * factor).min(duration);
    Some(Recording {
        model: RecordModel { interval, flows, transfers, packets },
        widened_from: (interval > written).then_some(written),
    })
}

/// Flows whose series are recorded unless the file says otherwise.
const MOST_FLOWS: u64 = 100;

/// Transfers of which a row is kept unless the file says otherwise.
const MOST_TRANSFERS: u64 = 100_000;

/// Entries of the packet log unless the file says otherwise.
const MOST_PACKETS: u64 = 1_000_000;

/// Rows of series over all replications: tens of megabytes at most, and more than a plot can show.
const MOST_ROWS: u128 = 1_000_000;
