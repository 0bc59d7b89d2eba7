// SPDX-License-Identifier: Apache-2.0
//! Demand: the process that starts the connections of a workload. Each question of the rest of the program about a kind
//! of demand is a method here, whose answer for most kinds is the last arm, so that a new kind is one variant, and an
//! arm where it is unlike the others.

use crate::SourceModel;
use crate::application::ApplicationModel;
use crate::traffic::{Arrivals, Connection, Distribution};
use narrows_units::{Rate, Span, Time};
use std::sync::Arc;

/// The process that starts connections.
#[derive(Clone, Debug)]
pub enum Demand {
    /// One connection for each slot.
    Fixed {
        /// Start time of the connections.
        start: Start,
        /// End of their use; `None` for that of the run.
        stop: Option<Stop>,
        /// The source of its data.
        source: SourceModel,
    },
    /// Connections arrive independently of earlier ones; a connection that finds all slots occupied is refused.
    Open(Arrivals),
    /// Each slot is a user with alternating think times and transfers.
    Users(UserModel),
    /// Connections over which both sides write. Each has a slot in two workloads, which are
    /// [partners](crate::Workload::partner): one for the data of the initiators, one for the data of the acceptors.
    Exchanges {
        /// The recorded connections.
        connections: Arc<[Connection]>,
        /// The side whose data this workload carries: 0 for initiators, 1 for acceptors.
        side: usize,
        /// Start of the recording, from the start of the run.
        from: Span,
    },
    /// Clients of an application, each with the same number of slots, which its connections occupy by turns. Each slot
    /// is in two workloads, which are [partners](crate::Workload::partner): one for the data of the server, one for the
    /// data of the client.
    Clients {
        /// The application.
        application: Arc<ApplicationModel>,
        /// The side whose data this workload carries: 0 for servers, 1 for clients.
        side: usize,
        /// Start time of the clients.
        start: Start,
        /// End of the clients; `None` for that of the run.
        stop: Option<Stop>,
    },
}

/// The behaviour of users.
#[derive(Clone, Debug)]
pub struct UserModel {
    /// Think time: from the end of a transfer, of datagrams from the end of sending, to the start of the next, seconds.
    pub think: Distribution,
    /// Start of the first think time of every user.
    pub from: Span,
    /// No transfer starts at or after this time.
    pub until: Span,
    /// Time after which a user abandons a transfer, seconds; `None` without a limit.
    pub patience: Option<Distribution>,
    /// Whether all users start their transfers together: a think time begins when the last one has ended.
    pub barrier: bool,
}

/// Start time of the connections of a fixed workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time of the run.
    At(Span),
    /// Uniformly distributed between these two times.
    Between(Span, Span),
    /// The first at `first`, and each other `every` after the one before.
    Apart {
        /// Start time of the first.
        first: Span,
        /// Time from one start to the next.
        every: Span,
    },
}

/// End of the use of a connection, or of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At this time of the run.
    At(Span),
    /// This long after its start.
    After(Span),
}

impl Stop {
    /// Returns the time at which what started at `start` stops.
    pub fn of(self, start: Time) -> Time {
        match self {
            Self::At(at) => Time::ZERO + at,
            Self::After(lasts) => start + lasts,
        }
    }
}

