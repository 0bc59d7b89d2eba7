// SPDX-License-Identifier: Apache-2.0
//! Source Quench (RFC 792), as TCP answered it: a quench is followed by slow start from one packet.
//!
//! RFC 1122 §4.2.3.9 recommends slow start as after a timeout: ssthresh is half the window. BSD (`tcp_quench`) left ssthresh as it was.
//! Everything else is Reno's. RFC 6633 deprecates Source Quench: no host answers one today.

use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values};
use narrows_units::Time;
use narrows_wire::{Feedback, Request};

/// Reno with an answer to quenches.
#[derive(Clone, Debug)]
pub struct SourceQuench {
    /// A quench sets ssthresh to half the window.
    halves: bool,
    /// Time of the last quench; `None` once data sent later is acknowledged.
    quenched_at: Option<Time>,
}

impl WindowRule for SourceQuench {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }

    fn request(&self) -> Option<Request> {
        Some(Request::Level(0))
    }

    fn answer(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) -> Option<Window> {
        if let (Some(at), Some(rtt)) = (self.quenched_at, ack.rtt)
            && path.now.since(at) >= rtt
        {
            self.quenched_at = None;
        }
        if !matches!(ack.feedback, Some(Feedback::Level(1..))) {
            return None;
        }
        // The other packets of a window that was quenched report the same queue.
        let again = self.quenched_at.is_some();
        self.quenched_at.get_or_insert(path.now);
        let ssthresh = if self.halves && !again { window.size / 2.0 } else { window.ssthresh };
        Some(Window { size: 1.0, ssthresh })
    }
}

/// The card of `source-quench`.
pub(crate) const SOURCE_QUENCH: Entry = Entry {
    card: Card {
        name: "source-quench",
        family: "explicit",
        summary: "Reno that starts again from one packet when a router with a source-quench queue asks for less, as hosts did before RFC 6633",
        source: "RFC 792; RFC 1122 §4.2.3.9",
        equations: &[
            "quench: ssthresh = w / 2, w = 1, then slow start",
            "else Reno's: w += acked / w; loss: w = w / 2",
        ],
        parameters: &[Parameter {
            name: "ssthresh",
            meaning: "ssthresh after a quench: half the window, as after a timeout (halved), or the one before, as in BSD (kept)",
            unit: "",
            source: "RFC 1122 §4.2.3.9; 4.3BSD and its successors, tcp_quench",
            domain: Domain::Choice { default: "halved", allowed: &["halved", "kept"] },
        }],
        variables: &[],
        deviations: &[
            "certain: slow start from one packet, and that BSD kept ssthresh; chosen: quenches of packets that were sent before the last answer leave ssthresh as it is",
            "a quench returns with the acknowledgement of its packet, up to a round trip later than a message from the router, and is never lost alone",
        ],
    },
    style: Some(Style(Hue::Slate, Dash::Sparse)),
    needs: |_| Needs::routers("source-quench"),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = SourceQuench { halves: values.word("ssthresh") == "halved", quenched_at: None };
    Box::new(Windowed::new(rule, setup))
}
