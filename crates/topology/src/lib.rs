// SPDX-License-Identifier: Apache-2.0
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
    /// Number of routers.
    pub nodes: u32,
    /// The links between routers, each in one direction.
    pub links: Vec<LinkModel>,
    /// Rate of each link between a router and a host.
    pub access_rate: Rate,
}

/// The routes of a connection between routers, as indices of links; each has at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Route of data packets: indices of links, in the order of traversal.
    pub forward: Vec<u32>,
    /// Route of acknowledgements: indices of links, in the order of traversal.
    pub reverse: Vec<u32>,
}

/// A network with the workloads that use it.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Number of routers.
    pub nodes: u32,
    /// The links between routers, each in one direction.
    pub links: Vec<LinkModel>,
    /// Routes of connections, as indices of links.
    pub routes: Vec<Vec<u32>>,
    /// The workloads: fixed ones first, otherwise in the order of their groups.
    pub workloads: Vec<Workload>,
    /// All groups, in the order given.
    pub groups: Vec<GroupModel>,
}
