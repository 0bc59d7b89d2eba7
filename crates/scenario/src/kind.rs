//! What the keys of a scenario file are called, what they may hold and what they mean: the data behind the JSON Schema,
//! the documentation, `--set` and the messages.

use narrows_units::Dimension;

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub absent: Absent,
    pub meaning: &'static str,
}

/// What holds where a key is absent.
#[derive(Debug)]
pub enum Absent {
    /// Nothing: the key is required.
    Refused,
    /// A default that depends on other keys, in words.
    Means(&'static str),
    /// A default that is always the same, as the resolved file writes it.
    Is(fn() -> String),
}

/// What a key may hold.
#[derive(Debug)]
pub enum Kind {
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
    /// A table, whose keys are read in parts.
    Table(Parts),
    /// A list of at least one table.
    Tables(Parts),
    /// A table of one of several forms selected by `kind`, or where `plain` is given, that. A form that has a key of
    /// its own name needs no `kind`.
    Variants { plain: Option<Quantities>, variants: &'static [Variant] },
    /// A table of one of several forms that a catalogue lists, selected by `kind`.
    Listed(fn() -> &'static [Variant]),
}

/// The keys of a table, in parts that other tables may share.
pub type Parts = &'static [&'static [Key]];

/// One form of a table.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// What `kind` says.
    pub name: &'static str,
    pub keys: &'static [Key],
    pub meaning: &'static str,
}

/// Which numbers with units.
#[derive(Clone, Copy, Debug)]
pub struct Quantities {
    pub dimensions: &'static [Dimension],
    /// Zero is allowed.
    pub zero: bool,
    /// A word that stands for the absence of a limit.
    pub word: Option<&'static str>,
    /// Packets are whole numbers.
    pub whole: bool,
}

impl Key {
    /// A key that may be absent; `default` says in words what holds then.
    pub const fn new(name: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Self {
        Self { name, kind, absent: Absent::Means(default), meaning }
    }

    /// A key without which its table is refused.
    pub const fn required(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, absent: Absent::Refused, meaning }
    }

    pub const fn is_required(&self) -> bool {
        matches!(self.absent, Absent::Refused)
    }

    /// What holds where the key is absent, in words; `None` for a required key.
    pub fn default(&self) -> Option<String> {
        match self.absent {
            Absent::Refused => None,
            Absent::Means(words) => Some(words.to_owned()),
            Absent::Is(written) => Some(Self::plain(&written())),
        }
    }

    /// What the key means, a sentence or more.
    pub fn meaning(&self) -> &'static str {
        // Documentation comments begin with the space behind their slashes.
        self.meaning.trim_start()
    }

    /// A TOML value without quotation marks, and a whole number without its fraction.
    pub fn plain(written: &str) -> String {
        let text = written.trim_matches('"');
        text.strip_suffix(".0").filter(|whole| whole.parse::<i64>().is_ok()).unwrap_or(text).to_owned()
    }
}

impl Quantities {
    pub const fn of(dimensions: &'static [Dimension]) -> Self {
        Self { dimensions, zero: false, word: None, whole: true }
    }

    pub const fn or_zero(mut self) -> Self {
        self.zero = true;
        self
    }

    pub const fn or(mut self, word: &'static str) -> Self {
        self.word = Some(word);
        self
    }

    pub const fn fractional(mut self) -> Self {
        self.whole = false;
        self
    }

    /// What is allowed, in words.
    pub fn allowed(self) -> String {
        let mut each: Vec<String> = self.dimensions.iter().map(|each| each.allowed().to_owned()).collect();
        each.extend(self.word.map(|word| format!("\"{word}\"")));
        let zero = if self.zero { "" } else { ", above zero" };
        let example = self.dimensions.first().map_or("", |dimension| match dimension {
            Dimension::Rate => "10Mbps",
            Dimension::Time => "40ms",
            Dimension::Size => "1500B",
            Dimension::Packets => "100pkt",
            Dimension::Bdp => "1.5bdp",
            Dimension::Fraction => "1%",
        });
        format!("{}{zero}, as in \"{example}\"", each.join("; or "))
    }
}

impl Kind {
    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        match self {
            Self::Text => "a string that is not empty".into(),
            Self::File => "the path of a file".into(),
            Self::Flag => "true or false".into(),
            Self::Integer { minimum, maximum: u64::MAX } => format!("a whole number, at least {minimum}"),
            Self::Integer { minimum, maximum } => format!("a whole number from {minimum} to {maximum}"),
            Self::Number => "a finite number".into(),
            Self::Fraction { zero: true } => "a percentage as in \"1%\", or a number from 0 to 1".into(),
            Self::Fraction { zero: false } => {
                "a percentage as in \"1%\", or a number above 0 and up to 1".into()
            }
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                quoted.join(", ")
            }
            Self::Quantity(quantities) => quantities.allowed(),
            Self::TimeRange => format!("{}; or a range as in \"0s..5s\"", Dimension::Time.allowed()),
            Self::Algorithm => "the name of an algorithm, with parameters as in \"aimd(a=1,b=0.8)\", \
                 a table { name = \"aimd\", a = 1, b = 0.8 }, or \"subject\""
                .into(),
            Self::List(kind) => format!("a list, each {}", kind.allowed()),
            Self::Named(kind) => format!("a table of names, each with {}", kind.allowed()),
            Self::Table(parts) => {
                format!("a table with {}", list(parts.iter().copied().flatten().map(|key| key.name)))
            }
            Self::Tables(_) => "a list of tables".into(),
            Self::Variants { plain, variants } => {
                let table = one_of(variants);
                plain.map_or(table.clone(), |plain| format!("{}; or {table}", plain.allowed()))
            }
            Self::Listed(variants) => one_of(variants()),
        }
    }
}

fn one_of(variants: &[Variant]) -> String {
    format!("a table whose kind is one of {}", list(variants.iter().map(|variant| variant.name)))
}

/// Names, separated by commas.
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The key that selects the form of a table.
pub const KIND: &str = "kind";

pub const RATE: Quantities = Quantities::of(&[Dimension::Rate]);
pub const TIME: Quantities = Quantities::of(&[Dimension::Time]);
pub const SIZE: Quantities = Quantities::of(&[Dimension::Size]);
pub const PACKETS: Quantities = Quantities::of(&[Dimension::Packets]);
pub const PACKETS_OR_BYTES: Quantities = Quantities::of(&[Dimension::Packets, Dimension::Size]);
pub const TIME_OR_PACKETS: Quantities =
    Quantities::of(&[Dimension::Time, Dimension::Packets]).or_zero().fractional();
pub const LENGTH: Quantities =
    Quantities::of(&[Dimension::Packets, Dimension::Size, Dimension::Time, Dimension::Bdp]);
