// SPDX-License-Identifier: Apache-2.0
//! The arguments of the methods of an algorithm in Python, as immutable objects. Times are in seconds of simulated time.

use narrows_lab::congestion_control::{Ack, Cause, Loss, Path, SentPacket, Setup};
use narrows_lab::units::{Span, Time};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The argument of `__init__`: the properties of the flow.
#[pyclass(name = "Setup", module = "narrows._core", frozen, get_all)]
pub struct PySetup {
    /// Maximum segment size: payload of a full packet, in bytes.
    mss_bytes: u64,
    /// Size of a full packet with headers, in bytes.
    packet_bytes: u64,
    /// Initial congestion window, in packets (RFC 6928).
    initial_window: f64,
    /// Initial slow start threshold, in packets; infinite unless the scenario sets it.
    initial_ssthresh: f64,
    /// Seed of the random numbers of this flow; equal in repeated runs.
    seed: u64,
}

/// The argument of `on_ack`: an acknowledgement of at least one packet for the first time.
#[pyclass(name = "Ack", module = "narrows._core", frozen, get_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an attribute of its own in Python")]
pub struct PyAck {
    /// Time of the event, in seconds.
    now_s: f64,
    /// Packets acknowledged for the first time, cumulatively or selectively.
    newly_acked: u64,
    /// Whether a window may grow in congestion avoidance: `advanced`, `window_limited`, no loss recovery in progress, and no
    /// slow start by the host.
    may_grow: bool,
    /// Packets that the acknowledgement counts for when a window grows, 0 unless `may_grow`: `newly_acked` as the flow's key
    /// `ack_counting` says, without those that the host's slow start has used.
    counted: f64,
    /// Whether the cumulative acknowledgement advanced.
    advanced: bool,
    /// Whether the congestion window, rather than the application, limited the sender.
    window_limited: bool,
    /// Data packets among those acknowledged that arrived with a CE mark (RFC 3168).
    ce_packets: u64,
    /// Round-trip time of the newest packet acknowledged, in seconds; `None` if it was retransmitted.
    rtt_s: Option<f64>,
    /// Smoothed round-trip time (RFC 6298), in seconds; `None` before the first sample.
    srtt_s: Option<f64>,
    /// Minimum round-trip time of the connection, in seconds; `None` before the first sample.
    min_rtt_s: Option<f64>,
    /// Delivery rate over the last round trip, in bit/s; `None` without a sample.
    delivery_rate_bps: Option<f64>,
    /// Whether the application limited the rate that `delivery_rate_bps` measured.
    app_limited: bool,
    /// Packets in flight after the event.
    in_flight: u64,
    /// Round trips completed since the connection was established.
    rounds: u64,
    /// The packets acknowledged for the first time, oldest first, each as it was last sent.
    packets: Packets,
}

/// The argument of `on_loss`: packets were declared lost, or a congestion mark started an episode.
#[pyclass(name = "Loss", module = "narrows._core", frozen, get_all)]
pub struct PyLoss {
    /// Time of the event, in seconds.
    now_s: f64,
    /// `"detected"` (by acknowledgements of later packets), `"timeout"` (RFC 6298) or `"mark"` (RFC 3168).
    cause: String,
    /// Whether a loss episode starts: reduce the window only if it does.
    new_episode: bool,
    /// Packets declared lost; 0 for a mark.
    lost: u64,
    /// Smoothed round-trip time (RFC 6298), in seconds; `None` before the first sample.
    srtt_s: Option<f64>,
    /// Minimum round-trip time of the connection, in seconds; `None` before the first sample.
    min_rtt_s: Option<f64>,
    /// Packets in flight after the event.
    in_flight: u64,
    /// Round trips completed since the connection was established.
    rounds: u64,
    /// The packets declared lost, oldest first, each as it was last sent.
    packets: Packets,
}

/// Packets of an acknowledgement or a loss: in Python a tuple of [`PySent`], made when it is asked for.
#[derive(Clone)]
struct Packets(Vec<PySent>);

impl Packets {
    fn of(packets: &[SentPacket]) -> Self {
        Self(packets.iter().map(PySent::as_sent).collect())
    }

    fn listed(packets: Vec<PyRef<'_, PySent>>) -> Self {
        Self(packets.into_iter().map(|packet| (*packet).clone()).collect())
    }
}

impl<'py> IntoPyObject<'py> for Packets {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let packets = self.0.into_iter().map(|packet| Bound::new(py, packet));
        PyTuple::new(py, packets.collect::<PyResult<Vec<_>>>()?)
    }
}

