// SPDX-License-Identifier: Apache-2.0
//! The algorithm of one path, from the reports of a stack.

use crate::ledger::{Delivered, Ledger, Record};
use crate::plan::HEADERS;
use crate::{Plan, rtt};
use narrows_cc::{
    Ack, Cause, CongestionControl, Failure, Idle, Limits, Loss, Needs, Path, RateSample, RttView, SentPacket,
};
use narrows_units::{Bytes, Rate, Time};
use std::sync::{Mutex, PoisonError};

/// The algorithm of one path.
///
/// A stack's interface calls the methods in the order of the events; all times are since the start of the path.
#[derive(Debug)]
pub struct Flow {
    /// Never locked but to be copied: stacks require controllers that are `Sync`, and an algorithm need not be.
    algorithm: Mutex<Box<dyn CongestionControl>>,
    plan: Plan,
    needs: Needs,
    needs_sent_events: bool,
    initial_window: f64,
    shown: Shown,
    /// Size of a full datagram, bytes.
    mss: u64,
    now: Time,
    in_flight: u64,
    /// When the last packet was sent.
    sent_at: Option<Time>,
    /// When the window was last full.
    full_at: Option<Time>,
    app_limited: bool,
    /// Rate samples are application-limited until more than these bytes are delivered.
    app_limited_until: Option<u64>,
    rtt: Option<RttView>,
    round: u64,
    round_started: Time,
    /// When the newest packet acknowledged so far was sent.
    newest_acked: Option<Time>,
    /// When the last loss episode began.
    episode: Option<Time>,
    recovering: bool,
    ledger: Ledger,
    packets_sent: u64,
    packets_lost: u64,
    delivered: Delivered,
    batch: Batch,
}

/// Limits of the algorithm after the last event.
#[derive(Clone, Debug)]
struct Shown {
    limits: Limits,
    /// Window, bytes.
    window: u64,
    /// Slow-start threshold, packets.
    ssthresh: Option<f64>,
    failure: Option<Failure>,
}

/// Acknowledged data that has not been reported yet.
#[derive(Clone, Debug, Default)]
struct Batch {
    bytes: u64,
    newest: Option<Record>,
    packets: Vec<SentPacket>,
}

impl Flow {
    /// Creates the flow of a path that starts, with datagrams of `mtu` bytes. `seed`: seed of the algorithm's random
    /// numbers.
    pub fn new(plan: &Plan, seed: u64, mtu: u16) -> Self {
        let mss = u64::from(mtu).max(1);
        let setup = plan.setup.mss(Bytes::new(mss)).packet(Bytes::new(mss + HEADERS)).seed(seed);
        let algorithm = plan.build(&setup);
        plan.observed(algorithm.as_ref());
        let shown = Shown::new(algorithm.as_ref(), mss);
        if let Some(failure) = &shown.failure {
            plan.failed(failure);
        }
        Self {
            plan: plan.clone(),
            needs: plan.needs(),
            needs_sent_events: algorithm.needs_sent_events(),
            initial_window: setup.initial_window,
            shown,
            algorithm: Mutex::new(algorithm),
            mss,
            now: Time::ZERO,
            in_flight: 0,
            sent_at: None,
            full_at: None,
            app_limited: false,
            app_limited_until: None,
            rtt: None,
            round: 0,
            round_started: Time::ZERO,
            newest_acked: None,
            episode: None,
            recovering: false,
            ledger: Ledger::default(),
            packets_sent: 0,
            packets_lost: 0,
            delivered: Delivered::default(),
            batch: Batch::default(),
        }
    }

    /// `bytes` were sent: one packet with its `number`, or several datagrams without.
    pub fn on_sent(&mut self, now: Time, bytes: u64, number: Option<u64>) {
        self.advance(now);
        let idle = self.in_flight == 0;
        if let Some(since) = self.sent_at.filter(|&since| idle && since < now) {
            self.call(|algorithm, path| algorithm.on_idle(&Idle::new(since, 0), path));
        }
        if idle {
            self.delivered.at = now;
        }
        self.sent_at = Some(now);
        let mut left = bytes;
        while left > 0 {
            let size = if number.is_some() { left } else { left.min(self.mss) };
            left -= size;
            let first = self.in_flight == 0;
            self.in_flight += size;
            let packet = SentPacket::new(self.packets_sent, Bytes::new(size), now)
                .in_flight(self.packets(self.in_flight))
                .payload_in_flight(Some(Bytes::new(self.in_flight)))
                .lost_before(self.packets_lost)
                .app_limited(self.app_limited_until.is_some());
            self.packets_sent += 1;
            self.ledger.enter(packet, number, self.delivered, first);
            if self.in_flight + self.mss > self.window() {
                self.full_at = Some(now);
            }
            if self.needs_sent_events {
                self.call(|algorithm, path| algorithm.on_sent(&packet, path));
            }
        }
    }

