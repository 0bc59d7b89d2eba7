//! Additive increase, multiplicative decrease, with all that a sender's window needs beside its two formulas.
//!
//! Source: Chiu and Jain, Computer Networks and ISDN Systems 17, 1989; slow start and timeouts by RFC 5681.

use narrows_cc::card::{Card, Parameter, Values};
use narrows_cc::units::Bytes;
use narrows_cc::{Ack, Cause, CongestionControl, Entry, Idle, Limits, Loss, Needs, Path, Setup};

/// A window in packets.
#[derive(Clone, Debug)]
pub struct Aimd {
    a: f64,
    b: f64,
    initial: f64,
    window: f64,
    ssthresh: f64,
    recovering: bool,
    /// Window and ssthresh before the last loss episode.
    before: Option<(f64, f64)>,
}

impl CongestionControl for Aimd {
    fn limits(&self) -> Limits {
        Limits::new(Some((self.window as u64).max(1)), None, Bytes::ZERO)
    }

    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn ssthresh(&self) -> Option<f64> {
        Some(self.ssthresh)
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if ack.advanced && path.window_limited && !self.recovering {
            let acked = ack.newly_acked as f64;
            self.window += if self.window < self.ssthresh { acked } else { self.a * acked / self.window };
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode {
            self.before = Some((self.window, self.ssthresh));
            self.ssthresh = (self.b * self.window).max(2.0);
            self.window = self.window.min(self.ssthresh);
            // After a timeout the window grows while the losses are repaired.
            self.recovering = loss.cause != Cause::Timeout;
        }
        if loss.cause == Cause::Timeout {
            self.window = 1.0;
        }
    }

    fn on_recovered(&mut self, _path: &Path) {
        self.recovering = false;
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        if let Some((window, ssthresh)) = self.before.take() {
            self.window = self.window.max(window);
            self.ssthresh = ssthresh;
        }
    }

    fn on_idle(&mut self, idle: &Idle, _path: &Path) {
        if idle.timeouts > 0 {
            self.window = self.window.min(self.initial);
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Its card, what it needs of its host, and its constructor.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "ported",
        family: "yours",
        summary: "additive increase, multiplicative decrease",
        source: "Chiu and Jain, Computer Networks and ISDN Systems 17, 1989; RFC 5681",
        equations: &["slow start: w += acked", "then: w += a * acked / w", "loss: w = b * w"],
        parameters: &[
            Parameter::number("a", "packets that the window grows by in a round trip", 1.0, 0.01..=100.0)
                .unit("packets")
                .source("RFC 5681 §3.1"),
            Parameter::number("b", "share of the window that a loss leaves", 0.5, 0.01..=0.99)
                .source("RFC 5681 §3.1"),
        ],
        variables: &[],
        deviations: &[],
    },
    style: None,
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Aimd {
        a: values.number("a"),
        b: values.number("b"),
        initial: setup.initial_window,
        window: setup.initial_window,
        ssthresh: setup.initial_ssthresh,
        recovering: false,
        before: None,
    })
}
