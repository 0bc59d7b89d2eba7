// SPDX-License-Identifier: Apache-2.0
//! Clients of applications that are recorded over time: which these are, their counts in the present interval, and the events that
//! their users perceive.

use super::log::{Entry, Log};
use super::place::Place;
use narrows_model::Model;
use narrows_model::application::{Gauge, Observation, Probe};
use narrows_records::{ClientSample, Perceived, PerceivedKind, SlowestObject};
use narrows_units::{Span, Time};
use std::ops::Range;

/// The recorded clients of one workload: the first ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordedClients {
    /// Place of the first among all recorded clients.
    pub base: usize,
    /// Number of recorded clients.
    pub count: u32,
    /// Number of the first within its group.
    pub number: u32,
    /// Number of slots of each client.
    pub each: u32,
    /// First slot of the workload.
    pub first_slot: u32,
}

impl RecordedClients {
    /// Returns the recorded clients of each workload of `model`. Both sides of the connections have the same clients.
    pub fn of(model: &Model) -> Vec<Self> {
        let (mut base, mut first_slot) = (0, 0);
        // Clients of each group so far.
        let mut known = vec![0_u32; model.groups.len()];
        let mut all: Vec<Self> = Vec::with_capacity(model.workloads.len());
        for workload in &model.workloads {
            let partner =
                workload.partner.map(|partner| partner as usize).filter(|partner| *partner < all.len());
            let mut own = Self { first_slot, ..Self::default() };
            if let Some(each) = workload.demand.slots_per_client() {
                own = partner.map_or_else(
                    || {
                        let (clients, number) = (workload.slots / each, known[workload.group]);
                        let count = model.record.clients.saturating_sub(number).min(clients);
                        known[workload.group] += clients;
                        base += count as usize;
                        Self { base: base - count as usize, count, number, each, first_slot }
                    },
                    |partner| Self { first_slot, ..all[partner] },
                );
            }
            first_slot += workload.slots;
            all.push(own);
        }
        all
    }

    /// Returns the slots of the recorded clients.
    pub fn slots(&self) -> Range<u32> {
        self.first_slot..self.first_slot + self.count * self.each
    }

    /// Returns the place among all recorded clients of the client `number` of the workload; `None` if it is not recorded.
    pub fn place(&self, number: usize) -> Option<usize> {
        (number < self.count as usize).then_some(self.base + number)
    }

    /// Returns the place among all recorded clients of the client that has `slot`, and its number within its group; `None` if it is not
    /// recorded.
    pub fn of_slot(&self, slot: u32) -> Option<(usize, u32)> {
        let client = self.slots().contains(&slot).then(|| (slot - self.first_slot) / self.each)?;
        Some((self.base + client as usize, self.number + client))
    }
}

/// The recorded clients of a partition. Each side of a client's connections has counts of its own, which are merged at the
/// end.
#[derive(Clone, Debug)]
pub(crate) struct ClientRecorder {
    /// The recorded clients of each workload.
    pub of_workloads: Vec<RecordedClients>,
    /// Counts of each client since the start of the interval.
    pub now: Vec<ClientSample>,
    /// Samples, by interval and client.
    pub samples: Vec<ClientSample>,
    /// The events that users perceive.
    pub log: Log<PerceivedEntry>,
}

/// An entry of the log of what users perceive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerceivedEntry {
    /// Time of the event.
    pub at: Time,
    /// The sender or the receiver of the first slot of the client.
    pub place: Place,
    /// That slot.
    pub slot: u32,
    /// Its workload.
    pub workload: u32,
    /// The event.
    pub event: Perceived,
}

impl Entry for PerceivedEntry {
    fn at(&self) -> Time {
        self.at
    }

    fn place(&self) -> Place {
        self.place
    }
}

impl ClientRecorder {
    /// Creates the recorder of a partition of `model`.
    pub fn new(model: &Model) -> Self {
        let of_workloads = RecordedClients::of(model);
        let count = of_workloads.iter().map(|each| each.base + each.count as usize).max().unwrap_or(0);
        Self {
            of_workloads,
            now: vec![ClientSample::default(); count],
            samples: Vec::new(),
            log: Log::new(model.record.client_events),
        }
    }