    /// A packet of `bytes` that was sent at `sent` was acknowledged. [`on_end_acks`](Self::on_end_acks) follows.
    pub fn on_ack(&mut self, sent: Time, bytes: u64, number: Option<u64>) {
        let batch = &mut self.batch;
        batch.bytes += bytes;
        self.delivered.bytes += bytes;
        let Some(record) = self.ledger.take(sent, bytes, number, &mut batch.packets) else { return };
        let order = |record: &Record| (record.packet.sent_at, record.packet.number);
        if batch.newest.is_none_or(|newest| order(&newest) < order(&record)) {
            batch.newest = Some(record);
        }
    }

    /// An acknowledgement is complete; `in_flight` bytes are in flight after it. `app_limited`: the application, not the window,
    /// limited the sender before it.
    pub fn on_end_acks(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        self.advance(now);
        let prior_in_flight = self.packets(self.in_flight);
        self.in_flight = in_flight;
        self.ledger.agree(in_flight);
        self.app_limited = app_limited;
        if let Some(newest) = self.batch.newest {
            self.report_acked(&newest, prior_in_flight);
        }
        self.app_limited_until = match self.app_limited_until {
            _ if app_limited => Some(self.delivered.bytes + in_flight),
            Some(until) if self.delivered.bytes <= until => Some(until),
            _ => None,
        };
    }

    fn report_acked(&mut self, newest: &Record, prior_in_flight: u64) {
        let (now, sent_at) = (self.now, newest.packet.sent_at);
        let newly_acked = self.batch.bytes / self.mss;
        if newly_acked == 0 && !self.needs.partial_acks {
            return;
        }
        self.delivered.packets += newly_acked;
        self.delivered.at = now;
        if sent_at >= self.round_started {
            self.round += 1;
            self.round_started = now;
        }
        // The delay of a late acknowledgement is not a delay of the path (RFC 9002 §5.1).
        let rtt = self.newest_acked.is_none_or(|before| before < sent_at).then(|| now.since(sent_at));
        if let Some(rtt) = rtt {
            self.rtt = Some(rtt::after(self.rtt, rtt));
            self.newest_acked = Some(sent_at);
        }
        if self.recovering && self.episode.is_some_and(|start| sent_at > start) {
            self.recovering = false;
            self.call(|algorithm, path| algorithm.on_recovered(path));
        }
        let rate = if self.needs.rate_samples { self.sample(newest, prior_in_flight) } else { None };
        let mut packets = std::mem::take(&mut self.batch.packets);
        packets.sort_unstable_by_key(|packet| packet.number);
        let listed = self.needs.packets;
        self.call(|algorithm, path| {
            let packets = if listed { &packets[..] } else { &[] };
            let ack = Ack::new(newly_acked).rtt(rtt).rate(rate).packets(packets);
            algorithm.on_ack(&ack, path);
        });
        packets.clear();
        self.batch = Batch { bytes: self.batch.bytes - newly_acked * self.mss, newest: None, packets };
    }

    fn sample(&mut self, newest: &Record, prior_in_flight: u64) -> Option<RateSample> {
        let (interval, rate) = self.ledger.sample(newest, self.delivered, self.rtt.map(|rtt| rtt.min))?;
        Some(
            RateSample::new(self.delivered.packets - newest.before.packets, interval, rate)
                .prior_delivered(newest.before.packets)
                .prior_in_flight(prior_in_flight)
                .app_limited(newest.packet.app_limited),
        )
    }

    /// Packets of `bytes` altogether were lost, the newest of which was sent at `sent` and had this `number`. `persistent`: all of a
    /// period of persistent congestion (RFC 9002 §7.6).
    pub fn on_lost(&mut self, now: Time, sent: Time, bytes: u64, number: Option<u64>, persistent: bool) {
        self.advance(now);
        let mut packets = Vec::new();
        self.ledger.lose(sent, bytes, number, &mut packets);
        self.in_flight = self.in_flight.saturating_sub(bytes);
        let lost = self.packets(bytes);
        self.packets_lost += lost;
        let cause = if persistent { Cause::Timeout } else { Cause::Detected };
        let new_episode = self.begins_episode(sent);
        let packets = if self.needs.packets { &packets[..] } else { &[] };
        self.call(|algorithm, path| {
            algorithm.on_loss(&Loss::new(cause, lost).new_episode(new_episode).packets(packets), path);
        });
    }

    /// A congestion mark was echoed, of the packet that was sent at `sent` or of one before it.
    pub fn on_mark(&mut self, now: Time, sent: Time) {
        self.advance(now);
        if self.begins_episode(sent) {
            self.call(|algorithm, path| {
                algorithm.on_loss(&Loss::new(Cause::Mark, 0), path);
            });
        }
    }

    /// All packets of the last loss episode arrived after all.
    pub fn on_spurious(&mut self) {
        self.call(|algorithm, path| algorithm.on_spurious_loss(path));
    }

