// SPDX-License-Identifier: Apache-2.0
//! Examples, which are the tests of this crate: a bottleneck with CoDel in a test of tokio with paused time, and a link in the
//! network of turmoil.
