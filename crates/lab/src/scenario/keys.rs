//! Every key of a scenario file: its name, what it may hold, its default, what it means.
//!
//! The walk that checks a file and the JSON Schema are both made from these tables, so a key that is accepted is also
//! documented.

use narrows_units::Dimension;

/// A key of a table.
#[derive(Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// What holds without it, in words; empty for a required key.
    pub default: &'static str,
    pub meaning: &'static str,
}

/// What a key may hold.
#[derive(Debug)]
pub(super) enum Kind {
    /// A string that is not empty.
    Text,
    /// A path to a file.
    File,
    /// True or false.
    Flag,
    /// Only false.
    Never,
    /// A whole number, bounds included.
    Integer { minimum: u64, maximum: u64 },
    /// Any finite number.
    Number,
    /// A part of a whole: `"1%"`, or a plain number from 0 to 1.
    Fraction { zero: bool },
    /// One word of a few.
    Choice(&'static [&'static str]),
    /// A number with a unit.
    Quantity(Quantities),
    /// A time, or a range of times: `"0s..5s"`.
    TimeRange,
    /// An algorithm by name, with parameters.
    Algorithm,
    /// A list of what one key may hold.
    List(&'static Self),
    /// A table.
    Table(&'static [Key]),
    /// A list of tables, at least one if required; the keys of one come in parts.
    Tables(&'static [&'static [Key]]),
    /// A table of one of several forms told apart by `kind`, or where `plain` is given, that. A form that has a key of
    /// its own name needs no `kind`.
    Variants { plain: Option<Quantities>, variants: &'static [Variant] },
}

/// One form of a table.
#[derive(Debug)]
pub(super) struct Variant {
    /// What `kind` says.
    pub name: &'static str,
    pub keys: &'static [Key],
    pub meaning: &'static str,
}

/// Which numbers with units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantities {
    pub dimensions: &'static [Dimension],
    /// Nothing at all is a meaningful value.
    pub zero: bool,
    /// A word that stands for no limit.
    pub word: Option<&'static str>,
    /// Packets come whole.
    pub whole: bool,
}

impl Key {
    const fn new(name: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Self {
        Self { name, kind, required: false, default, meaning }
    }

    const fn required(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, required: true, default: "", meaning }
    }
}

impl Quantities {
    const fn of(dimensions: &'static [Dimension]) -> Self {
        Self { dimensions, zero: false, word: None, whole: true }
    }

    const fn or_zero(mut self) -> Self {
        self.zero = true;
        self
    }

    const fn or(mut self, word: &'static str) -> Self {
        self.word = Some(word);
        self
    }

    const fn fractional(mut self) -> Self {
        self.whole = false;
        self
    }
}

const RATE: Quantities = Quantities::of(&[Dimension::Rate]);
const TIME: Quantities = Quantities::of(&[Dimension::Time]);
const SIZE: Quantities = Quantities::of(&[Dimension::Size]);
const PACKETS: Quantities = Quantities::of(&[Dimension::Packets]);
const PACKETS_OR_BYTES: Quantities = Quantities::of(&[Dimension::Packets, Dimension::Size]);
const TIME_OR_PACKETS: Quantities =
    Quantities::of(&[Dimension::Time, Dimension::Packets]).or_zero().fractional();
const LENGTH: Quantities =
    Quantities::of(&[Dimension::Packets, Dimension::Size, Dimension::Time, Dimension::Bdp]);

/// The whole file.
pub(super) const ROOT: &[Key] = &[
    Key::new("title", Kind::Text, "the file's name", "What the run is about."),
    Key::required("duration", Kind::Quantity(TIME), "Simulated time."),
    Key::new("warmup", Kind::Quantity(TIME.or_zero()), "0s", "Measures start here."),
    Key::new(
        "seed",
        Kind::Integer { minimum: 0, maximum: u64::MAX },
        "1",
        "Master seed of all random streams.",
    ),
    Key::new(
        "replications",
        Kind::Integer { minimum: 1, maximum: 1_000_000 },
        "1 for run, 5 for compare",
        "Independent repetitions; intervals need at least two.",
    ),
    Key::required("path", Kind::Table(PATH), "The dumbbell: one bottleneck that all flows share."),
    Key::new(
        "transport",
        Kind::Table(TRANSPORT),
        "preset modern",
        "Endpoints of every flow; a flow may override any key.",
    ),
    Key::required("flows", Kind::Tables(&[FLOW, TRANSPORT]), "Groups of equal flows."),
    Key::new("record", Kind::Table(RECORD), "see its keys", "What to record."),
    Key::new("expect", Kind::Tables(&[EXPECT]), "none", "Measures that must lie within bounds."),
];

