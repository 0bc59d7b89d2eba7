//! How links are laid out and which of them a flow's packets cross.

pub mod dumbbell;

use crate::model::{FlowModel, GroupModel, LinkModel};

/// Links with the flows that use them.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How many nodes the links join.
    pub nodes: u32,
    /// Every link; a flow's route holds indices into this.
    pub links: Vec<LinkModel>,
    /// Every flow, those of a group side by side.
    pub flows: Vec<FlowModel>,
    /// Every group, in the order given.
    pub groups: Vec<GroupModel>,
}
