// SPDX-License-Identifier: Apache-2.0
//! What `narrows new algorithm mine --rust` writes compiles, and its test passes.

#[path = "../../../python/narrows/_internal/external/templates/mine.rs"]
mod algorithm;
#[path = "../../../python/narrows/_internal/external/templates/rule.rs"]
mod rule;

// The crate that is written has the name of its algorithm.
extern crate self as mine;
pub use algorithm::ENTRY;
