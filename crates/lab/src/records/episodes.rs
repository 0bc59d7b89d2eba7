//! Loss episodes of a queue: which flows lose data together.

use narrows_units::{Span, Time};
use narrows_wire::FlowId;

/// Counts episodes and the flows that lose in them. An episode lasts a fixed span from its first loss.
#[derive(Clone, Debug, Default)]
pub struct LossEpisodes {
    /// How long one lasts.
    pub span: Span,
    /// How many there were.
    pub count: u64,
    /// Flows that lost in one, summed over episodes.
    pub losers: u64,
    until: Time,
    /// Those of the last episode, ascending.
    present: Vec<u32>,
}

impl LossEpisodes {
    /// `flow` loses a packet.
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

    /// Flows that lose in an episode, on average; not a number where there was none.
    pub fn mean_losers(&self) -> f64 {
        self.losers as f64 / self.count as f64
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
        assert!((episodes.mean_losers() - 5.0 / 3.0).abs() < 1e-12);
    }
}
