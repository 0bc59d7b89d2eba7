//! Additive increase, multiplicative decrease.
//!
//! Source: where it is from.

use narrows_cc::card::{Card, Parameter, Values};
use narrows_cc::window::{Window, WindowRule, Windowed};
use narrows_cc::{Cause, CongestionControl, Entry, Needs, Path, Setup};

/// The window grows by `a` packets a round trip and keeps the share `b` of itself at a loss.
#[derive(Clone, Debug)]
pub struct Mine {
    a: f64,
    b: f64,
}

impl WindowRule for Mine {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.a * acked / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.b * window.size
    }
}

/// Its card, what it needs of its host, and its constructor.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "mine",
        family: "yours",
        summary: "additive increase, multiplicative decrease",
        source: "where it is from",
        equations: &["congestion avoidance: w += a * acked / w", "loss: w = b * w"],
        parameters: &[
            Parameter::number("a", "packets that the window grows by in a round trip", 1.0, 0.01..=100.0)
                .unit("packets")
                .source("your choice"),
            Parameter::number("b", "share of the window that a loss leaves", 0.5, 0.01..=0.99)
                .source("your choice"),
        ],
        variables: &[],
        deviations: &[],
    },
    style: None,
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Mine { a: values.number("a"), b: values.number("b") };
    Box::new(Windowed::new(rule, setup))
}
