// SPDX-License-Identifier: Apache-2.0
//! Rules that detect congestion by queueing delay: the excess of the round-trip time over its minimum.

pub mod cdg;
pub mod copa;
pub mod ctcp;
pub mod fast;
pub mod fast_at;
pub mod ledbat;
pub mod ledbat_pp;
pub mod lp;
pub mod nv;
pub mod round;
pub mod vegas;
pub mod vegas_linux;
pub mod yeah;
