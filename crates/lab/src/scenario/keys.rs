//! Every key of a scenario file: its name, what it may hold, its default, what it means.
//!
//! The walk that checks a file and the JSON Schema are both made from these tables, so a key that is accepted is also
//! documented.

mod classes;
mod distribution;
mod explicit;
mod flow;
mod network;
mod path;
mod queue;
mod source;
mod transfers;

pub(super) use flow::PRESETS;

use flow::{FLOW, TRANSPORT};
use narrows_units::Dimension;
use network::NETWORK;
use path::PATH;

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
    /// A table whose keys are names that a person chose, each with what one key may hold.
    Named(&'static Self),
    /// A table.
    Table(&'static [Key]),
    /// A list of tables, at least one if required; the keys of one come in parts.
    Tables(&'static [&'static [Key]]),
    /// A table of one of several forms told apart by `kind`, or where `plain` is given, that. A form that has a key of
    /// its own name needs no `kind`.
    Variants { plain: Option<Quantities>, variants: &'static [Variant] },
}

/// One form of a table.
#[derive(Clone, Copy, Debug)]
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
    Key::new(
        "warmup",
        Kind::Quantity(TIME.or_zero().or("auto")),
        "0s",
        "Measures start here. auto: where the MSER-5 rule finds that the goodput of every group has settled, its bottleneck's rate where its flows have no series; in each replication, which is run twice for it. Where it finds no such time in the first half, measures start with the second.",
    ),
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
    Key::new(
        "path",
        Kind::Table(PATH),
        "none; either path or network is needed",
        "The dumbbell: one bottleneck that all flows share.",
    ),
    Key::new(
        "network",
        Kind::Table(NETWORK),
        "none; either path or network is needed",
        "Routers and links of any shape; each flow says from which router to which it goes.",
    ),
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
    Key::new(
        "transfers",
        Kind::Choice(&["auto", "all", "none"]),
        "auto",
        "A row for each transfer of a source whose transfers come and go; auto: for about 100000 of them.",
    ),
    Key::new(
        "packets",
        Kind::Flag,
        "false",
        "Log what happens to every packet at senders, receivers and links that are not access links.",
    ),
    Key::new(
        "packet_limit",
        Kind::Integer { minimum: 1, maximum: 100_000_000 },
        "1000000",
        "Entries of the packet log in a replication, about 80 bytes each; where it is full, the log ends.",
    ),
];

/// `[[expect]]`.
const EXPECT: &[Key] = &[
    Key::required("measure", Kind::Text, "Name of a measure of a group or link, as in summary.json."),
    Key::new("group", Kind::Text, "every group", "The group it is taken of."),
    Key::new(
        "link",
        Kind::Text,
        "the bottleneck of the first group, for a measure of links",
        "The link it is taken of.",
    ),
    Key::new("at_least", Kind::Number, "no bound", "Lower bound, in the unit of the measure."),
    Key::new("at_most", Kind::Number, "no bound", "Upper bound, in the unit of the measure."),
];
