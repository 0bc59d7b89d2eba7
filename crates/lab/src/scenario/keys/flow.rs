//! Keys of `[transport]` and of `[[flows]]`.

use super::distribution::{SIZES, SPANS};
use super::source::SOURCE;
use super::{Key, Kind, PACKETS, PACKETS_OR_BYTES, RATE, SIZE, TIME, TIME_OR_PACKETS};

/// What `preset` may say.
pub(in super::super) const PRESETS: &[&str] = &["modern", "ns2", "linux"];

/// `[transport]`.
pub(super) const TRANSPORT: &[Key] = &[
    Key::new("preset", Kind::Choice(PRESETS), "modern", "A named set of defaults for the keys below."),
    Key::new(
        "recovery",
        Kind::Choice(&["reno", "newreno", "sack", "rack"]),
        "sack; linux: rack",
        "What counts as a loss and which segment goes next.",
    ),
    Key::new(
        "proportional_rate_reduction",
        Kind::Flag,
        "false; linux: true",
        "The usable window falls over a round trip after a cut (RFC 6937).",
    ),
    Key::new(
        "limited_transmit",
        Kind::Flag,
        "true",
        "New segments on the first two duplicate ACKs (RFC 3042).",
    ),
    Key::new(
        "initial_window",
        Kind::Quantity(PACKETS),
        "10pkt; ns2: 2pkt",
        "Window before the first acknowledgement.",
    ),
    Key::new(
        "initial_ssthresh",
        Kind::Quantity(PACKETS_OR_BYTES.or("infinite")),
        "infinite",
        "Slow-start threshold before the first loss.",
    ),
    Key::new(
        "slow_start",
        Kind::Choice(&["standard", "limited", "hystart", "hystart++"]),
        "standard; cubic in linux: hystart",
        "How a flow starts.",
    ),
    Key::new(
        "quick_start",
        Kind::Quantity(RATE.or("none")),
        "none",
        "The rate on the wire that the first data asks the routers for (RFC 4782); queues of kind quick-start answer.",
    ),
    Key::new(
        "quick_start_ssthresh",
        Kind::Flag,
        "false",
        "An approved rate ends slow start: ssthresh is its window. Only with quick_start.",
    ),
    Key::new("first_cut", Kind::Choice(&["rule", "half"]), "rule; ns2: half", "How deep the first cut is."),
    Key::new(
        "receive_window",
        Kind::Quantity(PACKETS_OR_BYTES.or("infinite")),
        "infinite",
        "What the receiver can hold.",
    ),
    Key::new(
        "undo",
        Kind::Choice(&["none", "dsack", "dsack+timestamps"]),
        "dsack; ns2: none; linux: dsack+timestamps",
        "By what signs a cut for a loss that was none is known and taken back. dsack: receivers with selective \
         acknowledgements report duplicates (RFC 2883), and every retransmission was one (RFC 3708); the reordering window \
         of rack grows with them, too (RFC 8985 §6.2). timestamps: the original was acknowledged, not its retransmission \
         (RFC 3522).",
    ),
    Key::new(
        "idle_restart",
        Kind::Flag,
        "true",
        "After silence of a retransmission timeout the window is at most the initial one (RFC 5681 §4.1).",
    ),
    Key::new("pacing", Kind::Flag, "false", "Packets leave evenly over a round trip."),
    Key::new("ecn", Kind::Flag, "false", "Explicit congestion notification (RFC 3168)."),
    Key::new(
        "header",
        Kind::Quantity(SIZE.or_zero()),
        "40B; ns2: 0B; linux: 52B",
        "Header bytes on each data packet: not goodput.",
    ),
    Key::new(
        "ack",
        Kind::Quantity(SIZE),
        "40B; linux: 52B",
        "Size of an acknowledgement, a SYN and a SYN-ACK.",
    ),
    Key::new(
        "delayed_ack",
        Kind::Integer { minimum: 1, maximum: 1000 },
        "2; ns2: 1",
        "Segments per acknowledgement.",
    ),
    Key::new(
        "delayed_ack_timeout",
        Kind::Quantity(TIME),
        "40ms; ns2: 100ms",
        "The longest an acknowledgement is held back.",
    ),
    Key::new(
        "quick_ack",
        Kind::Flag,
        "false; linux: true",
        "Acknowledge every segment while the connection is young.",
    ),
    Key::new(
        "rto",
        Kind::Choice(&["rfc6298", "linux"]),
        "rfc6298; linux: linux",
        "rfc6298: max(min_rto, srtt + 4 rttvar); linux: srtt + max(min_rto, 4 rttvar).",
    ),
    Key::new("initial_rto", Kind::Quantity(TIME), "1s", "Retransmission timeout before the first sample."),
    Key::new("min_rto", Kind::Quantity(TIME), "200ms", "Shortest retransmission timeout."),
    Key::new("max_rto", Kind::Quantity(TIME), "60s", "Longest retransmission timeout."),
    Key::new(
        "syn_retries",
        Kind::Integer { minimum: 0, maximum: 1000 },
        "6",
        "SYNs sent again before a flow gives up.",
    ),
    Key::new(
        "retries",
        Kind::Integer { minimum: 1, maximum: 1000 },
        "15",
        "Timeouts in a row before a flow gives up.",
    ),
    Key::new(
        "send_delay",
        Kind::Quantity(TIME_OR_PACKETS),
        "1pkt; ns2 and linux: 0s",
        "Each packet leaves after a random delay, uniform from zero to this, order kept; 1pkt is the \
         time a packet takes at the bottleneck's mean rate. It breaks phase effects between equal flows (Floyd and Jacobson 1992).",
    ),
];

