// SPDX-License-Identifier: Apache-2.0
//! Keys of the sizes of headers and acknowledgements, and of delayed acknowledgements.

use super::Scale;
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::sections::preset::preset_keys;
use crate::value::{Count, Positive};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Span};

preset_keys! {
    /// Keys of headers and acknowledgements.
    pub struct Keys, Values for TransportOptions {
        /// Header bytes of each data packet, which do not count as goodput.
        option header: Bytes {
            header => format!("headers of {header}"),
        },

        /// Size of pure acknowledgements, SYN and SYN-ACK packets.
        option ack: Positive<Bytes> {
            ack => format!("ACKs of {ack}"),
        },

        /// Delayed acknowledgements: number of segments per acknowledgement.
        option delayed_ack: Count<1, 1000> {
            1 => "every segment acknowledged",
            segments => format!("an ACK per {segments} segments"),
        },

        /// Delayed-acknowledgement timeout.
        option delayed_ack_timeout: Positive<Span>,

        /// Quick acknowledgements, as in Linux: at the start of a connection every segment is acknowledged.
        option quick_ack: bool { true => "quick ACKs at the start" },
    }
}

impl Values {
    /// Returns the payload of a packet: its size without the header.
    pub(super) fn payload(&self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<Bytes, Reported> {
        let header = self.header.copied()?;
        let payload = scale.packet.saturating_sub(header);
        if payload > Bytes::ZERO {
            return Ok(payload);
        }
        let message = format!("a header of {header} leaves no room in a packet of {}", scale.packet);
        let fault = self.header.fault(message).given(header.to_string());
        Err(fault.allowed(format!("less than the packet, {}", scale.packet)).report(faults))
    }

    /// Checks that an acknowledgement is at most as large as a packet.
    pub(super) fn check_ack(&self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let ack = self.ack.copied()?;
        if ack <= scale.packet {
            return Ok(());
        }
        let fault = self.ack.fault("an acknowledgement larger than a packet").given(ack.to_string());
        Err(fault.allowed(format!("at most {}", scale.packet)).report(faults))
    }
}
