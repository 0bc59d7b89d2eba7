//! Against a recording of Linux 6.18: one CUBIC flow at 20 Mbps, 40 ms, 66 packets of buffer (single_cubic_1bdp: the
//! kernel's windows, period and cut over 60 s, three repeats that agree to 2 ms).

mod host;

use host::{Host, Link};
use narrows_cc::catalogue::{Algorithm, FirstCut, Setup, SlowStartKind};
use narrows_units::{Bytes, Span, Time};

fn host(name: &str) -> Host<impl FnMut(u64) -> bool> {
    let setup = Setup {
        mss: Bytes::new(1448),
        initial_window: 10.0,
        initial_ssthresh: f64::INFINITY,
        first_cut: FirstCut::Rule,
        slow_start: SlowStartKind::Standard,
        seed: 1,
    };
    // 1500 bytes at 20 Mbps take 0.6 ms; the kernel's receiver acknowledged about 300 segments one by one at first.
    let link =
        Link { service: Span::from_us(600), delay: Span::from_ms(40), buffer: 66, per_ack: 2, quick: 300 };
    Host::new(Algorithm::parse(name).expect("a known algorithm").build(&setup), link, |_| false)
}

#[test]
fn hystart_leaves_slow_start_at_76_packets_without_a_loss() {
    let mut host = host("cubic-linux");
    while host.algorithm.ssthresh() == Some(f64::INFINITY) {
        host.step();
    }
    let ssthresh = host.algorithm.ssthresh().expect("a window algorithm");
    assert!((74.0..=78.0).contains(&ssthresh), "left at {ssthresh} packets");
    // The kernel's 0.15 s count from the handshake.
    assert!(host.now.since(Time::ZERO) < Span::from_ms(160), "left at {} s", host.now.as_secs_f64());
    assert!(host.cuts.is_empty());
}

#[test]
fn without_hystart_the_first_slow_start_ends_in_loss() {
    let mut host = host("cubic-linux(hystart=false)");
    while host.cuts.is_empty() {
        host.step();
    }
    assert!(host.cuts[0].from > 2.0 * 76.0, "{:?}", host.cuts[0]);
}

#[test]
fn the_sawtooth_of_cubic_is_the_kernels() {
    let mut host = host("cubic-linux");
    host.run(Time::ZERO + Span::from_ms(60_000));
    let late: Vec<_> = host.cuts.iter().filter(|cut| cut.at > Time::ZERO + Span::from_ms(10_000)).collect();
    assert!(late.len() > 10);
    for cut in &late {
        assert!((133.0..=135.0).contains(&cut.from), "{cut:?}");
        assert!((93.0..=94.0).contains(&cut.to), "{cut:?}");
    }
    for pair in late.windows(2) {
        let period = pair[1].at.since(pair[0].at).as_secs_f64();
        assert!((period / 3.45 - 1.0).abs() < 0.03, "a period of {period} s");
    }
}
