//! What losses say (draft-ietf-ccwg-bbr-06 §5.3.1.3, §5.5.10, §5.5.11): of a probe that was too high, of a Startup that
//! has filled the pipe, of a round in which others wanted more; and how that is taken back.

use super::Bbr3;
use super::bounds::Bounds;
use super::delivery::Sample;
use super::state::State;
use super::window::Recovery;
use crate::SentPacket;
use narrows_units::Time;

/// What comes back if a loss was none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    /// The state that losses ended.
    pub(super) state: Option<State>,
    bounds: Bounds,
}

impl Undo {
    /// Nothing comes back.
    pub(super) const NOTHING: Self =
        Self { state: None, bounds: Bounds { longterm: 0.0, shortterm: 0.0, rate: 0.0 } };
}

impl Bbr3 {
    /// `SaveStateUponLoss`, as an episode begins (§5.5.11.1).
    pub(super) fn save_state(&mut self) {
        self.window.save(self.state == State::ProbeRtt);
        self.undo = Undo { state: None, bounds: self.bounds };
    }

    /// `HandleLostPacket`.
    pub(super) fn on_lost_packet(&mut self, packet: &SentPacket, now: Time) {
        self.delivery.note_loss();
        self.full_pipe.on_lost(packet);
        let sample = self.delivery.sample_of_loss(packet);
        if self.cycle.sampling && self.is_inflight_too_high(&sample) {
            let at_loss = self.inflight_at_loss(&sample);
            self.on_inflight_too_high(&sample, at_loss, now);
        }
    }

    /// `IsInflightTooHigh`.
    pub(super) fn is_inflight_too_high(&self, sample: &Sample) -> bool {
        sample.lost as f64 > sample.tx_in_flight as f64 * self.loss_threshold
    }

    /// Packets in flight at which losses passed the threshold (`InflightAtLoss`).
    fn inflight_at_loss(&self, sample: &Sample) -> f64 {
        let (before, lost_before) = (sample.tx_in_flight as f64 - 1.0, sample.lost as f64 - 1.0);
        let prefix = (self.loss_threshold * before - lost_before) / (1.0 - self.loss_threshold);
        before + prefix
    }

    /// Losses of the round that ends now (`AdaptLowerBoundsFromCongestion`).
    pub(super) fn follow_losses(&mut self) {
        if !self.delivery.loss_round_start {
            return;
        }
        if self.delivery.loss_in_round && !self.state.is_accelerating() {
            self.bounds.on_lossy_round(
                self.delivery.latest_rate,
                self.delivery.latest_volume,
                self.delivery.max_bandwidth(),
                self.window.size,
                self.beta,
            );
        }
        self.delivery.loss_in_round = false;
    }

    /// `CheckStartupHighLoss`.
    pub(super) fn follow_startup_losses(&mut self, sample: &Sample) {
        if !self.delivery.loss_round_start {
            return;
        }
        if self.state == State::Startup
            && self.window.recovery == Recovery::Fast
            && self.full_pipe.losses_are_scattered()
            && self.is_inflight_too_high(sample)
        {
            self.undo.state = Some(State::Startup);
            self.full_pipe.fill();
            self.bounds.longterm = self.delay_product(self.bandwidth()).max(self.delivery.latest_volume);
        }
        self.full_pipe.begin_loss_round();
    }

    /// `HandleSpuriousLossDetection`.
    pub(super) fn take_losses_back(&mut self) {
        self.window.restore();
        self.delivery.loss_in_round = false;
        self.full_pipe.ask(0.0);
        self.bounds.restore(&self.undo.bounds);
        let pausing = self.state == State::ProbeRtt;
        match self.undo.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_pipe.reached = false;
                if !pausing {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && !pausing => self.start_refill(),
            _ => {}
        }
        self.undo.state = None;
        self.window.bound(self.volume_cap());
        self.pace(self.state.pacing_gain());
    }
}
