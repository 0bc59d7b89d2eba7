// SPDX-License-Identifier: Apache-2.0
//! Names, allowed values and meanings of the keys of a scenario file: the data behind the JSON Schema, the
//! documentation, `--set` and the messages.

use narrows_units::{Dimension, alternatives};

/// The declaration of a key.
#[derive(Debug)]
pub struct Key {
    /// Name of the key.
    pub name: &'static str,
    /// Allowed values.
    pub kind: Kind,
    /// Default of the key.
    pub absent: Absent,
    /// Meaning of the key, in sentences.
    pub meaning: &'static str,
}

/// The default of a key, or that there is none.
#[derive(Debug)]
pub enum Absent {
    /// An error: the key is required.
    Refused,
    /// A default that depends on other keys, in words.
    Means(&'static str),
    /// A constant default, as the resolved file writes it.
    Is(fn() -> String),
}

/// The allowed values of a key.
#[derive(Debug)]
pub enum Kind {
    /// A string that is not empty.
    Text,
    /// The path of a file.
    File,
    /// A boolean.
    Flag,
    /// A whole number from `minimum` to `maximum`.
    Integer { minimum: u64, maximum: u64 },
    /// A finite number.
    Number,
    /// A fraction: a percentage as in `"1%"`, or a number from 0 to 1; `zero` says whether 0 is allowed.
    Fraction { zero: bool },
    /// A word out of a list.
    Choice(&'static [&'static str]),
    /// A number with a unit.
    Quantity(Quantities),
    /// A time, or a range of times as in `"0s..5s"`.
    TimeRange,
    /// The name of an algorithm, with parameters.
    Algorithm,
    /// A list of values of this kind.
    List(&'static Self),
    /// A table with names chosen by the user as keys, and values of this kind.
    Named(&'static Self),
    /// A table with these keys.
    Table(Parts),
    /// A list of at least one table with these keys.
    Tables(Parts),
    /// A table of one of several forms, selected by `kind` or by a key with the name of a form; also a quantity if
    /// `plain` is given.
    Variants { plain: Option<Quantities>, variants: &'static [Variant] },
    /// A table of one of several forms from a catalogue, selected by `kind`.
    Listed(fn() -> &'static [Variant]),
}

/// The keys of a table, in parts that several tables may share.
pub type Parts = &'static [&'static [Key]];

/// Returns the parts of `tables`, one table after the other; there are `N`.
pub const fn joined<const N: usize>(tables: &[Parts]) -> [&'static [Key]; N] {
    let mut all: [&[Key]; N] = [&[]; N];
    let (mut count, mut table) = (0, 0);
    while table < tables.len() {
        let mut part = 0;
        while part < tables[table].len() {
            all[count] = tables[table][part];
            (count, part) = (count + 1, part + 1);
        }
        table += 1;
    }
    assert!(count == N, "each part has a place");
    all
}

/// A form of a table.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Value of `kind`.
    pub name: &'static str,
    /// Keys of the form.
    pub keys: &'static [Key],
    /// Meaning of the form, in sentences.
    pub meaning: &'static str,
}

/// The allowed numbers with units.
#[derive(Clone, Copy, Debug)]
pub struct Quantities {
    /// Allowed dimensions.
    pub dimensions: &'static [Dimension],
    /// Whether zero is allowed.
    pub zero: bool,
    /// Word for no limit; `None` without one.
    pub word: Option<&'static str>,
    /// Whether numbers of packets must be whole.
    pub whole: bool,
}

impl Key {
    /// Creates the declaration of an optional key; `default` describes its default in words.
    pub const fn new(name: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Self {
        Self { name, kind, absent: Absent::Means(default), meaning }
    }

    /// Returns the declaration of a required key.
    pub const fn required(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, absent: Absent::Refused, meaning }
    }

    /// Whether the key is required.
    pub const fn is_required(&self) -> bool {
        matches!(self.absent, Absent::Refused)
    }

    /// Describes the default; `None` for a required key.
    pub fn default(&self) -> Option<String> {
        match self.absent {
            Absent::Refused => None,
            Absent::Means(words) => Some(words.to_owned()),
            Absent::Is(written) => Some(Self::plain(&written())),
        }
    }

    /// Returns the meaning of the key, in sentences.
    pub fn meaning(&self) -> &'static str {
        // Documentation comments begin with the space behind their slashes.
        self.meaning.trim_start()
    }

    /// Returns a TOML value as shown to people: without quotation marks, and whole numbers without decimals.
    pub fn plain(written: &str) -> String {
        let text = written.trim_matches('"');
        text.strip_suffix(".0").filter(|whole| whole.parse::<i64>().is_ok()).unwrap_or(text).to_owned()
    }
}

impl Quantities {
    /// Returns the positive numbers of these dimensions; numbers of packets are whole.
    pub const fn of(dimensions: &'static [Dimension]) -> Self {
        Self { dimensions, zero: false, word: None, whole: true }
    }

