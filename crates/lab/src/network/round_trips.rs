//! Round trips that are drawn: each replication has a network of its own.

use super::attach::access_delays;
use crate::model::Model;
use narrows_engine::Stream;
use narrows_units::Span;
use std::borrow::Cow;

/// The model as replication `replication` meets it. A flow that draws its round trip has access links of what that leaves
/// beside its way; it is at least as long as the way. The same model where no flow draws.
pub fn with_round_trips(model: &Model, replication: u32) -> Cow<'_, Model> {
    let mut model = Cow::Borrowed(model);
    for flow in 0..model.flows.len() {
        let Some(rtt) = model.flows[flow].rtt.clone() else { continue };
        let drawn = rtt.sample(&mut Stream::new(model.seed, replication, &format!("flow {flow} rtt")));
        let access = access_links(&model, flow);
        let delay = |link: u32| model.links[link as usize].delay;
        let all = round_trip(&model, flow);
        let own = access.iter().fold(Span::ZERO, |sum, link| sum + delay(*link));
        let delays = access_delays(drawn.saturating_sub(all.saturating_sub(own)));
        let model = model.to_mut();
        for (link, delay) in access.into_iter().zip(delays) {
            model.links[link as usize].delay = delay;
        }
    }
    model
}

/// The two-way propagation delay of a flow.
pub fn round_trip(model: &Model, flow: usize) -> Span {
    let plan = &model.flows[flow];
    let all = plan.outward.iter().chain(&plan.homeward);
    all.fold(Span::ZERO, |sum, link| sum + model.links[*link as usize].delay)
}

/// From the sender, to the receiver, from the receiver, to the sender: the ends of its routes.
fn access_links(model: &Model, flow: usize) -> [u32; 4] {
    let ends = |route: &[u32]| [route[0], route[route.len() - 1]];
    let plan = &model.flows[flow];
    let ([from_sender, to_receiver], [from_receiver, to_sender]) =
        (ends(&plan.outward), ends(&plan.homeward));
    [from_sender, to_receiver, from_receiver, to_sender]
}
