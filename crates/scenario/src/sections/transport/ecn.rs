// SPDX-License-Identifier: Apache-2.0
//! Keys of explicit congestion notification.

use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::sections::preset::preset_keys;
use crate::value::words;
use narrows_cc::catalogue;
use narrows_model::algorithm::Control;
use narrows_transport::{EcnPackets, TransportOptions};

preset_keys! {
    /// Keys of explicit congestion notification.
    pub struct Keys, Values for TransportOptions {
        /// Explicit congestion notification (RFC 3168). A mark has no effect on a window of one or two packets; the
        /// rate of one packet per retransmission timeout of RFC 3168 §6.1.2 is not modelled.
        option ecn: bool { true => "ECN" },

        /// Packets that are ECN-capable. new-data: those that carry data for the first time (RFC 3168 §6.1.4, §6.1.5). all: with an
        /// algorithm that counts marks also retransmissions, acknowledgements, SYN and SYN-ACK, as in Linux (tcp_ca_needs_ecn). If both
        /// sides of a connection write, acknowledgements of the side that opened it are not ECN-capable. Only with ecn.
        option ecn_packets: EcnPackets,

        /// Alternative backoff with ECN (ABE): a mark multiplies the window by 0.8 (Reno) or 0.85 (CUBIC), while a loss
        /// multiplies it by less (RFC 8511 §3.1). Only with ecn, and for reno, newreno, cubic-2005, cubic-2008 and cubic.
        option abe: bool { true => "alternative backoff with ECN" },
    }
}

words!(EcnPackets { NewData = "new-data", All = "all" });

impl Values {
    /// Checks that a mark is possible, and that RFC 8511 states its effect on the window of `algorithm`.
    pub(super) fn check_abe(&self, algorithm: &Control, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        if !self.abe.copied()? {
            return Ok(());
        }
        let (message, allowed) = if algorithm.needs().abe_factor.is_none() {
            let known = catalogue::entries().iter();
            let known = known.filter(|entry| (entry.needs)(&entry.card.defaults()).abe_factor.is_some());
            let known: Vec<_> = known.map(|entry| entry.card.name).collect();
            let message = format!("RFC 8511 has no factor for `{algorithm}`");
            (message, format!("false, or true for an algorithm that has one: {}", known.join(", ")))
        } else if !self.ecn.copied()? {
            ("without ecn there are no marks".to_owned(), "false, or true with ecn = true".to_owned())
        } else {
            return Ok(());
        };
        Err(self.abe.fault(message).given("true").allowed(allowed).report(faults))
    }
}