/// `[path]`.
pub(super) const PATH: &[Key] = &[
    Key::required("rate", RATE_KIND, "Rate of the bottleneck, forward."),
    Key::required(
        "rtt",
        Kind::Quantity(TIME),
        "Two-way propagation delay of a flow, unless the flow says otherwise.",
    ),
    Key::new("packet", Kind::Quantity(SIZE), "1500B", "A full data packet on the wire."),
    Key::new("queue", QUEUE_KIND, "droptail, 1bdp", "What waits for the bottleneck."),
    Key::new("loss", LOSS_KIND, "none", "Random loss on the bottleneck, behind its queue."),
    Key::new(
        "access_rate",
        Kind::Quantity(RATE),
        "ten times the bottleneck's greatest rate",
        "Rate of each flow's own access links.",
    ),
    Key::new(
        "delay",
        Kind::Quantity(TIME.or_zero()),
        "0.4 of the smallest round trip of any group",
        "One-way propagation delay of the bottleneck; the access links share the rest of a flow's round trip.",
    ),
    Key::new(
        "reverse",
        Kind::Table(REVERSE),
        "the same rate, unlimited queue, no loss",
        "The bottleneck in the other direction.",
    ),
];

/// `[path.reverse]`.
const REVERSE: &[Key] = &[
    Key::new("rate", RATE_KIND, "that of the path", "Rate of the bottleneck, reverse."),
    Key::new("queue", QUEUE_KIND, "droptail, unlimited", "What waits for it."),
    Key::new("loss", LOSS_KIND, "none", "Random loss on it, behind its queue."),
];

const RATE_KIND: Kind = Kind::Variants {
    plain: Some(RATE),
    variants: &[
        Variant {
            name: "steps",
            keys: &[
                Key::required(
                    "rates",
                    Kind::List(&Kind::Quantity(RATE.or_zero())),
                    "The rate from each time on.",
                ),
                Key::required(
                    "times",
                    Kind::List(&Kind::Quantity(TIME.or_zero())),
                    "Ascending, the first 0s.",
                ),
            ],
            meaning: "Constant between given times.",
        },
        Variant {
            name: "square",
            keys: &[
                Key::required("high", Kind::Quantity(RATE), "First part of each period."),
                Key::required("low", Kind::Quantity(RATE.or_zero()), "Second part of each period."),
                Key::required("period", Kind::Quantity(TIME), "Both parts."),
                Key::new(
                    "duty",
                    Kind::Fraction { zero: false },
                    "0.5",
                    "Share of the period at the high rate.",
                ),
            ],
            meaning: "A square wave.",
        },
        Variant {
            name: "walk",
            keys: &[
                Key::new(
                    "start",
                    Kind::Quantity(RATE),
                    "midway between the bounds",
                    "The rate at the start.",
                ),
                Key::required("step", Kind::Quantity(RATE), "Size of a step."),
                Key::required("minimum", Kind::Quantity(RATE.or_zero()), "Lower bound."),
                Key::required("maximum", Kind::Quantity(RATE), "Upper bound."),
                Key::required("interval", Kind::Quantity(TIME), "Time between steps."),
            ],
            meaning: "A random walk: up or down with equal probability, reflected at its bounds.",
        },
        Variant {
            name: "uniform",
            keys: &[
                Key::required("minimum", Kind::Quantity(RATE.or_zero()), "Lower bound."),
                Key::required("maximum", Kind::Quantity(RATE), "Upper bound."),
                Key::required("interval", Kind::Quantity(TIME), "Time between draws."),
            ],
            meaning: "Independent draws, uniform between the bounds.",
        },
        Variant {
            name: "trace",
            keys: &[Key::required(
                "trace",
                Kind::File,
                "A file in mahimahi's format, relative to the scenario file.",
            )],
            meaning: "A recorded link: one 1500-byte delivery opportunity per line, in milliseconds, repeated.",
        },
    ],
};

const QUEUE_KIND: Kind = Kind::Variants {
    plain: None,
    variants: &[
        Variant {
            name: "droptail",
            keys: &[LIMIT],
            meaning: "First in, first out; an arrival that would exceed the limit is dropped.",
        },
        Variant {
            name: "red",
            keys: &[
                LIMIT,
                Key::new(
                    "min",
                    Kind::Quantity(LENGTH.fractional()),
                    "5pkt",
                    "Average queue at which signals begin.",
                ),
                Key::new(
                    "max",
                    Kind::Quantity(LENGTH.fractional()),
                    "three times min",
                    "Average queue at which max_p is reached.",
                ),
                Key::new(
                    "max_p",
                    Kind::Fraction { zero: false },
                    "0.1",
                    "Probability of a signal just below max.",
                ),
                Key::new(
                    "weight",
                    Kind::Fraction { zero: false },
                    "0.002",
                    "Weight of the newest length in the average.",
                ),
                Key::new(
                    "gentle",
                    Kind::Flag,
                    "true",
                    "Between max and twice max the probability grows to 1.",
                ),
                Key::new("wait", Kind::Flag, "true", "Signals keep a distance, as in ns-2."),
                Key::new("ecn", Kind::Flag, "false", "Mark ECN-capable packets instead of dropping them."),
            ],
            meaning: "Random early detection (Floyd and Jacobson 1993).",
        },
    ],
};

