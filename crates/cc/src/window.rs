//! Algorithms that own a congestion window: the frame that they share and one file for each rule.

pub mod binomial;
pub mod cubic;
pub mod cubic_2008;
pub mod cubic_linux;
pub mod frame;
pub mod linear;
pub mod reno;
pub mod rule;

pub use frame::Windowed;
pub use rule::{Window, WindowRule};
