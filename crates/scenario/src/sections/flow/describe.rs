// SPDX-License-Identifier: Apache-2.0
//! Descriptions of groups of flows.

use super::super::transport::Endpoint;
use super::super::{distribution, stack};
use super::UNRESPONSIVE;
use super::placement::{self, TopologyContext};
use narrows_model::{Start, Stop};
use narrows_topology::Group;
use narrows_units::{Bytes, Span};

/// Words for the properties of a group that depend on its source.
pub(super) struct Words {
    /// What `count` is the number of.
    pub count: String,
    /// Description of the sizes of transfers without `size`.
    pub sizes: &'static str,
    /// Description of how data is written, if not at once.
    pub source: String,
}

/// Describes a group in words.
pub(super) fn describe(
    group: &Group,
    words: Words,
    (start, stop): (Start, Option<Stop>),
    endpoint: &Endpoint,
    topology: TopologyContext<'_>,
) -> String {
    let Group { algorithm, demand, .. } = group;
    let Words { count, sizes, source } = words;
    let subject = if group.subject { ", under test" } else { "" };
    let start = match start {
        Start::At(at) => format!("from {at}"),
        Start::Between(first, last) => format!("from a random time between {first} and {last}"),
        Start::Apart { first, every } => format!("from {first} and every {every} another"),
    };
    let stop = match stop {
        None => String::new(),
        Some(Stop::At(at)) => format!(" to {at}"),
        Some(Stop::After(lasts)) => format!(" for {lasts}"),
    };
    let size = match &group.size {
        Some(size) => format!("{} each", distribution::describe::<Bytes>(&size.0)),
        None if group.program.is_some() => "carried by programs".to_owned(),
        None => sizes.to_owned(),
    };
    let rtt = if demand.has_recorded_rtts() {
        "as recorded".to_owned()
    } else {
        distribution::describe::<Span>(&group.rtt.0)
    };
    let placement = placement::describe(&group.placement, &group.further, topology);
    let endpoint = match algorithm.stack() {
        Some(control) => stack::describe(control),
        None if group.program.is_some() => "sockets of the kernel on which the programs run".to_owned(),
        None => endpoint.describe(),
    };
    // What sends at once whatever is written has no congestion control to name.
    let control = if algorithm.to_string() == UNRESPONSIVE {
        "without congestion control".to_owned()
    } else {
        format!("of {algorithm}")
    };
    format!(
        "{count} {control}{subject}, {size}{source}, {start}{stop}, round trip {rtt}{placement}; {endpoint}"
    )
}
