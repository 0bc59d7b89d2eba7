// SPDX-License-Identifier: Apache-2.0
//! The congestion control of a group: an algorithm that is compiled in, or an external one.
//!
//! An external algorithm is loaded from a file while a scenario is read. An [`AlgorithmLoader`] loads it, so that no crate
//! below the one that implements the loader depends on the language of the file. It is hosted as any other.

pub mod stack;

use narrows_cc::card::Value;
use narrows_cc::explicit::quick_start::QuickStart;
use narrows_cc::slow_start::CarefulResume;
use narrows_cc::{Algorithm, CongestionControl, Entry, Needs, Setup};
use narrows_units::{Rate, Time};
use stack::{ProtocolStack, StackPath, StackSettings};
use std::fmt::{self, Debug, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Entries of all compiled-in algorithms: first of the catalogue, then of separate crates.
pub fn listed() -> impl Iterator<Item = &'static Entry> {
    narrows_cc::catalogue::entries().iter().chain(narrows_external::entries().iter().copied())
}

/// Prefix of the name of an algorithm of a Linux kernel, as in `linux:illinois`.
pub const KERNEL: &str = "linux:";

/// The congestion control of a group, of which any number of instances can be built.
#[derive(Clone, Debug)]
pub enum Control {
    /// An algorithm that is compiled in.
    Listed(Algorithm),
    /// An algorithm from a file.
    External(LoadedAlgorithm),
    /// An algorithm that a Linux kernel has.
    Kernel {
        /// Name of the algorithm in the kernel.
        name: String,
        /// Placeholder in a host whose protocol the kernel executes; it is never called.
        unused: Algorithm,
    },
    /// A controller of a protocol stack that carries the flows in the simulator.
    Stack(StackControl),
}

/// A protocol stack with one of its controllers.
#[derive(Clone, Debug)]
pub struct StackControl {
    /// The stack.
    pub stack: Arc<dyn ProtocolStack>,
    /// Name of the controller, as written behind the name of the stack, without parameters.
    pub name: String,
    /// The algorithm of Narrows, or from a file, that is its controller; `None` for one of the stack's own.
    pub hosted: Option<Arc<Control>>,
    /// The settings of the stack that the scenario gives.
    pub settings: StackSettings,
    /// The paths of each connection, of which the first opens it; none if it has one path and the stack does not negotiate more.
    pub paths: Vec<StackPath>,
    /// Placeholder in a host whose protocol the stack executes; it is never called.
    pub unused: Algorithm,
}

impl StackControl {
    /// Prefix of the name of a catalogue's algorithm in a stack, as in `quinn:narrows:cubic`.
    pub const LISTED: &str = "narrows:";
}

/// An external algorithm with its parameters.
#[derive(Clone, Debug)]
pub struct LoadedAlgorithm {
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Name of the algorithm in the file.
    pub name: String,
    /// Parameters as written in the scenario, in order.
    pub parameters: Vec<(String, Value)>,
    /// Builder of the instances, one for each flow.
    pub algorithm: Arc<dyn ExternalAlgorithm>,
}

/// An algorithm that is not compiled in.
pub trait ExternalAlgorithm: Debug + Send + Sync {
    /// What the host must provide for it.
    fn needs(&self) -> Needs;

    /// SHA-256 of its file, in hexadecimal.
    fn digest(&self) -> &str;

    /// Returns a new instance for the flow `start`. If it cannot be built, its [`failure`](CongestionControl::failure)
    /// gives the reason.
    fn build(&self, setup: &Setup, start: &FlowStart<'_>) -> Box<dyn CongestionControl>;
}

/// Which flow an instance is for, as messages call it, and when the flow starts.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart<'a> {
    /// Number of the flow's connection slot.
    pub flow: usize,
    /// Name of the flow's group.
    pub group: &'a str,
    /// Name of the protocol stack that carries the flow; empty for the endpoints of Narrows.
    pub stack: &'a str,
    /// Time at which it starts.
    pub now: Time,
}

/// Writes the flow and its group.
impl Display for FlowStart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flow {} of group {}", self.flow, self.group)
    }
}

