// SPDX-License-Identifier: Apache-2.0
//! Algorithms that model the path, its bandwidth and its delay, and set pacing rate and window from the model: a folder
//! for each.

mod app_limited;
pub mod bbr1;
pub mod bbr3;
pub mod c4;
mod memo;
mod probe_rtt;
mod real;
mod state_machine;
