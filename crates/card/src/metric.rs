//! The card of a metric.

/// What a metric is: a number computed from the records of a run.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name in `summary.json`, in studies and in claims.
    pub name: &'static str,
    /// What has a value of it: `"group"` or `"link"`.
    pub of: &'static str,
    /// Its unit; `""` for a pure number.
    pub unit: &'static str,
    /// Which direction is better: `"higher"`, `"lower"`, or `""` where that depends on the question.
    pub better: &'static str,
    /// What tables and figures call it, as in the middle of a sentence and without the unit: `"RTT, mean"`; `""` where
    /// the name says the same.
    pub label: &'static str,
    /// How it is computed, over the time after the warm-up.
    pub definition: &'static str,
    /// Paper or RFC, with section, that defines it.
    pub source: &'static str,
}
