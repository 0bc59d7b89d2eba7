//! The card of a metric.

/// The description of a metric: a number computed from the records of a run.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Name in `summary.json`, in studies and in claims.
    pub name: &'static str,
    /// Kind of object that has the metric: `"group"` or `"link"`.
    pub of: &'static str,
    /// Unit; `""` for a pure number.
    pub unit: &'static str,
    /// Direction in which values are better: `"higher"`, `"lower"`, or `""` if that depends on the question.
    pub better: &'static str,
    /// Label in tables and figures, in lower case and without the unit, as in `"RTT, mean"`; `""` if the name serves as
    /// label.
    pub label: &'static str,
    /// Definition; values are taken over the time after the warm-up.
    pub definition: &'static str,
    /// Paper or RFC, with section, that defines it.
    pub source: &'static str,
}
