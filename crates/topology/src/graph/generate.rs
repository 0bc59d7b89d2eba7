// SPDX-License-Identifier: Apache-2.0
//! Shapes that studies use.

/// A generated network: routers, and links in both directions between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Names of the routers.
    pub nodes: Vec<String>,
    /// Indices of the two routers of each link.
    pub links: Vec<(u32, u32)>,
}

/// Returns two routers, `left` and `right`, and the link between them.
pub fn dumbbell() -> Generated {
    Generated { nodes: vec!["left".into(), "right".into()], links: vec![(0, 1)] }
}

/// Returns a parking lot: `hops` links in a row. Flows over all links share each link with flows over that link alone.
pub fn parking_lot(hops: u32) -> Generated {
    Generated { nodes: numbered(hops + 1), links: (0..hops).map(|hop| (hop, hop + 1)).collect() }
}

/// Returns a ring of `links` routers and as many links.
pub fn ring(links: u32) -> Generated {
    Generated { nodes: numbered(links), links: (0..links).map(|from| (from, (from + 1) % links)).collect() }
}

/// Returns two links in a row (Akella et al., CMU-CS-02-139, figure 3): all flows share the queue of the first router,
/// and the second router favours some of them.
pub fn two_routers() -> Generated {
    parking_lot(2)
}

fn numbered(count: u32) -> Vec<String> {
    (0..count).map(|number| format!("R{number}")).collect()
}
