// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. Routes against the lengths that the algorithm of Floyd (CACM 5(6), 1962) and Warshall gives.

use super::{Event, Graph, parking_lot, ring};
use crate::{Core, Path, RoutePoints};
use narrows_model::{KeyPath, LinkChange, LinkModel, RateModel};
use narrows_qdisc::{Limit, droptail};
use narrows_units::{Rate, Span};
use proptest::prelude::*;

fn graph(nodes: u32, links: &[(u32, u32, u64)]) -> Graph {
    let link = |&(from, to, delay): &(u32, u32, u64)| LinkModel {
        name: format!("{from}-{to}"),
        from,
        to,
        rate: RateModel::Constant(Rate::from_bps(1_000_000)),
        delay: Span::from_ms(delay),
        framing: None,
        queue: droptail::with_limit(Limit::Unlimited),
        queue_key: KeyPath::new("network.links.0.queue"),
        loss: None,
        impairments: Vec::new(),
    };
    Graph {
        nodes: (0..nodes).map(|node| node.to_string()).collect(),
        core: Core { nodes, links: links.iter().map(link).collect(), access_rate: Rate::from_bps(1_000_000) },
        edges: None,
        events: Vec::new(),
        convergence: Span::ZERO,
    }
}

/// Length of the shortest path between any two routers, milliseconds.
fn lengths(nodes: usize, links: &[(u32, u32, u64)]) -> Vec<Vec<Option<u64>>> {
    let mut lengths = vec![vec![None; nodes]; nodes];
    for (node, row) in lengths.iter_mut().enumerate() {
        row[node] = Some(0);
    }
    for &(from, to, delay) in links {
        let known = &mut lengths[from as usize][to as usize];
        *known = Some(known.unwrap_or(u64::MAX).min(delay));
    }
    for middle in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                let Some((there, on)) = lengths[from][middle].zip(lengths[middle][to]) else { continue };
                let known = &mut lengths[from][to];
                *known = Some(known.unwrap_or(u64::MAX).min(there + on));
            }
        }
    }
    lengths
}

/// The end of a chain of links from `from`, and its length.
fn follow(graph: &Graph, from: u32, links: &[u32]) -> (u32, Span) {
    links.iter().fold((from, Span::ZERO), |(node, length), &link| {
        let link = &graph.core.links[link as usize];
        assert_eq!(link.from, node, "a path is a chain");
        (link.to, length + link.delay)
    })
}

fn check(graph: &Graph, path: Option<&Path>, points: &RoutePoints, lengths: &[Vec<Option<u64>>]) {
    let (from, to) = (points.from as usize, points.to as usize);
    let expected = lengths[from][to].zip(lengths[to][from]);
    let found = path.map(|path| {
        let (end, there) = follow(graph, points.from, &path.forward);
        let (start, back) = follow(graph, points.to, &path.reverse);
        assert_eq!((end, start), (points.to, points.from));
        (there, back)
    });
    assert_eq!(
        found,
        expected.map(|(there, back)| (Span::from_ms(there), Span::from_ms(back))),
        "{points:?}"
    );
}

proptest! {
    #[test]
    fn ways_are_as_short_as_any(
        links in prop::collection::vec((0u32..7, 0u32..7, 1u64..6), 1..30),
        failing in any::<prop::sample::Index>(),
    ) {
        let links: Vec<_> = links.into_iter().filter(|(from, to, _)| from != to).collect();
        prop_assume!(!links.is_empty());
        let graph = graph(7, &links);
        let failing = failing.index(links.len());
        let mut state = super::State::new(&graph.core);
        state.change(failing as u32, LinkChange::Fail);
        let mut left = links.clone();
        left.remove(failing);
        let (before, after) = (lengths(7, &links), lengths(7, &left));
        for from in 0..7 {
            for to in (0..7).filter(|to| *to != from) {
                let points = RoutePoints { from, to, via: Vec::new() };
                check(&graph, graph.path(&points).as_ref(), &points, &before);
                check(&graph, state.path(&points).as_ref(), &points, &after);
            }
        }
    }
}

/// Truth: contract. Of paths of one length the one with fewer links is taken.
#[test]
fn fewer_links_win_among_equal_lengths() {
    let graph = graph(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 2), (2, 0, 1)]);
    let path = graph.path(&RoutePoints { from: 0, to: 2, via: Vec::new() }).expect("there are two");
    assert_eq!(path, Path { forward: vec![2], reverse: vec![3] });
}

/// Truth: contract. Data passes the named routers in their order, acknowledgements in the opposite one.
#[test]
fn a_points_via_routers_passes_them() {
    let shape = ring(5);
    let both: Vec<_> = shape.links.iter().flat_map(|&(from, to)| [(from, to, 10), (to, from, 10)]).collect();
    let graph = graph(5, &both);
    let long = graph.path(&RoutePoints { from: 0, to: 1, via: vec![3] }).expect("round the ring");
    let nodes =
        |links: &[u32]| links.iter().map(|link| graph.core.links[*link as usize].to).collect::<Vec<_>>();
    assert_eq!((nodes(&long.forward), nodes(&long.reverse)), (vec![4, 3, 2, 1], vec![2, 3, 4, 0]));
    assert_eq!(graph.propagation(&long), Span::from_ms(80));
    assert_eq!(parking_lot(3).links, [(0, 1), (1, 2), (2, 3)]);
}

/// Truth: contract. Routes follow events after the convergence time, and stay where none is left.
#[test]
fn events_change_routes_after_the_convergence_time() {
    let mut graph = graph(3, &[(0, 1, 1), (1, 0, 1), (0, 2, 5), (2, 0, 5), (2, 1, 5), (1, 2, 5)]);
    let at = Span::from_ms(1000);
    let fail = |link, at| Event { at, link, change: LinkChange::Fail };
    graph.events = vec![fail(0, at), fail(1, at), fail(2, at * 2)];
    graph.convergence = Span::from_ms(300);
    let epochs = graph.epochs();
    let points = RoutePoints { from: 0, to: 1, via: Vec::new() };
    let found: Vec<_> = epochs
        .iter()
        .map(|epoch| {
            let found = epoch.state.as_ref().map(|state| state.path(&points).is_some());
            (epoch.at, epoch.links.len(), found)
        })
        .collect();
    let ms = Span::from_ms;
    assert_eq!(
        found,
        [(ms(1000), 2, None), (ms(1300), 0, Some(true)), (ms(2000), 1, None), (ms(2300), 0, Some(false))]
    );
}
