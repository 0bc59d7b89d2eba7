// SPDX-License-Identifier: Apache-2.0
//! The number of partitions of a run: threads with little work between two barriers would only wait.

use crate::layout::Layout;
use crate::options::RunOptions;
use narrows_model::{Model, RateModel};
use narrows_units::{Span, Time};

impl RunOptions {
    /// Returns the options for a run of `model` with `threads` threads: partitions only for a large run without
    /// external algorithms, whose calls are serialised in any case.
    pub fn with_threads(model: &Model, threads: usize) -> Self {
        let external = model.groups.iter().any(|group| group.algorithm.external().is_some());
        let partitions = if external || !is_large(model, threads) { 1 } else { threads };
        Self { partitions, ..Self::default() }
    }
}

/// Whether enough packets can cross the links between routers, in the run and in each window.
fn is_large(model: &Model, threads: usize) -> bool {
    if threads < 2 || packets(model, model.duration) < PACKETS_OF_RUN {
        return false;
    }
    let lookahead = Layout::new(model, threads).lookahead;
    // An infinite lookahead means that no link was cut.
    lookahead < Span::MAX && packets(model, lookahead) >= PACKETS_OF_WINDOW
}

/// Number of packets of 1500 bytes that all links can send in `span`; links with varying rates are ignored.
fn packets(model: &Model, span: Span) -> f64 {
    let rates = model.links.iter().map(|link| match &link.rate {
        RateModel::Constant(rate) => rate.as_bps() as f64,
        _ => 0.0,
    });
    rates.sum::<f64>() * (Time::ZERO + span).as_secs_f64() / PACKET_BITS
}

const PACKET_BITS: f64 = 12_000.0;

/// Packet-hops in half a second of processor time; a shorter run gains little.
const PACKETS_OF_RUN: f64 = 3e6;

/// Packet-hops in some milliseconds of work per thread, so that a wait for a preempted thread is short in comparison.
const PACKETS_OF_WINDOW: f64 = 20_000.0;
