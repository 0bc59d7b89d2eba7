//! Filters of measured values that algorithms share, one file for each.

mod windowed_max;

pub use windowed_max::WindowedMax;