/// `[[flows]]`, besides every key of `[transport]`.
pub(super) const FLOW: &[Key] = &[
    Key::new(
        "algorithm",
        Kind::Algorithm,
        "none; cbr and onoff sources: datagrams that nothing holds back",
        "Congestion control: a name, a name with parameters as in \"aimd(a=1,b=0.8)\", a table with name and \
         parameters, or \"subject\": what compare puts to the test.",
    ),
    Key::new("name", Kind::Text, "the algorithm's", "Name of the group."),
    Key::new(
        "subject",
        Kind::Flag,
        "true where algorithm is \"subject\"",
        "compare puts other algorithms in the place of this one.",
    ),
    Key::new(
        "count",
        Kind::Integer { minimum: 0, maximum: 1_000_000 },
        "1",
        "Flows in the group, or users where source is that; a group with 0 is left out.",
    ),
    Key::new(
        "start",
        Kind::TimeRange,
        "0s",
        "When the flows start: a time, or a range to draw from uniformly.",
    ),
    Key::new(
        "size",
        Kind::Variants { plain: Some(SIZE.or("unlimited")), variants: SIZES },
        "unlimited",
        "Payload to transfer; from a distribution each flow draws its own.",
    ),
    Key::new(
        "rtt",
        Kind::Variants { plain: Some(TIME), variants: SPANS },
        "that of the path; in a network that of the way between its routers",
        "Two-way propagation delay; from a distribution each flow draws its own, in each replication, and what is less \
         than twice path.delay, or than its way through a network, becomes that.",
    ),
    Key::new(
        "direction",
        Kind::Choice(&["forward", "reverse"]),
        "forward",
        "Which way the data goes along the path.",
    ),
    Key::new("from", Kind::Text, "none; needed in a network", "The router of the senders."),
    Key::new("to", Kind::Text, "none; needed in a network", "The router of the receivers."),
    Key::new(
        "via",
        Kind::List(&Kind::Text),
        "none: the shortest way by delay",
        "Routers of a network that data passes in this order, and acknowledgements in the opposite one.",
    ),
    Key::new(
        "between",
        Kind::Choice(&["edges"]),
        "one router and another",
        "In a network, instead of from and to: transfers that come and go from each edge to every other.",
    ),
    Key::new("source", SOURCE, "bulk", "What makes the data."),
];
