// SPDX-License-Identifier: Apache-2.0
//! Keys of a faster start (Quick-Start, Careful Resume) and of the first reduction, and the checks of their combinations.

use super::{Nothing, TransportKeys, packets};
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::sections::preset::preset_keys;
use crate::value::{Or, PacketsOrSize, Positive, words};
use narrows_cc::{FirstCut, QuickStartRequest, SavedPath};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span};

preset_keys! {
    /// Keys of the start of a connection, up to the first reduction.
    pub struct Keys, Values for TransportOptions {
        /// Quick-Start: rate on the wire that the first data requests from the routers (RFC 4782); queues of kind
        /// quick-start approve it.
        key quick_start: Or<Positive<Rate>, Nothing> = [None, None, None, None],

        /// Whether an approved Quick-Start rate ends slow start: ssthresh is set to the window of that rate. Only with
        /// quick_start.
        key quick_start_ssthresh: bool = [false, false, false, false],

        /// Careful Resume: window of an earlier connection over the same path, saved_cwnd. The window of a window algorithm jumps to half of
        /// it, paced over a round trip, when the initial window is acknowledged, and retreats if packets are lost then (RFC 9959).
        key saved_window: Or<PacketsOrSize, Nothing> = [None, None, None, None],

        /// Round-trip time of that connection, saved_rtt: Careful Resume is given up if it is twice the present one or more, or
        /// less than a tenth of it; none: not compared. Only with saved_window.
        key saved_rtt: Or<Positive<Span>, Nothing> = [None, None, None, None],

        /// Size of the first window reduction. rule: as the algorithm reduces it. half: to half of the window.
        option first_cut: FirstCut {
            FirstCut::Half => "first reduction to half",
        },
    }
}

words!(FirstCut { Rule = "rule", Half = "half" });

impl Values {
    /// Resolves the rate that the first data requests from routers.
    pub(super) fn resolve_quick_start(&mut self) -> Result<Option<QuickStartRequest>, Reported> {
        let ends_slow_start = self.quick_start_ssthresh.copied()?;
        let asked = self.quick_start.copied()?.map(|rate| QuickStartRequest::new(rate, ends_slow_start));
        self.quick_start_ssthresh.fill(asked.is_some_and(|asked| asked.ends_slow_start));
        Ok(asked)
    }

    /// Resolves the saved window and round-trip time of an earlier connection.
    pub(super) fn resolve_saved_path(
        &mut self,
        mss: Result<Bytes, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<SavedPath>, Reported> {
        let Some(window) = packets(&mut self.saved_window, mss, faults)? else {
            self.saved_rtt.fill(None);
            return Ok(None);
        };
        if let Some(rate) = self.quick_start.copied()? {
            let message =
                "the first window is either saved or asked of the routers, and quick_start asks them";
            let fault = self.saved_window.fault(message).given(format!("quick_start = {rate}"));
            return Err(fault.allowed("one of saved_window and quick_start").report(faults));
        }
        Ok(Some(SavedPath::new(window as f64, self.saved_rtt.copied()?)))
    }
}

/// Adds an error to `faults` for each `quick_start_ssthresh` without a `quick_start`, and each `saved_rtt` without a `saved_window`.
pub fn check_start_ups(flows: &[&TransportKeys], transport: Option<&TransportKeys>, faults: &mut Vec<Fault>) {
    // Keys with errors have been reported already.
    let asks = |flow: &TransportKeys| {
        let written =
            [Some(flow), transport].into_iter().flatten().find(|each| each.start_up.quick_start.written);
        written.is_some_and(|each| each.start_up.quick_start.copied() != Ok(Some(None)))
    };
    let saves = |flow: &TransportKeys| {
        let written =
            [Some(flow), transport].into_iter().flatten().find(|each| each.start_up.saved_window.written);
        written.is_some_and(|each| each.start_up.saved_window.copied() != Ok(Some(None)))
    };
    let mut check = |table: &TransportKeys, asked: bool, saved: bool| {
        if !asked && table.start_up.quick_start_ssthresh.copied() == Ok(Some(true)) {
            let message = "without quick_start nothing is asked for, and nothing can be approved";
            let fault = table.start_up.quick_start_ssthresh.fault(message).given("true");
            faults.push(fault.allowed("false, or a rate for quick_start"));
        }
        if let (false, Ok(Some(Some(rtt)))) = (saved, table.start_up.saved_rtt.copied()) {
            let fault = table.start_up.saved_rtt.fault("without saved_window there is nothing to resume");
            faults.push(fault.given(rtt.to_string()).allowed("none, or a window for saved_window"));
        }
    };
    for flow in flows {
        check(flow, asks(flow), saves(flow));
    }
    if let Some(transport) = transport {
        let any =
            |test: &dyn Fn(&TransportKeys) -> bool| flows.is_empty() || flows.iter().any(|flow| test(flow));
        check(transport, any(&asks), any(&saves));
    }
}
