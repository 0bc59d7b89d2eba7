//! Algorithms that keep a model of the path, its bandwidth and its delay, and send by it: a folder for each.

pub mod bbr1;
pub mod bbr3;
mod random;
