// SPDX-License-Identifier: Apache-2.0
//! Algorithms that model the path: for each its rules (`rules.rs`), its transitions, and its behaviour in a closed loop on a
//! path with known parameters.

mod bbr1 {
    mod flow;
    mod rules;
    mod theory;
    mod transitions;
}
mod bbr3 {
    mod cases;
    mod flow;
    mod rules;
    mod state;
    mod transitions;
}
mod c4 {
    mod flow;
    mod rules;
    mod theory;
}
mod host;

use narrows_cc::{Algorithm, CongestionControl, FirstCut, RestartWindow, Setup, SlowStartKind, UndoRestores};
use narrows_units::{Span, Time};

/// The algorithm `written`, for packets of [`host::MSS`] and an initial window of ten packets.
fn build(written: &str, seed: u64) -> Box<dyn CongestionControl> {
    Algorithm::parse(written).expect("the parameters are right").build(&Setup {
        mss: host::MSS,
        packet: narrows_units::Bytes::new(1500),
        initial_window: 10.0,
        initial_ssthresh: f64::INFINITY,
        first_cut: FirstCut::Rule,
        abe: false,
        restart_window: RestartWindow::Initial,
        undo_restores: UndoRestores::State,
        ack_counting: narrows_cc::AckCounting::Segments,
        slow_start: SlowStartKind::Standard,
        quick_start: None,
        saved_path: None,
        paced: false,
        seed,
    })
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// The internal variable `name`.
fn inner(algorithm: &dyn CongestionControl, name: &str) -> f64 {
    let mut found = None;
    algorithm.observe(&mut |this, value| {
        if this == name {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("there is no {name}"))
}
