// SPDX-License-Identifier: Apache-2.0
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
        /// TCP segmentation offload (GSO): the kernel's TCP passes on several segments at once, as it does by default.
        /// They enter the network one at a time in either case.
        gso: bool = true,
        /// Sysctls of both hosts below /proc/sys/net, each as `"NAME=VALUE"`, for example
        /// `"net.ipv4.tcp_slow_start_after_idle=0"`.
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
        let Some((name, value)) =
            written.split_once('=').map(|(name, value)| (name.trim(), value.trim())).filter(is_setting)
        else {
            let fault = Fault::new(&node.place, path, "not a kernel setting").given(node.value.shown());
            return Err(fault.allowed(SHAPE).report(faults));
        };
        // Others can make the kernel start programs, and write to the machine.
        if !name.replace('.', "/").starts_with("net/") {
            let fault = Fault::new(&node.place, path, "not a network setting").given(node.value.shown());
            return Err(fault.allowed(SHAPE).report(faults));
        }
        Ok((name.to_owned(), value.to_owned()))
    }

    fn write((name, value): &(String, String), _: Naming) -> String {
        text(format!("{name}={value}"))
    }
}

/// Whether a name is a path below /proc/sys, and a value one line of text.
fn is_setting((name, value): &(&str, &str)) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let is_part = |part: &str| !part.is_empty() && part.chars().all(is_letter);
    let is_value = !value.is_empty() && value.len() <= LONGEST && !value.contains(char::is_control);
    name.len() <= LONGEST && name.split(['.', '/']).all(is_part) && is_value
}

/// Bytes of a name or of a value.
const LONGEST: usize = 100;
const SHAPE: &str = "\"NAME=VALUE\" with a name below net., as in \"net.ipv4.tcp_window_scaling=0\"";

impl LinuxKeys {
    /// Resolves the section.
    ///
    /// # Errors
    ///
    /// If a key has errors, which have been reported.
    pub fn resolve(&self) -> Result<LinuxModel, Reported> {
        let sysctls = self.sysctl.get()?.iter().flatten().map(|each| each.value.clone()).collect();
        Ok(LinuxModel { gso: self.gso.copied()?, sysctls })
    }
}
