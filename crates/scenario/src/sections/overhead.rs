// SPDX-License-Identifier: Apache-2.0
//! `overhead`: the framing that a link adds to every packet.

use crate::field::Reported;
use crate::forms::{Choice, PlainOr, forms};
use crate::section::keys;
use narrows_model::Framing;
use narrows_units::Bytes;

keys! {
    /// A link-layer frame for each packet.
    pub struct Frame = "frame" {
        /// Header, trailer and inter-packet gap. Ethernet has 38 bytes: preamble 8, header 14, frame check sequence 4,
        /// inter-packet gap 12 (IEEE 802.3).
        bytes: Bytes = ETHERNET,
        /// Least size of a frame, `bytes` included, to which shorter ones are padded (`mpu` of tc). Ethernet has 84 bytes: 64 of the
        /// frame, 20 of preamble and gap; DOCSIS 64, with 18 of `bytes`.
        least: Bytes => "84B if bytes is 38B, else 0B",
    }
}

keys! {
    /// ATM cells of 53 bytes with a payload of 48 bytes each; the last cell of a packet is padded (ADSL).
    pub struct Atm = "atm" {
        /// Bytes added to each packet before segmentation into cells; routed packets have 16: LLC/SNAP 8 and AAL5 8
        /// (RFC 2684).
        bytes: Bytes = Bytes::new(16),
    }
}

forms! {
    /// The framing that a link adds to every packet.
    pub enum Framed { Frame, Atm }
}

/// Bytes that Ethernet adds to each packet.
const ETHERNET: Bytes = Bytes::new(38);
/// The least size of an Ethernet frame with preamble and gap.
const ETHERNET_LEAST: Bytes = Bytes::new(84);

/// The type of the key `overhead`: a size without a form is the size of a frame.
pub type Overhead = PlainOr<Bytes, Framed>;

/// A value of [`Overhead`].
pub type Added = Choice<Bytes, Framed>;

/// Returns the framing.
///
/// # Errors
///
/// If a key has an error that was reported.
pub fn model(written: &Added) -> Result<Framing, Reported> {
    let frame = |added, least: Option<Bytes>| {
        let usual = if added == ETHERNET { ETHERNET_LEAST } else { Bytes::ZERO };
        Framing::Frame { added, least: least.unwrap_or(usual) }
    };
    Ok(match written {
        Choice::Plain(added) => frame(*added, None),
        Choice::Form(Framed::Frame(form)) => frame(form.bytes.copied()?, form.least.copied()?),
        Choice::Form(Framed::Atm(form)) => Framing::Cells(form.bytes.copied()?),
    })
}

/// Describes a framing.
pub fn describe(framing: Framing) -> String {
    match framing {
        Framing::Frame { added, least: Bytes::ZERO } => format!("{added} added to each packet"),
        Framing::Frame { added, least } => format!("{added} added to each packet, at least {least}"),
        Framing::Cells(bytes) => format!("packets with {bytes} more in ATM cells"),
    }
}
