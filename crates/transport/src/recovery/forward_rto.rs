// SPDX-License-Identifier: Apache-2.0
//! F-RTO: detection of spurious retransmission timeouts by the acknowledgements that follow them (RFC 5682).
//!
//! 1. The timer expires: the first unacknowledged segment is sent again, and nothing else.
//! 2. The next acknowledgement that advances lets new segments be sent in place of retransmissions. If it covers all that
//!    had been sent before the timeout, or if no new segment can be sent, the algorithm ends; without selective
//!    acknowledgements also if a duplicate ACK comes first.
//! 3. An acknowledgement then of a segment that was sent before the timeout, and not again since, shows that it was delayed:
//!    the timeout was spurious. One that only SACKs, or duplicates, shows that the segments are lost, and they are sent again.
//!
//! With selective acknowledgements this is the algorithm of §3.1, without them the algorithm of §2.1; both bound the
//! new segments of step 2 to two. Linux (`tcp_process_loss`) takes an acknowledgement of such a segment as proof in
//! every step, and sends as many new segments as the window permits. Without selective acknowledgements, one that
//! covers a retransmission proves nothing (`tcp_clean_rtx_queue`).
//!
//! The timer may expire again before an acknowledgement advances: the algorithm starts anew, as in Linux. It does not
//! start if losses were being repaired already, since an acknowledgement may then belong to a segment sent again
//! earlier.

use super::scoreboard::Delivery;
use crate::ForwardRtoKind;

/// The detection at one sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForwardRto {
    kind: ForwardRtoKind,
    /// The timeout to be judged; `None` if there is none.
    timeout: Option<Timeout>,
}

#[derive(Clone, Copy, Debug)]
struct Timeout {
    /// `RecoveryPoint`: the first segment that had not been sent.
    end: u64,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Step 2: no acknowledgement has advanced.
    Retransmitted,
    /// Step 3: so many new segments may be sent.
    New(u64),
}

impl ForwardRto {
    pub(super) fn new(kind: ForwardRtoKind) -> Self {
        Self { kind, timeout: None }
    }

    /// The retransmission timer expired where segments below `next` had been sent. `repairs`: losses were being repaired
    /// already, and an acknowledgement has advanced since an earlier timeout.
    pub(super) fn on_timeout(&mut self, next: u64, repairs: bool) {
        let judged = self.kind != ForwardRtoKind::None && !repairs;
        self.timeout = judged.then_some(Timeout { end: next, step: Step::Retransmitted });
    }

    /// An acknowledgement arrived, up to segment `una`. `may_send`: new segments can be sent. Returns true if the timeout
    /// proves spurious.
    #[inline]
    pub(super) fn on_ack(&mut self, delivery: &Delivery, una: u64, selective: bool, may_send: bool) -> bool {
        let Some(timeout) = &mut self.timeout else { return false };
        let original = delivery.first_original.is_some_and(|number| number < timeout.end);
        // Without selective acknowledgements, one that covers a retransmission also covers data that had arrived out of
        // order.
        let certain = selective || !delivery.any_retransmitted;
        let proves = self.kind == ForwardRtoKind::Linux || timeout.step != Step::Retransmitted;
        if original && certain && proves {
            self.timeout = None;
            return true;
        }
        let ends = match timeout.step {
            Step::Retransmitted if delivery.advanced > 0 => {
                timeout.step = Step::New(self.kind.new_segments());
                una >= timeout.end || !may_send
            }
            Step::Retransmitted => !selective && delivery.duplicate_ack,
            Step::New(_) => una >= timeout.end || delivery.duplicate_ack || delivery.newly_sacked > 0,
        };
        if ends {
            self.timeout = None;
        }
        false
    }

    /// Whether a timeout is being judged.
    #[inline]
    pub(super) fn is_active(&self) -> bool {
        self.timeout.is_some()
    }

    /// The timeout is not judged any more.
    pub(super) fn clear(&mut self) {
        self.timeout = None;
    }

    /// A new segment was sent.
    #[inline]
    pub(super) fn on_new_sent(&mut self) {
        if let Some(Timeout { step: Step::New(left), .. }) = &mut self.timeout {
            *left = left.saturating_sub(1);
        }
    }

    /// Whether `lost`, the lowest lost segment, may be sent again, where all below `una` are acknowledged.
    #[inline]
    pub(super) fn permits_again(&self, lost: u64, una: u64) -> bool {
        match self.timeout {
            None => true,
            Some(timeout) => timeout.step == Step::Retransmitted && lost == una,
        }
    }

    /// Whether a new segment may be sent.
    #[inline]
    pub(super) fn permits_new(&self) -> bool {
        !matches!(self.timeout, Some(Timeout { step: Step::Retransmitted | Step::New(0), .. }))
    }
}

impl ForwardRtoKind {
    /// Most new segments of step 2.
    fn new_segments(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Rfc5682 => 2,
            Self::Linux => u64::MAX,
        }
    }
}
