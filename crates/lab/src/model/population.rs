//! Transfers that come and go: who begins them, how much they carry, and which way they take.

use crate::traffic::{Arrivals, Connection, Distribution};
use narrows_transport::TransportOptions;
use narrows_units::{Rate, Span};
use std::sync::Arc;

/// Sources behind one router that are alike.
///
/// Each has a *seat*: at most one transfer at a time, and the next may have it afterwards. A transfer is a function of
/// the population, the seat and how many had the seat before, so two algorithms meet the same transfers.
#[derive(Clone, Debug)]
pub struct PopulationModel {
    /// Index into the groups.
    pub group: usize,
    /// What begins a transfer.
    pub demand: Demand,
    /// How many transfers may be under way at once.
    pub seats: u32,
    /// Payload of a transfer, bytes; the components of a mixture are the classes of files.
    pub size: Distribution,
    /// Times and places of greater transfers.
    pub surges: Vec<Surge>,
    /// Where a transfer may go; at least one.
    pub ways: Vec<WayModel>,
    /// The links between hosts and routers.
    pub access: Access,
    /// How the endpoints behave.
    pub transport: Arc<TransportOptions>,
}

impl PopulationModel {
    /// Names of the classes of files: of the components of a mixture of sizes, else one without a name.
    pub fn files(&self) -> Vec<&str> {
        match &self.size {
            Distribution::Mixture(components) => components.iter().map(|each| each.class.as_str()).collect(),
            _ => vec![""],
        }
    }
}

/// Names of the classes of files and of ways that the transfers of all populations have, each in the order of its first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// Of files.
    pub files: Vec<String>,
    /// Of ways.
    pub ways: Vec<String>,
}

impl Classes {
    /// Those of `populations`.
    pub fn of(populations: &[PopulationModel]) -> Self {
        let mut all = Self::default();
        for population in populations {
            for name in population.files() {
                note(&mut all.files, name);
            }
            for way in &population.ways {
                note(&mut all.ways, &way.class);
            }
        }
        all
    }

    /// How many pairs of a file's and a way's class there are.
    pub fn count(&self) -> usize {
        self.files.len() * self.ways.len()
    }

    /// The pairs of names, in the order of their indices.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flat_map(|file| self.ways.iter().map(|way| (file.as_str(), way.as_str())))
    }

    /// For each class of files of `population` the index of its first pair.
    pub fn of_files(&self, population: &PopulationModel) -> Vec<u32> {
        let place = |name: &str| place(&self.files, name) * self.ways.len();
        population.files().into_iter().map(|name| place(name) as u32).collect()
    }

    /// For each way of `population` what it adds to that index.
    pub fn of_ways(&self, population: &PopulationModel) -> Vec<u32> {
        population.ways.iter().map(|way| place(&self.ways, &way.class) as u32).collect()
    }
}

fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

fn place(names: &[String], name: &str) -> usize {
    names.iter().position(|known| known == name).expect("every class is named")
}

/// What begins a transfer.
#[derive(Clone, Debug)]
pub enum Demand {
    /// Transfers arrive whatever becomes of those before; one that finds every seat taken is turned away.
    Open(Arrivals),
    /// Each seat has a user who thinks, transfers and thinks again.
    Users {
        /// Time between the end of a transfer and the begin of the next, seconds.
        think: Distribution,
        /// When users begin to think.
        from: Span,
        /// A user whose transfer would begin at or after this rests for ever.
        until: Span,
        /// A user gives up a transfer that takes longer than this, seconds.
        patience: Option<Distribution>,
    },
    /// Connections over which both sides write, each with a seat of its own in two populations that follow each other:
    /// what one side sends, and what the other.
    Exchanges {
        /// All of them.
        connections: Arc<[Connection]>,
        /// Whose data this population is: 0 for initiators, whose population is the first, 1 for acceptors.
        side: usize,
        /// Their times count from here.
        from: Span,
    },
}

/// A time in which some transfers are greater.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surge {
    /// It begins then.
    pub from: Span,
    /// It is over then.
    pub until: Span,
    /// The share of transfers that begin meanwhile and are greater.
    pub share: f64,
    /// How many times greater.
    pub factor: f64,
}

/// A way that a transfer may take.
#[derive(Clone, Debug)]
pub struct WayModel {
    /// How often it is taken, relative to the others.
    pub weight: f64,
    /// Of data: an index into the model's routes.
    pub outward: u32,
    /// Of acknowledgements: an index into the model's routes.
    pub homeward: u32,
    /// What ways like it are called, as in "DN"; may be empty.
    pub class: Arc<str>,
}

/// The links between a transfer's hosts and their routers. They are unlimited FIFOs that one transfer alone uses at a
/// time, so that they need no object and no event of their own.
#[derive(Clone, Debug)]
pub enum Access {
    /// The two-way propagation delay of a transfer is drawn, seconds; what its way leaves of it is split equally over the
    /// four directions between hosts and routers.
    RoundTrip {
        /// The delay; never less than that of the way.
        rtt: Distribution,
        /// Rate of each link.
        rate: Rate,
    },
    /// Hosts with links of given delay.
    Hosts {
        /// Those that send data. Whether a seat's host is fast stays the same for the run.
        source: HostModel,
        /// Those that receive it; each transfer finds another.
        receiver: HostModel,
    },
}

/// Hosts of two speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostModel {
    /// Rate of the link of most.
    pub normal: Rate,
    /// Rate of the link of the fast ones.
    pub fast: Rate,
    /// Share of fast hosts, 0 to 1.
    pub fast_share: f64,
    /// One-way propagation delay of the link.
    pub delay: Span,
}
