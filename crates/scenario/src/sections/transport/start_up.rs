// SPDX-License-Identifier: Apache-2.0
//! What of the keys of a faster start-up, Quick-Start and Careful Resume, belongs together.

use super::TransportKeys;
use crate::diagnostic::Fault;

/// Adds an error to `faults` for each `quick_start_ssthresh` without a `quick_start`, and each `saved_rtt` without a `saved_window`.
pub fn check_start_ups(flows: &[&TransportKeys], transport: Option<&TransportKeys>, faults: &mut Vec<Fault>) {
    // What did not pass is known already.
    let asks = |flow: &TransportKeys| {
        let written = [Some(flow), transport].into_iter().flatten().find(|each| each.quick_start.written);
        written.is_some_and(|each| each.quick_start.copied() != Ok(Some(None)))
    };
    let saves = |flow: &TransportKeys| {
        let written = [Some(flow), transport].into_iter().flatten().find(|each| each.saved_window.written);
        written.is_some_and(|each| each.saved_window.copied() != Ok(Some(None)))
    };
    let mut check = |table: &TransportKeys, asked: bool, saved: bool| {
        if !asked && table.quick_start_ssthresh.copied() == Ok(Some(true)) {
            let message = "without quick_start nothing is asked for, and nothing can be approved";
            let fault = table.quick_start_ssthresh.fault(message).given("true");
            faults.push(fault.allowed("false, or a rate for quick_start"));
        }
        if let (false, Ok(Some(Some(rtt)))) = (saved, table.saved_rtt.copied()) {
            let fault = table.saved_rtt.fault("without saved_window there is nothing to resume");
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
