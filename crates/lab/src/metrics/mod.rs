//! Metrics: named numbers with a unit and a direction, computed from what a run counted after its warm-up.

mod catalogue;
pub(crate) mod checks;
mod fairness;
pub(crate) mod groups;
pub(crate) mod links;
pub(crate) mod packets;
pub(crate) mod populations;
mod request;
mod series;
pub(crate) mod tables;
pub(crate) mod warmup;

pub use catalogue::{Kind, Metric, Parameter, all, catalogue};
pub use checks::Check;
pub use fairness::{jain, min_max, product, range};
pub use request::{Choice, Request, RequestFault};
pub use warmup::WarmUp;

/// The measures of one group or link.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// Of which group or link.
    pub name: String,
    /// Flows in the group; `None` for a link.
    pub flows: Option<usize>,
    /// Name and value in the catalogue's order; not a number where there is no data.
    pub values: Vec<(&'static str, f64)>,
}

impl Measures {
    /// The value of the measure `name`; not a number where there is no data or no such measure.
    pub fn value(&self, name: &str) -> f64 {
        self.values.iter().find(|(this, _)| *this == name).map_or(f64::NAN, |(_, value)| *value)
    }
}
