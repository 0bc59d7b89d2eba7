// SPDX-License-Identifier: Apache-2.0
//! All integration tests, in one binary: its dependencies are linked once.

mod flow;
mod refusals;
