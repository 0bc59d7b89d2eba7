// SPDX-License-Identifier: Apache-2.0
//! The structures of `narrows.h`: every field has 64 bits, so that they are laid out alike for every compiler.

use crate::calls::Function;
use narrows_cc::{Ack, Cause, Loss as Lost, SentPacket};
use narrows_units::{Bytes, Span, Time};

/// `NARROWS_VERSION`.
pub const VERSION: u64 = 3;
/// The next version, which this is too old for.
const LATER: u64 = VERSION + 1;
/// `NARROWS_NONE`: no time, no sample, no limit.
pub const NONE: u64 = u64::MAX;
/// `NARROWS_PACKETS`: the packets of acknowledgements and losses.
pub const PACKETS: u64 = 1;
/// `NARROWS_RATE`: samples of the delivery rate.
pub const RATE: u64 = 2;
/// `NARROWS_SLOW_START`: slow start and the window after an idle time are the host's.
pub const SLOW_START: u64 = 4;
/// `NARROWS_UNDO`: the undo of a spurious reduction is the host's.
pub const UNDO: u64 = 8;

/// The version of the header for which a controller was compiled. A later version only appends fields to a structure, so the structures
/// of an earlier one are the beginnings of the present ones. The exception is version 1, which had no field `declines`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(u64);

impl Version {
    /// The present version.
    pub const PRESENT: Self = Self(VERSION);

    /// Reads the version that the controller `name` begins with.
    ///
    /// # Errors
    ///
    /// It is a later one, or the symbol is not a controller.
    pub fn read(name: &str, version: u64) -> Result<Self, String> {
        match version {
            1..=VERSION => Ok(Self(version)),
            LATER..1000 => Err(format!(
                "{name} is of version {version} of narrows.h, and this Narrows has version {VERSION}, which knows those before it"
            )),
            _ => Err(format!(
                "{name} is no struct narrows_controller: it begins with {version}, and not with the version of narrows.h, 1 to {VERSION}"
            )),
        }
    }

    /// Whether `struct narrows_controller` has the field `declines`.
    pub(crate) fn has_declines(self) -> bool {
        self.0 > 1
    }

    /// Whether the host can do parts for a controller.
    pub(crate) fn has_parts(self) -> bool {
        self.0 > 2
    }

    /// Returns the number of fields of `struct narrows_packet`.
    fn fields_of_packet(self) -> usize {
        if self.0 < 3 { 6 } else { 7 }
    }

    /// Whether `struct narrows_ack` has the field `one_way`, where it had a field without values before.
    fn has_one_way(self) -> bool {
        self.0 > 2
    }
}

/// The packets of an event, one behind the other, as the version of a controller lays them out.
#[derive(Clone, Debug)]
pub struct Packets {
    version: Version,
    words: Vec<u64>,
    /// How many there are.
    pub count: u64,
}

impl Packets {
    /// Creates an empty list.
    pub fn new(version: Version) -> Self {
        Self { version, words: Vec::new(), count: 0 }
    }

    /// Replaces the packets, where full segments have `mss` bytes.
    pub fn list(&mut self, packets: &[SentPacket], mss: Bytes) {
        self.words.clear();
        for packet in packets {
            let words = Packet::of(packet, mss).words();
            self.words.extend(&words[..self.version.fields_of_packet()]);
        }
        self.count = packets.len() as u64;
    }

    /// Returns the fields of all of them.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Which of the functions that a controller must have are there.
#[expect(clippy::struct_excessive_bools, reason = "each is a function of its own")]
pub(crate) struct Obligatory {
    pub create: bool,
    pub destroy: bool,
    pub limits: bool,
    pub acked: bool,
    pub lost: bool,
}

impl Obligatory {
    /// Checks that the controller `name` has all of them.
    ///
    /// # Errors
    ///
    /// Names the first that is missing.
    pub fn check(self, name: &str) -> Result<(), String> {
        let Self { create, destroy, limits, acked, lost } = self;
        let functions = [
            (Function::Create, create),
            (Function::Destroy, destroy),
            (Function::Limits, limits),
            (Function::Acked, acked),
            (Function::Lost, lost),
        ];
        match functions.into_iter().find(|(_, is_there)| !is_there) {
            Some((function, _)) => Err(format!("{name} has no function {}", function.name())),
            None => Ok(()),
        }
    }
}

/// Checks that the controller `name` has the functions of the parts that it leaves to the host.
///
/// # Errors
///
/// Names the first that is missing.
pub(crate) fn check_parts(name: &str, declines: u64, set: bool, copy: bool) -> Result<(), String> {
    for (function, parts, is_there) in [(Function::Set, SLOW_START | UNDO, set), (Function::Copy, UNDO, copy)]
    {
        if declines & parts != 0 && !is_there {
            let function = function.name();
            return Err(format!(
                "{name} has declines = {declines}, and no function {function} for the parts that the host does"
            ));
        }
    }
    Ok(())
}

/// The entries of `struct narrows_controller` besides its names and functions.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// The version of the header for which it was compiled.
    pub version: Version,
    /// How it uses ECN.
    pub ecn: u64,
    /// The facts that it does not read, and the parts that it leaves to the host.
    pub declines: u64,
    /// Whether it has a function for packets that are sent.
    pub sent: bool,
}

macro_rules! structures {
    ($($(#[$about:meta])* $name:ident { $($field:ident),* $(,)? })*) => {$(
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs, reason = "narrows.h describes the fields")]
        pub struct $name { $(pub $field: u64),* }

        impl $name {
            /// Returns the fields in the order of the header.
            pub fn words(&self) -> [u64; [$(stringify!($field)),*].len()] {
                [$(self.$field),*]
            }
        }
    )*};
}

