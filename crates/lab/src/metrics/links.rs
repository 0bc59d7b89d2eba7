//! Measures of a link.

use super::Measures;
use crate::model::Model;
use crate::records::RecordedLink;
use narrows_units::Span;

/// All measures of `link` over the `window_s` seconds after the warm-up.
pub(crate) fn measures(model: &Model, link: &RecordedLink, window_s: f64) -> Measures {
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
        ("dropped_packets", dropped),
        ("marked_packets", marked),
    ];
    Measures { name: model.links[link.link].name.clone(), flows: None, values }
}
