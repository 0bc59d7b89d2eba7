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
        (
            &["from", "to", "via", "between"],
            "routers are those of a [network]; along a path there is direction",
        )
    };
    let mut sound = true;
    for key in foreign.iter().filter(|key| table.has(key)) {
        let fault = Fault::new(table.place_of(key), table.path_of(key), "does not fit here");
        faults.push(fault.allowed("no such key").hint(Some(hint.into())));
        sound = false;
    }
    let course = if context.in_network && table.has("between") {
        between_edges(table, context.network?, faults)?
    } else if context.in_network {
        Course::Routers(context.network?.trip(table, faults)?)
    } else if table.read("direction", "forward", Checked::word)? == "reverse" {
        Course::Reverse
    } else {
        Course::Forward
    };
    sound.then_some(course)
}

/// From each edge to every other.
fn between_edges(table: &Table, network: &Network, faults: &mut Vec<Fault>) -> Option<Course> {
    let fault = |key: &str, message: &str| Fault::new(table.place_of(key), table.path_of(key), message);
    let Some(edges) = &network.graph.edges else {
        let allowed = "network.edges, or generator = { kind = \"tiered\", … }";
        faults.push(fault("between", "this network has no edges").allowed(allowed));
        return None;
    };
    if let Some(key) = ["from", "to", "via", "rtt"].into_iter().find(|key| table.has(key)) {
        faults.push(fault(key, "does not fit beside between").allowed("no such key: every pair has its own"));
        return None;
    }
    let spreads = matches!(
        table.value("source").map(Checked::variant),
        Some(("users" | "poisson" | "poisson-steps", _))
    );
    if !spreads {
        faults.push(
            fault("between", "only transfers that come and go spread over edges")
                .allowed("source = { kind = \"users\", … }, \"poisson\" or \"poisson-steps\""),
        );
        return None;
    }
    let routers: Vec<u32> = edges.all.iter().map(|edge| edge.router).collect();
    let ways = network.graph.routes_between(&routers);
    let apart = ways
        .iter()
        .enumerate()
        .find(|(pair, route)| route.is_empty() && pair / routers.len() != pair % routers.len());
    if let Some((pair, _)) = apart {
        let name = |edge: usize| network.graph.nodes[routers[edge] as usize].as_str();
        let message =
            format!("there is no way from {} to {}", name(pair / routers.len()), name(pair % routers.len()));
        faults.push(fault("between", &message).allowed("edges that links join in both directions"));
        return None;
    }
    Some(Course::Edges)
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
