//! `queue`: a discipline of the catalogue with its parameters.

mod classes;
mod keys;
mod resolve;
mod text;

pub use classes::Groups;

use crate::diagnostic::Fault;
use crate::emit::{Naming, short};
use crate::field::{Field, Reported};
use crate::kind::Kind;
use crate::table::Checked;
use crate::tree::Node;
use crate::value::KeyType;
use crate::walk;
use narrows_qdisc::{Discipline, Limit, Scale, Setting, droptail};
use narrows_units::Span;

/// A key that holds a queue.
#[derive(Clone, Debug)]
pub struct Queue;

/// A queue as written, and as the resolved file writes it.
#[derive(Clone, Debug)]
pub struct QueueValue {
    written: Option<Checked>,
    resolved: String,
}

impl KeyType for Queue {
    type Value = QueueValue;
    const KIND: Kind = keys::QUEUE_KIND;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<QueueValue, Reported> {
        let written = walk::item(node, &Self::KIND, path, faults).ok_or_else(Reported::before)?;
        Ok(QueueValue { written: Some(written), resolved: String::new() })
    }

    fn write(value: &QueueValue, _: Naming) -> String {
        value.resolved.clone()
    }
}

/// What the units of a queue's length mean on a link.
#[derive(Clone, Copy)]
pub struct QueueContext<'a> {
    pub scale: Scale,
    /// Mean rate of the link, bits per second.
    pub mean_bps: f64,
    /// Of the run.
    pub duration: Span,
    /// The groups of flows that the queue may name; `None` if they are faulty.
    pub groups: Option<&'a Groups>,
}

/// The queue that `field` holds, which is filled in; `absent` gives the limit of one that was not written.
pub fn resolve(
    field: &mut Field<Option<QueueValue>>,
    absent: fn(Scale) -> Limit,
    context: QueueContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Discipline, Reported> {
    let written = field.get()?.as_ref().and_then(|value| value.written.clone());
    let discipline = match &written {
        None => droptail::with_limit(absent(context.scale)),
        Some(written) => {
            let (kind, form) = written.variant();
            resolve::of_kind(kind, form, context, faults).ok_or_else(Reported::before)?
        }
    };
    fill(field, written, &discipline, context);
    Ok(discipline)
}

/// Fills `field` with a DropTail queue of that limit.
pub fn droptail(
    field: &mut Field<Option<QueueValue>>,
    limit: Limit,
    context: QueueContext<'_>,
) -> Discipline {
    let discipline = droptail::with_limit(limit);
    fill(field, None, &discipline, context);
    discipline
}

fn fill(
    field: &mut Field<Option<QueueValue>>,
    written: Option<Checked>,
    discipline: &Discipline,
    context: QueueContext<'_>,
) {
    field.fill(Some(QueueValue { written, resolved: text::table(discipline) }));
    field.comment = Some(format!("limit: {}", limit_in_words(discipline, context)));
}

/// A queue, for a reader.
pub fn describe(discipline: &Discipline, context: QueueContext<'_>) -> String {
    format!("{}, limit {}", name_and_settings(discipline), limit_in_words(discipline, context))
}

/// What waits at most, in all four units: packets, bytes, time and bandwidth-delay products.
fn limit_in_words(discipline: &Discipline, context: QueueContext<'_>) -> String {
    let Scale { rtt, packet, .. } = context.scale;
    let packet = packet.count() as f64;
    let bytes = match discipline.limit() {
        Limit::Unlimited => return "unlimited".into(),
        Limit::Packets(packets) => packets as f64 * packet,
        Limit::Bytes(bytes) => bytes as f64,
    };
    let bytes_per_second = context.mean_bps / 8.0;
    let seconds = bytes / bytes_per_second;
    let bdp = bytes / (bytes_per_second * rtt.as_secs_f64());
    let [packets, milliseconds, bdp] = [bytes / packet, seconds * 1e3, bdp].map(|value| short(value, 6));
    format!("{packets}pkt = {bytes}B = {milliseconds}ms = {bdp}bdp")
}

/// The name of the discipline and all of its settings but the limit.
fn name_and_settings(queue: &Discipline) -> String {
    let settings = queue.settings().iter().filter(|(parameter, _)| parameter.name != "limit");
    let words: Vec<String> = settings
        .filter_map(|(parameter, setting)| match setting {
            Setting::Flag(true) => Some(parameter.name.to_owned()),
            Setting::Flag(false) => None,
            Setting::Limits(limits) if limits.is_empty() => None,
            setting => Some(format!("{} {setting}", parameter.name)),
        })
        .collect();
    if words.is_empty() {
        queue.name().to_owned()
    } else {
        format!("{} with {}", queue.name(), words.join(", "))
    }
}
