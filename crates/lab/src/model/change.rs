//! What happens to the network itself at set times.

use narrows_units::Span;

/// Links that fail, come back or change, and the routes that are taken from then on.
#[derive(Clone, Debug)]
pub struct ChangeModel {
    /// When, from the start of the run.
    pub at: Span,
    /// What happens to which links, in this order.
    pub links: Vec<(u32, LinkChange)>,
    /// Flows that take other routes from now on. A packet under way keeps the route on which it set out.
    pub flows: Vec<FlowRoutes>,
    /// Routes of the model that are other links from now on, each with the same ends as before.
    pub routes: Vec<(u32, Vec<u32>)>,
}

/// What happens to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChange {
    /// It loses what waits for it, what it is sending and whatever comes, until it is restored.
    Fail,
    /// It works again.
    Restore,
    /// Its propagation delay from now on. It never lets a packet overtake another.
    Delay(Span),
}

/// The routes of one flow from some time on; each begins and ends with the same links as before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRoutes {
    /// Its seat.
    pub flow: u32,
    /// Links its data crosses, in order.
    pub outward: Vec<u32>,
    /// Links its acknowledgements cross, in order.
    pub homeward: Vec<u32>,
}
