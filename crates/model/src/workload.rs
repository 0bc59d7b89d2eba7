// SPDX-License-Identifier: Apache-2.0
//! Workloads: when connections start, how much data they carry, and which routes they take.

use crate::Demand;
use crate::traffic::{Distribution, Sizes, Spans};
use narrows_transport::TransportOptions;
use narrows_units::{Rate, Span};
use std::sync::Arc;

/// A workload: a set of connections with the same properties between the same routers.
///
/// Each connection occupies a *slot*, which holds at most one connection at a time and can then be reused. The
/// properties of a connection are a function of the workload and of the connection's number in it, so they are the same
/// for every algorithm.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Index of the group of the workload.
    pub group: usize,
    /// Process that starts the connections.
    pub demand: Demand,
    /// Index of the workload of the other sides of its connections, which have the same slots in the same order; `None` if one
    /// side alone writes.
    pub partner: Option<u32>,
    /// Number of the workload in the names of its random streams, shared only with its partner; unused by a fixed
    /// workload. It determines the draws, and so the results.
    pub stream: u32,
    /// Number, in random draws, of the user in its first slot.
    pub first_user: u32,
    /// Maximum number of open connections.
    pub slots: u32,
    /// Whether every connection has its own slot, records and series.
    pub individual: bool,
    /// Payload of a connection; the components of a mixture are the classes of files. `None` for endless flows and if
    /// the demand gives the sizes.
    pub size: Option<Sizes>,
    /// Intervals in which some transfers are larger.
    pub surges: Vec<Surge>,
    /// Paths that a connection may take; at least one. Those of weight 0 after it are further paths of every connection, if a stack
    /// with several paths carries it.
    pub paths: Vec<PathModel>,
    /// Links between hosts and routers.
    pub access: Access,
    /// Options of the transport endpoints.
    pub transport: Arc<TransportOptions>,
    /// Upper bound of the random send delay, uniform from zero, of each packet of the sender; the order of packets is
    /// kept.
    pub send_delay: Span,
}

impl Workload {
    /// Returns the names of the classes of files: the names of the components of a mixture, or one empty name.
    pub fn file_classes(&self) -> Vec<&str> {
        match &self.size {
            Some(Sizes(Distribution::Mixture(components))) => {
                components.iter().map(|each| each.class.as_str()).collect()
            }
            _ => vec![""],
        }
    }

    /// Whether its connections are finite.
    pub fn is_finite(&self) -> bool {
        self.size.is_some() || self.demand.is_finite()
    }

    /// Returns the number of connections; `None` if it is random.
    pub fn connections(&self) -> Option<u64> {
        self.demand.connections(self.slots)
    }
}

/// Names of the classes of files and of paths over all workloads, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// Names of the classes of files.
    pub files: Vec<String>,
    /// Names of the classes of paths.
    pub paths: Vec<String>,
}

impl Classes {
    /// Returns the classes of the finite workloads among `workloads`.
    pub fn of(workloads: &[Workload]) -> Self {
        let mut all = Self::default();
        for workload in workloads.iter().filter(|each| each.is_finite()) {
            for name in workload.file_classes() {
                insert(&mut all.files, name);
            }
            for path in &workload.paths {
                insert(&mut all.paths, &path.class);
            }
        }
        all
    }

    /// Returns the number of pairs of a class of files and a class of paths.
    pub fn count(&self) -> usize {
        self.files.len() * self.paths.len()
    }

    /// Returns the index in [`files`](Self::files) of each class of files of `workload`.
    pub fn of_files(&self, workload: &Workload) -> Vec<u32> {
        workload.file_classes().into_iter().map(|name| index(&self.files, name)).collect()
    }

    /// Returns the index in [`paths`](Self::paths) of the class of each path of `workload`.
    pub fn of_paths(&self, workload: &Workload) -> Vec<u32> {
        workload.paths.iter().map(|path| index(&self.paths, &path.class)).collect()
    }
}

fn insert(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Zero for a name that is not there, as in workloads without classes.
fn index(names: &[String], name: &str) -> u32 {
    names.iter().position(|known| known == name).unwrap_or(0) as u32
}

/// An interval in which some transfers are larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surge {
    /// Start of the interval.
    pub from: Span,
    /// End of the interval, exclusive.
    pub until: Span,
    /// Fraction of the transfers started in the interval that are larger, 0 to 1.
    pub share: f64,
    /// Factor by which they are larger.
    pub factor: f64,
}

/// A path between two routers.
#[derive(Clone, Debug)]
pub struct PathModel {
    /// Weight of the path in the random choice, relative to the others.
    pub weight: f64,
    /// Route of data packets: an index into the model's routes.
    pub forward: u32,
    /// Route of acknowledgements: an index into the model's routes.
    pub reverse: u32,
    /// Class of the path, as in "DN"; may be empty.
    pub class: Arc<str>,
}

/// The links between a connection's hosts and their routers: unlimited FIFOs, used by one connection alone.
#[derive(Clone, Debug)]
pub enum Access {
    /// The two-way propagation delay of a connection is given or drawn; the part that is not on its path is shared by the four
    /// directions between hosts and routers.
    RoundTrip {
        /// The delay; never less than the delay of the path.
        rtt: Spans,
        /// Rate of each access link.
        rate: Rate,
    },
    /// Hosts with access links of given delay.
    Hosts {
        /// Hosts that send data. Whether the host of a slot is fast stays the same for the run.
        source: HostModel,
        /// Hosts that receive data; each connection draws another.
        receiver: HostModel,
    },
}

/// Hosts of two speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostModel {
    /// Rate of the access links of normal hosts.
    pub normal: Rate,
    /// Rate of the access links of fast hosts.
    pub fast: Rate,
    /// Fraction of fast hosts, 0 to 1.
    pub fast_share: f64,
    /// One-way propagation delay of the access links.
    pub delay: Span,
}

/// Delays of the four access links of a connection that share `rest`, the part of its round-trip time not on its path:
/// half for each host. Order: from the sender, to the receiver, from the receiver, to the sender.
pub fn access_delays(rest: Span) -> [Span; 4] {
    let sender = rest / 2;
    let receiver = rest - sender;
    [sender / 2, receiver / 2, receiver - receiver / 2, sender - sender / 2]
}

#[cfg(test)]
mod tests {
    use super::access_delays;
    use narrows_units::Span;

    #[test]
    fn no_picosecond_of_a_round_trip_is_lost() {
        for rest in (0..9).chain([1_000_003, 40_000_000_007]) {
            let sum =
                access_delays(Span::from_ps(rest)).into_iter().fold(Span::ZERO, |sum, delay| sum + delay);
            assert_eq!(sum, Span::from_ps(rest));
        }
    }
}
