// SPDX-License-Identifier: Apache-2.0
//! The table `clients`.

use super::{application_groups, group_names};
use crate::table::Writer;
use crate::{ClientSample, Records, Table};
use narrows_units::Span;

/// Returns a row for each interval and recorded client; no columns if no client is recorded.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    if run.clients == 0 || application_groups(run).is_empty() {
        return Table::absent("clients");
    }
    let rows = (0..records.interval_ends.len()).flat_map(|interval| {
        records
            .clients
            .iter()
            .filter_map(move |client| Some((interval, client, client.series.get(interval)?)))
    });
    let mut table = Writer::new("clients", rows);
    table.real("time_s", |(interval, ..)| records.interval_ends[interval].as_secs_f64());
    table.label("group", group_names(run), |(_, client, _)| client.group as u32);
    table.whole("client", |(_, client, _)| u64::from(client.number));
    let mut whole = |name, value: fn(&ClientSample) -> u64| table.whole(name, |(.., sample)| value(sample));
    whole("captured_frames", |sample| sample.captured);
    whole("skipped_frames", |sample| sample.skipped);
    whole("received_frames", |sample| sample.received);
    whole("late_frames", |sample| sample.late);
    let mut real = |name, value: fn(&ClientSample) -> f64| table.real(name, |(.., sample)| value(sample));
    real("frame_delay_max_s", |sample| {
        if sample.received > 0 { sample.longest_delay.as_secs_f64() } else { f64::NAN }
    });
    real("bitrate_bps", |sample| sample.bitrate_bps);
    real("waiting_bytes", |sample| sample.waiting_bytes);
    table.whole("loaded_pages", |(.., sample)| sample.pages);
    let mut real = |name, value: fn(&ClientSample) -> f64| table.real(name, |(.., sample)| value(sample));
    real("page_load_time_s", |sample| mean_s(sample.page_time, sample.pages));
    real("loading_s", |sample| sample.loading_s);
    real("played_s", |sample| sample.played.as_secs_f64());
    real("stalled_s", |sample| sample.stalled.as_secs_f64());
    real("buffer_s", |sample| sample.buffer_s);
    real("probe_time_s", |sample| mean_s(sample.probe_time, sample.probes));
    real("permitted_bps", |sample| sample.permitted_bps);
    real("cwnd_packets", |sample| sample.cwnd_packets);
    real("srtt_s", |sample| sample.srtt_s);
    table.finish()
}

/// The mean of `count` times; not a number without any.
fn mean_s(sum: Span, count: u64) -> f64 {
    sum.as_secs_f64() / count as f64
}
