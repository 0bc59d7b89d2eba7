//! Rules of Linux's `tcp_bbr.c`, each told by the facts that it is about.

use crate::host::MSS;
use crate::{at, build, inner};
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RateSample, RttView, SentPacket};
use narrows_units::{Rate, Span, Time};

/// Facts of a flow over a path of 40 ms.
struct Flow {
    algorithm: Box<dyn CongestionControl>,
    now: Time,
    in_flight: u64,
    delivered: u64,
}

/// An acknowledgement, where it is not an ordinary one.
#[derive(Clone, Copy)]
struct Told {
    packets: u64,
    mbps: f64,
    rtt: Span,
    prior_delivered: Option<u64>,
    app_limited: bool,
}

const RTT: Span = Span::from_ms(40);

impl Default for Told {
    fn default() -> Self {
        Self { packets: 2, mbps: 20.0, rtt: RTT, prior_delivered: None, app_limited: false }
    }
}

impl Flow {
    fn new(written: &str) -> Self {
        Self { algorithm: build(written, 1), now: at(40), in_flight: 0, delivered: 0 }
    }

    /// A flow that has found 20 Mbps and drained its queue.
    fn steady() -> Self {
        let mut flow = Self::new("bbr1");
        flow.sent(60, false);
        (0..5).for_each(|_| flow.round(Told::default()));
        assert!(flow.inner("cwnd_gain") < 2.5, "Startup and Drain are over");
        flow
    }

    fn path(&self) -> Path {
        let rtt = RttView { latest: RTT, min: RTT, smoothed: RTT, variation: RTT / 2 };
        Path {
            now: self.now,
            mss: MSS,
            in_flight: self.in_flight,
            rtt: Some(rtt),
            round: 0,
            window_limited: true,
        }
    }

    fn sent(&mut self, packets: u64, app_limited: bool) {
        for _ in 0..packets {
            self.in_flight += 1;
            let packet = SentPacket {
                number: 0,
                size: MSS,
                sent_at: self.now,
                in_flight: self.in_flight,
                lost_before: 0,
                app_limited,
            };
            self.algorithm.on_sent(&packet, &self.path());
        }
    }

    fn acked(&mut self, told: Told) {
        self.delivered += told.packets;
        let delivered = 1_000_000;
        let bits = delivered as f64 * MSS.bits() as f64;
        let sample = RateSample {
            delivered,
            interval: Span::from_secs_f64(bits / (told.mbps * 1e6)),
            rate: Rate::from_bps_f64(told.mbps * 1e6),
            prior_delivered: told.prior_delivered.unwrap_or(self.delivered - told.packets),
            prior_in_flight: self.in_flight + told.packets,
            app_limited: told.app_limited,
        };
        let ack = Ack {
            newly_acked: told.packets,
            advanced: true,
            ce_packets: 0,
            rtt: Some(told.rtt),
            rate: Some(sample),
            feedback: None,
            packets: &[],
        };
        self.algorithm.on_ack(&ack, &self.path());
    }

    /// An acknowledgement that ends a round, a round-trip time after the last.
    fn round(&mut self, told: Told) {
        self.now += RTT;
        self.acked(told);
    }

    fn lost(&mut self, cause: Cause, packets: u64, new_episode: bool) {
        let loss = Loss { cause, new_episode, lost: packets, packets: &[] };
        self.algorithm.on_loss(&loss, &self.path());
    }

    fn recovered(&mut self) {
        let path = self.path();
        self.algorithm.on_recovered(&path);
    }

    fn inner(&self, name: &str) -> f64 {
        inner(&*self.algorithm, name)
    }

    fn window(&self) -> u64 {
        self.algorithm.limits().window.expect("BBR has a window")
    }

    fn pacing_mbps(&self) -> f64 {
        self.algorithm.limits().pacing.expect("more than ten packets have left").as_bps() as f64 / 1e6
    }
}

#[track_caller]
fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 0.002, "{got} is not {expected}");
}

