//! Measures of a link.

use super::Measures;
use super::populations::census;
use crate::model::Model;
use crate::records::{Recorded, RecordedLink};
use narrows_units::Span;

/// All measures of `link` over the `window_s` seconds after the warm-up.
pub(crate) fn measures(model: &Model, recorded: &Recorded, link: &RecordedLink, window_s: f64) -> Measures {
    let (from, to) = (&link.recorder.at_measure, &link.recorder.counts);
    let waits = &link.recorder.waits;
    let measured_ps = Span::from_secs_f64(window_s).as_ps() as f64;
    let arrived = (to.arrived - from.arrived) as f64;
    let sent = (to.sent - from.sent) as f64;
    let dropped = (to.dropped() - from.dropped()) as f64;
    let marked = (to.marked - from.marked) as f64;
    let values = vec![
        ("utilization", link.sent_bits / link.offered_bits),
        ("rate_bps", link.sent_bits / window_s),
        ("capacity_bps", link.offered_bits / window_s),
        ("loss_rate", dropped / arrived),
        ("random_loss_rate", (to.lost - from.lost) as f64 / sent),
        ("mark_rate", marked / arrived),
        ("queue_mean_packets", (to.queue_packet_ps - from.queue_packet_ps) as f64 / measured_ps),
        ("queue_mean_bytes", (to.queue_byte_ps - from.queue_byte_ps) as f64 / measured_ps),
        ("queue_peak_packets", link.recorder.peak_packets as f64),
        ("queue_delay_mean_s", waits.mean_s()),
        ("queue_delay_p50_s", waits.quantile_s(0.50)),
        ("queue_delay_p95_s", waits.quantile_s(0.95)),
        ("queue_delay_p99_s", waits.quantile_s(0.99)),
        ("loss_episodes", link.recorder.episodes.count as f64),
        (
            "loss_synchronisation",
            link.recorder.episodes.mean_losers() / flows_across(model, recorded, link.link),
        ),
        ("dropped_packets", dropped),
        ("marked_packets", marked),
    ];
    Measures { name: model.links[link.link].name.clone(), flows: None, values }
}

/// Flows whose data crosses `link`: those that stay and have started, and the mean number of active transfers.
fn flows_across(model: &Model, recorded: &Recorded, link: usize) -> f64 {
    let crosses = |route: &[u32]| route.contains(&(link as u32));
    let staying = model.flows.iter().zip(&recorded.flows);
    let started = staying.filter(|(plan, flow)| crosses(&plan.outward) && flow.sender.started.is_some());
    let coming = model.populations.iter().enumerate().map(|(number, population)| {
        let all: f64 = population.ways.iter().map(|way| way.weight).sum();
        let across = population.ways.iter().filter(|way| crosses(&model.routes[way.outward as usize]));
        let share = across.map(|way| way.weight).sum::<f64>() / all;
        if share > 0.0 { share * census(model, recorded, |each| each == number).1 } else { 0.0 }
    });
    started.count() as f64 + coming.sum::<f64>()
}
