// SPDX-License-Identifier: Apache-2.0
//! The resolution of the keys of endpoints.

use super::timers::NO_DELAY;
use super::{Endpoint, Infinite, Nothing, Scale, TransportKeys, receiver};
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::sections::preset::{Preset, Unlike};
use crate::value::{Or, PacketsOrSize, Positive, Words};
use narrows_model::algorithm::Control;
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span};

/// Returns the preset of the first of `layers` that names one; *modern* if none does.
///
/// # Errors
///
/// If that key has an error that was reported.
pub fn preset_of(layers: &[&TransportKeys]) -> Result<Preset, Reported> {
    let written = layers.iter().find(|layer| layer.preset.preset.written);
    written.map_or(Ok(Preset::Modern), |layer| Ok(layer.preset.preset.copied()?.unwrap_or(Preset::Modern)))
}

/// The resolved transport options of flows.
#[derive(Clone, Debug)]
pub struct ResolvedTransport {
    /// All keys with their values.
    pub endpoint: Endpoint,
    /// Options of the transport endpoints.
    pub options: TransportOptions,
    /// Upper bound of the random send delay of each packet.
    pub send_delay: Span,
}

impl ResolvedTransport {
    /// Resolves the keys in `layers`, the most specific first, for flows with `algorithm`.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn new(
        layers: &[&TransportKeys],
        algorithm: Option<&Control>,
        scale: Scale<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let preset = preset_of(layers)?;
        let mut endpoint = Endpoint::new(layers, preset, scale.packet_location);
        let own = algorithm.and_then(|algorithm| algorithm.needs().slow_start);
        if let Some(own) = own.filter(|_| !endpoint.window.slow_start.written) {
            endpoint.window.slow_start.fill(own);
        }
        let options = endpoint.resolve(scale, faults);
        let send_delay = endpoint.timers.resolve_send_delay(scale, faults);
        if let Some(algorithm) = algorithm {
            endpoint.ecn.check_abe(algorithm, faults)?;
        }
        Ok(Self { options: options?, send_delay: send_delay?, endpoint })
    }

    /// Returns the same options without the default send delay; a delay that was written remains.
    pub fn without_usual_delay(mut self) -> Self {
        let send_delay = &mut self.endpoint.timers.send_delay;
        if !send_delay.written {
            send_delay.fill(NO_DELAY);
            self.send_delay = Span::ZERO;
        }
        self
    }
}

impl Endpoint {
    fn resolve(&mut self, scale: Scale<'_>, faults: &mut Vec<Fault>) -> Result<TransportOptions, Reported> {
        let mss = self.acks.payload(scale, faults);
        let ack = self.acks.check_ack(scale, faults);
        let initial_ssthresh = packets(&mut self.window.initial_ssthresh, mss, faults);
        let receive_window = packets(&mut self.receiver.receive_window, mss, faults);
        let timeouts = self.timers.check_timeouts(faults);
        let initial_window = self.window.check_initial_window(faults);
        let quick_start = self.start_up.resolve_quick_start();
        let saved_path = self.start_up.resolve_saved_path(mss, faults);
        let mut options = TransportOptions { mss: mss?, ..TransportOptions::default() };
        self.set(&mut options)?;
        options.initial_ssthresh = initial_ssthresh?;
        options.receive_window = receive_window?;
        options.quick_start = quick_start?;
        options.saved_path = saved_path?;
        receiver::check(self, &options, faults)?;
        ack?;
        timeouts?;
        initial_window?;
        Ok(options)
    }

    /// Returns the keys that set an option to a value that differs from `options`, each with its value in `options`.
    pub fn differing(&self, options: &TransportOptions) -> Vec<Unlike> {
        let window = |packets: Option<u64>| packets.map(PacketsOrSize::Packets);
        let rate = options.quick_start.map(|request| request.rate);
        let ssthresh = &window(options.initial_ssthresh);
        let mut found = self.unlike(options);
        found.extend(Unlike::of::<Or<PacketsOrSize, Infinite>>(
            "initial_ssthresh",
            &self.window.initial_ssthresh,
            ssthresh,
        ));
        let receive_window = &window(options.receive_window);
        found.extend(Unlike::of::<Or<PacketsOrSize, Infinite>>(
            "receive_window",
            &self.receiver.receive_window,
            receive_window,
        ));
        found.extend(Unlike::of::<Or<Positive<Rate>, Nothing>>(
            "quick_start",
            &self.start_up.quick_start,
            &rate,
        ));
        let saved = window(options.saved_path.map(|saved| saved.window as u64));
        found.extend(Unlike::of::<Or<PacketsOrSize, Nothing>>(
            "saved_window",
            &self.start_up.saved_window,
            &saved,
        ));
        let rtt = options.saved_path.and_then(|saved| saved.rtt);
        found.extend(Unlike::of::<Or<Positive<Span>, Nothing>>("saved_rtt", &self.start_up.saved_rtt, &rtt));
        found
    }

    /// Describes the preset and the keys that differ from it.
    pub fn describe(&self) -> String {
        let preset = self.preset.preset.copied().unwrap_or(Preset::Modern);
        format!("preset {}: {}", preset.word(), self.phrases(preset).join(", "))
    }
}

/// Converts a window to packets; a window in bytes is divided by the payload of a packet.
pub(super) fn packets(
    window: &mut Field<Option<PacketsOrSize>>,
    mss: Result<Bytes, Reported>,
    faults: &mut Vec<Fault>,
) -> Result<Option<u64>, Reported> {
    let packets = match window.copied()? {
        None => return Ok(None),
        Some(PacketsOrSize::Packets(packets)) => packets,
        Some(PacketsOrSize::Size(bytes)) => {
            let mss = mss?;
            let packets = bytes.count() / mss.count();
            if packets == 0 {
                let fault = window.fault("less than the payload of one packet").given(bytes.to_string());
                return Err(fault.allowed(format!("at least {mss}")).report(faults));
            }
            packets
        }
    };
    window.fill(Some(PacketsOrSize::Packets(packets)));
    Ok(Some(packets))
}
