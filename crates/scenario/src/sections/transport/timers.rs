// SPDX-License-Identifier: Apache-2.0
//! Keys of clocks, timers and the random send delay.

use super::Scale;
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::sections::preset::preset_keys;
use crate::value::{Count, LONGEST, Positive, SpanOrPackets, words};
use narrows_transport::{RtoRestart, RtoRule, TransportOptions};
use narrows_units::Span;

preset_keys! {
    /// Keys of clocks, timers and the random send delay.
    pub struct Keys, Values for TransportOptions {
        /// Clock granularity of round-trip time measurements: a measurement is the number of ticks between transmission
        /// and acknowledgement, at least one. 0s is an exact clock; Linux before version 2.6 had ticks of 10ms (a
        /// jiffy).
        option rtt_clock: Span {
            tick if tick > Span::ZERO => format!("round trips in ticks of {tick}"),
        },

        /// Computation of the retransmission timeout. rfc6298: max(min_rto, srtt + 4 rttvar). linux: srtt +
        /// max(min_rto, 4 rttvar); the first four timeouts of a SYN are not backed off and come in addition to
        /// syn_retries, and only the second reduces the first window to one segment.
        option rto: RtoRule,

        /// When a running retransmission timer is restarted. ack: when new data is acknowledged (RFC 6298 §5.3), and
        /// with the first fast retransmission. head: also with each retransmission of the first unacknowledged segment
        /// (permitted by RFC 6675 §6), and with each SACK of a segment that was sent before that, as in Linux.
        option rto_restart: RtoRestart,

        /// Initial retransmission timeout, before the first round-trip time sample.
        option initial_rto: Positive<Span>,

        /// Minimum retransmission timeout.
        option min_rto: Positive<Span>,

        /// Maximum retransmission timeout.
        option max_rto: Positive<Span>,

        /// Granularity of the retransmission (also of a SYN-ACK), tail loss probe and reordering timers. A timer
        /// expires at the tick after the one at which it is due; one of at least 63 ticks only at each 8th tick, of at
        /// least 504 at each 64th and so on, as in Linux. 4ms is 250 Hz; 0s is an exact clock.
        option timer_tick: Span {
            tick if tick > Span::ZERO => format!("timers in ticks of {tick}"),
        },

        /// Maximum number of retransmissions of a SYN, after which a flow is aborted.
        option syn_retries: Count<0, 1000>,

        /// Maximum number of consecutive timeouts, after which a flow is aborted.
        option retries: Count<1, 1000>,

        /// Random delay before each packet is sent, uniform from zero to this value, without reordering; 1pkt is the
        /// transmission time of a packet at the mean rate of the bottleneck. It prevents phase effects between similar
        /// flows (Floyd and Jacobson 1992). Over buffers of less than ten packets results depend on it: `overhead_` of
        /// ns-2 delays one packet per opening of the window, this key every packet.
        key send_delay: SpanOrPackets = [PACKET_TIME, PACKET_TIME, NO_DELAY, NO_DELAY] {
            SpanOrPackets::Span(delay) if delay > Span::ZERO => {
                format!("each packet delayed at random by up to {delay}")
            },
        },
    }
}

words!(RtoRule { Rfc6298 = "rfc6298", Linux = "linux" });
words!(RtoRestart { Ack = "ack", Head = "head" });

impl Values {
    /// Checks that no timeout is more than the largest.
    pub(super) fn check_timeouts(&self, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let max = self.max_rto.copied()?;
        for (key, field) in [("min_rto", &self.min_rto), ("initial_rto", &self.initial_rto)] {
            let value = field.copied()?;
            if value > max {
                // The error is reported at the key that was written.
                let field = if field.written { field } else { &self.max_rto };
                let fault = field.fault(format!("{key} is more than max_rto")).given(value.to_string());
                return Err(fault.allowed(format!("at most {max}")).report(faults));
            }
        }
        Ok(())
    }

    /// Resolves the delay before each packet to a time.
    pub(super) fn resolve_send_delay(
        &mut self,
        scale: Scale<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Span, Reported> {
        let delay = match self.send_delay.copied()? {
            SpanOrPackets::Span(delay) => delay,
            SpanOrPackets::Packets(number) => scale.mean.time_for(scale.packet).scaled(number),
        };
        if delay > LONGEST {
            let fault = self.send_delay.fault(format!("longer than {LONGEST}")).given(delay.to_string());
            return Err(fault.allowed("a shorter time, or fewer packets").report(faults));
        }
        self.send_delay.fill(SpanOrPackets::Span(delay));
        Ok(delay)
    }
}

const PACKET_TIME: SpanOrPackets = SpanOrPackets::Packets(1.0);

/// The random send delay of a preset without one.
pub(super) const NO_DELAY: SpanOrPackets = SpanOrPackets::Span(Span::ZERO);