/// The argument of `on_sent`, and an element of `packets`: a packet that was sent.
#[derive(Clone)]
#[pyclass(name = "Sent", module = "narrows._core", frozen, get_all)]
pub struct PySent {
    /// Time at which it was sent, in seconds.
    now_s: f64,
    /// Number of the packet, from 0 in the order in which packets are sent: none has the number of another one.
    number: u64,
    /// Number of the packet whose data it carries again; `None` for new data, and in QUIC stacks, which do not report it.
    retransmits: Option<u64>,
    /// Payload, in bytes.
    size_bytes: u64,
    /// Whether the application, rather than the congestion window, limited the sender.
    app_limited: bool,
    /// Packets in flight after the event.
    in_flight: u64,
}

/// The argument of the other methods: the state of the flow at the event.
#[pyclass(name = "Moment", module = "narrows._core", frozen, get_all)]
pub struct PyMoment {
    /// Time of the event, in seconds.
    now_s: f64,
    /// Smoothed round-trip time (RFC 6298), in seconds; `None` before the first sample.
    srtt_s: Option<f64>,
    /// Minimum round-trip time of the connection, in seconds; `None` before the first sample.
    min_rtt_s: Option<f64>,
    /// Packets in flight after the event.
    in_flight: u64,
    /// Round trips completed since the connection was established.
    rounds: u64,
}

#[pymethods]
impl PySetup {
    #[new]
    #[pyo3(signature = (*, mss_bytes = 1460, packet_bytes = 1500, initial_window = 10.0, initial_ssthresh = f64::INFINITY, seed = 1))]
    fn new(mss_bytes: u64, packet_bytes: u64, initial_window: f64, initial_ssthresh: f64, seed: u64) -> Self {
        Self { mss_bytes, packet_bytes, initial_window, initial_ssthresh, seed }
    }

    /// The object itself, since it is immutable.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

#[pymethods]
impl PyAck {
    #[new]
    #[pyo3(signature = (
        *, now_s = 0.0, newly_acked = 1, may_grow = true, counted = None, advanced = true, window_limited = true,
        ce_packets = 0, rtt_s = None, srtt_s = None, min_rtt_s = None, delivery_rate_bps = None, app_limited = false, in_flight = 0,
        rounds = 0, packets = Vec::new()
    ))]
    #[expect(clippy::too_many_arguments, reason = "all are keywords with defaults")]
    #[expect(clippy::fn_params_excessive_bools, reason = "all are keywords with defaults")]
    fn new(
        now_s: f64,
        newly_acked: u64,
        may_grow: bool,
        counted: Option<f64>,
        advanced: bool,
        window_limited: bool,
        ce_packets: u64,
        rtt_s: Option<f64>,
        srtt_s: Option<f64>,
        min_rtt_s: Option<f64>,
        delivery_rate_bps: Option<f64>,
        app_limited: bool,
        in_flight: u64,
        rounds: u64,
        packets: Vec<PyRef<'_, PySent>>,
    ) -> Self {
        Self {
            now_s,
            newly_acked,
            may_grow,
            counted: counted.unwrap_or(if may_grow { newly_acked as f64 } else { 0.0 }),
            advanced,
            window_limited,
            ce_packets,
            rtt_s,
            srtt_s,
            min_rtt_s,
            delivery_rate_bps,
            app_limited,
            in_flight,
            rounds,
            packets: Packets::listed(packets),
        }
    }

    /// The object itself, since it is immutable.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

#[pymethods]
impl PyLoss {
    #[new]
    #[pyo3(signature = (
        *, now_s = 0.0, cause = "detected".to_owned(), new_episode = true, lost = 1, srtt_s = None, min_rtt_s = None,
        in_flight = 0, rounds = 0, packets = Vec::new()
    ))]
    #[expect(clippy::too_many_arguments, reason = "all are keywords with defaults")]
    fn new(
        now_s: f64,
        cause: String,
        new_episode: bool,
        lost: u64,
        srtt_s: Option<f64>,
        min_rtt_s: Option<f64>,
        in_flight: u64,
        rounds: u64,
        packets: Vec<PyRef<'_, PySent>>,
    ) -> Self {
        let packets = Packets::listed(packets);
        Self { now_s, cause, new_episode, lost, srtt_s, min_rtt_s, in_flight, rounds, packets }
    }

    /// The object itself, since it is immutable.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