#[test]
fn ten_packets_leave_unpaced_and_the_next_at_what_the_first_window_gives_over_a_round_trip() {
    let mut flow = Flow::new("bbr1");
    flow.sent(9, false);
    assert_eq!(flow.algorithm.limits().pacing, None);
    flow.sent(1, false);
    near(flow.pacing_mbps(), 0.99 * 739.0 / 256.0 * 10.0 * 0.012 / 0.040);
}

#[test]
fn packets_leave_in_pairs_or_alone_at_a_low_rate_or_for_a_millisecond_at_a_high_one() {
    // At 100 Mbps 0.99 · 10⁸ / 8 / 1024 bytes; at 1 Gbps the largest aggregate, just below 64 KiB.
    for (mbps, packets) in [(0.3, 1), (20.0, 2), (100.0, 8), (1000.0, 43)] {
        let mut flow = Flow::new("bbr1");
        (0..20).for_each(|_| flow.round(Told { mbps, ..Told::default() }));
        while (flow.inner("pacing_gain") - 1.0).abs() > 0.1 {
            flow.in_flight += 1;
            flow.round(Told { mbps, ..Told::default() });
        }
        assert_eq!(flow.algorithm.limits().burst, MSS * packets, "{mbps}");
    }
}

#[test]
fn startup_ends_after_three_rounds_that_grow_by_less_than_a_quarter() {
    let mut flow = Flow::new("bbr1");
    flow.in_flight = 200;
    for mbps in [10.0, 12.4, 12.4] {
        flow.round(Told { mbps, ..Told::default() });
        near(flow.inner("pacing_gain"), 739.0 / 256.0);
    }
    flow.round(Told { mbps: 12.5, ..Told::default() });
    near(flow.inner("pacing_gain"), 739.0 / 256.0);
    // 12.5 was a quarter more: three rounds to go.
    for gain in [739, 739, 88] {
        flow.round(Told { mbps: 15.0, ..Told::default() });
        near(flow.inner("pacing_gain"), f64::from(gain) / 256.0);
    }
}

#[test]
fn rounds_that_the_application_limits_do_not_end_startup() {
    let mut flow = Flow::new("bbr1");
    (0..10).for_each(|_| flow.round(Told { app_limited: true, ..Told::default() }));
    near(flow.inner("pacing_gain"), 739.0 / 256.0);
}

#[test]
fn drain_lasts_until_no_more_is_in_flight_than_the_path_holds() {
    let mut flow = Flow::new("bbr1");
    flow.in_flight = 100;
    (0..4).for_each(|_| flow.round(Told::default()));
    near(flow.inner("pacing_gain"), 88.0 / 256.0);
    // 66.7 packets, rounded up, three pairs, made even: 74.
    flow.in_flight = 75;
    flow.acked(Told::default());
    near(flow.inner("pacing_gain"), 88.0 / 256.0);
    flow.in_flight = 74;
    flow.acked(Told::default());
    near(flow.inner("cwnd_gain"), 2.0);
}

#[test]
fn the_window_is_twice_the_path_and_three_pairs_and_what_aggregation_needs() {
    let mut flow = Flow::steady();
    (0..200).for_each(|_| flow.round(Told { packets: 8, mbps: 20.0, ..Told::default() }));
    let probing = if flow.inner("pacing_gain") > 1.0 { 2 } else { 0 };
    let extra = flow.inner("extra_acked");
    near(extra, 8.0);
    // ⌈2 · 66.67⌉ + 8 + 6 = 148.
    assert_eq!(flow.window(), 148 + probing);
}

#[test]
fn what_aggregation_needs_is_forgotten_after_five_to_ten_rounds() {
    let mut flow = Flow::steady();
    flow.round(Told { packets: 16, ..Told::default() });
    (0..4).for_each(|_| flow.round(Told::default()));
    near(flow.inner("extra_acked"), 16.0);
    (0..6).for_each(|_| flow.round(Told::default()));
    near(flow.inner("extra_acked"), 2.0);
}

