// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. A link outside the simulator does with a million packets what the simulator's link does.

use crate::support::scenario;
use narrows_engine::Stream;
use narrows_lab::backend::Progress;
use narrows_lab::model::RateModel;
use narrows_lab::records::{Column, Table};
use narrows_lab::replication::run_with;
use narrows_lab::sim::RunOptions;
use narrows_lab::units::{Bytes, Rate, Span, Time};
use narrows_link::{Config, Fate, Link, Serializer};
use narrows_wire::{Body, Ecn, FlowId, Packet};
use sha2::{Digest, Sha256};

fn whole<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    match table.columns().iter().find(|(column, _)| *column == name) {
        Some((_, Column::Whole(values))) => values,
        _ => panic!("no column of whole numbers {name}"),
    }
}

fn words<'a>(table: &'a Table, name: &str) -> impl Fn(usize) -> &'a str {
    match table.columns().iter().find(|(column, _)| *column == name) {
        Some((_, Column::Label { codes, labels })) => move |row: usize| &labels[codes[row] as usize][..],
        _ => panic!("no column of words {name}"),
    }
}

/// The fate of a packet: time, flow, number, end and ECN field, from both.
type End = (i64, i64, i64, &'static str, Ecn);

/// Packets that arrived at the bottleneck of a run with `queue`, their ends in the run, and their ends on a link with
/// the same arrivals.
fn ends(queue: &str) -> (usize, Vec<End>, Vec<End>) {
    let text = format!(
        r#"
        duration = "2.2s"
        seed = 5
        record = {{ packets = true, packet_limit = 10000000 }}
        [path]
        rate = "1Gbps"
        rtt = "10ms"
        access_rate = "10Gbps"
        queue = {queue}
        loss = {{ kind = "gilbert-elliott", good_to_bad = 0.001, bad_to_good = 0.2, loss_good = 0.0001, loss_bad = 0.5 }}
        impairments = [
            {{ kind = "reorder", share = 0.01, distance = "3pkt" }},
            {{ kind = "jitter", delay = {{ kind = "exponential", mean = "20us" }}, reorder = true }},
        ]
        [[flows]]
        name = "some"
        algorithm = "constant(rate=570Mbps)"
        ecn = true
        [[flows]]
        name = "more"
        algorithm = "constant(rate=530Mbps)"
        "#
    );
    let model = scenario(&text).model;
    let run = run_with(&model, 0, &Progress::new(), RunOptions::default()).expect("the run ends by itself");
    let table = &run.tables["packets"];
    let (place, event, group) = (words(table, "place"), words(table, "event"), words(table, "group"));
    let (kind, field) = (words(table, "kind"), words(table, "ecn"));
    let (time, number, size) = (whole(table, "time_ps"), whole(table, "number"), whole(table, "size_bytes"));

    let link = model.links.iter().find(|link| link.name == "bottleneck").expect("a bottleneck");
    let RateModel::Constant(rate) = link.rate else { panic!("a constant rate") };
    let (loss, impairments) = (link.loss.clone(), link.impairments.clone());
    let config = Config::new(rate, link.delay).loss(loss).impairments(impairments);
    let stream = |purpose: &str| Stream::new(model.seed, 0, &format!("link {} {purpose}", link.name));
    let mut embedded = Link::new(&config, link.queue.build(), stream);

    let ecn = |row| match field(row) {
        "ect0" => Ecn::Ect0,
        "ect1" => Ecn::Ect1,
        "ce" => Ecn::Ce,
        _ => Ecn::NotCapable,
    };
    let flow = |row| i64::from(group(row) == "more");
    let (mut inside, mut outside, mut offered) = (Vec::new(), Vec::new(), 0);
    // Behind the bottleneck is the access link of each flow: a FIFO with half of the rest of a one-way delay.
    let mut access = [(); 2].map(|()| Serializer::new(Rate::from_bps(10_000_000_000)));
    let rest = (Span::from_ms(5) - link.delay) / 2;
    let mut take = |link: &mut Link<(i64, i64)>, until: Time, outside: &mut Vec<End>| {
        while let Some(next) = link.next_event().filter(|next| *next < until) {
            while let Some(outcome) = link.poll(next) {
                let what = match outcome.fate {
                    Fate::Delivered => "received",
                    Fate::Dropped(_) => "dropped",
                    Fate::Lost(_) => "lost",
                };
                let (flow, number) = outcome.payload;
                let at = match outcome.fate {
                    Fate::Delivered => access[flow as usize].pass(Bytes::new(1500), outcome.at) + rest,
                    Fate::Dropped(_) | Fate::Lost(_) => outcome.at,
                };
                outside.push((at.as_ps().cast_signed(), flow, number, what, outcome.ecn));
            }
        }
    };
    for row in 0..table.rows() {
        if kind(row) != "datagram" {
            continue;
        }
        let id = (flow(row), number[row]);
        let now = Time::from_ps(time[row] as u64);
        let (at, what) = (place(row), event(row));
        if at == "bottleneck" && what == "enqueued" {
            take(&mut embedded, now, &mut outside);
            let body = Body::Datagram { rtt: 0.0, payload: 0 };
            let flow = FlowId::new(id.0 as u32, 0);
            let packet = Packet::new(flow, number[row] as u64, Bytes::new(size[row] as u64), body, now);
            embedded.offer(now, Packet { ecn: ecn(row), ..packet }, id);
            offered += 1;
        } else if at == "bottleneck" && what == "dropped" {
            inside.push((time[row], id.0, id.1, "dropped", ecn(row)));
        } else if what == "lost" {
            inside.push((time[row], id.0, id.1, "lost", ecn(row)));
        } else if what == "received" {
            inside.push((time[row], id.0, id.1, "received", ecn(row)));
        }
    }
    // Not for ever: the timer of a queue may have no end.
    take(&mut embedded, Time::ZERO + Span::from_ms(3000), &mut outside);
    // Some are still on the link when the run ends.
    let last = inside.iter().map(|(time, ..)| *time).max().expect("something happened");
    outside.retain(|(time, ..)| *time <= last);
    inside.sort_unstable_by_key(|(time, flow, number, ..)| (*time, *flow, *number));
    outside.sort_unstable_by_key(|(time, flow, number, ..)| (*time, *flow, *number));
    (offered, inside, outside)
}

#[test]
fn a_million_packets_have_the_same_ends_as_in_the_simulator() {
    let queues = [
        r#"{ kind = "codel", ecn = true }"#,
        r#"{ kind = "red", min = "20pkt", max = "60pkt", limit = "200pkt" }"#,
        r#"{ kind = "fq-codel" }"#,
        r#"{ kind = "pie" }"#,
        r#"{ kind = "droptail", limit = "100pkt" }"#,
    ];
    let mut offered = 0;
    let [mut simulated, mut embedded] = [(); 2].map(|()| Sha256::new());
    for queue in queues {
        let (count, inside, outside) = ends(queue);
        offered += count;
        let parts = inside.iter().zip(&outside).position(|(inside, outside)| inside != outside);
        if let Some(place) = parts {
            panic!("{queue}: number {place} is {:?}, not {:?}", outside[place], inside[place]);
        }
        assert_eq!(inside.len(), outside.len(), "{queue}");
        for what in ["received", "dropped", "lost"] {
            assert!(inside.iter().filter(|end| end.3 == what).count() > 50, "{queue}: {what}");
        }
        simulated.update(format!("{inside:?}"));
        embedded.update(format!("{outside:?}"));
    }
    assert!(offered >= 1_000_000, "{offered}");
    assert_eq!(simulated.finalize(), embedded.finalize());
}
