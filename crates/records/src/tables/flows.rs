// SPDX-License-Identifier: Apache-2.0
//! The table `flows`.

use super::group_names;
use crate::table::Writer;
use crate::{ConnectionRecord, Records, SenderCounts, Table};
use narrows_units::{Span, Time};

/// Returns a row for each connection that is recorded on its own.
pub(super) fn table(records: &Records) -> Table {
    let run = &records.run;
    let measured_s = run.measured_s();
    let mut table = Writer::new("flows", records.connections.iter());
    table.label("group", group_names(run), |flow| flow.group as u32);
    table.whole("flow", |flow| u64::from(flow.number));
    let algorithms = run.groups.iter().map(|group| group.algorithm.clone()).collect();
    table.label("algorithm", algorithms, |flow| flow.group as u32);
    table.real("start_s", |flow| seconds(flow.started));
    table.real("established_s", |flow| seconds(flow.established));
    table.real("completed_s", |flow| seconds(flow.completed));
    let received = |flow: &ConnectionRecord| flow.received - flow.received_at_warmup;
    table.real("goodput_bps", |flow| received(flow) as f64 * 8.0 / measured_s);
    table.real("throughput_bps", |flow| counted(flow).bytes_sent as f64 * 8.0 / measured_s);
    let sent = |flow: &ConnectionRecord| counted(flow).packets_sent as f64;
    table.real("loss_rate", |flow| flow.lost as f64 / sent(flow));
    table.real("mark_rate", |flow| flow.marked as f64 / sent(flow));
    table.real("retransmission_rate", |flow| counted(flow).retransmissions as f64 / sent(flow));
    table.real("sent_packets", sent);
    table.real("lost_packets", |flow| flow.lost as f64);
    table.real("marked_packets", |flow| flow.marked as f64);
    table.real("retransmissions", |flow| counted(flow).retransmissions as f64);
    table.real("timeouts", |flow| counted(flow).timeouts as f64);
    table.real("loss_events", |flow| counted(flow).loss_events as f64);
    table.real("loss_event_rate", |flow| counted(flow).loss_events as f64 / sent(flow));
    table.real("ack_compression", |flow| flow.close_acks as f64 / flow.ack_gaps as f64);
    table.real("rtt_mean_s", |flow| flow.rtts.mean_s_since(&flow.rtts_at_warmup));
    table.real("cwnd_mean_packets", |flow| flow.window_seconds / flow.seconds);
    table.real("cwnd_peak_packets", |flow| flow.window_peak);
    table.real("cwnd_before_reduction_packets", |flow| flow.before_reductions / flow.reductions as f64);
    table.real("reduction_interval_s", reduction_interval_s);
    table.real("reductions", |flow| flow.reductions as f64);
    table.real("completion_time_s", completion_time_s);
    table.real("slowdown", |flow| completion_time_s(flow) / flow.ideal_completion_s);
    table.finish()
}

/// The sender's counts after the warm-up.
fn counted(flow: &ConnectionRecord) -> SenderCounts {
    flow.at_end - flow.at_warmup
}

fn seconds(time: Option<Time>) -> f64 {
    time.map_or(f64::NAN, Time::as_secs_f64)
}

fn reduction_interval_s(flow: &ConnectionRecord) -> f64 {
    let interval = (flow.reductions > 1).then(|| flow.reductions_span / (flow.reductions - 1));
    interval.map_or(f64::NAN, Span::as_secs_f64)
}

fn completion_time_s(flow: &ConnectionRecord) -> f64 {
    match (flow.started, flow.completed) {
        (Some(started), Some(completed)) => (completed - started).as_secs_f64(),
        _ => f64::NAN,
    }
}
