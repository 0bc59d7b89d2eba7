//! Rules of draft-ietf-ccwg-bbr-06, each told by the facts that it is about.

use crate::host::MSS;
use crate::{at, build, inner};
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RateSample, RttView, SentPacket};
use narrows_units::{Rate, Span, Time};

const RTT: Span = Span::from_ms(40);
const DRAIN: u8 = 1;
const CRUISE: u8 = 3;
const UP: u8 = 5;

/// Facts of a flow over a path of 40 ms that carries what it is told to.
struct Flow {
    algorithm: Box<dyn CongestionControl>,
    now: Time,
    in_flight: u64,
    delivered: u64,
    lost: u64,
    mbps: f64,
}

impl Flow {
    /// A flow in Startup over a path of 30 Mbps, 100 packets in a round trip.
    fn starting() -> Self {
        let mut flow = Self {
            algorithm: build("bbr3", 1),
            now: at(40),
            in_flight: 0,
            delivered: 0,
            lost: 0,
            mbps: 30.0,
        };
        flow.algorithm.on_sent(&flow.packet(), &flow.path());
        flow
    }

    /// A flow that has found the bandwidth and cruises.
    fn cruising() -> Self {
        let mut flow = Self::starting();
        flow.in_flight = 90;
        while flow.state() != CRUISE {
            flow.round();
        }
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
            window_limited: false,
        }
    }

    fn packet(&self) -> SentPacket {
        SentPacket {
            number: self.delivered + self.lost,
            size: MSS,
            sent_at: self.now,
            in_flight: self.in_flight,
            lost_before: self.lost,
            app_limited: false,
        }
    }

    /// An acknowledgement of a packet that left when all before it had been delivered: it ends a round.
    fn round(&mut self) {
        let newest = self.packet();
        self.now += RTT;
        let delivered = (self.mbps * 1e6 * RTT.as_secs_f64() / MSS.bits() as f64) as u64;
        let sample = RateSample {
            delivered,
            interval: RTT,
            rate: Rate::from_bps_f64(self.mbps * 1e6),
            prior_delivered: self.delivered,
            prior_in_flight: self.in_flight,
            app_limited: false,
        };
        self.delivered += delivered;
        let ack = Ack {
            newly_acked: delivered,
            advanced: true,
            ce_packets: 0,
            rtt: Some(RTT),
            rate: Some(sample),
            feedback: None,
            packets: &[newest],
        };
        self.algorithm.on_ack(&ack, &self.path());
    }

    /// So many packets are lost that left with the present volume in flight.
    fn lose(&mut self, packets: u64, new_episode: bool) {
        let left: Vec<_> = (0..packets).map(|_| self.packet()).collect();
        self.lost += packets;
        let loss = Loss { cause: Cause::Detected, new_episode, lost: packets, packets: &left };
        self.algorithm.on_loss(&loss, &self.path());
    }

    fn inner(&self, name: &str) -> f64 {
        inner(&*self.algorithm, name)
    }

    fn state(&self) -> u8 {
        self.inner("state") as u8
    }

    fn bound(&self, name: &str) -> Option<f64> {
        let mut found = None;
        self.algorithm.observe(&mut |this, value| found = if this == name { Some(value) } else { found });
        found
    }

    fn window(&self) -> f64 {
        self.algorithm.window().expect("BBR has a window")
    }

    fn pacing_mbps(&self) -> f64 {
        self.algorithm.limits().pacing.expect("BBR has a rate").as_bps() as f64 / 1e6
    }

    /// Goes on to the next probe.
    fn probe(&mut self) {
        while self.state() != UP {
            self.round();
        }
    }
}

#[track_caller]
fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-3, "{got} is not {expected}");
}

#[test]
fn rate_and_window_are_gains_times_the_model() {
    let mut flow = Flow::cruising();
    near(flow.pacing_mbps(), 0.99 * 30.0);
    flow.round();
    // What is acknowledged at once adds to the window.
    near(flow.window(), 200.0 + flow.inner("extra_acked"));
    flow.probe();
    near(flow.pacing_mbps(), 1.25 * 0.99 * 30.0);
}

#[test]
fn before_a_round_trip_is_known_the_initial_window_leaves_at_startups_gain() {
    let flow = build("bbr3", 1);
    let limits = flow.limits();
    assert_eq!(limits.window, Some(10));
    near(limits.pacing.expect("BBR has a rate").as_bps() as f64, 2.77 * 10.0 * 12_000.0 / 0.001);
}

#[test]
fn drain_is_over_after_three_rounds_whatever_is_in_flight() {
    let mut flow = Flow::starting();
    flow.in_flight = 500;
    while flow.state() != DRAIN {
        flow.round();
    }
    let rounds = (1..10).find(|_| {
        flow.round();
        flow.state() != DRAIN
    });
    assert_eq!(rounds, Some(4));
}

