//! Algorithms that own a congestion window: the frame that they share and one file for each rule.

pub mod frame;
pub mod reno;
pub mod rule;

pub use frame::Windowed;
pub use rule::{Window, WindowRule};
