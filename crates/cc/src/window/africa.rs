// SPDX-License-Identifier: Apache-2.0
//! TCP-Africa (King, Baraniuk and Riedi, "TCP-Africa: an adaptive and fair rapid increase rule for scalable TCP", INFOCOM 2005):
//! HighSpeed TCP while the path's queue is short, Reno once it fills.
//!
//! * For each sample of the round-trip time `m = min(m, sample)`, `r += (sample − r) / 8`.
//! * *Fast* if `w (r − m) < α r`: fewer than `α` packets of the flow are estimated to wait in the queue. `w += a(w) n / w` for an
//!   acknowledgement of `n` packets; else *slow*, `w += n / w`.
//! * Loss: `w = (1 − b(w)) w` in fast mode, half in slow mode. `a` and `b` are the rows of RFC 3649, appendix B.
//!
//! With a buffer of `B` packets the slow part of a cycle lasts `B − α` round trips, whatever the bandwidth-delay product; with
//! one larger than that product all of it is slow, and the flow is Reno.

use super::highspeed_linux::{decrease_at, increase_at};
use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::Span;

/// The parameters and the state of TCP-Africa (King et al. 2005).
#[derive(Clone, Debug)]
pub struct Africa {
    /// `α`, packets.
    alpha: f64,
    reduction: Reduction,
    /// `m` and `r`, seconds; `None` before the first sample.
    delays: Option<(f64, f64)>,
}

/// How much of the window a loss takes.
#[derive(Clone, Copy, Debug)]
enum Reduction {
    /// `b(w)` in fast mode, half in slow mode.
    Mode,
    /// `b(w)`.
    Table,
    /// Half.
    Half,
}

impl Africa {
    /// Whether fewer than `α` packets of a window are estimated to be in the queue.
    fn is_fast(&self, window: f64) -> bool {
        self.delays.is_some_and(|(least, mean)| window * (mean - least) < self.alpha * mean)
    }
}

impl WindowRule for Africa {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let step = if self.is_fast(window.size) { increase_at(window.size) } else { 1.0 };
        acked * step / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        let by_table = match self.reduction {
            Reduction::Mode => self.is_fast(window.size),
            Reduction::Table => true,
            Reduction::Half => false,
        };
        window.size * if by_table { 1.0 - decrease_at(window.size) } else { 0.5 }
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, _path: &Path) {
        let Some(sample) = ack.rtt.map(Span::as_secs_f64) else { return };
        let (least, mean) = self.delays.unwrap_or((sample, sample));
        self.delays = Some((least.min(sample), mean + GAIN * (sample - mean)));
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some((least, mean)) = self.delays {
            record("queued", 1.0 - least / mean);
        }
    }
}

/// The card of `africa`.
pub(crate) const AFRICA: Entry = Entry {
    card: Card {
        name: "africa",
        family: "high-speed",
        summary: "TCP-Africa: HighSpeed TCP while the queue is short, Reno once it fills",
        source: "King, Baraniuk and Riedi, INFOCOM 2005; table: RFC 3649 appendix B",
        equations: &[
            "sample: m = min(m, sample), r += (sample - r) / 8; fast: w (r - m) < alpha r",
            "fast: w += a(w) acked / w; slow: w += acked / w",
            "loss: fast: w = (1 - b(w)) w; slow: w = w / 2; timeout: ssthresh likewise, w = 1",
        ],
        parameters: &[
            Parameter::number(
                "alpha",
                "packets in the queue from which the rule is Reno's",
                1.641,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source("King et al. 2005: a number above one; this one is recalled"),
            Parameter {
                name: "reduction",
                meaning: "what a loss takes: b(w) in fast mode and half in slow mode, always b(w), or always half",
                unit: "",
                source: "King et al. 2005 as its abstract says; the others are readings of ours",
                domain: Domain::Choice { default: "mode", allowed: &["mode", "table", "half"] },
            },
        ],
        variables: &[Variable {
            name: "queued",
            unit: "share",
            meaning: "(r - m) / r, the part of the window that is in the queue",
        }],
        deviations: &[
            "the paper's text could not be read: the rules are those of its abstract and of a module derived from the authors', the threshold is recalled",
            "what a loss takes in slow mode is open; losses of a full queue find the flow in it",
            "a window that grows without pacing sends bursts, which are two or three packets in the queue of an idle link: with alpha of 1.641 a cycle of 1000 packets with a buffer of 100 lasts 210 round trips, where 164 are its fluid limit",
            "a(w) is applied within a row of the table, packets acknowledged are counted",
        ],
    },
    style: Some(Style(Hue::Rose, Dash::LongShort)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let reduction = match values.word("reduction") {
        "mode" => Reduction::Mode,
        "table" => Reduction::Table,
        _ => Reduction::Half,
    };
    Box::new(Windowed::new(Africa { alpha: values.number("alpha"), reduction, delays: None }, setup))
}

/// Weight of a sample in the mean round-trip time.
const GAIN: f64 = 0.125;