#[pymethods]
impl PySent {
    #[new]
    #[pyo3(signature = (
        *, now_s = 0.0, number = 0, retransmits = None, size_bytes = 1460, app_limited = false, in_flight = 1
    ))]
    fn new(
        now_s: f64,
        number: u64,
        retransmits: Option<u64>,
        size_bytes: u64,
        app_limited: bool,
        in_flight: u64,
    ) -> Self {
        Self { now_s, number, retransmits, size_bytes, app_limited, in_flight }
    }

    /// The object itself, since it is immutable.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

#[pymethods]
impl PyMoment {
    #[new]
    #[pyo3(signature = (*, now_s = 0.0, srtt_s = None, min_rtt_s = None, in_flight = 0, rounds = 0))]
    fn new(now_s: f64, srtt_s: Option<f64>, min_rtt_s: Option<f64>, in_flight: u64, rounds: u64) -> Self {
        Self { now_s, srtt_s, min_rtt_s, in_flight, rounds }
    }

    /// The object itself, since it is immutable.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

impl PySetup {
    /// Returns the Python object for `setup`.
    pub fn of(setup: &Setup) -> Self {
        Self {
            mss_bytes: setup.mss.count(),
            packet_bytes: setup.packet.count(),
            initial_window: setup.initial_window,
            initial_ssthresh: setup.initial_ssthresh,
            seed: setup.seed,
        }
    }
}

impl PyAck {
    /// Returns the Python object for `ack`, which counts for `counted` packets when a window grows; `None`: it may not grow.
    pub fn of(ack: &Ack<'_>, path: &Path, counted: Option<f64>) -> Self {
        Self {
            now_s: path.now.as_secs_f64(),
            newly_acked: ack.newly_acked,
            may_grow: counted.is_some(),
            counted: counted.unwrap_or(0.0),
            advanced: ack.advanced,
            window_limited: path.window_limited,
            ce_packets: ack.ce_packets,
            rtt_s: ack.rtt.map(Span::as_secs_f64),
            srtt_s: path.rtt.map(|rtt| rtt.smoothed.as_secs_f64()),
            min_rtt_s: path.rtt.map(|rtt| rtt.min.as_secs_f64()),
            delivery_rate_bps: ack.rate.map(|sample| sample.rate.as_bps() as f64),
            app_limited: ack.rate.is_some_and(|sample| sample.app_limited),
            in_flight: path.in_flight,
            rounds: path.round,
            packets: Packets::of(ack.packets),
        }
    }
}

impl PyLoss {
    /// Returns the Python object for `loss`.
    pub fn of(loss: &Loss<'_>, path: &Path) -> Self {
        let cause = match loss.cause {
            Cause::Detected => "detected",
            Cause::Timeout => "timeout",
            Cause::Mark => "mark",
        };
        Self {
            now_s: path.now.as_secs_f64(),
            cause: cause.to_owned(),
            new_episode: loss.new_episode,
            lost: loss.lost,
            srtt_s: path.rtt.map(|rtt| rtt.smoothed.as_secs_f64()),
            min_rtt_s: path.rtt.map(|rtt| rtt.min.as_secs_f64()),
            in_flight: path.in_flight,
            rounds: path.round,
            packets: Packets::of(loss.packets),
        }
    }
}

impl PySent {
    /// Returns the Python object for `packet`, which is being sent.
    pub fn of(packet: &SentPacket, path: &Path) -> Self {
        Self { now_s: path.now.as_secs_f64(), in_flight: path.in_flight, ..Self::as_sent(packet) }
    }

    /// Returns the Python object for `packet`, as it was when it was sent.
    fn as_sent(packet: &SentPacket) -> Self {
        Self {
            now_s: packet.sent_at.since(Time::ZERO).as_secs_f64(),
            number: packet.number,
            retransmits: packet.retransmits,
            size_bytes: packet.size.count(),
            app_limited: packet.app_limited,
            in_flight: packet.in_flight,
        }
    }
}

impl PyMoment {
    /// Returns the Python object for an event without further details.
    pub fn of(path: &Path) -> Self {
        Self {
            now_s: path.now.as_secs_f64(),
            srtt_s: path.rtt.map(|rtt| rtt.smoothed.as_secs_f64()),
            min_rtt_s: path.rtt.map(|rtt| rtt.min.as_secs_f64()),
            in_flight: path.in_flight,
            rounds: path.round,
        }
    }
}
