// SPDX-License-Identifier: Apache-2.0
//! The class of each flow: a border router would write it into the packets' headers (RFC 2475); here it is known from
//! the flow.

use alloc::sync::Arc;
use narrows_wire::FlowId;

/// The class of each flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    of_flow: Arc<[u8]>,
    others: u8,
}

impl Classes {
    /// Creates the classes: a flow in connection slot `i` is in class `of_flow[i]`, a flow in a slot beyond the list in
    /// class `others`. Class 0 has the highest priority.
    pub fn new(of_flow: impl Into<Arc<[u8]>>, others: u8) -> Self {
        Self { of_flow: of_flow.into(), others }
    }

    /// Returns the class of `flow`, which holds for its packets in both directions.
    pub fn of(&self, flow: FlowId) -> u8 {
        self.of_flow.get(flow.index()).copied().unwrap_or(self.others)
    }

    /// Returns the largest class number of any flow: the class that is served worst.
    pub fn worst(&self) -> u8 {
        self.of_flow.iter().copied().fold(self.others, u8::max)
    }
}