structures! {
    /// `struct narrows_setup`.
    Setup { mss, initial_window, initial_ssthresh, seed, now }
    /// `struct narrows_path`.
    Path {
        now, mss, in_flight, packets_in_flight, rtt_latest, rtt_min, rtt_smoothed, rtt_variation, round, window_limited,
        next_departure,
    }
    /// `struct narrows_packet`.
    Packet { number, size, sent_at, in_flight, lost_before, app_limited, retransmits }
    /// `struct narrows_ack`.
    Acked {
        packets, size, counted, advanced, largest, one_way, rtt, ce_packets, rate, delivered, interval, prior_delivered,
        prior_in_flight, app_limited, counted_size,
    }
    /// `struct narrows_loss`.
    Loss { cause, new_episode, packets, size }
    /// `struct narrows_limits`.
    Limits { window, pacing_rate, burst, ssthresh, timer }
}

impl Setup {
    /// Returns the setup of a flow that starts `now`.
    pub fn of(setup: &narrows_cc::Setup, now: Time) -> Self {
        let mss = setup.mss.count();
        Self {
            mss,
            initial_window: bytes(setup.initial_window, mss),
            initial_ssthresh: bytes(setup.initial_ssthresh, mss),
            seed: setup.seed,
            now: time(now),
        }
    }
}

impl Path {
    /// Returns the state of a flow.
    pub fn of(path: &narrows_cc::Path) -> Self {
        let mss = path.mss.count();
        let rtt = path.rtt.as_ref();
        let [rtt_latest, rtt_min, rtt_smoothed, rtt_variation] =
            rtt.map_or([NONE; 4], |rtt| [rtt.latest, rtt.min, rtt.smoothed, rtt.variation].map(span));
        Self {
            now: time(path.now),
            mss,
            in_flight: in_flight(path.in_flight, path.payload_in_flight, path.mss),
            packets_in_flight: path.in_flight,
            rtt_latest,
            rtt_min,
            rtt_smoothed,
            rtt_variation,
            round: path.round,
            window_limited: path.window_limited.into(),
            next_departure: time(path.next_departure),
        }
    }
}

impl Packet {
    /// Returns a packet as it was sent, where full segments have `mss` bytes.
    pub fn of(packet: &SentPacket, mss: Bytes) -> Self {
        Self {
            number: packet.number,
            size: packet.size.count(),
            sent_at: time(packet.sent_at),
            in_flight: in_flight(packet.in_flight, packet.payload_in_flight, mss),
            lost_before: packet.lost_before,
            app_limited: packet.app_limited.into(),
            retransmits: packet.retransmits.unwrap_or(NONE),
        }
    }
}

impl Acked {
    /// Returns an acknowledgement that counts for `counted` packets when a window grows, for a controller of `version`.
    pub fn of(ack: &Ack<'_>, counted: Option<f64>, mss: Bytes, version: Version) -> Self {
        let rate = ack.rate.as_ref();
        Self {
            packets: ack.newly_acked,
            size: payload(ack.packets, ack.newly_acked),
            counted: counted.unwrap_or(0.0) as u64,
            advanced: ack.advanced.into(),
            largest: ack.packets.iter().map(|packet| packet.number).max().unwrap_or(NONE),
            one_way: ack.one_way.filter(|_| version.has_one_way()).map_or(NONE, span),
            rtt: ack.rtt.map_or(NONE, span),
            ce_packets: ack.ce_packets,
            rate: rate.map_or(NONE, |sample| sample.rate.as_bps()),
            delivered: rate.map_or(NONE, |sample| sample.delivered),
            interval: rate.map_or(NONE, |sample| span(sample.interval)),
            prior_delivered: rate.map_or(NONE, |sample| sample.prior_delivered),
            prior_in_flight: rate.map_or(NONE, |sample| sample.prior_in_flight.saturating_mul(mss.count())),
            app_limited: rate.is_some_and(|sample| sample.app_limited).into(),
            counted_size: (counted.unwrap_or(0.0) * mss.count() as f64) as u64,
        }
    }
}

impl Loss {
    /// Returns a loss or a mark.
    pub fn of(loss: &Lost<'_>) -> Self {
        Self {
            cause: match loss.cause {
                Cause::Detected => 0,
                Cause::Timeout => 1,
                Cause::Mark => 2,
            },
            new_episode: loss.new_episode.into(),
            packets: loss.lost,
            size: payload(loss.packets, loss.lost),
        }
    }
}

impl Limits {
    /// The structure that a controller fills in.
    pub const EMPTY: Self =
        Self { window: NONE, pacing_rate: NONE, burst: NONE, ssthresh: NONE, timer: NONE };
}

/// Returns the payload of `packets` in flight, which are full segments of `mss` unless it is known.
fn in_flight(packets: u64, payload: Option<Bytes>, mss: Bytes) -> u64 {
    payload.map_or_else(|| packets.saturating_mul(mss.count()), Bytes::count)
}

/// Returns the payload of `count` packets; without a value if they are not listed.
fn payload(packets: &[SentPacket], count: u64) -> u64 {
    if packets.is_empty() && count > 0 {
        return NONE;
    }
    packets.iter().map(|packet| packet.size.count()).sum()
}

/// Returns a window of `packets` packets in bytes; without end for an infinite one.
fn bytes(packets: f64, mss: u64) -> u64 {
    if packets.is_finite() { (packets * mss as f64) as u64 } else { NONE }
}

/// Returns a time in nanoseconds.
pub fn time(at: Time) -> u64 {
    span(at.since(Time::ZERO))
}

fn span(span: Span) -> u64 {
    span.as_ps() / PS_PER_NS
}

/// Picoseconds in a nanosecond.
pub const PS_PER_NS: u64 = 1000;
