//! What a link does to packets besides making them wait: how fast it takes them, and which it loses.

mod capacity;
mod loss;
mod steady;

pub use capacity::Capacity;
pub use loss::Loss;
pub use steady::Steady;
