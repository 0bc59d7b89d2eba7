//! The congestion window (draft-ietf-ccwg-bbr-06 §5.6.4): it grows by what is acknowledged up to what the model wants in
//! flight, and comes back after a recovery or a pause.

use super::MIN_PIPE_CWND;

/// The window of one flow, packets.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    pub(super) size: f64,
    /// The last window that nothing had cut.
    prior: f64,
    /// Losses are being repaired.
    pub(super) recovery: Recovery,
}

/// What is being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    None,
    Fast,
    Timeout,
}

impl CongestionWindow {
    /// A window of `size`.
    pub(super) fn new(size: f64) -> Self {
        Self { size: size.max(1.0), prior: 0.0, recovery: Recovery::None }
    }

    /// Remembers the window; the larger one where it has been cut already (`SaveCwnd`).
    pub(super) fn save(&mut self, pausing: bool) {
        let cut = self.recovery != Recovery::None || pausing;
        self.prior = if cut { self.prior.max(self.size) } else { self.size };
    }

    /// The window before the cut comes back (`RestoreCwnd`).
    pub(super) fn restore(&mut self) {
        self.size = self.size.max(self.prior);
    }

    /// `acked` packets were acknowledged and the model wants `target` in flight (`SetCwnd`).
    ///
    /// `full_pipe`: a window above the target falls to it. `young`: hardly anything has been delivered yet, and the
    /// window grows whatever the target.
    pub(super) fn on_ack(&mut self, acked: u64, target: f64, full_pipe: bool, young: bool) {
        let grown = self.size + acked as f64;
        if full_pipe {
            self.size = grown.min(target);
        } else if self.size < target || young {
            self.size = grown;
        }
        self.size = self.size.max(MIN_PIPE_CWND);
    }

    /// No more than `cap`.
    pub(super) fn bound(&mut self, cap: f64) {
        self.size = self.size.min(cap.max(MIN_PIPE_CWND));
    }
}