#[test]
fn a_lossy_round_of_cruise_bounds_rate_and_volume_until_the_next_probe() {
    let mut flow = Flow::cruising();
    flow.round();
    let window = flow.window();
    flow.mbps = 10.0;
    // The rate of the round before counts with the first lossy one.
    flow.round();
    flow.lose(1, true);
    flow.round();
    near(flow.inner("bandwidth_bps"), 0.7 * 30e6);
    near(flow.bound("inflight_shortterm").expect("a bound is set"), 0.7 * window);
    flow.lose(1, false);
    flow.round();
    near(flow.inner("bandwidth_bps"), 0.49 * 30e6);
    near(flow.pacing_mbps(), 0.99 * 0.49 * 30.0);
    // A round without losses changes nothing.
    flow.round();
    near(flow.inner("bandwidth_bps"), 0.49 * 30e6);
    flow.probe();
    near(flow.inner("bandwidth_bps"), 30e6);
    assert_eq!(flow.bound("inflight_shortterm"), None);
}

#[test]
fn a_probe_that_loses_two_in_a_hundred_goes_on() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    flow.lose(3, true);
    assert_eq!((flow.state(), flow.bound("inflight_longterm")), (UP, None), "3 of 150");
}

#[test]
fn the_bound_is_where_losses_passed_the_threshold() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    flow.lose(4, true);
    // Before the fourth: 149 in flight, 3 lost; (0.02 * 149 - 3) / 0.98 more make 2 %.
    near(flow.bound("inflight_longterm").expect("a bound is set"), 149.0 - 0.02 / 0.98);
    assert!(flow.state() < UP);
    // Only once per probe.
    flow.in_flight = 50;
    flow.lose(40, false);
    near(flow.bound("inflight_longterm").expect("a bound is set"), 149.0 - 0.02 / 0.98);
}

#[test]
fn cruising_leaves_headroom_below_the_long_term_bound() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 100;
    flow.lose(3, true);
    let bound = flow.bound("inflight_longterm").expect("a bound is set");
    flow.in_flight = 60;
    while flow.state() != CRUISE {
        flow.round();
    }
    flow.round();
    let bound = flow.bound("inflight_longterm").expect("it stays").max(bound);
    near(flow.window(), 0.85 * bound);
}

#[test]
fn a_loss_that_was_none_gives_back_bounds_and_the_probe() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.in_flight = 150;
    flow.lose(4, true);
    assert!(flow.bound("inflight_longterm").is_some());
    let path = flow.path();
    flow.algorithm.on_spurious_loss(&path);
    flow.algorithm.on_recovered(&path);
    assert_eq!(flow.bound("inflight_longterm"), None);
    flow.round();
    flow.round();
    assert_eq!(flow.state(), UP, "a refill of a round, and the probe goes on");
}

/// Appendix A.19.
#[test]
fn a_timeout_that_was_none_gives_back_window_bounds_and_the_probe() {
    let mut flow = Flow::cruising();
    flow.probe();
    let window = flow.window();
    flow.in_flight = 150;
    let left: Vec<_> = (0..150).map(|_| flow.packet()).collect();
    flow.in_flight = 0;
    let path = flow.path();
    let loss = Loss { cause: Cause::Timeout, new_episode: true, lost: 150, packets: &left };
    flow.algorithm.on_loss(&loss, &path);
    assert!(flow.state() < UP && flow.bound("inflight_longterm").is_some());
    near(flow.window(), 1.0);
    flow.algorithm.on_spurious_loss(&path);
    flow.algorithm.on_recovered(&path);
    assert_eq!(flow.bound("inflight_longterm"), None);
    near(flow.window(), window);
    flow.round();
    flow.round();
    assert_eq!(flow.state(), UP);
}

#[test]
fn a_timeout_leaves_one_packet_more_than_is_in_flight_and_the_window_comes_back() {
    let mut flow = Flow::cruising();
    flow.round();
    let window = flow.window();
    let left = [flow.packet()];
    flow.in_flight = 0;
    let loss = Loss { cause: Cause::Timeout, new_episode: true, lost: 1, packets: &left };
    let path = flow.path();
    flow.algorithm.on_loss(&loss, &path);
    near(flow.window(), 1.0);
    flow.algorithm.on_recovered(&path);
    near(flow.window(), window);
}

#[test]
fn marks_change_nothing() {
    let mut flow = Flow::cruising();
    let before = flow.algorithm.limits();
    let loss = Loss { cause: Cause::Mark, new_episode: true, lost: 0, packets: &[] };
    let path = flow.path();
    flow.algorithm.on_loss(&loss, &path);
    assert_eq!(flow.algorithm.limits(), before);
}

#[test]
fn the_first_packet_after_silence_is_paced_at_the_bandwidth_and_no_pause_follows() {
    let mut flow = Flow::cruising();
    flow.probe();
    flow.now += Span::from_ms(6_000);
    flow.in_flight = 1;
    let packet = SentPacket { app_limited: true, ..flow.packet() };
    flow.algorithm.on_sent(&packet, &flow.path());
    near(flow.pacing_mbps(), 0.99 * 30.0);
    flow.round();
    assert!(flow.state() <= UP, "silence has drained the queue already");
}
