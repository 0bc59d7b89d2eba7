// SPDX-License-Identifier: Apache-2.0
//! The numbers of the states in records.

pub const STARTUP: u8 = 0;
pub const DRAIN: u8 = 1;
pub const DOWN: u8 = 2;
pub const CRUISE: u8 = 3;
pub const REFILL: u8 = 4;
pub const UP: u8 = 5;
pub const PROBE_RTT: u8 = 6;