    /// Whether no client is recorded.
    pub fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    /// Records `observation` at `now` of the client `number` of `workload`.
    pub fn observe(&mut self, workload: u32, number: usize, now: Time, observation: Observation) {
        let of = self.of_workloads[workload as usize];
        let Some(place) = of.place(number) else { return };
        let sample = &mut self.now[place];
        let slot = of.first_slot + number as u32 * of.each;
        let mut place = Place::Receiver(slot);
        let plain = |kind, span| Perceived { kind, span, bitrate_bps: None, waiting: None, slowest: None };
        let event = match observation {
            Observation::Captured { rate, waiting } => {
                sample.captured += 1;
                sample.bitrate_bps = rate.as_bps() as f64;
                sample.waiting_bytes = waiting.count() as f64;
                None
            }
            Observation::Skipped { waiting, age } => {
                sample.skipped += 1;
                sample.waiting_bytes = waiting.count() as f64;
                place = Place::Sender(slot);
                Some(Perceived { waiting: Some(waiting), ..plain(PerceivedKind::SkippedFrame, age) })
            }
            Observation::Frame { delay, late } => {
                sample.received += 1;
                sample.late += u64::from(late);
                sample.longest_delay = sample.longest_delay.max(delay);
                late.then(|| plain(PerceivedKind::LateFrame, delay))
            }
            Observation::Missing(age) => {
                sample.late += 1;
                Some(plain(PerceivedKind::LateFrame, age))
            }
            Observation::Overdue(delay) => {
                sample.received += 1;
                sample.longest_delay = sample.longest_delay.max(delay);
                None
            }
            Observation::Page(span, object) => {
                sample.pages += 1;
                sample.page_time += span;
                let slowest = SlowestObject {
                    level: object.level,
                    index: object.index,
                    size: object.size,
                    waited: object.waited,
                    took: object.took,
                };
                Some(Perceived { slowest: Some(slowest), ..plain(PerceivedKind::Page, span) })
            }
            Observation::Segment { rate, switched, .. } => {
                sample.bitrate_bps = rate.as_bps() as f64;
                let bitrate_bps = Some(rate.as_bps());
                switched.then(|| Perceived { bitrate_bps, ..plain(PerceivedKind::Switch, Span::ZERO) })
            }
            Observation::Startup(span) => Some(plain(PerceivedKind::Startup, span)),
            Observation::Resumed(span) => Some(plain(PerceivedKind::Stall, span)),
            Observation::Played(span) => {
                sample.played += span;
                None
            }
            Observation::Stalled(span) => {
                sample.stalled += span;
                None
            }
            Observation::Stall | Observation::Stream | Observation::Reset(_) => None,
            Observation::Probe(probe, span) => {
                sample.probes += 1;
                sample.probe_time += span;
                let kind = match probe {
                    Probe::Tcp => PerceivedKind::ProbeTcp,
                    Probe::Tls => PerceivedKind::ProbeTls,
                    Probe::Http => PerceivedKind::ProbeHttp,
                    Probe::Loaded => PerceivedKind::ProbeLoaded,
                };
                Some(plain(kind, span))
            }
        };
        if let Some(event) = event {
            self.log.add(PerceivedEntry { at: now, place, slot, workload, event });
        }
    }

    /// Records the state at `now` of the client `number` of `workload`.
    pub fn gauge(&mut self, workload: u32, number: usize, now: Time, gauge: Gauge) {
        let Some(place) = self.of_workloads[workload as usize].place(number) else { return };
        let seconds = |span: Option<Span>| span.map_or(f64::NAN, Span::as_secs_f64);
        self.now[place].buffer_s = seconds(gauge.buffer);
        self.now[place].loading_s = seconds(gauge.loading_since.map(|since| now - since));
    }

    /// Ends the interval.
    pub fn sample(&mut self) {
        self.samples.extend(&self.now);
        for sample in &mut self.now {
            *sample = sample.carried();
        }
    }
}
