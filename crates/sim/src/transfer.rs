//! What is known of a finite connection that has ended.

use crate::plan::Plan;
use narrows_units::Time;

/// A finite connection that ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedTransfer {
    /// The connection.
    pub plan: Plan,
    /// Payload in bytes; of datagrams that are complete, what had arrived of it.
    pub payload: u64,
    /// Class of files.
    pub file_class: u32,
    /// Class of paths.
    pub path_class: u32,
    /// Time of its start.
    pub started: Time,
    /// Time at which it was established; `None` if it never was.
    pub established: Option<Time>,
    /// Time of its end.
    pub ended: Time,
    /// Whether it completed.
    pub completed: bool,
    /// Data packets sent.
    pub packets_sent: u64,
    /// Data packets retransmitted.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}
