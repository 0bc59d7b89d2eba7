// SPDX-License-Identifier: Apache-2.0
//! A Linux kernel: its algorithms, their names, and its queues.

use crate::queues::{KernelQueue, Lack, Queues};
use narrows_model::Model;
use narrows_model::algorithm::Control;
use narrows_units::Rate;

/// A kernel as its virtual machine and its host know it.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// Names of its congestion controls.
    pub algorithms: Vec<String>,
    /// Names of its queue disciplines.
    pub disciplines: Vec<String>,
    /// Which queue disciplines links have.
    pub queues: Queues,
}

impl Kernel {
    /// Returns the kernel's queue discipline for link `number` of `model`; `None` if ours stays.
    ///
    /// # Errors
    ///
    /// If the kernel does not support the queue, or if there are too many queues.
    pub fn queue(&self, model: &Model, number: usize) -> Result<Option<KernelQueue>, Lack> {
        let link = &model.links[number];
        let bottleneck = model.groups.iter().any(|group| group.bottleneck == Some(number));
        let rate = Rate::from_bps(link.rate.mean_bps(model.duration) as u64);
        let found = self.queues.of(&link.queue, rate, bottleneck)?;
        if found.is_some() && number >= MOST_QUEUES {
            return Err(("", format!("a virtual machine has queues for {MOST_QUEUES} links")));
        }
        Ok(found)
    }
}

/// As `QUEUES` in the driver.
const MOST_QUEUES: usize = 64;

/// Returns the value that `model` gives the setting `name` of its hosts; `None` if it leaves it.
pub fn setting<'m>(model: &'m Model, name: &str) -> Option<&'m str> {
    let of_name = |(own, _): &&(String, String)| own.replace('/', ".") == name;
    model.linux.sysctls.iter().rev().find(of_name).map(|(_, value)| value.as_str())
}

/// Names of algorithms in the catalogue and in the kernel.
pub const KERNEL_NAMES: &[(&str, &str)] = &[
    ("newreno", "reno"),
    ("reno", "reno"),
    ("reno-linux", "reno"),
    ("cubic", "cubic"),
    ("cubic-linux", "cubic"),
    ("bic", "bic"),
    ("bic-linux", "bic"),
    ("hstcp", "highspeed"),
    ("highspeed-linux", "highspeed"),
    ("htcp", "htcp"),
    ("htcp-linux", "htcp"),
    ("scalable", "scalable"),
    ("scalable-linux", "scalable"),
    ("westwood", "westwood"),
    ("westwood-linux", "westwood"),
    ("vegas", "vegas"),
    ("vegas-linux", "vegas"),
    ("dctcp", "dctcp"),
    ("bbr1", "bbr"),
    ("hybla", "hybla"),
    ("illinois", "illinois"),
    ("cdg", "cdg"),
    ("lp", "lp"),
    ("nv", "nv"),
    ("veno", "veno"),
    ("yeah", "yeah"),
];

/// Returns the kernel's name for `algorithm`; `None` if no kernel has it.
pub fn kernel_name(algorithm: &Control) -> Option<&str> {
    match algorithm {
        Control::Listed(listed) => named(listed.entry.card.name),
        Control::Kernel { name, .. } => Some(name),
        Control::External(_) | Control::Stack(_) => None,
    }
}

fn named(name: &str) -> Option<&'static str> {
    KERNEL_NAMES.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| *theirs)
}
