// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The digest of a run covers the records, and nothing that is derived from them.

use crate::support::records;
use narrows_records::{GroupSample, ProgramRecord, Records};
use narrows_units::{Bytes, Span, Time};

fn program() -> ProgramRecord {
    ProgramRecord { flow: 0, role: "client".into(), status: Some(0), output: Vec::new() }
}

fn digest_after(change: impl Fn(&mut Records)) -> String {
    let mut records = records();
    change(&mut records);
    records.digest()
}

#[test]
fn a_digest_is_a_hash_in_hexadecimal() {
    let digest = records().digest();
    assert_eq!(digest.len(), 64);
    assert!(digest.chars().all(|digit| digit.is_ascii_hexdigit()));
}

#[test]
fn counts_times_sums_histograms_and_series_change_the_digest() {
    let changes: [fn(&mut Records); 26] = [
        |records| records.connections[0].lost += 1,
        |records| records.connections[0].at_warmup.timeouts += 1,
        |records| records.connections[0].at_end.bytes_sent += 1,
        |records| records.connections[0].size = Some(Bytes::ZERO),
        |records| records.connections[0].completed = Some(Time::ZERO),
        |records| records.connections[0].rtts.ps += 1,
        |records| records.connections[0].window_seconds += 1e-9,
        |records| records.connections[0].reductions_span = Span::from_ps(1),
        |records| records.connections[0].series[0].rtt_s = 0.04,
        |records| records.connections[0].series.truncate(1),
        |records| records.groups[0].at_end.rtt_ns += 1,
        |records| records.groups[0].lost += 1,
        |records| records.groups[0].rtts.add(Span::from_ms(1)),
        |records| records.groups[0].connections.received.add(1),
        |records| records.groups[0].connections.received.logarithms -= 1,
        |records| records.groups[0].connections.window.add(1.0),
        |records| records.groups[1].series[0].active += 1,
        |records| records.groups[1].series.push(GroupSample::default()),
        |records| records.groups[1].classes[0].bytes += 1,
        |records| records.groups[1].application = None,
        |records| records.links[0].peak_packets += 1,
        |records| records.links[0].at_end.waited_ps += 1,
        |records| records.links[0].sent_bits += 1.0,
        |records| records.links[0].series[0].queue_packets += 1.0,
        |records| records.transfers[0].slot += 1,
        |records| records.interval_ends[0] = Time::ZERO,
    ];
    let mut digests: Vec<_> = changes.into_iter().map(digest_after).collect();
    digests.push(records().digest());
    let all = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), all, "two changes have one digest, or one changes nothing");
}

#[test]
fn logs_names_and_what_follows_from_the_model_leave_the_digest() {
    let changes: [fn(&mut Records); 17] = [
        |records| records.unfinished.clear(),
        |records| records.clients.clear(),
        |records| records.client_events.rows.clear(),
        |records| records.run.client_event_limit = None,
        |records| records.run.groups[1].application = false,
        |records| records.packets.rows.clear(),
        |records| records.run.packet_limit = None,
        |records| records.events.rows.clear(),
        |records| records.run.event_limit = None,
        |records| records.internals.rows.clear(),
        |records| records.run.internals = false,
        |records| records.programs.push(program()),
        |records| records.tuples.clear(),
        |records| records.performance.cpu_s += 1.0,
        |records| records.run.groups[0].name = "another".into(),
        |records| records.connections[0].ideal_completion_s = 1.0,
        |records| records.groups[0].connections.slowdown.add(2.0),
    ];
    for (place, change) in changes.into_iter().enumerate() {
        assert_eq!(digest_after(change), records().digest(), "{place}");
    }
}

/// Tables and metrics are functions of the records, which the digest reads instead of them: it is computed before any of
/// them, and a metric that has another value in equal records has the same digest.
#[test]
fn a_derived_value_leaves_the_digest() {
    let other = |records: &mut Records| records.run.links[0].highest_bps *= 2.0;
    let most = |records: &Records| narrows_records::metrics::group_metrics(records)[0].most.clone();
    let mut changed = records();
    other(&mut changed);
    assert_ne!(most(&changed), most(&records()));
    assert_eq!(changed.digest(), records().digest());
}
