// SPDX-License-Identifier: Apache-2.0
//! Algorithms that try rates and follow the utility that they measure at each, as PCC does: the frame that they share, and one
//! file for each utility and rule of change.

pub mod allegro;
mod monitor;
pub mod pcc;
pub mod vivace;