#[test]
fn a_cycle_is_a_probe_a_drain_and_six_rounds_at_the_bandwidth() {
    let mut flow = Flow::steady();
    let mut gains = Vec::new();
    for _ in 0..24 {
        flow.now += Span::from_ms(1);
        // A probe must see a quarter more in flight, a drain too much.
        flow.in_flight = 100;
        flow.round(Told::default());
        gains.push((flow.inner("pacing_gain") * 4.0) as u32);
    }
    let first = gains.iter().position(|&gain| gain == 5).expect("a probe comes within a cycle");
    assert_eq!(gains[first..first + 16], [5, 3, 4, 4, 4, 4, 4, 4, 5, 3, 4, 4, 4, 4, 4, 4]);
}

#[test]
fn a_probe_goes_on_until_a_quarter_more_is_in_flight_or_a_packet_is_lost() {
    for loses in [false, true] {
        let mut flow = Flow::steady();
        while flow.inner("pacing_gain") < 1.2 {
            flow.round(Told::default());
        }
        flow.in_flight = 80;
        (0..5).for_each(|_| flow.round(Told::default()));
        near(flow.inner("pacing_gain"), 1.25);
        if loses {
            flow.lost(Cause::Detected, 1, true);
        } else {
            flow.in_flight = 100;
        }
        flow.round(Told::default());
        near(flow.inner("pacing_gain"), 0.75);
    }
}

#[test]
fn a_drain_within_the_cycle_ends_as_soon_as_the_path_is_no_more_than_full() {
    for (in_flight, gain) in [(80, 0.75), (70, 1.0)] {
        let mut flow = Flow::steady();
        flow.in_flight = 100;
        while flow.inner("pacing_gain") > 0.8 {
            flow.round(Told::default());
        }
        flow.in_flight = in_flight;
        flow.now += Span::from_ms(1);
        flow.acked(Told::default());
        near(flow.inner("pacing_gain"), gain);
    }
}

#[test]
fn the_bandwidth_is_forgotten_after_ten_rounds() {
    let mut flow = Flow::steady();
    (0..10).for_each(|_| flow.round(Told { mbps: 10.0, ..Told::default() }));
    near(flow.inner("bandwidth_bps"), 20e6);
    flow.round(Told { mbps: 10.0, ..Told::default() });
    near(flow.inner("bandwidth_bps"), 10e6);
}

#[test]
fn what_the_application_limits_can_only_raise_the_bandwidth() {
    let mut flow = Flow::steady();
    (0..20).for_each(|_| flow.round(Told { mbps: 10.0, app_limited: true, ..Told::default() }));
    near(flow.inner("bandwidth_bps"), 20e6);
    flow.round(Told { mbps: 30.0, app_limited: true, ..Told::default() });
    near(flow.inner("bandwidth_bps"), 30e6);
}

#[test]
fn a_pause_keeps_four_in_flight_and_its_samples_do_not_lower_the_bandwidth() {
    let mut flow = Flow::steady();
    let window = flow.window();
    flow.now = at(10_300);
    flow.acked(Told { rtt: RTT + Span::from_us(600), ..Told::default() });
    assert_eq!(flow.window(), 4);
    near(flow.inner("min_rtt_s"), 0.0406);
    // Its time counts from where four are in flight.
    (0..20).for_each(|_| flow.round(Told { mbps: 1.0, ..Told::default() }));
    assert_eq!(flow.window(), 4);
    flow.in_flight = 2;
    (0..6).for_each(|_| flow.round(Told { mbps: 1.0, ..Told::default() }));
    assert_eq!(flow.window(), 4);
    flow.round(Told { mbps: 1.0, ..Told::default() });
    assert!(flow.window() + 2 >= window, "{} after {window}", flow.window());
    near(flow.inner("bandwidth_bps"), 20e6);
}

#[test]
fn a_pause_lasts_a_round_even_if_that_is_longer_than_200_ms() {
    let mut flow = Flow::steady();
    flow.now = at(10_300);
    flow.in_flight = 2;
    let of_this_round = Told { prior_delivered: Some(flow.delivered), ..Told::default() };
    for _ in 0..20 {
        flow.now += RTT;
        flow.acked(of_this_round);
        assert_eq!(flow.window(), 4);
    }
    flow.round(Told::default());
    assert!(flow.window() > 4);
}

