// SPDX-License-Identifier: Apache-2.0
//! `queue`: a discipline of the catalogue with its parameters.

mod classes;
mod keys;
mod read;
mod resolve;
mod text;

pub use classes::{Groups, find};

use crate::diagnostic::Fault;
use crate::emit::{Naming, short};
use crate::field::{Field, Reported};
use crate::kind::Kind;
use crate::tree::Node;
use crate::value::KeyType;
use narrows_qdisc::{Discipline, Limit, Scale, Setting, droptail};
use narrows_units::Span;
use read::Written;

/// The type of a key whose value is a queue discipline.
#[derive(Clone, Debug)]
pub struct Queue;

/// A queue discipline as written, and as in the resolved file.
#[derive(Clone, Debug)]
pub struct QueueValue {
    written: Option<Written>,
    resolved: String,
}

impl KeyType for Queue {
    type Value = QueueValue;
    const KIND: Kind = keys::QUEUE_KIND;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<QueueValue, Reported> {
        let written = Written::read(node, path, keys::forms, faults)?;
        Ok(QueueValue { written: Some(written), resolved: String::new() })
    }

    fn write(value: &QueueValue, _: Naming) -> String {
        value.resolved.clone()
    }
}

/// The link on which queue lengths are converted, and the groups that a discipline may name.
#[derive(Clone, Copy)]
pub struct QueueContext<'a> {
    /// Rate, round-trip time and packet size for the conversion.
    pub scale: Scale,
    /// Mean rate of the link, bits per second.
    pub mean_bps: f64,
    /// Duration of the run.
    pub duration: Span,
    /// The flow groups that a discipline may name; `None` if they have errors.
    pub groups: Option<&'a Groups>,
}

/// Resolves the queue discipline at `field`, which is filled in. If none was written, it is DropTail with the limit
/// that `absent` gives.
///
/// # Errors
///
/// If the discipline has errors, which are added to `faults`.
pub fn resolve(
    field: &mut Field<Option<QueueValue>>,
    absent: impl FnOnce(Scale) -> Limit,
    context: QueueContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Discipline, Reported> {
    let written = field.get()?.as_ref().and_then(|value| value.written.clone());
    let discipline = match &written {
        None => droptail::with_limit(absent(context.scale)),
        Some(written) => resolve::discipline(written, context, faults)?,
    };
    fill(field, written, &discipline, context);
    Ok(discipline)
}

fn fill(
    field: &mut Field<Option<QueueValue>>,
    written: Option<Written>,
    discipline: &Discipline,
    context: QueueContext<'_>,
) {
    field.fill(Some(QueueValue { written, resolved: text::table(discipline) }));
    field.comment = Some(format!("limit: {}", limit_in_words(discipline, context, |value| short(value, 6))));
}

/// Describes a queue discipline.
pub fn describe(discipline: &Discipline, context: QueueContext<'_>) -> String {
    format!("{}, limit {}", name_and_settings(discipline), limit_in_words(discipline, context, rounded))
}

/// What waits at most, in all four units: packets, bytes, time and bandwidth-delay products, as `written` writes them.
fn limit_in_words(
    discipline: &Discipline,
    context: QueueContext<'_>,
    written: impl Fn(f64) -> String,
) -> String {
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
    let [packets, milliseconds, bdp] = [bytes / packet, seconds * 1e3, bdp].map(written);
    format!("{packets}pkt = {bytes}B = {milliseconds}ms = {bdp}bdp")
}

/// A number with four significant digits, for a reader; all digits before its point.
fn rounded(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return short(value, 0);
    }
    let decimals = 3.0 - libm::floor(libm::log10(value));
    short(value, decimals.clamp(0.0, 12.0) as usize)
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
