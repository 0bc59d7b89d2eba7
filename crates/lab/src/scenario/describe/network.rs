//! A network in words.

use super::direction;
use crate::model::{LinkChange, LinkModel};
use crate::network::dumbbell::Direction;
use crate::network::graph::Trip;
use crate::scenario::resolve::{Network, Resolved};

/// Title and text of each paragraph.
pub(super) fn paragraphs(network: &Network, scenario: &Resolved) -> Vec<(String, String)> {
    let graph = &network.graph;
    let links = &graph.core.links;
    let mut words = vec![(
        "Network".to_owned(),
        format!(
            "{} routers and {} links of one direction; packets of {}; access links of {}; the bandwidth-delay product counts a round trip of {}",
            graph.nodes.len(),
            links.len(),
            network.packet,
            graph.core.access_rate,
            network.rtt
        ),
    )];
    words.extend(network.note.iter().map(|note| ("Links".to_owned(), note.clone())));
    // Links that are alike are described together.
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for link in links {
        let text = one(link, scenario);
        match kinds.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(&link.name),
            None => kinds.push((text, vec![&link.name])),
        }
    }
    for (text, names) in kinds {
        let title = if names.len() == 1 { "Link" } else { "Links" };
        words.push((format!("{title} {}", names.join(", ")), text));
    }
    if !graph.events.is_empty() {
        let events = graph.events.iter().map(|event| {
            let (at, name) = (event.at, &links[event.link as usize].name);
            match event.change {
                LinkChange::Fail => format!("{name} fails at {at}"),
                LinkChange::Restore => format!("{name} is restored at {at}"),
                LinkChange::Delay(delay) => format!("{name} has a delay of {delay} from {at} on"),
            }
        });
        let events = events.collect::<Vec<_>>().join(", ");
        words.push((
            "Events".to_owned(),
            format!("{events}; other ways are taken {} later", graph.convergence),
        ));
    }
    words
}

/// Where flows go, after their round trip.
pub(super) fn trip(trip: &Trip, network: &Network) -> String {
    let name = |node: u32| &network.graph.nodes[node as usize];
    format!(", from {} to {} along {}", name(trip.from), name(trip.to), network.links_of(trip).join(", "))
}

fn one(link: &LinkModel, scenario: &Resolved) -> String {
    format!("{}; {} one way", direction(&Direction::of(link), scenario), link.delay)
}
