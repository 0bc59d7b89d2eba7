// SPDX-License-Identifier: Apache-2.0
//! `[record]`: which records of a run are kept.

use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::section::keys;
use crate::value::{Integer, Positive, words};
use narrows_model::RecordModel;
use narrows_units::Span;

keys! {
    /// The keys of `[record]`.
    pub struct RecordKeys {
        /// Sampling interval of the series; increased if the series would have more than a million rows.
        interval: Positive<Span> = Span::from_ms(100),
        /// Of which flows series are recorded, besides those of links; auto: of all flows, if there are at most 100.
        flows: Extent = Extent::Auto,
        /// Of which transfers a row is recorded; auto: of up to about 100000 of the transfers that sources start during
        /// the run.
        transfers: Extent = Extent::Auto,
        /// Log every packet at senders, receivers and all links except access links.
        packets: bool = false,
        /// Maximum number of entries of the packet log in a replication, about 80 bytes each; logging stops at the
        /// limit.
        packet_limit: Integer<1, 100_000_000> = 1_000_000,
        /// Of how many clients of each group with an application series and events are recorded, the first ones; fewer
        /// if their series would have more than a million rows.
        clients: Integer<0, 10_000> = 10,
        /// Log losses, ECN marks, timeouts, window reductions and state changes of the flows and clients that have
        /// series, and of these clients also late frames, pages, stalls and probes.
        events: bool = true,
        /// Maximum number of entries of the event log in a replication, about 150 bytes each, and of the event log of
        /// clients, about 250 bytes each; logging stops at the limit.
        event_limit: Integer<1, 100_000_000> = 10_000,
        /// Record internal variables of the algorithms of these flows and of the queues, once in each interval; the
        /// cards (`narrows show NAME`) declare them.
        internals: bool = false,
    }
}

/// How much is recorded of flows or transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// As much as the rule of the key permits.
    Auto,
    /// All.
    All,
    /// None.
    None,
}

words!(Extent { Auto = "auto", All = "all", None = "none" });

/// The size of the runs to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// Duration of the run.
    pub duration: Span,
    /// Number of flows that are recorded individually.
    pub flows: u64,
    /// Number of recorded links.
    pub links: u64,
    /// Number of groups with an application.
    pub applications: u64,
    /// Number of replications.
    pub replications: u32,
}

/// The resolved section `[record]`.
#[derive(Clone, Copy, Debug)]
pub struct Recording {
    /// What to record.
    pub model: RecordModel,
    /// The interval as written, if it had to be widened; `None` otherwise.
    pub widened_from: Option<Span>,
}

impl RecordKeys {
    /// Returns what to record; interval and flows are filled in.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(&mut self, of: Recorded, faults: &mut Vec<Fault>) -> Result<Recording, Reported> {
        let written = self.interval.copied()?;
        let limit = self.packet_limit.copied()?;
        let packets = self.packets.copied()?.then_some(limit);
        if packets.is_none() && self.packet_limit.written {
            faults.push(
                self.packet_limit.fault("packets are not logged").allowed("only beside packets = true"),
            );
        }
        self.packet_limit.omitted = packets.is_none();
        let transfers = match self.transfers.copied()? {
            Extent::All => u64::MAX,
            Extent::None => 0,
            Extent::Auto => MOST_TRANSFERS,
        };
        let flows = match self.flows.copied()? {
            Extent::All => true,
            Extent::None => false,
            Extent::Auto => of.flows <= MOST_FLOWS,
        };
        self.flows.fill(if flows { Extent::All } else { Extent::None });
        let series = of.links + if flows { of.flows } else { 0 };
        let interval = widened(written, of.duration, u128::from(series) * u128::from(of.replications));
        self.interval.fill(interval);
        let clients = self.clients(of, interval)?;
        let event_limit = self.event_limit.copied()?;
        let logged = self.events.copied()?.then_some(event_limit);
        let events = logged.filter(|_| flows);
        let client_events = logged.filter(|_| clients > 0);
        let neither = events.or(client_events).is_none();
        if neither && self.event_limit.written {
            faults.push(
                self.event_limit
                    .fault("events are not logged")
                    .allowed("only beside events = true, of flows or clients with series"),
            );
        }
        self.events.fill(!neither);
        self.event_limit.omitted = neither;
        let internals = self.internals.copied()?;
        let model =
            RecordModel { interval, flows, transfers, packets, events, clients, client_events, internals };
        Ok(Recording { model, widened_from: (interval > written).then_some(written) })
    }

    /// Returns of how many clients of each group series are recorded, once in each `interval`; without applications the key
    /// is left out.
    fn clients(&mut self, of: Recorded, interval: Span) -> Result<u32, Reported> {
        let intervals = u128::from(of.duration.as_ps().div_ceil(interval.as_ps()));
        let series = intervals * u128::from(of.replications) * u128::from(of.applications);
        self.clients.omitted = of.applications == 0;
        let Some(most) = MOST_ROWS.checked_div(series) else { return Ok(0) };
        let clients = self.clients.copied()?.min(u64::try_from(most).unwrap_or(u64::MAX));
        self.clients.fill(clients);
        Ok(clients as u32)
    }
}

