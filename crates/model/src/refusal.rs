// SPDX-License-Identifier: Apache-2.0
//! Refusals: values of keys that a backend does not support.

use crate::Model;
use crate::algorithm::Control;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A key of the scenario whose value a backend does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key that is refused.
    pub key: Refused,
    /// Reason of the refusal.
    pub reason: String,
    /// Values that the backend supports.
    pub allowed: String,
}

/// The key of a refusal, by the part of the model that came from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A key of the group of flows with this index in the model, as in `source.concurrent`.
    Group(usize, Cow<'static, str>),
    /// The queue of the link with this index, or this parameter of it.
    Queue(usize, Option<&'static str>),
}

/// A key path in the scenario file, as in `path.reverse.queue`. It does not belong to the model proper, and is not shown.
#[derive(Clone)]
pub struct KeyPath(Arc<str>);

impl KeyPath {
    /// Creates the path `path`.
    pub fn new(path: &str) -> Self {
        Self(path.into())
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl Refusal {
    /// Returns the refusal of the key `key` of the group `group`, an index in the model.
    pub fn of_group(group: usize, key: impl Into<Cow<'static, str>>, reason: String, allowed: &str) -> Self {
        Self { key: Refused::Group(group, key.into()), reason, allowed: allowed.to_owned() }
    }
}

/// Returns the algorithms and programs of `model` that only a Linux kernel runs.
pub fn of_kernels(model: &Model) -> Vec<Refusal> {
    let refusal = |group, key: &'static str, what, allowed| {
        let reason = format!("only a Linux kernel {what}, and --on linux runs on one");
        Refusal::of_group(group, key, reason, allowed)
    };
    let groups = || model.groups.iter().enumerate();
    let kernels = groups()
        .filter(|(_, group)| matches!(group.algorithm, Control::Kernel { .. }))
        .map(|(number, _)| refusal(number, "algorithm", "has it", "an algorithm of the catalogue"));
    let programs = groups()
        .filter(|(_, group)| group.program.is_some())
        .map(|(number, _)| refusal(number, "program", "runs programs", "no program"));
    kernels.chain(programs).collect()
}
