//! The algorithm of a group: one that is compiled in, or a guest that is not compiled in.
//!
//! A guest is told the same facts and asked the same questions; only where it comes from is left to whoever loads it
//! ([`Guests`]), so the laboratory knows no language but its own.

use narrows_cc::catalogue::{Algorithm, Entry, Needs, Setup, Value};
use narrows_cc::explicit::quick_start::QuickStart;
use narrows_cc::{CongestionControl, Transport};
use std::fmt::{self, Debug, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The algorithms compiled in: those of the catalogue, then those in crates of their own.
pub fn listed() -> impl Iterator<Item = &'static Entry> {
    narrows_cc::catalogue::entries().iter().chain(narrows_guests::entries().iter().copied())
}

/// What controls the flows of a group, ready to be built any number of times.
#[derive(Clone, Debug)]
pub enum Control {
    /// One that is compiled in.
    Listed(Algorithm),
    /// Somebody's own, from a file.
    Guest(GuestAlgorithm),
}

/// An algorithm from a file, with its parameters.
#[derive(Clone, Debug)]
pub struct GuestAlgorithm {
    /// The file, absolute.
    pub file: PathBuf,
    /// The name in it.
    pub name: String,
    /// Parameters as written.
    pub parameters: Vec<(String, Value)>,
    /// What was loaded.
    pub guest: Arc<dyn Guest>,
}

/// An algorithm that is not compiled in.
pub trait Guest: Debug + Send + Sync {
    /// What the host must provide for it.
    fn needs(&self) -> Needs;

    /// Which sender hosts it.
    fn transport(&self) -> Transport;

    /// SHA-256 of the file it came from, hexadecimal.
    fn digest(&self) -> &str;

    /// A fresh instance for one flow. What goes wrong is its [`failure`](CongestionControl::failure).
    fn build(&self, setup: &Setup) -> Box<dyn CongestionControl>;
}

/// Whoever can load guests.
pub trait Guests: Debug + Send + Sync {
    /// Loads the algorithm `name` from `file` with these parameters.
    fn load(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn Guest>, GuestFault>;
}

/// Why a guest cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestFault {
    /// What is wrong.
    pub message: String,
    /// What would do.
    pub allowed: String,
    /// The nearest known name, or what to do.
    pub hint: Option<String>,
}

impl Control {
    /// A fresh instance for one flow.
    pub fn build(&self, setup: &Setup) -> Box<dyn CongestionControl> {
        match self {
            Self::Listed(algorithm) => algorithm.build(setup),
            Self::Guest(guest) => {
                let algorithm = guest.guest.build(setup);
                match setup.quick_start {
                    Some(ask) => Box::new(QuickStart::new(algorithm, ask, setup)),
                    None => algorithm,
                }
            }
        }
    }

    /// What the host must provide for it.
    pub fn needs(&self) -> Needs {
        match self {
            Self::Listed(algorithm) => algorithm.entry.needs,
            Self::Guest(guest) => guest.guest.needs(),
        }
    }

    /// Which sender hosts it when it is set up so.
    pub fn transport(&self, setup: &Setup) -> Transport {
        match self {
            Self::Listed(algorithm) => algorithm.build(setup).transport(),
            Self::Guest(guest) => guest.guest.transport(),
        }
    }

    /// Its name, without parameters and without the file it came from.
    pub fn name(&self) -> &str {
        match self {
            Self::Listed(algorithm) => algorithm.entry.name,
            Self::Guest(guest) => &guest.name,
        }
    }

    /// Its card; a guest has none.
    pub fn entry(&self) -> Option<&'static Entry> {
        match self {
            Self::Listed(algorithm) => Some(algorithm.entry),
            Self::Guest(_) => None,
        }
    }
}

/// As in records: a guest by the name of its file, wherever that lies.
impl Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guest = match self {
            Self::Listed(algorithm) => return Display::fmt(algorithm, f),
            Self::Guest(guest) => guest,
        };
        let file =
            guest.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        write!(f, "{file}:{}", guest.name)?;
        for (place, (name, value)) in guest.parameters.iter().enumerate() {
            write!(f, "{}{name}={value}", if place == 0 { '(' } else { ',' })?;
        }
        f.write_str(if guest.parameters.is_empty() { "" } else { ")" })
    }
}
