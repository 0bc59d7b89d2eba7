//! The congestion window, whole packets: grows by what is acknowledged up to a target, and gives way to losses for a
//! round.
//!
//! In the first round of a recovery as many packets leave as arrive; then the window grows again, by one for each
//! acknowledged. When recovery or a pause for the round-trip time ends, the window before it comes back.

/// The window of one flow.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    size: u64,
    /// The last window that nothing had cut.
    prior: u64,
    /// As many packets leave as arrive.
    conserving: bool,
    recovery: Recovery,
    /// As it was at the last acknowledgement.
    recovery_told: Recovery,
}

/// What is being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    None,
    Fast,
    Timeout,
}

/// An acknowledgement, as far as the window is concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acked {
    /// Packets acknowledged.
    pub(super) packets: u64,
    /// Packets declared lost by it.
    pub(super) losses: u64,
    /// Packets in flight after it.
    pub(super) in_flight: u64,
    /// Where the window should be.
    pub(super) target: u64,
    /// The pipe has been full: a window above the target falls to it.
    pub(super) full_pipe: bool,
    /// Hardly anything has been delivered yet: the window grows whatever the target.
    pub(super) young: bool,
}

impl CongestionWindow {
    /// A window of `size`, at least one.
    pub(super) fn new(size: u64) -> Self {
        Self {
            size: size.max(1),
            prior: 0,
            conserving: false,
            recovery: Recovery::None,
            recovery_told: Recovery::None,
        }
    }

    /// Packets.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Moves the window for an acknowledgement. True if the first round of a recovery begins with it.
    pub(super) fn on_ack(&mut self, acked: Acked) -> bool {
        let begins = self.recovery == Recovery::Fast && self.recovery_told != Recovery::Fast;
        let ends = self.recovery == Recovery::None && self.recovery_told != Recovery::None;
        self.recovery_told = self.recovery;
        let mut size = self.size.saturating_sub(acked.losses).max(1);
        if begins {
            self.conserving = true;
            size = acked.in_flight + acked.packets;
        } else if ends {
            self.conserving = false;
            size = size.max(self.prior);
        }
        self.size = if self.conserving {
            size.max(acked.in_flight + acked.packets)
        } else if acked.full_pipe {
            (size + acked.packets).min(acked.target).max(SMALLEST)
        } else if size < acked.target || acked.young {
            (size + acked.packets).max(SMALLEST)
        } else {
            size.max(SMALLEST)
        };
        begins
    }

    /// A round is over.
    pub(super) fn on_round(&mut self) {
        self.conserving = false;
    }

    /// Packets were declared lost; `pausing` for the round-trip time.
    pub(super) fn on_loss(&mut self, pausing: bool) {
        if self.recovery == Recovery::None {
            self.save(pausing);
            self.recovery = Recovery::Fast;
        }
    }

    /// The retransmission timer ran out with `in_flight` packets left in flight.
    pub(super) fn on_timeout(&mut self, new_episode: bool, in_flight: u64, pausing: bool) {
        if new_episode {
            self.save(pausing);
        }
        self.recovery = Recovery::Timeout;
        self.recovery_told = Recovery::Timeout;
        self.size = in_flight + 1;
    }

    /// Everything is repaired.
    pub(super) fn on_recovered(&mut self) {
        self.recovery = Recovery::None;
    }

    /// A pause begins: the window before it is to come back.
    pub(super) fn begin_pause(&mut self) {
        self.save(true);
    }

    /// No more than a pause allows.
    pub(super) fn pause(&mut self) {
        self.size = self.size.min(SMALLEST);
    }

    /// A pause is over.
    pub(super) fn end_pause(&mut self) {
        self.size = self.size.max(self.prior);
    }

    /// Remembers the window; the larger one where it has been cut already.
    fn save(&mut self, pausing: bool) {
        let cut = self.recovery_told != Recovery::None || pausing;
        self.prior = if cut { self.prior.max(self.size) } else { self.size };
    }
}

/// `bbr_cwnd_min_target`, packets.
pub(super) const SMALLEST: u64 = 4;
