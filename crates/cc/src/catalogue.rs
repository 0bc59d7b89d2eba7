//! Names, parameters and constructors of all algorithms: the command line, the scenario file, the docs and the tests
//! read this list, and nothing else knows an algorithm by name.

mod algorithm;
mod fault;

pub use algorithm::{Algorithm, Values, parameters};
pub use fault::Fault;

use crate::CongestionControl;
use crate::explicit::quick_start::StartUp;
use crate::explicit::{rcp, xcp};
use crate::model::{bbr1, bbr3};
use crate::rate::{constant, rap, tfrc};
use crate::window::delay::{ctcp, fast, fast_at, vegas};
use crate::window::{
    bic, binomial, cubic, cubic_2008, cubic_linux, dctcp, hstcp, htcp, linear, prague, reno, reno_linux,
    scalable, westwood,
};
use narrows_units::Bytes;

/// One algorithm: its card and its constructor.
#[derive(Debug)]
pub struct Entry {
    /// The name people write.
    pub name: &'static str,
    /// Kin: `"linear"`, `"standard"`, `"high-speed"`, …
    pub family: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// Paper or RFC with section.
    pub source: &'static str,
    /// The two or three formulas, plain text, one per line.
    pub equations: &'static [&'static str],
    /// Parameters in the order of the source.
    pub parameters: &'static [Parameter],
    /// Where it departs from its source, and why.
    pub deviations: &'static [&'static str],
    /// What it has been held against, with the figure; `None` where no judge has seen it.
    pub validation: Option<&'static str>,
    /// What the host must provide for it.
    pub needs: Needs,
    /// Builds it from checked values.
    pub build: fn(&Values, &Setup) -> Box<dyn CongestionControl>,
}

/// One parameter of an algorithm.
#[derive(Debug)]
pub struct Parameter {
    /// The name people write.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// `""` for a pure number.
    pub unit: &'static str,
    /// Which section of which source gives the default.
    pub source: &'static str,
    /// Values it may take, and the default.
    pub domain: Domain,
}

/// The values a parameter may take.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// A number from `minimum` to `maximum`, both allowed.
    Number {
        /// Unless given.
        default: f64,
        /// Smallest value.
        minimum: f64,
        /// Largest value.
        maximum: f64,
    },
    /// A rate above zero, written with its unit.
    Rate {
        /// Unless given.
        default: &'static str,
    },
    /// On or off.
    Flag {
        /// Unless given.
        default: bool,
    },
    /// One word of a few.
    Choice {
        /// Unless given.
        default: &'static str,
        /// All words.
        allowed: &'static [&'static str],
    },
}

/// A value as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A word.
    Word(String),
}

/// What the host must provide for an algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Slices of packets in acknowledgements and losses.
    pub packets: bool,
    /// Delivery-rate samples.
    pub rate_samples: bool,
}

/// What a flow gives to the algorithm it hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Bytes of payload in a full segment.
    pub mss: Bytes,
    /// Bytes of a full segment on the wire, headers included: what routers count.
    pub packet: Bytes,
    /// Window before the first acknowledgement, packets.
    pub initial_window: f64,
    /// Slow-start threshold before the first loss, packets; infinite where unset.
    pub initial_ssthresh: f64,
    /// How deep the first cut is, and any cut in slow start.
    pub first_cut: FirstCut,
    /// How the flow starts.
    pub slow_start: SlowStartKind,
    /// The start-up rate to ask the routers for; `None` asks for none.
    pub quick_start: Option<StartUp>,
    /// The host spreads packets over a round trip where the algorithm gives no rate of its own.
    pub paced: bool,
    /// For algorithms that draw random numbers.
    pub seed: u64,
}

/// How deep the first cut of a connection is, and any cut that ends a slow start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstCut {
    /// The algorithm's own decrease.
    #[default]
    Rule,
    /// To half the window whatever the algorithm, as ns-2 does.
    Half,
}

/// How a flow starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowStartKind {
    /// One packet more for each acknowledged, up to ssthresh (RFC 5681 §3.1).
    #[default]
    Standard,
    /// HyStart as Linux's CUBIC does it (Ha and Rhee 2011).
    HyStart,
    /// As the standard one up to 100 packets, then at most 50 a round trip (RFC 3742).
    Limited,
    /// HyStart++ (RFC 9406).
    HyStartPlusPlus,
}

/// All algorithms, kin beside kin.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// The algorithm of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

static ENTRIES: &[Entry] = &[
    reno::RENO,
    reno::NEWRENO,
    reno_linux::RENO_LINUX,
    linear::AIMD,
    linear::AIAD,
    linear::MIMD,
    linear::MIAD,
    linear::AIMAD,
    linear::MAIMD,
    binomial::TCP,
    binomial::BINOMIAL,
    binomial::SQRT,
    binomial::IIAD,
    westwood::WESTWOOD,
    scalable::SCALABLE,
    hstcp::HSTCP,
    htcp::HTCP,
    bic::BIC,
    cubic_2008::CUBIC_2005,
    cubic_2008::CUBIC_2008,
    cubic::CUBIC,
    cubic_linux::CUBIC_LINUX,
    ctcp::CTCP,
    vegas::VEGAS,
    fast::FAST,
    fast_at::FAST_AT,
    dctcp::DCTCP,
    prague::PRAGUE,
    bbr1::BBR1,
    bbr3::BBR3,
    xcp::XCP,
    rcp::RCP,
    rap::RAP,
    tfrc::TFRC,
    constant::CONSTANT,
];
