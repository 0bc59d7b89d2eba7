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

use narrows_cc::{Algorithm, CongestionControl, Setup};
use narrows_units::{Span, Time};

/// The algorithm `written`, for packets of [`host::MSS`] and an initial window of ten packets.
fn build(written: &str, seed: u64) -> Box<dyn CongestionControl> {
    Algorithm::parse(written)
        .expect("the parameters are right")
        .build(&Setup::new(host::MSS, seed).packet(narrows_units::Bytes::new(1500)))
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
