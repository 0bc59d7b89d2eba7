//! Which way through a network a group's data goes.

use super::graph::Trip;

/// Where the data of a group goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// From the left of a dumbbell to its right.
    Forward,
    /// From the right of a dumbbell to its left.
    Reverse,
    /// Between two routers of a graph.
    Routers(Trip),
    /// Between the edges of a graph, from each to every other.
    Edges,
}
