// SPDX-License-Identifier: Apache-2.0
//! Rules: the restart of an idle sender (RFC 5681 §4.1).

use crate::wire::{Halving, Wire, at, lossless, options};
use narrows_cc::{Ack, CongestionControl, Idle, Limits, Loss, Path};
use narrows_transport::{RecoveryKind, TransportEvent, TransportOptions};
use narrows_units::{Rate, Span, Time};

/// An algorithm that stops the sender from the first acknowledgement after `from` until `until`.
#[derive(Clone, Debug)]
struct Pausing {
    window: Halving,
    from: Time,
    until: Time,
    paused: bool,
    /// The times of idle restarts.
    restarts: Vec<Time>,
    /// All idle times: since when, until when, timeouts.
    idle: Vec<(Time, Time, u64)>,
}

impl Pausing {
    fn new(from: Time, until: Time) -> Self {
        Self {
            window: Halving::fixed(20.0),
            from,
            until,
            paused: false,
            restarts: Vec::new(),
            idle: Vec::new(),
        }
    }
}

impl CongestionControl for Pausing {
    fn limits(&self) -> Limits {
        self.window.limits().pacing(self.paused.then_some(Rate::ZERO))
    }
    fn window(&self) -> Option<f64> {
        self.window.window()
    }
    fn ssthresh(&self) -> Option<f64> {
        self.window.ssthresh()
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.paused = (self.from..self.until).contains(&path.now);
        self.window.on_ack(ack, path);
    }
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.window.on_loss(loss, path);
    }
    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        assert_eq!(path.in_flight, 0);
        self.idle.push((idle.since, path.now, idle.timeouts));
        if idle.timeouts > 0 {
            self.restarts.push(path.now);
            self.window.window = 4.0;
        }
    }
    fn next_timer(&self) -> Option<Time> {
        self.paused.then_some(self.until)
    }
    fn on_timer(&mut self, _path: &Path) {
        self.paused = false;
    }
    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.restarts.iter().for_each(|at| record("restart", at.as_secs_f64()));
        for (since, until, timeouts) in &self.idle {
            record("since", since.as_secs_f64());
            record("until", until.as_secs_f64());
            record("timeouts", *timeouts as f64);
        }
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Pauses at 100 ms for `pause`; the retransmission timeout is 200 ms. Returns the times of idle restarts, and the
/// number of packets sent at once after the pause.
fn pause(pause: Span, idle_restart: bool) -> (Vec<f64>, usize) {
    let options = TransportOptions { idle_restart, ..options(RecoveryKind::Sack) };
    let until = at(100) + pause;
    let mut wire = Wire::new(options, Pausing::new(at(100), until), None, lossless);
    wire.run(until + Span::from_ms(30));
    let mut restarts = Vec::new();
    let algorithm = wire.sender.algorithm().expect("it is simulated");
    algorithm.observe(&mut |name, value| restarts.extend((name == "restart").then_some(value)));
    (restarts, wire.transmissions.iter().filter(|transmission| transmission.at == until).count())
}

#[test]
fn a_sender_idle_for_longer_than_the_timeout_restarts_with_a_smaller_window() {
    let (restarts, burst) = pause(Span::from_ms(500), true);
    assert_eq!(restarts, [0.6]);
    assert_eq!(burst, 4);
}

#[test]
fn a_sender_idle_for_less_than_the_timeout_keeps_its_window() {
    let (restarts, burst) = pause(Span::from_ms(150), true);
    assert!(restarts.is_empty());
    assert_eq!(burst, 20);
}

#[test]
fn without_idle_restart_an_idle_sender_keeps_its_window() {
    let (restarts, burst) = pause(Span::from_ms(500), false);
    assert!(restarts.is_empty());
    assert_eq!(burst, 20);
}

/// A packet, and another after `pause`: whether the algorithm is notified of idle time since the first, the timeouts in it, and the
/// restarts that the sender reports.
fn two_writes(pause: Span, idle_restart: bool, window: f64) -> (bool, u64, usize) {
    let options = TransportOptions { idle_restart, ..options(RecoveryKind::Sack) };
    let algorithm = Pausing { window: Halving::fixed(window), ..Pausing::new(Time::NEVER, Time::NEVER) };
    let mut wire = Wire::new(options, algorithm, None, lossless);
    wire.sender.wait_for_offers();
    wire.run(at(500));
    wire.offer(1);
    let first = wire.transmissions[0].at;
    wire.run(first + pause);
    wire.now = first + pause;
    wire.offer(1);
    let mut idle = Vec::new();
    let algorithm = wire.sender.algorithm().expect("it is simulated");
    algorithm.observe(&mut |name, value| idle.extend((name != "restart").then_some(value)));
    let restarts = wire.events.iter().filter(|(_, event)| *event == TransportEvent::IdleRestart).count();
    match idle[..] {
        [] => (false, 0, restarts),
        [since, until, timeouts] => {
            assert!(
                (since - first.as_secs_f64()).abs() < 1e-9
                    && (until - since - pause.as_secs_f64()).abs() < 1e-9
            );
            (true, timeouts as u64, restarts)
        }
        _ => panic!("more than one idle time: {idle:?}"),
    }
}

/// The timeout is 200 ms. A window of 4 packets is that after a restart.
#[test]
fn an_algorithm_is_notified_of_every_idle_time_and_the_host_of_those_that_lower_the_window() {
    assert_eq!(two_writes(Span::from_ms(150), true, 20.0), (true, 0, 0));
    assert_eq!(two_writes(Span::from_ms(650), true, 20.0), (true, 3, 1));
    assert_eq!(two_writes(Span::from_ms(650), true, 4.0), (true, 3, 0));
    assert_eq!(two_writes(Span::from_ms(650), false, 20.0), (true, 0, 0));
}

/// A window of one packet leaves nothing in flight with each acknowledgement, but the sender is not idle.
#[test]
fn a_sender_that_waits_for_its_window_is_not_idle() {
    let options = options(RecoveryKind::Sack);
    let algorithm = Pausing { window: Halving::fixed(1.0), ..Pausing::new(Time::NEVER, Time::NEVER) };
    let mut wire = Wire::new(options, algorithm, None, lossless);
    wire.run(at(2_000));
    let algorithm = wire.sender.algorithm().expect("it is simulated");
    algorithm.observe(&mut |name, _| panic!("{name}"));
    assert!(wire.transmissions.len() > 5);
}

/// Linux: 44 segments, and two for each received.
#[test]
fn an_autotuned_receive_window_lets_the_sender_triple_its_window_in_a_round_trip() {
    let options = TransportOptions { receive_autotuning: true, ..options(RecoveryKind::Sack) };
    let mut wire = Wire::new(options, Halving::fixed(1_000.0), None, lossless);
    wire.run(at(2_000));
    let first = wire.transmissions[0].at;
    let at_once = |round: &Time| wire.transmissions.iter().filter(|sent| sent.at == *round).count();
    assert_eq!(at_once(&first), 44);
    let most = wire.transmissions.iter().map(|sent| at_once(&sent.at)).max();
    assert!(most < Some(1_000), "{most:?}");
    assert!(wire.transmissions.len() > 2_000);
}