/// The shortest multiple of `written`, at most `duration`, at which `series` have no more rows than are kept. It stays a
/// multiple so that series of one study can be laid over each other.
fn widened(written: Span, duration: Span, series: u128) -> Span {
    let (duration_ps, written_ps) = (u128::from(duration.as_ps()), u128::from(written.as_ps()));
    let rows = duration_ps.div_ceil(written_ps) * series;
    // So many intervals may there be; where there may be none, one is as long as the run.
    let most = (MOST_ROWS / series.max(1)).max(1);
    let factor = rows.div_ceil(MOST_ROWS).max(duration_ps.div_ceil(written_ps * most)).max(1);
    (written * u64::try_from(factor).unwrap_or(u64::MAX)).min(duration)
}

impl Recording {
    /// Describes the records.
    pub fn describe(&self) -> String {
        let of = if self.model.flows { "every flow and link" } else { "links" };
        let widened = self.widened_from.map_or(String::new(), |written| {
            format!(" (widened from {written}: the series would pass a million rows)")
        });
        let packets = self.model.packets.map_or(String::new(), |limit| {
            format!("; a log of packets at endpoints and links of up to {limit} entries")
        });
        let internals =
            if self.model.internals { "; inner variables of their algorithms and queues" } else { "" };
        let events = self.model.events.map_or(String::new(), |limit| {
            format!("; a log of losses, marks, reductions and states of flows of up to {limit} entries")
        });
        let of = match self.model.clients {
            0 => of.to_owned(),
            1 => format!("{of} and one client of each application"),
            clients => format!("{of} and up to {clients} clients of each application"),
        };
        format!("series of {of} every {}{widened}{internals}{events}{packets}", self.model.interval)
    }
}

/// Flows whose series are recorded unless the file says otherwise.
const MOST_FLOWS: u64 = 100;

/// Transfers of which a row is kept unless the file says otherwise.
const MOST_TRANSFERS: u64 = 100_000;

/// Rows of series over all replications: tens of megabytes at most, and more than a plot can show.
const MOST_ROWS: u128 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::{MOST_ROWS, Span, widened};
    use proptest::prelude::*;

    proptest! {
        /// Against a search that widens the interval a step at a time.
        #[test]
        fn the_interval_is_widened_as_little_as_it_must(
            written in 1_u64..2000,
            duration in 1_u64..2_000_000,
            series in 1_u128..3_000_000,
        ) {
            let rows = |factor: u64| u128::from(duration.div_ceil(written * factor)) * series;
            let mut factor = u64::try_from(rows(1).div_ceil(MOST_ROWS)).expect("it is small").max(1);
            while rows(factor) > MOST_ROWS && written * factor < duration {
                factor += 1;
            }
            let expected = Span::from_ps((written * factor).min(duration));
            prop_assert_eq!(widened(Span::from_ps(written), Span::from_ps(duration), series), expected);
        }
    }

    #[test]
    fn an_interval_of_a_picosecond_is_widened_at_once() {
        let widened = widened(Span::from_ps(1), Span::from_ms(1_000_000), 800_000);
        assert_eq!(widened, Span::from_ms(1_000_000));
    }
}