#[test]
fn the_first_round_of_a_recovery_sends_what_arrives_and_its_end_restores_the_window() {
    let mut flow = Flow::steady();
    (0..50).for_each(|_| flow.acked(Told { prior_delivered: Some(0), ..Told::default() }));
    let (window, rate) = (flow.window(), flow.algorithm.limits().pacing);
    flow.lost(Cause::Detected, 3, true);
    let of_this_round = Told { prior_delivered: Some(flow.delivered), ..Told::default() };
    flow.in_flight = 50;
    flow.acked(of_this_round);
    assert_eq!(flow.window(), 52);
    flow.in_flight = 48;
    flow.acked(of_this_round);
    assert_eq!(flow.window(), 52, "it does not fall with what is in flight");
    flow.lost(Cause::Detected, 10, false);
    flow.in_flight = 36;
    flow.acked(of_this_round);
    assert_eq!(flow.window(), 42, "but with what is lost");
    // A round later it grows by what arrives.
    flow.round(Told::default());
    assert_eq!(flow.window(), 44);
    flow.recovered();
    flow.acked(of_this_round);
    assert!(flow.window() + 2 >= window, "{} after {window}", flow.window());
    assert_eq!(flow.algorithm.limits().pacing, rate, "losses do not change the rate");
}

#[test]
fn a_timeout_leaves_one_packet_and_its_repair_restores_the_window() {
    let mut flow = Flow::steady();
    (0..50).for_each(|_| flow.acked(Told { prior_delivered: Some(0), ..Told::default() }));
    let window = flow.window();
    flow.in_flight = 0;
    flow.lost(Cause::Timeout, 60, true);
    assert_eq!(flow.window(), 1);
    flow.acked(Told { packets: 1, prior_delivered: Some(0), ..Told::default() });
    assert_eq!(flow.window(), 4);
    flow.recovered();
    flow.acked(Told { prior_delivered: Some(0), ..Told::default() });
    assert!(flow.window() + 2 >= window, "{} after {window}", flow.window());
}

#[test]
fn marks_change_nothing() {
    let mut flow = Flow::steady();
    let before = format!("{:?}", flow.algorithm);
    flow.lost(Cause::Mark, 0, true);
    flow.recovered();
    assert_eq!(format!("{:?}", flow.algorithm), before);
}

#[test]
fn after_silence_the_flow_starts_at_the_bandwidth_and_does_not_pause() {
    let mut flow = Flow::steady();
    flow.in_flight = 0;
    flow.now = at(20_000);
    flow.sent(1, true);
    near(flow.pacing_mbps(), 0.99 * 20.0);
    flow.acked(Told { app_limited: true, ..Told::default() });
    near(flow.inner("cwnd_gain"), 2.0);
}

/// A flow that lost 6 packets a round, for 20 delivered in each of four rounds and `later` in each of four more, where
/// samples say 20 Mbps.
fn lossy(written: &str, later: u64) -> Flow {
    let mut flow = Flow::new(written);
    flow.in_flight = 60;
    (0..5).for_each(|_| flow.round(Told { packets: 20, ..Told::default() }));
    for packets in [20, 20, 20, 20, later, later, later, later] {
        flow.lost(Cause::Detected, 6, true);
        flow.round(Told { packets, ..Told::default() });
        flow.recovered();
    }
    flow
}

#[test]
fn two_lossy_intervals_of_the_same_rate_are_a_policer_for_48_rounds() {
    // Twenty packets in 40 ms are 6 Mbps.
    let mut flow = lossy("bbr1", 20);
    near(flow.inner("bandwidth_bps"), 6e6);
    near(flow.inner("pacing_gain"), 1.0);
    let mut rounds = 0;
    while flow.inner("bandwidth_bps") < 7e6 {
        flow.round(Told { packets: 20, ..Told::default() });
        rounds += 1;
    }
    assert_eq!(rounds, 48);
    near(flow.inner("bandwidth_bps"), 20e6);
    near(lossy("bbr1(policer=false)", 20).inner("bandwidth_bps"), 20e6);
}

#[test]
fn lossy_intervals_that_differ_by_more_than_an_eighth_are_no_policer() {
    near(lossy("bbr1", 22).inner("bandwidth_bps"), 6.3e6);
    near(lossy("bbr1", 24).inner("bandwidth_bps"), 20e6);
}
