// SPDX-License-Identifier: Apache-2.0
//! Keys of the receive window and of the application at the receiver, and the check of an application that does not read all data
//! at once.

use super::{Endpoint, Infinite, TransportKeys};
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::sections::preset::preset_keys;
use crate::value::{Or, PacketsOrSize, Positive, SpanRange};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span};

preset_keys! {
    /// Keys of the receive window and of the application at the receiver.
    pub struct Keys, Values for TransportOptions {
        /// Receive window.
        key receive_window: Or<PacketsOrSize, Infinite> = [None, None, None, None] {
            Some(PacketsOrSize::Packets(packets)) => format!("receive window {packets} packets"),
        },

        /// Receive window autotuning, as in Linux (tcp_grow_window): the window begins at 44 segments, about 64 kB, and
        /// grows by two segments for each that arrives in order, up to receive_window. It limits a sender whose window
        /// more than triples in a round trip.
        option receive_autotuning: bool { true => "receive window autotuned" },

        /// Slow reader: rate at which the application at the receiver reads the payload that has arrived in order. Unread data
        /// occupies a buffer of receive_window; the rest of the buffer is the window that is advertised, down to zero, when the
        /// sender probes it (RFC 9293 §3.8.6). Needs a receive_window of at least 2pkt.
        option read_rate: Or<Positive<Rate>, Infinite> {
            Some(rate) => format!("read at {rate}"),
        },

        /// Interval of the run during which that application reads nothing, as in 5s..8s; 0s is no pause. Needs a receive_window
        /// of at least 2pkt.
        option read_pause: SpanRange {
            (from, to) if from < to => format!("not read from {from} to {to}"),
        },
    }
}

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
        let fault =
            endpoint.receiver.read_pause.fault("a pause has a beginning and an end").given(from.to_string());
        return refuse(fault, "two times, as in 5s..8s, or 0s for no pause");
    }
    let (field, given) = match options.read_rate {
        Some(rate) => (endpoint.receiver.read_rate.at.clone(), rate.to_string()),
        None if from < to => (endpoint.receiver.read_pause.at.clone(), format!("{from}..{to}")),
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
    let (from, to) = endpoint.receiver.read_pause.copied()?;
    let (field, written) = match endpoint.receiver.read_rate.copied()? {
        Some(_) => (&endpoint.receiver.read_rate.at, own.receiver.read_rate.written),
        None if from < to => (&endpoint.receiver.read_pause.at, own.receiver.read_pause.written),
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
