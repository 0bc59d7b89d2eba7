//! `[path]`: rates, queues and losses of the bottleneck.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Table};
use super::classes::Groups;
use super::queue::{self, Scale};
use super::rate::{self, Source};
use super::{PathSettings, Surroundings};
use crate::model::LossModel;
use crate::network::dumbbell::{Direction, Dumbbell};
use narrows_qdisc::Limit;
use narrows_units::{Bytes, Rate, Span};

/// A resolved path, but for the delay of its middle, which depends on the flows.
pub(super) struct Resolved {
    pub settings: PathSettings,
    forward: Direction,
    reverse: Direction,
    access_rate: Rate,
}

impl Resolved {
    /// The dumbbell whose bottleneck has that one-way delay.
    pub fn dumbbell(&self, delay: Span) -> Dumbbell {
        Dumbbell {
            forward: self.forward.clone(),
            reverse: self.reverse.clone(),
            delay,
            access_rate: self.access_rate,
        }
    }
}

/// Resolves `[path]`; `None` if a fault stands in the way.
pub(super) fn resolve(
    table: &Table,
    duration: Option<Span>,
    around: &Surroundings<'_>,
    groups: Option<&Groups>,
    faults: &mut Vec<Fault>,
) -> Option<Resolved> {
    let rtt = table.given("rtt", Checked::span);
    let packet = packet(table, faults);
    let forward_rate = rate::resolve(table, "rate", duration, around, faults);
    let access_rate = table.read("access_rate", None, |value| Some(value.rate()));

    let scale = |source: &Source| {
        let mean = Rate::from_bps_f64(source.rate.mean_bps(duration?));
        Some(Scale { mean, rtt: rtt?, packet: packet? })
    };
    let forward_scale = forward_rate.as_ref().and_then(scale);
    if forward_scale.is_some_and(|scale| scale.mean == Rate::ZERO) {
        faults.push(Fault::new(
            table.place_of("rate"),
            table.path_of("rate"),
            "the rate is zero all the time",
        ));
        return None;
    }
    let forward_queue = queue::resolve(table, forward_scale, queue::usual_limit, groups, faults);
    let forward_loss = loss(table);

    let nothing = Table::new("path.reverse", &table.place);
    let back = table.section("reverse", &nothing)?;
    let reverse_rate = if back.has("rate") {
        rate::resolve(back, "rate", duration, around, faults)
    } else {
        forward_rate.clone()
    };
    let reverse_scale = reverse_rate.as_ref().and_then(scale);
    let reverse_queue = queue::resolve(back, reverse_scale, |_| Limit::Unlimited, groups, faults);
    let reverse_loss = loss(back);

    let (forward_rate, reverse_rate) = (forward_rate?, reverse_rate?);
    let greatest = forward_rate.greatest_bps().max(reverse_rate.greatest_bps());
    let settings = PathSettings {
        rtt: rtt?,
        packet: packet?,
        mean: forward_scale?.mean,
        forward_trace: forward_rate.file,
        reverse_trace: reverse_rate.file,
    };
    Some(Resolved {
        settings,
        forward: Direction { rate: forward_rate.rate, queue: forward_queue?, loss: forward_loss? },
        reverse: Direction { rate: reverse_rate.rate, queue: reverse_queue?, loss: reverse_loss? },
        access_rate: access_rate?.unwrap_or(Rate::from_bps_f64(greatest * 10.0)),
    })
}

/// The key `packet`.
pub(super) fn packet(table: &Table, faults: &mut Vec<Fault>) -> Option<Bytes> {
    let packet = table.read("packet", Bytes::new(1500), Checked::bytes);
    packet.filter(|packet| packet_fits(*packet, table, faults))
}

fn packet_fits(packet: Bytes, table: &Table, faults: &mut Vec<Fault>) -> bool {
    let fits = packet.count() <= LARGEST_PACKET;
    if !fits {
        let fault =
            Fault::new(table.place_of("packet"), table.path_of("packet"), "larger than an IP packet can be");
        faults.push(fault.given(packet.to_string()).allowed(format!("at most {LARGEST_PACKET}B")));
    }
    fits
}

/// The key `loss`: `Some(None)` for none.
#[expect(clippy::option_option, reason = "None stands for a faulty value, as everywhere in this module")]
pub(super) fn loss(table: &Table) -> Option<Option<LossModel>> {
    if !table.has("loss") {
        return Some(None);
    }
    let (kind, form) = table.value("loss")?.variant();
    let probability = |key| form.given(key, Checked::number);
    Some(Some(match kind {
        "bernoulli" => LossModel::Bernoulli { rate: probability("rate")? },
        "gilbert-elliott" => LossModel::GilbertElliott {
            good_to_bad: probability("good_to_bad")?,
            bad_to_good: probability("bad_to_good")?,
            loss_good: form.read("loss_good", 0.0, Checked::number)?,
            loss_bad: form.read("loss_bad", 1.0, Checked::number)?,
        },
        other => unreachable!("the keys know no loss of kind {other}"),
    }))
}

/// The largest packet of IP, which the wire's 16-bit size holds too.
const LARGEST_PACKET: u64 = 65_535;
