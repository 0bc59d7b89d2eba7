//! A group of flows in words.

use super::super::transport::Endpoint;
use super::super::{application, distribution, source, transfers};
use super::UNRESPONSIVE;
use super::placement::{self, TopologyContext};
use narrows_model::{Demand, Start};
use narrows_topology::Group;
use narrows_units::{Bytes, Span};

/// The description of a group for readers.
pub(super) fn describe(
    group: &Group,
    start: Start,
    endpoint: &Endpoint,
    topology: TopologyContext<'_>,
) -> String {
    let Group { algorithm, demand, .. } = group;
    let count = match demand {
        Demand::Clients { application, .. } => application::describe(application, group.slots),
        _ => transfers::describe(demand, group.slots),
    };
    let subject = if group.subject { ", under test" } else { "" };
    let start = match start {
        Start::At(at) => format!("from {at}"),
        Start::Between(first, last) => format!("from a random time between {first} and {last}"),
    };
    let size = match (&group.size, demand) {
        (None, Demand::Fixed { .. }) if group.program.is_some() => "carried by programs".to_owned(),
        (Some(size), _) => format!("{} each", distribution::describe::<Bytes>(&size.0)),
        (None, Demand::Fixed { .. }) => "endless".to_owned(),
        (None, Demand::Clients { .. }) => "objects as requested".to_owned(),
        (None, _) => "sizes as recorded".to_owned(),
    };
    let rtt = if demand.has_recorded_rtts() {
        "as recorded".to_owned()
    } else {
        distribution::describe::<Span>(&group.rtt.0)
    };
    let source = match demand {
        Demand::Fixed { source, .. } => source::describe(source),
        _ => String::new(),
    };
    let placement = placement::describe(&group.placement, topology);
    let endpoint = endpoint.describe();
    // What sends at once whatever is written has no congestion control to name.
    let control = if algorithm.to_string() == UNRESPONSIVE {
        "without congestion control".to_owned()
    } else {
        format!("of {algorithm}")
    };
    format!("{count} {control}{subject}, {size}{source}, {start}, round trip {rtt}{placement}; {endpoint}")
}
