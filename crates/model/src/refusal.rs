//! Refusals: values of keys that a backend does not support.

use crate::Model;
use crate::algorithm::Control;

/// A key of the scenario whose value a backend does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Path of the key in the scenario file, as in `flows[1].algorithm`; list indices start at 0.
    pub key: String,
    /// Reason of the refusal.
    pub reason: String,
    /// Values that the backend supports.
    pub allowed: String,
    /// What becomes of the default, where the scenario file does not have the key.
    pub default: DefaultValue,
}

/// What a backend does about the default of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// It is refused as a written value is.
    Refused,
    /// It makes room for what the backend does, which is this value of TOML; `None` if no value of the key says it.
    Replaced(Option<String>),
}

/// The algorithms and programs of `model` that only a Linux kernel runs.
pub fn of_kernels(model: &Model) -> Vec<Refusal> {
    let groups = model.groups.iter().enumerate();
    let kernels = groups.filter(|(_, group)| matches!(group.algorithm, Control::Kernel { .. }));
    let refusal = |(number, _)| Refusal {
        key: format!("flows[{number}].algorithm"),
        reason: "only a Linux kernel has it, and --on linux runs on one".to_owned(),
        allowed: "an algorithm of the catalogue".to_owned(),
        default: DefaultValue::Refused,
    };
    let programs = model.groups.iter().enumerate().filter(|(_, group)| group.program.is_some());
    let program = |(number, _)| Refusal {
        key: format!("flows[{number}].program"),
        reason: "only a Linux kernel runs programs, and --on linux runs on one".to_owned(),
        allowed: "no program".to_owned(),
        default: DefaultValue::Refused,
    };
    kernels.map(refusal).chain(programs.map(program)).collect()
}
