// SPDX-License-Identifier: Apache-2.0
//! The quantities by which sizes of flows in packets are converted.

use crate::location::Location;
use narrows_units::{Bytes, Rate};

/// The quantities by which sizes of flows in packets are converted.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    /// Size of a full data packet on the wire.
    pub packet: Bytes,
    /// Place at which that size was written.
    pub packet_location: &'a Location,
    /// Mean rate of the bottleneck.
    pub mean: Rate,
}
