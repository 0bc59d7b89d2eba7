// SPDX-License-Identifier: Apache-2.0
//! Loss episodes of a queue: flows that lose data at about the same time.

use narrows_units::{Span, Time};
use narrows_wire::FlowId;

/// Counts loss episodes and the flows with losses in them. An episode lasts a fixed span from its first loss.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossEpisodes {
    /// Duration of an episode, from its first loss.
    pub span: Span,
    /// Number of episodes.
    pub count: u64,
    /// Number of flows with a loss in an episode, summed over episodes.
    pub losers: u64,
    until: Time,
    /// Flows with a loss in the last episode, ascending.
    present: Vec<u32>,
}

impl LossEpisodes {
    /// Records that `flow` loses a packet at `now`.
    pub fn lose(&mut self, flow: FlowId, now: Time) {
        if self.count == 0 || now >= self.until {
            self.count += 1;
            self.until = now + self.span;
            self.present.clear();
        }
        if let Err(place) = self.present.binary_search(&flow.bits()) {
            self.present.insert(place, flow.bits());
            self.losers += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LossEpisodes;
    use narrows_units::{Span, Time};
    use narrows_wire::FlowId;

    #[test]
    fn a_flow_counts_once_in_an_episode() {
        let mut episodes = LossEpisodes { span: Span::from_ms(10), ..LossEpisodes::default() };
        let losses = [(0, 1), (1, 2), (2, 1), (9, 3), (10, 1), (11, 1), (30, 2)];
        for (ms, flow) in losses {
            episodes.lose(FlowId::new(flow, 0), Time::ZERO + Span::from_ms(ms));
        }
        assert_eq!((episodes.count, episodes.losers), (3, 5));
    }
}
