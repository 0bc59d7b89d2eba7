// SPDX-License-Identifier: Apache-2.0
//! The names of the protocol stacks that can carry flows.

use crate::value::words;

/// The name of a protocol stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackWord {
    /// `quinn-proto`.
    Quinn,
    /// `noq-proto`.
    Noq,
}

words!(StackWord { Quinn = "quinn", Noq = "noq" });
