// SPDX-License-Identifier: Apache-2.0
//! All integration tests, in one binary: its dependencies are linked once.

mod checks;
mod digest;
mod metrics;
mod support;
mod tables;
