// SPDX-License-Identifier: Apache-2.0
//! Theory: rate, queue and growth on a path with known bandwidth and delay.

use crate::host::{Host, Link, MSS};
use crate::{at, build};
use narrows_cc::card::Catalogue;
use narrows_units::{Rate, Span};

/// Rate in Mbps and delay in ms of each path. Its buffer holds four times the data in flight without a queue.
const PATHS: [(u64, u64); 4] = [(20, 40), (100, 20), (50, 100), (400, 10)];

fn link(mbps: u64, ms: u64) -> Link {
    let (rate, delay) = (Rate::from_bps(mbps * 1_000_000), Span::from_ms(ms));
    Link { rate, delay, buffer: 4 * (rate.as_bytes_per_sec() * delay.as_secs_f64()) as u64 / MSS.count() }
}

/// The probe of a cycle of four eras sends a sixteenth of the path too much, and the recovery after it as much too little, so that
/// the queue is a triangle over two eras whose mean over the cycle is a 64th of the path.
#[test]
fn the_queue_of_a_flow_alone_is_that_of_its_probes() {
    for (mbps, ms) in PATHS {
        let link = link(mbps, ms);
        let mut host = Host::new(build("c4", 1), link);
        // Until the queue of the slow start has gone.
        host.run(at(ms * 1_500));
        let (from, before) = (host.now, host.delivered);
        let (mut queued, mut most, mut samples) = (0.0, 0.0f64, 0.0);
        let alone = link.delay + link.rate.time_for(MSS);
        while host.now < from + link.delay * 400 {
            host.step();
            let wait = (host.latest_rtt() - alone).as_secs_f64();
            (queued, most, samples) = (queued + wait, most.max(wait), samples + 1.0);
        }
        let path = format!("{mbps} Mbps, {ms} ms");
        let delay = link.delay.as_secs_f64();
        let what = format!("mean wait of a flow alone, {path}, against a 64th of the delay of the path");
        Catalogue::Algorithms.assert_near("c4", &what, queued / samples, delay / 64.0, 0.1);
        let what = format!("longest wait of a flow alone, {path}, against a 16th of the delay of the path");
        Catalogue::Algorithms.assert_near("c4", &what, most, delay / 16.0, 0.1);
        let rate = host.inner("nominal_rate_bps");
        let what = format!("nominal rate of a flow alone, {path}, against the link's rate");
        Catalogue::Algorithms.assert_near("c4", &what, rate, link.rate.as_bps() as f64, 0.01);
        let seconds = host.now.since(from).as_secs_f64();
        let used = (host.delivered - before) as f64 * MSS.bits() as f64 / seconds / link.rate.as_bps() as f64;
        assert!(used > 0.99, "{path}: {used}");
    }
}

/// If the link has room, a probe is followed by a push, and the cycle of eight eras raises the rate by 1.70. In eras of
/// a push that begins with rate 1: 1.25 are sent in the first; in the second 1.25 of the rate measured, which is
/// `max(1, 15/16 + 5/16 s)` after `s` eras; in the third 1.25 of the data sent in the era that ended an era before. Its
/// mean, 1.604, is measured in the recovery, and the probe before raised the rate by 17/16.
#[test]
fn the_rate_grows_by_seventeen_tenths_in_a_cycle_where_the_link_has_room() {
    let mut host = Host::new(build("c4", 1), link(10, 40));
    host.run(at(20_000));
    while host.algorithm.state() != "probing" {
        host.step();
    }
    host.link = link(10_000, 40);
    let (mut rates, mut times, mut cruising) = (Vec::new(), Vec::new(), false);
    while host.inner("nominal_rate_bps") < 2e9 {
        host.step();
        let now = host.algorithm.state() == "cruising";
        if now && !cruising {
            rates.push(host.inner("nominal_rate_bps"));
            times.push(host.now.since(at(0)).as_secs_f64() / 0.04);
        }
        cruising = now;
    }
    let cycles = (rates.len() - 1) as f64;
    let growth = libm::pow(rates[rates.len() - 1] / rates[0], 1.0 / cycles);
    let what = "growth of the rate in a cycle where the link has room, against 17/16 of 1.604";
    Catalogue::Algorithms.assert_near("c4", what, growth, 17.0 / 16.0 * 1.604_2, 0.01);
    let what = "round trips of a cycle where the link has room, against 8";
    Catalogue::Algorithms.assert_near("c4", what, (times[times.len() - 1] - times[0]) / cycles, 8.0, 0.03);
}
