// SPDX-License-Identifier: Apache-2.0
//! The protocol stacks that can carry flows, and their settings.

use super::transport::TransportKeys;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::kind::list;
use crate::section::{Section, Table, keys};
use crate::value::{Count, Positive, Words, words};
use narrows_model::algorithm::StackControl;
use narrows_model::stack::{AckFrequency, StackPath, StackSettings};
use narrows_units::{Bytes, Span};

/// The name of a protocol stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackWord {
    /// `quinn-proto`.
    Quinn,
    /// `noq-proto`.
    Noq,
}

words!(StackWord { Quinn = "quinn", Noq = "noq" });

/// Whether a path carries data beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStatus {
    /// Whatever path has room carries data.
    Available,
    /// It carries data while no path is available.
    Backup,
}

words!(PathStatus { Available = "available", Backup = "backup" });

keys! {
    /// The settings of the stack that carries the flows, at both ends. Beside them `initial_window`, in packets of 1200 bytes.
    pub struct StackKeys {
        /// Loss detection of a stack: a packet is lost when one that was sent this many packets later is acknowledged (RFC 9002
        /// §6.1.1).
        packet_threshold: Count<1, 1_000_000> => "3, in both stacks",
        /// Loss detection of a stack: a packet is lost when a later one is acknowledged and this many round trips have passed since
        /// it was sent (RFC 9002 §6.1.2); 1 to 1000.
        time_threshold: f64 => "1.125, in both stacks",
        /// Round-trip time that a stack assumes before its first sample (RFC 9002 §6.2.2); 1 ms to 60 s.
        initial_rtt: Positive<Span> => "333ms, in both stacks",
        /// Acknowledgements that each endpoint of a stack asks its peer for (draft-ietf-quic-ack-frequency).
        ack_frequency: Table<AckFrequencyKeys> => "none: every second packet, after 25 ms, and at once when packets are out of order",
        /// Duration, in probe timeouts, over which all packets must be lost for a stack to fall to its least window (RFC 9002
        /// §7.6.1).
        persistent_congestion_threshold: Count<1, 1000> => "3, in both stacks",
        /// Room of a stack's receiver for the data of a stream.
        stream_receive_window: Positive<Bytes> => "receive_window; the stacks have 1.25 MB, which would limit flows",
        /// Room of a stack's receiver for the data of all streams.
        connection_receive_window: Positive<Bytes> => "receive_window, which is unlimited in the stacks, too",
        /// Data that the application of a stack may have written before it is acknowledged.
        send_window: Positive<Bytes> => "unlimited; the stacks have 10 MB, which would limit flows",
    }
}

keys! {
    /// Acknowledgements, as asked for.
    pub struct AckFrequencyKeys {
        /// Number of ack-eliciting packets that may go without an acknowledgement.
        threshold: Count<0, 1_000_000> = 1,
        /// Longest delay of an acknowledgement; 1 ms to 10 s. The stacks ask for the round-trip time or 25 ms, whichever is more, if
        /// it is above both.
        max_delay: Positive<Span> => "25ms, in both stacks",
        /// Number of packets by which one must be out of order to be acknowledged at once; 0 for never.
        reordering: Count<0, 1_000_000> = 2,
    }
}

