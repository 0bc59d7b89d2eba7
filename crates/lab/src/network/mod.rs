//! How links are laid out and which of them a flow's packets cross.

mod attach;
mod course;
pub mod dumbbell;
mod edges;
pub mod graph;
pub mod graphml;
mod group;
mod round_trips;

pub use course::Course;
pub use edges::{Edge, Edges};
pub use group::{Group, Transfers, seats};
pub use round_trips::{round_trip, with_round_trips};

use crate::model::{FlowModel, GroupModel, LinkModel, PopulationModel};
use narrows_units::Rate;

/// Routers and the links between them.
#[derive(Clone, Debug)]
pub struct Core {
    /// How many routers there are.
    pub nodes: u32,
    /// Links between them.
    pub links: Vec<LinkModel>,
    /// Rate of every link between a router and a flow's host.
    pub access_rate: Rate,
}

/// The links that a flow's packets cross between routers, as indices into those of the core; at least one each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Data, in order.
    pub outward: Vec<u32>,
    /// Acknowledgements, in order.
    pub homeward: Vec<u32>,
}

/// Links with the flows that use them.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How many nodes the links join.
    pub nodes: u32,
    /// Every link; a flow's route holds indices into this.
    pub links: Vec<LinkModel>,
    /// Every flow, those of a group side by side.
    pub flows: Vec<FlowModel>,
    /// Ways that transfers take.
    pub routes: Vec<Vec<u32>>,
    /// Transfers that come and go.
    pub populations: Vec<PopulationModel>,
    /// Every group, in the order given.
    pub groups: Vec<GroupModel>,
}
