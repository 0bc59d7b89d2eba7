//! How links are laid out and which of them a flow's packets cross.

mod attach;
pub mod dumbbell;
mod edges;
pub mod graph;
pub mod graphml;
mod group;

pub use edges::{Edge, Edges};
pub use group::{Group, Placement, RoutePoints, slots};

use narrows_model::{GroupModel, LinkModel, Workload};
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

/// The links that a connection's packets cross between routers, as indices into those of the core; at least one each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Data, in order.
    pub forward: Vec<u32>,
    /// Acknowledgements, in order.
    pub reverse: Vec<u32>,
}

/// Links with the workloads that use them.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How many nodes the links join.
    pub nodes: u32,
    /// Every link between routers.
    pub links: Vec<LinkModel>,
    /// Routes that connections take.
    pub routes: Vec<Vec<u32>>,
    /// What starts connections: fixed workloads first, otherwise in the order of the groups.
    pub workloads: Vec<Workload>,
    /// Every group, in the order given.
    pub groups: Vec<GroupModel>,
}