impl StackKeys {
    /// Sets the settings of `control`, which `own` belong to, beside the keys of its endpoints, `transport`; adds an error to
    /// `faults` if a key is out of range, or if no stack has it since there is none.
    ///
    /// # Errors
    ///
    /// If a key has errors.
    pub fn resolve(
        &self,
        control: Option<&mut StackControl>,
        transport: &TransportKeys,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let Some(control) = control else { return self.refuse(faults) };
        let within = |field: &Field<Option<Span>>, (least, most): (Span, Span), faults: &mut Vec<Fault>| {
            let value = field.copied()?;
            let Some(given) = value.filter(|value| !(least..=most).contains(value)) else { return Ok(value) };
            let fault = field.fault("out of range").given(given.to_string());
            Err(fault.allowed(format!("a time from {least} to {most}")).report(faults))
        };
        let time_threshold = self.time_threshold.copied()?;
        if let Some(given) = time_threshold.filter(|value| !(1.0..=1000.0).contains(value)) {
            let fault = self.time_threshold.fault("out of range").given(given.to_string());
            return Err(fault.allowed("a number from 1 to 1000").report(faults));
        }
        let ack_frequency = match self.ack_frequency.get()? {
            None => None,
            Some(keys) => Some(AckFrequency {
                threshold: keys.threshold.copied()?,
                max_delay: within(&keys.max_delay, (Span::from_ms(1), Span::from_ms(10_000)), faults)?,
                reordering: keys.reordering.copied()?,
            }),
        };
        let initial_window = &transport.window.initial_window;
        control.settings = StackSettings {
            packet_threshold: self.packet_threshold.copied()?,
            time_threshold,
            initial_rtt: within(&self.initial_rtt, (Span::from_ms(1), Span::from_ms(60_000)), faults)?,
            ack_frequency,
            persistent_congestion_threshold: self.persistent_congestion_threshold.copied()?,
            // Bounded where it is read.
            initial_window: initial_window.copied()?.map(|packets| packets as u32),
            stream_receive_window: self.stream_receive_window.copied()?,
            connection_receive_window: self.connection_receive_window.copied()?,
            send_window: self.send_window.copied()?,
        };
        Ok(())
    }

    fn refuse(&self, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let written = [
            (self.packet_threshold.written, &self.packet_threshold.at),
            (self.time_threshold.written, &self.time_threshold.at),
            (self.initial_rtt.written, &self.initial_rtt.at),
            (self.ack_frequency.written, &self.ack_frequency.at),
            (self.persistent_congestion_threshold.written, &self.persistent_congestion_threshold.at),
            (self.stream_receive_window.written, &self.stream_receive_window.at),
            (self.connection_receive_window.written, &self.connection_receive_window.at),
            (self.send_window.written, &self.send_window.at),
        ];
        let Some((_, at)) = written.into_iter().find(|(written, _)| *written) else { return Ok(()) };
        let fault = at.fault("a setting of a stack, and no stack carries the flows");
        let keys = list(Self::PARTS.iter().copied().flatten().map(|key| key.name));
        Err(fault.allowed(format!("stack = \"quinn\" or \"noq\" beside {keys}")).report(faults))
    }
}

/// Describes a path of a connection.
fn path(path: &StackPath) -> String {
    let status = if path.backup { PathStatus::Backup } else { PathStatus::Available };
    let start = if path.start > Span::ZERO { format!(" from {}", path.start) } else { String::new() };
    let stop = path.stop.map(|stop| format!(" to {stop}"));
    format!("{}{start}{}", status.word(), stop.unwrap_or_default())
}

/// Describes the settings that connections of `control` have.
pub fn describe(control: &StackControl) -> String {
    let name = control.hosted.as_ref().map_or(control.name.as_str(), |_| "");
    let settings = control.settings.or(control.stack.defaults(name));
    let StackSettings { packet_threshold, time_threshold, initial_rtt, ack_frequency, .. } = settings;
    let acks = ack_frequency.map(|AckFrequency { threshold, max_delay, reordering }| {
        let delay = max_delay.map_or(String::new(), |delay| format!(", after {delay}"));
        let order = match reordering {
            0 => "never".to_owned(),
            packets => format!("from {packets} packets on"),
        };
        format!(
            "an acknowledgement asked for after {threshold} packets{delay}, for packets out of order {order}"
        )
    });
    let window = |name: &str, window: Option<Bytes>| window.map(|bytes| format!("{name} {bytes}"));
    let words = [
        packet_threshold.map(|packets| format!("packet threshold {packets}")),
        time_threshold.map(|times| format!("time threshold {times} round trips")),
        initial_rtt.map(|rtt| format!("initial round trip {rtt}")),
        settings
            .persistent_congestion_threshold
            .map(|times| format!("persistent congestion after {times} probe timeouts")),
        settings.initial_window.map(|packets| format!("initial window {packets} packets of 1200 B")),
        acks,
        window("stream receive window", settings.stream_receive_window),
        window("connection receive window", settings.connection_receive_window),
        window("send window", settings.send_window),
        (!control.paths.is_empty())
            .then(|| format!("paths {}", control.paths.iter().map(path).collect::<Vec<_>>().join("; "))),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    format!("endpoints of the stack {}: {}", control.stack.name(), words.join(", "))
}
