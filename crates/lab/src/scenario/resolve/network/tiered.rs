//! `network.generator` of kind `tiered`.

use super::super::super::diagnostic::Fault;
use super::super::super::table::{Checked, Table};
use super::super::rate::Source;
use super::links::{Direction, link};
use super::{Context, Draft};
use crate::model::RateModel;
use crate::network::graph::Graph;
use crate::network::graph::tiered::{CLASSES, Tiered, Tiers};
use crate::network::{Core, Edge};
use narrows_qdisc::{Discipline, Limit, droptail};
use narrows_units::{Rate, Span};

/// The links and edges of the tiered network.
pub(super) fn generated(form: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Draft> {
    let whole = form.read("backbone", "abilene", Checked::word)? == "abilene";
    let number = |key, here: u64, west: u64| {
        form.read(key, if whole { here } else { west }, Checked::integer).map(|count| count as u32)
    };
    let rate = form.given("rate", Checked::rate)?;
    let factor = form.read("delay_factor", 1.0, Checked::number)?;
    if !(factor > 0.0 && factor <= 1000.0) {
        let fault = Fault::new(form.place_of("delay_factor"), form.path_of("delay_factor"), "out of range");
        faults.push(fault.given(factor.to_string()).allowed("above 0 and up to 1000"));
        return None;
    }
    let times = |factor: f64| Rate::from_bps_f64(rate.as_bps() as f64 * factor);
    let normal = 0.25 / 10.0;
    let tiered = Tiered {
        whole,
        points: number("points", 2, 2)?,
        access: [number("direct", 6, 2)?, number("fast", 28, 8)?, number("normal", 105, 30)?],
        backbone: times(2.0),
        point: times(0.25),
        access_rates: [times(10.0 * normal), times(2.0 * normal), times(normal)],
        delay_factor: factor,
        point_delay: form.read("point_delay", Span::from_ms(1), Checked::span)?,
        access_delay: form.read("access_delay", Span::from_us(500), Checked::span)?,
    };
    if tiered.access.iter().sum::<u32>() < 2 {
        let fault = Fault::new(&form.place, form.path.clone(), "fewer than two access routers");
        faults.push(fault.allowed("direct + fast + normal of at least 2"));
        return None;
    }
    let sources = weights(form, "sources", faults);
    let receivers = weights(form, "receivers", faults);
    let (sources, receivers) = (sources?, receivers?);
    let tiers = tiered.build();
    let mut draft = draft(&tiers, context)?;
    draft.edges = tiers
        .access
        .iter()
        .map(|&(router, class)| Edge {
            router,
            class: CLASSES[class].to_owned(),
            sources: sources[class],
            receivers: receivers[class],
        })
        .collect();
    if form.read("buffers", "rtt", Checked::word)? == "rtt/sqrt(n)" {
        let usual = 100 * draft.edges.len() as u64;
        let transfers = form.read("transfers", usual, Checked::integer)?;
        share_buffers(&mut draft, transfers as f64, context.packet?.count());
    }
    draft.note = Some(format!(
        "a tiered Internet: {} backbone routers, {} access routers ({} D, {} F, {} N), network speed {rate}",
        if whole { 11 } else { 4 },
        tiers.access.len(),
        tiered.access[0],
        tiered.access[1],
        tiered.access[2]
    ));
    Some(draft)
}

/// One number for each class.
fn weights(form: &Table, key: &str, faults: &mut Vec<Fault>) -> Option<[f64; 3]> {
    if !form.has(key) {
        return Some([1.0; 3]);
    }
    let items = form.value(key)?.list();
    let given: Option<Vec<f64>> = items.iter().map(|item| item.value.as_ref().map(Checked::number)).collect();
    let given = given?;
    let fits = given.len() == 3 && given.iter().all(|weight| *weight > 0.0 && *weight < 1e9);
    if !fits {
        let fault = Fault::new(form.place_of(key), form.path_of(key), "not a weight for each class");
        faults.push(fault.given(format!("{given:?}")).allowed("three numbers above 0: for D, F and N"));
        return None;
    }
    Some([given[0], given[1], given[2]])
}

fn draft(tiers: &Tiers, context: &Context<'_>) -> Option<Draft> {
    let mut draft = Draft { nodes: tiers.nodes.clone(), ..Draft::default() };
    let (rtt, packet) = (context.rtt?, context.packet?);
    for each in &tiers.links {
        let source = Source { rate: RateModel::Constant(each.rate), file: None };
        let limit = each.rate.bytes_in(rtt).count().max(packet.count());
        let queue = Discipline::DropTail(droptail::Config { limit: Limit::Bytes(limit) });
        let direction = Direction { source, queue, loss: None };
        let (one, other) = each.ends;
        let name =
            |from: u32, to: u32| format!("{}-{}", tiers.nodes[from as usize], tiers.nodes[to as usize]);
        draft.push(link(&name(one, other), one, other, each.delay, &direction), &direction.source);
        draft.push(link(&name(other, one), other, one, each.delay, &direction), &direction.source);
        draft.pair();
    }
    Some(draft)
}

/// A buffer of RTT·C/√n (Appenzeller, Keslassy, McKeown, SIGCOMM 2004), n the transfers expected to cross the port.
fn share_buffers(draft: &mut Draft, transfers: f64, packet: u64) {
    let core = Core { nodes: draft.nodes.len() as u32, links: draft.links.clone(), access_rate: Rate::ZERO };
    let graph = Graph::of(core);
    let routers: Vec<u32> = draft.edges.iter().map(|edge| edge.router).collect();
    let ways = graph.routes_between(&routers);
    let sources: f64 = draft.edges.iter().map(|edge| edge.sources).sum();
    let receivers: f64 = draft.edges.iter().map(|edge| edge.receivers).sum();
    let mut crossing = vec![0.0; draft.links.len()];
    for (pair, route) in ways.iter().enumerate() {
        let (from, to) = (&draft.edges[pair / routers.len()], &draft.edges[pair % routers.len()]);
        let share = from.sources / sources * to.receivers / (receivers - from.receivers);
        for link in route {
            crossing[*link as usize] += transfers * share;
        }
    }
    for (link, crossing) in draft.links.iter_mut().zip(crossing) {
        if let Discipline::DropTail(config) = &mut link.queue
            && let Limit::Bytes(bytes) = config.limit
        {
            let shared = bytes as f64 / libm::sqrt(crossing.max(1.0));
            config.limit = Limit::Bytes((shared as u64).max(packet));
        }
    }
}
