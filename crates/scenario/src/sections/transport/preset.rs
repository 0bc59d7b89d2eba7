// SPDX-License-Identifier: Apache-2.0
//! The key that selects the defaults of all others.

use crate::sections::preset::{Preset, preset_keys};
use narrows_transport::TransportOptions;

preset_keys! {
    /// The key that selects the defaults of all others.
    pub struct Keys, Values for TransportOptions {
        /// Named set of defaults for the keys below.
        key preset: Preset = [Preset::Modern, Preset::Sack2012, Preset::Ns2, Preset::Linux] => "modern",
    }
}
