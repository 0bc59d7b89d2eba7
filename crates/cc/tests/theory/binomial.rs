// SPDX-License-Identifier: Apache-2.0
//! Mean windows of the binomial algorithms.

use super::{compared, mean_from};

/// The mean window if every 1000th packet is lost. These algorithms need thousands of round trips to reach it, so the flow
/// starts near it.
fn mean_window(name: &str) -> f64 {
    mean_from(name, 40.0, 1_000, 5_000, 25_000)
}

/// A cycle in the fluid limit: the window rises from `w - b w^l` to `w` by `a / w^k` a round trip while `1 / p` packets
/// leave. Packets and round trips are integrals of `w^(k+1)` and `w^k`; their ratio is the mean window.
pub fn mean((k, l): (f64, f64), (a, b): (f64, f64), loss_interval: u64) -> f64 {
    let integral = |power: f64, top: f64| {
        let bottom = top - b * libm::pow(top, l);
        (libm::pow(top, power + 1.0) - libm::pow(bottom, power + 1.0)) / (power + 1.0)
    };
    let (mut low, mut high) = (2.0, 10_000.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if integral(k + 1.0, middle) / a < loss_interval as f64 { low = middle } else { high = middle }
    }
    integral(k + 1.0, low) / integral(k, low)
}

#[test]
fn sqrt_and_iiad_have_the_mean_window_of_their_cycle() {
    for (name, exponents, factors) in [
        ("sqrt(gamma=2)", (0.5, 0.5), (0.75, 0.5)),
        ("sqrt(gamma=1.5)", (0.5, 0.5), (1.0, 2.0 / 3.0)),
        ("iiad", (1.0, 0.0), (1.0, 0.67)),
        ("iiad(a=10,b=6.7)", (1.0, 0.0), (10.0, 6.7)),
    ] {
        let measured = mean_window(name);
        let what =
            format!("mean window of {name}, every 1000th packet lost, against the fluid limit of a cycle");
        let entry = name.split('(').next().expect("there is a name");
        compared(entry, &what, measured, mean(exponents, factors, 1_000), 0.03);
    }
}

/// Bansal and Balakrishnan 2001 §3: the mean window of TCP, for small `b`.
#[test]
fn with_k_plus_l_of_1_and_a_of_1_5_b_the_mean_window_is_that_of_tcp() {
    for name in ["sqrt(gamma=8)", "iiad", "binomial(k=0.25,l=0.75,a=0.15,b=0.1)"] {
        let what = format!(
            "mean window of {name}, every 1000th packet lost, against sqrt(1.5 / p) (Bansal and Balakrishnan 2001 §3)"
        );
        let entry = name.split('(').next().expect("there is a name");
        compared(entry, &what, mean_window(name), 1_500.0f64.sqrt(), 0.05);
    }
}

/// TCP(b): w = sqrt(a (2 - b) / (2 b p)).
#[test]
fn tcp_of_an_eighth_has_a_quarter_more_throughput_than_tcp_with_gaimd_and_the_same_with_fhp() {
    for (name, expected) in [("tcp(gamma=8)", 48.4), ("tcp(b=0.125,compat=fhp)", 38.7), ("tcp", 38.7)] {
        let what =
            format!("mean window of {name}, every 1000th packet lost, against sqrt(a (2 - b) / (2 b p))");
        compared("tcp", &what, mean_window(name), expected, 0.05);
    }
}