/// Loads external algorithms.
pub trait AlgorithmLoader: Debug + Send + Sync {
    /// Loads the algorithm `name` from `file` with `parameters`.
    ///
    /// # Errors
    ///
    /// If the file or the algorithm does not exist, or is not valid.
    fn load(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault>;
}

/// The reason why an external algorithm cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFault {
    /// Description of the error.
    pub message: String,
    /// Description of the allowed values; may be empty.
    pub allowed: String,
    /// The nearest known name, or another suggestion; `None` if there is none.
    pub hint: Option<String>,
}

impl Control {
    /// Returns a new instance for the flow `start`.
    pub fn build(&self, setup: &Setup, start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        match self {
            Self::Listed(algorithm)
            | Self::Kernel { unused: algorithm, .. }
            | Self::Stack(StackControl { unused: algorithm, .. }) => algorithm.build(setup),
            Self::External(external) => CarefulResume::around(
                QuickStart::around(external.algorithm.build(setup, start), setup),
                setup,
            ),
        }
    }

    /// Returns what the host must provide for it.
    pub fn needs(&self) -> Needs {
        match self {
            Self::Listed(algorithm)
            | Self::Kernel { unused: algorithm, .. }
            | Self::Stack(StackControl { unused: algorithm, .. }) => algorithm.needs(),
            Self::External(external) => external.algorithm.needs(),
        }
    }

    /// Returns its name, without parameters and file.
    pub fn name(&self) -> &str {
        match self {
            Self::Listed(algorithm) => algorithm.entry.card.name,
            Self::External(external) => &external.name,
            Self::Kernel { name, .. } | Self::Stack(StackControl { name, .. }) => name,
        }
    }

    /// Returns the rate of payload at which it sends whatever happens; `None` if it has congestion control.
    pub fn constant_rate(&self) -> Option<Rate> {
        match self {
            Self::Listed(listed) if listed.entry.card.name == "constant" => Some(listed.values.rate("rate")),
            Self::Stack(StackControl { hosted: Some(hosted), .. }) => hosted.constant_rate(),
            _ => None,
        }
    }

    /// Returns its entry in the catalogue; `None` for an algorithm that is not in it.
    pub fn entry(&self) -> Option<&'static Entry> {
        match self {
            Self::Listed(algorithm) => Some(algorithm.entry),
            Self::External(_) | Self::Kernel { .. } | Self::Stack(_) => None,
        }
    }

    /// Returns the external algorithm that it executes, itself or inside a stack; `None` if there is none.
    pub fn external(&self) -> Option<&LoadedAlgorithm> {
        match self {
            Self::External(external) => Some(external),
            Self::Stack(StackControl { hosted: Some(hosted), .. }) => hosted.external(),
            Self::Listed(_) | Self::Kernel { .. } | Self::Stack(_) => None,
        }
    }

    /// Returns the protocol stack that carries its flows; `None` if the endpoints of Narrows or of a kernel do.
    pub fn stack(&self) -> Option<&StackControl> {
        if let Self::Stack(stack) = self { Some(stack) } else { None }
    }

    /// Does the same as [`stack`](Self::stack).
    pub fn stack_mut(&mut self) -> Option<&mut StackControl> {
        if let Self::Stack(stack) = self { Some(stack) } else { None }
    }
}

/// Writes the name as in records: an external algorithm has its file without folders.
impl Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let external = match self {
            Self::Listed(algorithm) => return Display::fmt(algorithm, f),
            Self::External(external) => external,
            Self::Kernel { name, .. } => return write!(f, "{KERNEL}{name}"),
            Self::Stack(StackControl { stack, name, hosted, .. }) => {
                write!(f, "{}:", stack.name())?;
                return match hosted.as_deref() {
                    None => f.write_str(name),
                    Some(listed @ Self::Listed(_)) => write!(f, "{}{listed}", StackControl::LISTED),
                    Some(external) => Display::fmt(external, f),
                };
            }
        };
        let file =
            external.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        write!(f, "{file}:{}", external.name)?;
        for (place, (name, value)) in external.parameters.iter().enumerate() {
            write!(f, "{}{name}={value}", if place == 0 { '(' } else { ',' })?;
        }
        f.write_str(if external.parameters.is_empty() { "" } else { ")" })
    }
}