    /// Returns the same, with zero allowed.
    pub const fn or_zero(mut self) -> Self {
        self.zero = true;
        self
    }

    /// Returns the same, with `word` for no limit.
    pub const fn or(mut self, word: &'static str) -> Self {
        self.word = Some(word);
        self
    }

    /// Returns the same, with fractions of packets allowed.
    pub const fn fractional(mut self) -> Self {
        self.whole = false;
        self
    }

    /// Describes the allowed values.
    pub fn allowed(self) -> String {
        let each: Vec<String> = self.dimensions.iter().map(|each| each.with_units().to_owned()).collect();
        let word = self.word.map_or(String::new(), |word| format!("\"{word}\" or "));
        let positive = if self.zero { "" } else { "positive " };
        let example = self.dimensions.first().map_or("", |dimension| dimension.example());
        format!("{word}a {positive}{}, as in \"{example}\"", alternatives(&each))
    }
}

impl Kind {
    /// Describes the allowed values.
    pub fn allowed(&self) -> String {
        match self {
            Self::Text => "a string that is not empty".into(),
            Self::File => "the path of a file".into(),
            Self::Flag => "true or false".into(),
            Self::Integer { minimum, maximum: u64::MAX } => format!("a whole number, at least {minimum}"),
            Self::Integer { minimum, maximum } => format!("a whole number from {minimum} to {maximum}"),
            Self::Number => "a finite number".into(),
            Self::Fraction { zero: true } => "a percentage, as in \"1%\", or a number in [0, 1]".into(),
            Self::Fraction { zero: false } => "a percentage, as in \"1%\", or a number in (0, 1]".into(),
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                quoted.join(", ")
            }
            Self::Quantity(quantities) => quantities.allowed(),
            Self::TimeRange => format!("a {}, or a range, as in \"0s..5s\"", Dimension::Time.with_units()),
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
    format!(
        "a table whose kind is one of {}, or its name alone",
        list(variants.iter().map(|variant| variant.name))
    )
}

/// Returns `names`, separated by commas.
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Name of the key that selects the form of a table.
pub const KIND: &str = "kind";

/// A rate above zero.
pub const RATE: Quantities = Quantities::of(&[Dimension::Rate]);
/// A time above zero.
pub const TIME: Quantities = Quantities::of(&[Dimension::Time]);
/// A size above zero.
pub const SIZE: Quantities = Quantities::of(&[Dimension::Size]);
/// A whole number of packets above zero.
pub const PACKETS: Quantities = Quantities::of(&[Dimension::Packets]);
/// A whole number of packets, or a size, above zero.
pub const PACKETS_OR_BYTES: Quantities = Quantities::of(&[Dimension::Packets, Dimension::Size]);
/// A time, or a number of packets, which may be zero.
pub const TIME_OR_PACKETS: Quantities =
    Quantities::of(&[Dimension::Time, Dimension::Packets]).or_zero().fractional();
/// A queue length above zero: packets, size, time or bandwidth-delay products.
pub const LENGTH: Quantities =
    Quantities::of(&[Dimension::Packets, Dimension::Size, Dimension::Time, Dimension::Bdp]);
