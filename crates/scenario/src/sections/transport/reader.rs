// SPDX-License-Identifier: Apache-2.0
//! What an application needs that does not read all data at once.

use super::{Endpoint, TransportKeys};
use crate::diagnostic::Fault;
use crate::field::Reported;
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Span};

/// Checks the keys `read_rate` and `read_pause` of `endpoint` against `options`, in which all keys are resolved.
///
/// # Errors
///
/// If they do not fit each other or `receive_window`; the error is added to `faults`.
pub fn check(
    endpoint: &Endpoint,
    options: &TransportOptions,
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    let (from, to) = options.read_pause;
    let mut refuse = |fault: Fault, allowed: &str| Err(fault.allowed(allowed).report(faults));
    if from == to && from > Span::ZERO {
        let fault = endpoint.read_pause.fault("a pause has a beginning and an end").given(from.to_string());
        return refuse(fault, "two times, as in 5s..8s, or 0s for no pause");
    }
    let (field, given) = match options.read_rate {
        Some(rate) => (endpoint.read_rate.at.clone(), rate.to_string()),
        None if from < to => (endpoint.read_pause.at.clone(), format!("{from}..{to}")),
        None => return Ok(()),
    };
    let fault = |message: &str| field.fault(message).given(given);
    let Some(window) = options.receive_window else {
        let fault = fault("what is not read fills the receiver's buffer, and receive_window is infinite");
        return refuse(fault, "a receive_window of at least 2pkt beside it");
    };
    if window < LEAST_SEGMENTS {
        let fault = fault("half of the receiver's buffer holds no segment")
            .given(format!("receive_window = {window}pkt"));
        return refuse(fault, "a receive_window of at least 2pkt beside it");
    }
    if options.mss * window > GREATEST_WINDOW {
        let fault = fault("no acknowledgement can carry a window as large as receive_window");
        return refuse(
            fault.given(format!("receive_window = {window}pkt")),
            "a receive_window of at most 1GiB (RFC 7323 §2.3)",
        );
    }
    if options.optimistic_ack > 0 {
        let fault = fault("a receiver with optimistic_ack has no window");
        return refuse(fault, "optimistic_ack = 0");
    }
    Ok(())
}

/// Checks that a group reads its data at a rate only if it is sent reliably and no application of the group waits for it.
/// `reliable` says the first, `waited_for` the second; `own` are the keys of the group.
///
/// # Errors
///
/// If it does not; the error is added to `faults`.
pub fn check_group(
    endpoint: &Endpoint,
    own: &TransportKeys,
    (reliable, waited_for): (bool, bool),
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    let (from, to) = endpoint.read_pause.copied()?;
    let (field, written) = match endpoint.read_rate.copied()? {
        Some(_) => (&endpoint.read_rate.at, own.read_rate.written),
        None if from < to => (&endpoint.read_pause.at, own.read_pause.written),
        None => return Ok(()),
    };
    if waited_for {
        let fault = field.fault("the application of such a source reads all data at once");
        let allowed =
            "another kind of source than vectors, video, web, responsiveness, call and game, or neither key";
        return Err(fault.allowed(allowed).report(faults));
    }
    // A default of [transport] does not concern datagrams.
    if written && !reliable {
        let fault = field.fault("datagrams have no receive window");
        return Err(fault.allowed("an algorithm of TCP").report(faults));
    }
    Ok(())
}

/// Segments that the buffer holds at least: the window opens in steps of a segment or half of the buffer.
const LEAST_SEGMENTS: u64 = 2;
/// RFC 7323 §2.3.
const GREATEST_WINDOW: Bytes = Bytes::new(1 << 30);
