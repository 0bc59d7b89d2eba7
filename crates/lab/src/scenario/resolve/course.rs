//! Where the flows of a group go: along a path, or between routers of a network.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Table};
use super::Network;
use super::flows::Context;
use super::transport::Scale;
use crate::network::Course;
use crate::network::graph::Trip;
use narrows_units::Span;

/// Where the data of a group goes; `None` if a fault stands in the way.
pub(super) fn course(table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Course> {
    let (foreign, hint): (&[&str], _) = if context.in_network {
        (&["direction"], "in a network a flow says from which router to which it goes")
    } else {
        (&["from", "to", "via"], "routers are those of a [network]; along a path there is direction")
    };
    let mut sound = true;
    for key in foreign.iter().filter(|key| table.has(key)) {
        let fault = Fault::new(table.place_of(key), table.path_of(key), "does not fit here");
        faults.push(fault.allowed("no such key").hint(Some(hint.into())));
        sound = false;
    }
    let course = if context.in_network {
        Course::Routers(context.network?.trip(table, faults)?)
    } else if table.read("direction", "forward", Checked::word)? == "reverse" {
        Course::Reverse
    } else {
        Course::Forward
    };
    sound.then_some(course)
}

/// What sizes in packets mean for flows that go there: in a network the narrowest link of their way counts.
pub(super) fn scale<'a>(course: Option<&Course>, context: &Context<'a>) -> Option<Scale<'a>> {
    let scale = context.scale?;
    match (course, context.network) {
        (Some(Course::Routers(trip)), Some(network)) => {
            Some(Scale { mean: network.narrowest_of(trip, context.duration?), ..scale })
        }
        _ => Some(scale),
    }
}

/// Whether the way of flows between routers fits into their round trip.
pub(super) fn fits(
    rtt: Span,
    trip: &Trip,
    network: &Network,
    table: &Table,
    faults: &mut Vec<Fault>,
) -> bool {
    let propagation = network.propagation(trip);
    if rtt < propagation {
        let along = network.links_of(trip).join(", ");
        let message = format!("a round trip of {rtt} is shorter than that along {along}");
        let fault = Fault::new(table.place_of("rtt"), table.path_of("rtt"), message).given(rtt.to_string());
        faults.push(fault.allowed(format!("at least {propagation}")));
    }
    rtt >= propagation
}
