// SPDX-License-Identifier: Apache-2.0
//! `[transport]` and the same keys of a flow: the options of endpoints.
//!
//! A key is looked up in the flow, then in `[transport]`, then in the preset, which is the flow's if it names one.

mod acks;
mod ecn;
mod misbehaviour;
mod offload;
mod pacing;
mod preset;
pub mod receiver;
mod recovery;
mod resolution;
mod scale;
pub mod start_up;
mod timers;
mod undo;
mod window;

pub use resolution::{ResolvedTransport, preset_of};
pub use scale::Scale;

use super::preset::{Preset, PresetCard, PresetValue, preset_tables};
use crate::section::Section;
use crate::value::{Word, Words};
use narrows_transport::TransportOptions;
use resolution::packets;

preset_tables! {
    /// The keys of `[transport]`, with defaults in the presets modern, sack-2012, ns2 and linux.
    pub struct TransportKeys, Endpoint for TransportOptions {
        /// The preset.
        preset,
        /// Loss detection and recovery.
        recovery,
        /// Growth of the congestion window.
        window,
        /// Start of a connection, up to the first reduction.
        start_up,
        /// Receive window, and the application at the receiver.
        receiver,
        /// Detection of spurious reductions.
        undo,
        /// Restart after idle periods, and pacing.
        pacing,
        /// Explicit congestion notification.
        ecn,
        /// Headers and acknowledgements.
        acks,
        /// Nagle's algorithm, and offload.
        offload,
        /// Misbehaving receivers.
        misbehaviour,
        /// Clocks, timers and the random send delay.
        timers,
    }
}

/// The word for no limit.
#[derive(Clone, Debug)]
pub struct Infinite;

impl Word for Infinite {
    const WORD: &'static str = "infinite";
}

/// The word for no requested rate.
#[derive(Clone, Debug)]
pub struct Nothing;

impl Word for Nothing {
    const WORD: &'static str = "none";
}

/// Returns all presets with their values.
pub fn presets() -> Vec<PresetCard> {
    let keys = || TransportKeys::PARTS.iter().copied().flatten();
    let card = |(name, preset): (&&'static str, &Preset)| {
        let (summary, source) = preset.about();
        let values = keys().zip(Endpoint::defaults(*preset)).filter(|(key, _)| key.name != "preset");
        let values = values.map(|(key, value)| PresetValue {
            key: key.name,
            meaning: key.meaning(),
            allowed: key.kind.allowed(),
            value,
        });
        PresetCard { name, summary, source, values: values.collect() }
    };
    Preset::WORDS.iter().zip(Preset::VALUES).map(card).collect()
}