const LIMIT: Key = Key::new(
    "limit",
    Kind::Quantity(LENGTH.or("infinite")),
    "1bdp",
    "What may wait, not counting the packet in transmission.",
);

const LOSS_KIND: Kind = Kind::Variants {
    plain: None,
    variants: &[
        Variant {
            name: "bernoulli",
            keys: &[Key::required(
                "rate",
                Kind::Fraction { zero: true },
                "Probability that a packet is lost.",
            )],
            meaning: "Each packet is lost with the same probability.",
        },
        Variant {
            name: "gilbert-elliott",
            keys: &[
                Key::required(
                    "good_to_bad",
                    Kind::Fraction { zero: false },
                    "Probability per packet of turning bad.",
                ),
                Key::required(
                    "bad_to_good",
                    Kind::Fraction { zero: false },
                    "Probability per packet of turning good.",
                ),
                Key::new(
                    "loss_good",
                    Kind::Fraction { zero: true },
                    "0",
                    "Loss probability in the good state.",
                ),
                Key::new(
                    "loss_bad",
                    Kind::Fraction { zero: true },
                    "1",
                    "Loss probability in the bad state.",
                ),
            ],
            meaning: "Two states with a loss probability each (Gilbert 1960, Elliott 1963).",
        },
    ],
};

/// What `preset` may say.
pub(super) const PRESETS: &[&str] = &["modern", "ns2", "linux"];

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
        Kind::Choice(&["standard", "hystart"]),
        "standard; cubic in linux: hystart",
        "How a flow starts.",
    ),
    Key::new("first_cut", Kind::Choice(&["rule", "half"]), "rule; ns2: half", "How deep the first cut is."),
    Key::new(
        "receive_window",
        Kind::Quantity(PACKETS_OR_BYTES.or("infinite")),
        "infinite",
        "What the receiver can hold.",
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
        "Each packet leaves after a random delay, uniform from zero to this, order kept; 1pkt is the time a packet takes at the bottleneck's mean rate. It breaks phase effects between equal flows (Floyd and Jacobson 1992).",
    ),
];

/// `[[flows]]`, besides every key of `[transport]`.
pub(super) const FLOW: &[Key] = &[
    Key::required(
        "algorithm",
        Kind::Algorithm,
        "Congestion control: a name, a name with parameters as in \"aimd(a=1,b=0.8)\", a table with name and parameters, or \"subject\": what compare puts to the test.",
    ),
    Key::new("name", Kind::Text, "the algorithm's", "Name of the group."),
    Key::new(
        "subject",
        Kind::Flag,
        "true where algorithm is \"subject\"",
        "compare puts other algorithms in the place of this one.",
    ),
    Key::new("count", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "1", "Flows in the group."),
    Key::new(
        "start",
        Kind::TimeRange,
        "0s",
        "When the flows start: a time, or a range to draw from uniformly.",
    ),
    Key::new("size", Kind::Quantity(SIZE.or("unlimited")), "unlimited", "Payload to transfer."),
    Key::new("rtt", Kind::Quantity(TIME), "that of the path", "Two-way propagation delay."),
    Key::new("direction", Kind::Choice(&["forward", "reverse"]), "forward", "Which way the data goes."),
    Key::new(
        "source",
        Kind::Variants {
            plain: None,
            variants: &[Variant {
                name: "bulk",
                keys: &[],
                meaning: "Always something to send, up to size.",
            }],
        },
        "bulk",
        "What makes the data.",
    ),
];

/// `[record]`.
const RECORD: &[Key] = &[
    Key::new(
        "interval",
        Kind::Quantity(TIME),
        "100ms",
        "Length of an interval of the series; widened where they would pass a million rows.",
    ),
    Key::new(
        "flows",
        Kind::Choice(&["auto", "all", "none"]),
        "auto",
        "Series of every flow, or of links alone; auto: of up to 100 flows.",
    ),
    Key::new("packets", Kind::Never, "false", "Per-packet records, which no command reads yet."),
];

/// `[[expect]]`.
const EXPECT: &[Key] = &[
    Key::required("measure", Kind::Text, "Name of a measure of a group or link, as in summary.json."),
    Key::new("group", Kind::Text, "every group", "The group it is taken of."),
    Key::new("link", Kind::Text, "bottleneck, for a measure of links", "The link it is taken of."),
    Key::new("at_least", Kind::Number, "no bound", "Lower bound, in the unit of the measure."),
    Key::new("at_most", Kind::Number, "no bound", "Upper bound, in the unit of the measure."),
];
