// SPDX-License-Identifier: Apache-2.0
//! Where something was written: in the file or on the command line.

use std::ops::Range;

/// The place at which a key or value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// Bytes of the file.
    File(Range<usize>),
    /// The `--set` argument with this index, from 0.
    Argument(usize),
    /// Another option of the command line.
    CommandLine,
}
