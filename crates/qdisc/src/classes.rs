//! Which class each flow belongs to: what a border router would write into the packets' headers (RFC 2475), known here
//! from the flow.

use narrows_wire::FlowId;
use std::sync::Arc;

/// The class of every flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    of_flow: Arc<[u8]>,
    others: u8,
}

impl Classes {
    /// The flow at seat `i` is in class `of_flow[i]`, flows beyond the list in `others`. Class 0 is the best.
    pub fn new(of_flow: impl Into<Arc<[u8]>>, others: u8) -> Self {
        Self { of_flow: of_flow.into(), others }
    }

    /// The class of `flow`, and of what comes back to it.
    pub fn of(&self, flow: FlowId) -> u8 {
        self.of_flow.get(flow.index()).copied().unwrap_or(self.others)
    }

    /// The worst class of any flow.
    pub fn worst(&self) -> u8 {
        self.of_flow.iter().copied().fold(self.others, u8::max)
    }
}
