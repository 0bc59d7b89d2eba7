// SPDX-License-Identifier: Apache-2.0
//! Filters of measured values that algorithms share, one file for each.

mod windowed_max;
mod windowed_min;

pub use windowed_max::WindowedMax;
pub use windowed_min::WindowedMin;
