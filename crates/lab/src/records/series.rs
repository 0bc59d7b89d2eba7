//! Values per interval, kept as flat columns per partition and put together by the whole run afterwards.

use super::flow::Sum;
use super::{LinkCounts, LinkRecorder, PopulationSample, SenderRecorder};
use narrows_transport::{ConnectionState, ReceiverCounters, SendingEndpoint};
use narrows_units::{Span, Time};

/// The series of a partition.
#[derive(Clone, Debug, Default)]
pub struct SeriesRecorder {
    /// Ends of the intervals.
    pub times: Vec<Time>,
    /// For each interval each sender, in order.
    pub senders: Vec<SenderSample>,
    /// For each interval each receiver, in order.
    pub receivers: Vec<ReceiverSample>,
    /// For each interval each recorded link, in order.
    pub links: Vec<LinkSample>,
    /// For each interval each population, in order.
    pub populations: Vec<PopulationSample>,
    sender_marks: Vec<(u64, Sum, u64)>,
    receiver_marks: Vec<u64>,
    link_marks: Vec<(LinkCounts, f64, f64)>,
    at: [usize; 3],
}

/// A sender over one interval; not a number where there is no value.
#[derive(Clone, Copy, Debug)]
pub struct SenderSample {
    /// Bits per second sent, headers included, mean over the interval.
    pub throughput_bps: f64,
    /// Congestion window at its end.
    pub cwnd_packets: f64,
    /// Window that recovery allowed at its end.
    pub usable_window_packets: f64,
    /// Slow-start threshold at its end.
    pub ssthresh_packets: f64,
    /// Packets in flight at its end.
    pub in_flight_packets: f64,
    /// Mean of the round-trip samples in it.
    pub rtt_s: f64,
    /// Smoothed round-trip time at its end.
    pub srtt_s: f64,
    /// Shortest round trip until its end.
    pub min_rtt_s: f64,
    /// Rate at which packets are spaced, at its end.
    pub pacing_rate_bps: f64,
    /// Packets retransmitted in it.
    pub retransmissions: f64,
}

/// A receiver over one interval.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverSample {
    /// Bits per second of payload delivered in order.
    pub goodput_bps: f64,
}

/// A link over one interval; not a number where there is no value.
#[derive(Clone, Copy, Debug)]
pub struct LinkSample {
    /// Bits per second sent.
    pub rate_bps: f64,
    /// Bits per second that could have been sent.
    pub capacity_bps: f64,
    /// Time average of packets waiting.
    pub queue_packets: f64,
    /// Mean wait of the packets whose transmission began.
    pub queue_delay_s: f64,
    /// Packets that reached the queue.
    pub arrived_packets: f64,
    /// Packets the queue dropped, or lost behind it.
    pub dropped_packets: f64,
    /// Packets the queue marked.
    pub marked_packets: f64,
}

impl SeriesRecorder {
    /// An interval ends at `now`.
    pub fn begin(&mut self, now: Time) {
        self.times.push(now);
        self.at = [0; 3];
    }

    /// When the last interval ended; zero before the first.
    pub fn last_sample(&self) -> Time {
        self.times.last().copied().unwrap_or(Time::ZERO)
    }

    /// The next sender's values.
    pub fn sender(&mut self, sender: &SendingEndpoint, recorder: &SenderRecorder, interval: Span) {
        let counters = sender.counters();
        let now = (counters.bytes_sent, recorder.rtt, counters.retransmissions);
        let before = exchange(&mut self.sender_marks, &mut self.at[0], now, (0, Sum::default(), 0));
        let open = sender.state() == ConnectionState::Established;
        let while_open = |value: Option<f64>| if open { value.unwrap_or(f64::NAN) } else { f64::NAN };
        self.senders.push(SenderSample {
            throughput_bps: (now.0 - before.0) as f64 * 8.0 / interval.as_secs_f64(),
            cwnd_packets: while_open(sender.window()),
            usable_window_packets: while_open(sender.usable_window().map(|window| window as f64)),
            ssthresh_packets: while_open(sender.ssthresh().filter(|ssthresh| ssthresh.is_finite())),
            in_flight_packets: while_open(sender.in_flight().map(|packets| packets as f64)),
            rtt_s: now.1.mean_s_since(&before.1),
            srtt_s: while_open(sender.smoothed_rtt().map(Span::as_secs_f64)),
            min_rtt_s: while_open(sender.minimum_rtt().map(Span::as_secs_f64)),
            pacing_rate_bps: while_open(sender.pacing_rate().map(|rate| rate.as_bps() as f64)),
            retransmissions: (now.2 - before.2) as f64,
        });
    }

    /// The next receiver's values.
    pub fn receiver(&mut self, counters: &ReceiverCounters, interval: Span) {
        let now = counters.bytes_delivered;
        let before = exchange(&mut self.receiver_marks, &mut self.at[1], now, 0);
        let goodput_bps = (now - before) as f64 * 8.0 / interval.as_secs_f64();
        self.receivers.push(ReceiverSample { goodput_bps });
    }

    /// The next link's values; `sent` and `offered` count bits since the start of the run.
    pub fn link(&mut self, recorder: &LinkRecorder, sent: f64, offered: f64, interval: Span) {
        let now = (recorder.counts, sent, offered);
        let (before, sent_before, offered_before) =
            exchange(&mut self.link_marks, &mut self.at[2], now, (LinkCounts::default(), 0.0, 0.0));
        let counts = &recorder.counts;
        let seconds = interval.as_secs_f64();
        let gone = |counts: &LinkCounts| counts.dropped() + counts.lost;
        self.links.push(LinkSample {
            rate_bps: (sent - sent_before) / seconds,
            capacity_bps: (offered - offered_before) / seconds,
            queue_packets: (counts.queue_packet_ps - before.queue_packet_ps) as f64 / interval.as_ps() as f64,
            queue_delay_s: LinkRecorder::mean_wait(&before, counts).map_or(f64::NAN, Span::as_secs_f64),
            arrived_packets: (counts.arrived - before.arrived) as f64,
            dropped_packets: (gone(counts) - gone(&before)) as f64,
            marked_packets: (counts.marked - before.marked) as f64,
        });
    }
}

/// Puts `now` in the place of what the last interval left there, or `first` if there was none, and returns that.
fn exchange<T>(marks: &mut Vec<T>, at: &mut usize, now: T, first: T) -> T {
    let index = *at;
    *at += 1;
    if index == marks.len() {
        marks.push(first);
    }
    std::mem::replace(&mut marks[index], now)
}
