//! `[linux]`: the hosts of a run on a Linux kernel.

use crate::diagnostic::Fault;
use crate::emit::{Naming, text};
use crate::field::Reported;
use crate::kind::Kind;
use crate::section::keys;
use crate::tree::Node;
use crate::value::{KeyType, List, string};
use narrows_model::LinuxModel;

keys! {
    /// The keys of `[linux]`. The simulator does not read them.
    pub struct LinuxKeys {
        /// Whether the kernel's TCP passes on several segments at a time (segmentation offload), as it does by default. They
        /// enter the network one by one in either case.
        gso: bool = true,
        /// Settings of both hosts below /proc/sys, each `"NAME=VALUE"`, as in `"net.ipv4.tcp_slow_start_after_idle=0"`.
        sysctl: List<Sysctl> => "the kernel's own, without cached metrics and with buffers of up to 256 MB",
    }
}

/// The type of a sysctl with its value.
#[derive(Clone, Debug)]
pub struct Sysctl;

impl KeyType for Sysctl {
    type Value = (String, String);
    const KIND: Kind = Kind::Text;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<(String, String), Reported> {
        let written = string(node, &Self::KIND, path).map_err(|fault| fault.report(faults))?;
        let is_name = |name: &str| {
            let known = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
            !name.is_empty() && !name.contains("..") && name.chars().all(known)
        };
        match written.split_once('=') {
            Some((name, value)) if is_name(name.trim()) && !value.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => {
                let fault = Fault::new(&node.place, path, "no setting of a kernel").given(node.value.shown());
                Err(fault.allowed("\"NAME=VALUE\", as in \"net.ipv4.tcp_window_scaling=0\"").report(faults))
            }
        }
    }

    fn write((name, value): &(String, String), _: Naming) -> String {
        text(format!("{name}={value}"))
    }
}

impl LinuxKeys {
    /// The resolved section.
    ///
    /// # Errors
    ///
    /// If a key has errors, which have been reported.
    pub fn resolve(&self) -> Result<LinuxModel, Reported> {
        let sysctls = self.sysctl.get()?.iter().flatten().map(|each| each.value.clone()).collect();
        Ok(LinuxModel { gso: self.gso.copied()?, sysctls })
    }
}
