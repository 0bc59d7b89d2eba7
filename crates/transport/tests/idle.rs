//! Rules: the restart of an idle sender (RFC 5681 §4.1).

mod wire;

use narrows_cc::{Ack, CongestionControl, Idle, Limits, Loss, Path};
use narrows_transport::{RecoveryKind, TransportOptions};
use narrows_units::{Rate, Span, Time};
use wire::{Halving, Wire, at, lossless, options};

/// An algorithm that stops the sender from the first acknowledgement after `from` until `until`.
#[derive(Clone, Debug)]
struct Pausing {
    window: Halving,
    from: Time,
    until: Time,
    paused: bool,
    /// The times of idle restarts.
    restarts: Vec<Time>,
}

impl Pausing {
    fn new(from: Time, until: Time) -> Self {
        Self { window: Halving::fixed(20.0), from, until, paused: false, restarts: Vec::new() }
    }
}

impl CongestionControl for Pausing {
    fn limits(&self) -> Limits {
        Limits { pacing: self.paused.then_some(Rate::ZERO), ..self.window.limits() }
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
    wire.sender.algorithm().expect("it is simulated").observe(&mut |_, value| restarts.push(value));
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