impl Demand {
    /// Whether every slot has one connection, which starts at a given time.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed { .. })
    }

    /// Returns when its connections or clients stop; `None` if that is at the end of the run.
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Self::Fixed { stop, .. } | Self::Clients { stop, .. } => *stop,
            _ => None,
        }
    }

    /// Whether its data is a stream of bytes, whose segments are cut when they are sent.
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Fixed { source, .. } if source.is_stream())
    }

    /// Whether its connections are recorded ones over which both sides write.
    pub fn is_recorded(&self) -> bool {
        matches!(self, Self::Exchanges { .. })
    }

    /// Returns the side whose data it carries, 0 or 1, of connections over which both sides write; `None` if one side
    /// alone writes.
    pub fn side(&self) -> Option<usize> {
        match self {
            Self::Exchanges { side, .. } | Self::Clients { side, .. } => Some(*side),
            _ => None,
        }
    }

    /// Returns the same for the other side; `None` if one side alone writes.
    pub fn other_side(&self) -> Option<Self> {
        let mut other = self.clone();
        match &mut other {
            Self::Exchanges { side, .. } | Self::Clients { side, .. } => *side = 1 - *side,
            _ => return None,
        }
        Some(other)
    }

    /// Whether `other` is the demand of the other sides of the same connections.
    pub(crate) fn faces(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Exchanges { connections, side, .. },
                Self::Exchanges { connections: same, side: back, .. },
            ) => Arc::ptr_eq(connections, same) && side + back == 1,
            (
                Self::Clients { application, side, .. },
                Self::Clients { application: same, side: back, .. },
            ) => Arc::ptr_eq(application, same) && side + back == 1,
            _ => false,
        }
    }

    /// Whether the data of its connections ends although no size is given.
    pub(crate) fn is_finite(&self) -> bool {
        !matches!(self, Self::Fixed { .. } | Self::Clients { .. })
    }

    /// Whether a connection that finds all slots occupied is refused.
    pub fn may_refuse(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Whether it carries the requests of the clients of an application, which are no share of what they receive.
    pub fn is_of_requests(&self) -> bool {
        matches!(self, Self::Clients { side: 1, .. })
    }

    /// Whether it is of clients of an application.
    pub fn is_application(&self) -> bool {
        self.slots_per_client().is_some()
    }

    /// Whether only a stack with streams and datagrams carries its data.
    pub fn needs_stack(&self) -> bool {
        matches!(self, Self::Clients { application, .. } if application.needs_stack())
    }

    /// Returns how many of `slots` each client has; `None` unless they are of clients of an application.
    pub fn slots_per_client(&self) -> Option<u32> {
        match self {
            Self::Clients { application, .. } => Some(application.connections()),
            _ => None,
        }
    }

    /// Returns the number of connections over `slots`; `None` if it is random or not limited.
    pub fn connections(&self, slots: u32) -> Option<u64> {
        match self {
            // A connection is counted with its initiator.
            Self::Exchanges { side: 1, .. } => Some(0),
            Self::Fixed { .. } | Self::Users(_) | Self::Exchanges { .. } => Some(u64::from(slots)),
            Self::Open(Arrivals::Trace(records)) => Some(records.len() as u64),
            _ => None,
        }
    }

    /// Returns the number of connections over `slots` that can each have a slot and records of their own: those that
    /// are fixed in number, or listed, few, and never refused.
    pub fn individual(&self, slots: u32) -> Option<u64> {
        match self {
            Self::Fixed { .. } => Some(slots.into()),
            Self::Open(Arrivals::Trace(records)) => {
                (records.len() <= MOST_INDIVIDUAL.min(slots as usize)).then_some(records.len() as u64)
            }
            _ => None,
        }
    }

    /// Returns the part of it behind an edge that has `share` of all sources, if the slots are shared out, too.
    #[must_use]
    pub fn part(&self, share: f64) -> Self {
        match self {
            Self::Open(Arrivals::Poisson(steps)) => {
                let steps: Vec<_> = steps.iter().map(|(at, rate)| (*at, rate * share)).collect();
                Self::Open(Arrivals::Poisson(steps.into()))
            }
            other => other.clone(),
        }
    }

    /// Whether its slots wait for each other, so that it cannot be shared out.
    pub fn is_synchronized(&self) -> bool {
        matches!(self, Self::Users(UserModel { barrier: true, .. }))
    }

    /// Whether an application writes the data of a connection over time, instead of all at its start.
    pub fn writes_over_time(&self) -> bool {
        match self {
            Self::Fixed { source, .. } => !matches!(source, SourceModel::Bulk),
            other => other.side().is_some(),
        }
    }

    /// Returns the highest bit rate of its application; `None` if that encodes nothing.
    pub fn highest_bitrate(&self) -> Option<Rate> {
        match self {
            Self::Clients { application, .. } => application.highest_bitrate(),
            _ => None,
        }
    }

    /// Whether each connection has a round-trip time of its own, as recorded.
    pub fn has_recorded_rtts(&self) -> bool {
        match self {
            Self::Exchanges { connections, .. } => connections.iter().any(|each| each.rtt.is_some()),
            _ => false,
        }
    }

    /// Whether the connections of each slot are numbered apart, so that the rows that are kept are shared out to slots.
    pub fn numbers_by_slot(&self) -> bool {
        matches!(self, Self::Users(_))
    }
}

/// Up to so many listed connections of a group are recorded one by one.
const MOST_INDIVIDUAL: usize = 1000;
