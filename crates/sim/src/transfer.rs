// SPDX-License-Identifier: Apache-2.0
//! The record of a finite connection that has ended.

use crate::plan::Plan;
use narrows_records::TransferRecord;

/// A finite connection that ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedTransfer {
    /// The connection.
    pub plan: Plan,
    /// Its row, with its slot in the model instead of in its group.
    pub record: TransferRecord,
}
