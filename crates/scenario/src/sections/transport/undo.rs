// SPDX-License-Identifier: Apache-2.0
//! Keys of reductions that are found to be spurious.

use crate::sections::preset::preset_keys;
use crate::value::words;
use narrows_cc::UndoRestores;
use narrows_transport::{ForwardRtoKind, TransportOptions, UndoKind};

preset_keys! {
    /// Keys of the detection of spurious reductions.
    pub struct Keys, Values for TransportOptions {
        /// Detection of spurious loss episodes, after which the window reduction is undone. dsack: the receiver has
        /// reported every retransmission as a duplicate (RFC 2883, RFC 3708); the reordering window of rack grows with
        /// the reports, too (RFC 8985 §6.2). timestamps: the original was acknowledged, not its retransmission (RFC
        /// 3522).
        option undo: UndoKind {
            UndoKind::None => "no undo of spurious reductions",
            UndoKind::DuplicatesAndTimestamps => "timestamps",
        },

        /// State of a window algorithm that an undo restores. state: all state that the episode changed, as if the episode had
        /// not happened (RFC 9438 §4.9). window: window and ssthresh alone, as in Linux: CUBIC and BIC keep the maximum and the
        /// epoch of the loss; H-TCP recovers its times and its largest RTT.
        option undo_restores: UndoRestores,

        /// Forward RTO-recovery: detection of spurious timeouts by the acknowledgements that follow, after which
        /// retransmission stops and the window reduction is undone (F-RTO). rfc5682: two new segments are sent instead
        /// of retransmissions, and the next acknowledgement decides. linux: any acknowledgement of a segment that was
        /// sent once decides, and the window limits the number of new segments.
        option frto: ForwardRtoKind {
            ForwardRtoKind::None => "no F-RTO",
            ForwardRtoKind::Rfc5682 => "F-RTO",
            ForwardRtoKind::Linux => "F-RTO as in Linux",
        },
    }
}

words!(UndoKind { None = "none", Duplicates = "dsack", DuplicatesAndTimestamps = "dsack+timestamps" });
words!(UndoRestores { State = "state", Window = "window" });
words!(ForwardRtoKind { None = "none", Rfc5682 = "rfc5682", Linux = "linux" });
