//! Refusals: values of keys that a backend does not support.

/// A key of the scenario whose value a backend does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Path of the key in the scenario file, as in `flows[1].algorithm`; list indices start at 0.
    pub key: String,
    /// Reason of the refusal.
    pub reason: String,
    /// Values that the backend supports.
    pub allowed: String,
    /// Whether the refusal applies only if the scenario file has the key: a default makes room for what the backend does.
    pub only_written: bool,
}
