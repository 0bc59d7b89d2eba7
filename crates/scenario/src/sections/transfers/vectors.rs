// SPDX-License-Identifier: Apache-2.0
//! Recorded connections over which both sides write.

use super::{Process, ProcessContext, RANDOM, RECORDED, Rules, Transfers, late, read};
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::input::InputFile;
use crate::section::keys;
use crate::value::{File, PositiveFraction, words};
use crate::vectors;
use narrows_model::Demand;
use narrows_model::traffic::Connection;

keys! {
    /// Recorded connections on which both sides send. Times count from `start`; the initiators are at the source of the
    /// group's data. The data of each side is one transfer with congestion control of its own; the side that writes
    /// first opens the connection, and the other side accepts it. On a concurrent connection, each side opens one at
    /// the same time. Recorded loss rates and segment sizes are not used.
    pub struct Vectors = "vectors" {
        /// A file of Tmix connection vectors, in the original format or the alternate format of ns-2.
        vectors: File,
        /// Round-trip time of a connection. recorded: its recorded minimum, but at least that of its route. group: the
        /// group's `rtt`.
        rtt: Origin = Origin::Recorded,
        /// Receive window of a host. recorded: the recorded one, at most the group's `receive_window`. group: the
        /// latter.
        window: Origin = Origin::Recorded,
        /// Fraction of the recorded connections that are used, spread evenly over the file.
        share: PositiveFraction = 1.0,
    }
}

/// The origin of a property of a recorded connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The recording.
    Recorded,
    /// The keys of the group.
    Group,
}

words!(Origin { Recorded = "recorded", Group = "group" });

impl Process for Vectors {
    fn rules(&self) -> Rules {
        Rules { no_size: Some(RECORDED), no_count: Some("no count"), spreads: false, ..RANDOM }
    }

    fn recording(&self) -> Option<&InputFile> {
        self.vectors.get().ok()?.found.as_ref()
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let ProcessContext { window, load, .. } = context;
        let share = self.share.copied()?;
        let (rtt, limit) = (self.rtt.copied()?, self.window.copied()?);
        let recorded =
            read(&mut self.vectors, load, "a file of Tmix connection vectors", vectors::parse, faults)?;
        let count = recorded.connections.len();
        let kept = recorded.connections.into_iter().enumerate().filter(|(number, _)| is_kept(*number, share));
        let mut connections: Vec<Connection> = kept.map(|(_, connection)| connection).collect();
        let sampled = connections.len();
        connections.retain(|connection| window.from + connection.start < window.until);
        let name = &self.vectors.get()?.name;
        for (number, what) in [
            (recorded.losses, "with loss rates, which have no effect"),
            (recorded.segments, "with segment sizes, which have no effect"),
        ] {
            load.assume((number > 0).then(|| format!("{number} of {count} connections in {name} {what}")));
        }
        load.assume(late(sampled - connections.len(), sampled, "connections", name));
        for connection in &mut connections {
            connection.rtt = connection.rtt.filter(|_| rtt == Origin::Recorded);
            for side in &mut connection.sides {
                side.window = side.window.filter(|_| limit == Origin::Recorded);
            }
        }
        if connections.is_empty() {
            let fault = self.vectors.fault(format!("none of its connections starts before {}", window.until));
            let fault = fault.given(format!("\"{}\"", self.vectors.get()?.name));
            let allowed = "a connection that starts within the run, and a share that keeps it";
            return Err(fault.allowed(allowed).report(faults));
        }
        // What no connection has is as good as not wanted.
        let origin = |recorded: bool| if recorded { Origin::Recorded } else { Origin::Group };
        let has_window = |each: &Connection| each.sides.iter().any(|side| side.window.is_some());
        self.rtt.fill(origin(connections.iter().any(|each| each.rtt.is_some())));
        self.window.fill(origin(connections.iter().any(has_window)));
        let bytes = |side: usize| connections.iter().map(|each| each.sides[side].size().count()).sum::<u64>();
        let (there, back, slots) = (bytes(0), bytes(1), connections.len() as u32);
        let words = format!("{slots} recorded connections, {there}B of their initiators and {back}B back");
        let demand = Demand::Exchanges { connections: connections.into(), side: 0, from: window.from };
        Ok(Transfers::new(demand, slots, words))
    }
}

/// Whether the connection `number` of a file is among the `share` that is kept: evenly spread, the last of each stretch.
fn is_kept(number: usize, share: f64) -> bool {
    let before = |count: usize| (count as f64 * share).floor();
    before(number + 1) > before(number)
}
