//! Algorithms that send by a model of the path: of each its rules one by one (`rules.rs`) and what it does in a closed
//! loop over a path that is known.

mod bbr1 {
    mod rules;
    mod theory;
}
mod bbr3 {
    mod cases;
    mod rules;
}
mod host;

use narrows_cc::CongestionControl;
use narrows_cc::catalogue::{Algorithm, FirstCut, Setup, SlowStartKind};
use narrows_units::{Span, Time};

/// The algorithm as `written`, for packets of [`host::MSS`] and a first window of ten.
fn build(written: &str, seed: u64) -> Box<dyn CongestionControl> {
    Algorithm::parse(written).expect("the parameters are right").build(&Setup {
        mss: host::MSS,
        packet: narrows_units::Bytes::new(1500),
        initial_window: 10.0,
        initial_ssthresh: f64::INFINITY,
        first_cut: FirstCut::Rule,
        slow_start: SlowStartKind::Standard,
        quick_start: None,
        paced: false,
        seed,
    })
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// An inner variable by its name.
fn inner(algorithm: &dyn CongestionControl, name: &str) -> f64 {
    let mut found = None;
    algorithm.observe(&mut |this, value| {
        if this == name {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("there is no {name}"))
}
