//! Links as written, and those of a shape.

use super::super::super::diagnostic::Fault;
use super::super::super::table::{Checked, Table};
use super::super::path;
use super::super::queue::{self, Scale};
use super::super::rate::{self, Source};
use super::{Context, Draft};
use crate::model::{LinkModel, LossModel};
use crate::network::graph::{self, Generated};
use narrows_qdisc::{Discipline, Limit, droptail};
use narrows_units::{Rate, Span};

/// One direction of a link.
#[derive(Clone)]
pub(super) struct Direction {
    pub source: Source,
    pub queue: Discipline,
    pub loss: Option<LossModel>,
}

/// `[[network.links]]`.
pub(super) fn written(tables: &[Table], context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Draft> {
    let mut draft = Draft::default();
    let mut sound = true;
    for table in tables {
        sound &= add(&mut draft, table, context, faults).is_some();
    }
    sound.then_some(draft)
}

fn add(draft: &mut Draft, table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<()> {
    let one_way = table.read("one_way", false, Checked::flag);
    let ends = table.given("from", Checked::text).zip(table.given("to", Checked::text));
    let delay = table.given("delay", Checked::span);
    let directions = directions(table, context, faults);
    let name = table.read("name", None, |value| Some(value.text()));
    let (one_way, (from, to), name) = (one_way?, ends?, name?);
    if from == to {
        let fault = Fault::new(table.place_of("to"), table.path_of("to"), "a link from a router to itself");
        faults.push(fault.given(format!("\"{to}\"")).allowed("another router"));
        return None;
    }
    if one_way && table.has("reverse") {
        let fault = Fault::new(
            table.place_of("reverse"),
            table.path_of("reverse"),
            "a one-way link has no other way",
        );
        faults.push(fault.allowed("no reverse, or one_way = false"));
        return None;
    }
    let names = [
        name.clone().unwrap_or_else(|| format!("{from}-{to}")),
        name.map_or_else(|| format!("{to}-{from}"), |name| format!("{name} reverse")),
    ];
    let names = &names[..if one_way { 1 } else { 2 }];
    if let Some(name) = names.iter().find(|name| draft.links.iter().any(|link| link.name == **name)) {
        let key = if table.has("name") { "name" } else { "from" };
        let fault =
            Fault::new(table.place_of(key), table.path_of(key), format!("two links are called `{name}`"));
        faults.push(fault.allowed("a name that no other link has"));
        return None;
    }
    let (from, to) = (draft.node(&from), draft.node(&to));
    let [forward, reverse] = directions?;
    draft.push(link(&names[0], from, to, delay?, &forward), &forward.source);
    if !one_way {
        draft.push(link(&names[1], to, from, delay?, &reverse), &reverse.source);
        draft.pair();
    }
    Some(())
}

/// `network.generator`.
pub(super) fn generated(
    kind: &str,
    form: &Table,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Draft> {
    let number = |key| form.given(key, |value| value.integer() as u32);
    let (note, shape) = match kind {
        "dumbbell" => ("a dumbbell".to_owned(), graph::dumbbell()),
        "parking-lot" => {
            let hops = number("hops")?;
            (format!("a parking lot of {hops} hops"), graph::parking_lot(hops))
        }
        "ring" => {
            let links = number("links")?;
            (format!("a ring of {links} links"), graph::ring(links))
        }
        "two-routers" => ("a row of two queueing routers".to_owned(), graph::two_routers()),
        other => unreachable!("the keys know no generator of kind {other}"),
    };
    let each = if kind == "two-routers" {
        [two_routers(form, "r0", context, faults), two_routers(form, "r1", context, faults)]
    } else {
        let both = directions(form, context, faults);
        [both.clone(), both]
    };
    let delay = form.given("delay", Checked::span)?;
    let [first, others] = each;
    let (first, others) = (first?, others?);
    let Generated { nodes, links } = shape;
    let mut draft = Draft { nodes, note: Some(note), ..Draft::default() };
    for (number, (from, to)) in links.into_iter().enumerate() {
        let [forward, reverse] = if number == 0 { &first } else { &others };
        let between =
            |from: u32, to: u32| format!("{}-{}", draft.nodes[from as usize], draft.nodes[to as usize]);
        let names = if kind == "dumbbell" {
            ["bottleneck".to_owned(), "bottleneck reverse".to_owned()]
        } else {
            [between(from, to), between(to, from)]
        };
        draft.push(link(&names[0], from, to, delay, forward), &forward.source);
        draft.push(link(&names[1], to, from, delay, reverse), &reverse.source);
        draft.pair();
    }
    Some(draft)
}

/// Both directions of the link behind router `router` of the shape `two-routers`.
fn two_routers(
    form: &Table,
    router: &str,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<[Direction; 2]> {
    let forward = direction(&[form.value(router)?.table(), form], context, faults)?;
    let queue = Discipline::DropTail(droptail::Config { limit: Limit::Unlimited });
    let reverse = Direction { queue, ..forward.clone() };
    Some([forward, reverse])
}

/// Both directions of the link that `table` describes; what `reverse` does not say is as in the first.
fn directions(table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<[Direction; 2]> {
    let forward = direction(&[table], context, faults);
    let reverse = if table.has("reverse") {
        direction(&[table.value("reverse")?.table(), table], context, faults)
    } else {
        forward.clone()
    };
    Some([forward?, reverse?])
}

/// One direction, each key from the first of `layers` that has it.
fn direction(layers: &[&Table], context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Direction> {
    let source = rate::resolve(layer(layers, "rate"), "rate", context.duration, context.around, faults)?;
    of_rate(layers, source, context, faults)
}

/// One direction of that rate, each other key from the first of `layers` that has it.
pub(super) fn of_rate(
    layers: &[&Table],
    source: Source,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Direction> {
    let mean = Rate::from_bps_f64(source.rate.mean_bps(context.duration?));
    if mean == Rate::ZERO {
        let table = layer(layers, "rate");
        let message = "the rate is zero all the time";
        faults.push(Fault::new(table.place_of("rate"), table.path_of("rate"), message));
        return None;
    }
    let scale = Scale { mean, rtt: context.rtt?, packet: context.packet? };
    let queue =
        queue::resolve(layer(layers, "queue"), Some(scale), queue::usual_limit, context.groups, faults);
    let loss = path::loss(layer(layers, "loss"));
    Some(Direction { source, queue: queue?, loss: loss? })
}

fn layer<'a>(layers: &[&'a Table], key: &str) -> &'a Table {
    layers.iter().find(|table| table.has(key)).unwrap_or(&layers[layers.len() - 1])
}

/// A link between routers.
pub(super) fn link(name: &str, from: u32, to: u32, delay: Span, direction: &Direction) -> LinkModel {
    LinkModel {
        name: name.to_owned(),
        from,
        to,
        rate: direction.source.rate.clone(),
        delay,
        queue: direction.queue.clone(),
        loss: direction.loss,
        access: false,
    }
}
