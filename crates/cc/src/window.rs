// SPDX-License-Identifier: Apache-2.0
//! Algorithms with a congestion window: the frame that they share and one file for each rule.

pub mod africa;
pub mod aild;
pub mod bic;
pub mod bic_linux;
pub mod binomial;
pub mod cubic;
pub mod cubic_2008;
pub mod cubic_linux;
pub mod dctcp;
pub mod delay;
pub mod frame;
pub mod highspeed_linux;
pub mod hstcp;
pub mod htcp;
pub mod htcp_linux;
pub mod hybla;
pub mod illinois;
pub mod linear;
mod linux;
pub mod ltcp;
pub mod prague;
pub mod reno;
pub mod reno_linux;
pub mod rule;
pub mod scalable;
pub mod scalable_linux;
pub mod veno;
pub mod westwood;
pub mod westwood_linux;

pub use frame::Windowed;
pub use rule::{Window, WindowRule};
