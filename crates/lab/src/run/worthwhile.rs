//! Into how many parts a run is worth cutting: threads that have little to do between two meetings only wait.

use super::RunOptions;
use super::layout::Layout;
use crate::algorithm::Control;
use crate::model::{Model, RateModel};
use narrows_units::{Span, Time};

impl RunOptions {
    /// Cuts a run of `model` into at most `threads` parts if it is large, and leaves it whole otherwise. Algorithms that
    /// are not compiled in take turns, so threads would not help them.
    pub fn with_threads(model: &Model, threads: usize) -> Self {
        let guests = model.groups.iter().any(|group| matches!(group.algorithm, Control::Guest(_)));
        let partitions = if guests || !is_large(model, threads) { 1 } else { threads };
        Self { partitions, ..Self::default() }
    }
}

/// Enough packets may cross the links between routers in the run, and in each of its windows.
fn is_large(model: &Model, threads: usize) -> bool {
    if threads < 2 || packets(model, model.duration) < PACKETS_OF_RUN {
        return false;
    }
    let lookahead = Layout::new(model, threads).lookahead;
    // Nothing was cut where a part could run ahead for ever.
    lookahead < Span::MAX && packets(model, lookahead) >= PACKETS_OF_WINDOW
}

/// Packets of 1500 bytes that all links but those of access can send in `span`. Rates that change count for nothing.
fn packets(model: &Model, span: Span) -> f64 {
    let between = model.links.iter().filter(|link| !link.access);
    let rates = between.map(|link| match &link.rate {
        RateModel::Constant(rate) => rate.as_bps() as f64,
        _ => 0.0,
    });
    rates.sum::<f64>() * (Time::ZERO + span).as_secs_f64() / PACKET_BITS
}

const PACKET_BITS: f64 = 12_000.0;

/// Half a second of processor time: shorter runs are over before it matters.
const PACKETS_OF_RUN: f64 = 3e6;

/// Milliseconds of work for each thread, so that a wait for one that others keep from its processor is short beside it.
const PACKETS_OF_WINDOW: f64 = 20_000.0;

#[cfg(test)]
mod tests {
    //! Truth: the rule above, at both its bounds.

    use super::RunOptions;
    use crate::scenario::{LoadOptions, load};
    use std::path::Path;

    fn partitions(rate: &str, rtt: &str, threads: usize) -> usize {
        let text = format!(
            r#"
            duration = "20s"
            path = {{ rate = "{rate}", rtt = "{rtt}" }}
            [[flows]]
            algorithm = "newreno"
            count = 20
            "#
        );
        let loaded = load(&text, "test", Path::new("."), &[], &LoadOptions::default());
        RunOptions::with_threads(&loaded.expect("the scenario is sound").model, threads).partitions
    }

    #[test]
    fn a_large_run_is_cut_and_others_are_left_whole() {
        assert_eq!(partitions("10Gbps", "50ms", 2), 2);
        assert_eq!(partitions("10Gbps", "50ms", 1), 1, "there is one thread");
        assert_eq!(partitions("10Mbps", "50ms", 2), 1, "it has few packets");
        assert_eq!(partitions("1Gbps", "50ms", 2), 1, "it has few in a window");
        assert_eq!(partitions("10Gbps", "10us", 2), 1, "the threads would meet too often");
    }
}