    /// Datagrams have `mtu` bytes from now on. The window stays the same in bytes, and is set so in the algorithm, if it allows that.
    pub fn on_mtu(&mut self, mtu: u16) {
        let (mss, window) = (u64::from(mtu).max(1), self.shown.window);
        let before = std::mem::replace(&mut self.mss, mss);
        self.call(|algorithm, _| {
            if let Some(window) = algorithm.window() {
                algorithm.set_window(window * before as f64 / mss as f64, false);
            }
        });
        self.shown.window = window;
    }

    /// Whether a loss or mark of a packet that was sent at `sent` begins an episode, which it then does.
    fn begins_episode(&mut self, sent: Time) -> bool {
        let begins = self.episode.is_none_or(|start| sent > start);
        if begins {
            self.episode = Some(self.now);
            self.recovering = true;
        }
        begins
    }

    /// Time proceeds to `now`. A timer that is due runs.
    fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        if self.algorithm().next_timer().is_some_and(|due| due <= self.now) {
            self.call(|algorithm, path| algorithm.on_timer(path));
        }
    }

    fn algorithm(&mut self) -> &mut dyn CongestionControl {
        self.algorithm.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()
    }

    /// Passes an event to the algorithm.
    fn call(&mut self, event: impl FnOnce(&mut dyn CongestionControl, &Path)) {
        let path = Path::new(self.now, Bytes::new(self.mss))
            .in_flight(self.packets(self.in_flight))
            .payload_in_flight(Some(Bytes::new(self.in_flight)))
            .rtt(self.rtt)
            .round(self.round)
            .window_limited(self.is_window_limited());
        let mss = self.mss;
        let algorithm = self.algorithm.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut();
        event(algorithm, &path);
        self.plan.observed(algorithm);
        let shown = Shown::new(algorithm, mss);
        if let (None, Some(failure)) = (&self.shown.failure, &shown.failure) {
            self.plan.failed(failure);
        }
        self.shown = Shown { failure: self.shown.failure.take().or(shown.failure), ..shown };
    }

    /// A stack that paces a window does not count the times as unused in which it waits (RFC 9002 §7.8). The window of an algorithm
    /// that paces by itself limits only if it was full since the newest packet acknowledged was sent.
    fn is_window_limited(&self) -> bool {
        if self.shown.limits.pacing.is_some() {
            self.full_at.is_some_and(|full| self.newest_acked.is_none_or(|sent| full >= sent))
        } else {
            !self.app_limited
        }
    }

    /// Whole datagrams of `bytes`, rounded up.
    fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.mss)
    }

    /// Returns the limits of the algorithm, in packets.
    pub fn limits(&self) -> Limits {
        self.shown.limits
    }

    /// Returns the congestion window in bytes, at least two packets; `u32::MAX` bytes for an algorithm without one.
    pub fn window(&self) -> u64 {
        self.shown.window.max(LEAST_WINDOW * self.mss)
    }

    /// Returns the congestion window at the start, bytes.
    pub fn initial_window(&self) -> u64 {
        ((self.initial_window * self.mss as f64) as u64).max(LEAST_WINDOW * self.mss)
    }

    /// Returns the slow-start threshold in bytes; `None` for an algorithm without one, and while it is infinite.
    pub fn ssthresh(&self) -> Option<u64> {
        self.shown
            .ssthresh
            .filter(|packets| packets.is_finite())
            .map(|packets| (packets * self.mss as f64) as u64)
    }

    /// Returns the pacing rate; `None` if the algorithm sets none.
    pub fn pacing(&self) -> Option<Rate> {
        self.shown.limits.pacing
    }

    /// Returns the error that stopped the algorithm; its limits are those before it. Only external algorithms can fail.
    pub fn failure(&self) -> Option<&Failure> {
        self.shown.failure.as_ref()
    }
}

impl Clone for Flow {
    fn clone(&self) -> Self {
        let algorithm = self.algorithm.lock().unwrap_or_else(PoisonError::into_inner).boxed_clone();
        Self {
            algorithm: Mutex::new(algorithm),
            plan: self.plan.clone(),
            shown: self.shown.clone(),
            ledger: self.ledger.clone(),
            batch: self.batch.clone(),
            ..*self
        }
    }
}

impl Shown {
    /// The limits of `algorithm`, with datagrams of `mss` bytes. A stack counts bytes, so the window is not rounded down to packets.
    fn new(algorithm: &dyn CongestionControl, mss: u64) -> Self {
        let limits = algorithm.limits().bounded();
        let bytes = |packets: u64| {
            let real = algorithm.window().filter(|real| *real as u64 == packets);
            real.map_or(packets.saturating_mul(mss), |real| (real * mss as f64) as u64)
        };
        Self {
            window: limits.window.map_or(WINDOWLESS, bytes),
            limits,
            ssthresh: algorithm.ssthresh(),
            failure: algorithm.failure().cloned(),
        }
    }
}

/// Minimum congestion window, packets (RFC 9002 §7.2).
const LEAST_WINDOW: u64 = 2;
/// The window of an algorithm without one, bytes. Pacing limits it.
const WINDOWLESS: u64 = u32::MAX as u64;
