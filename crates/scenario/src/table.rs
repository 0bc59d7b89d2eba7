//! Values that passed the walk, each with its place.

use super::location::Location;
use narrows_units::{Quantity, Rate, Span};

/// The checked value of a key.
#[derive(Clone, Debug)]
pub enum Checked {
    /// A text.
    Text(String),
    /// A boolean.
    Flag(bool),
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// One of the words that the key allows.
    Word(&'static str),
    /// A number with a unit.
    Quantity(Quantity),
    /// The word for the absence of a limit.
    Unlimited,
    /// A list.
    List(Vec<Item>),
    /// A table with names chosen by the user.
    Named(Vec<Name>),
    /// A table of the form with this name.
    Variant(&'static str, Table),
}

/// A name chosen by the user, with its value.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Place of the name.
    pub place: Location,
    /// Key path of the value.
    pub path: String,
    /// The value.
    pub item: Item,
}

/// A value with its place.
#[derive(Clone, Debug)]
pub struct Item {
    /// Place of the value.
    pub place: Location,
    /// The checked value; `None` if it has an error that was reported.
    pub value: Option<Checked>,
}

/// A table whose keys are all known.
#[derive(Clone, Debug)]
pub struct Table {
    /// Key path of the table; empty for the whole file.
    pub path: String,
    /// Place of the table.
    pub place: Location,
    entries: Vec<(&'static str, Location, Item)>,
}

impl Table {
    /// An empty table.
    pub fn new(path: &str, place: &Location) -> Self {
        Self { path: path.to_owned(), place: place.clone(), entries: Vec::new() }
    }

    /// Adds a key with its value; `key_place` is the place of the key.
    pub fn insert(&mut self, key: &'static str, key_place: Location, item: Item) {
        self.entries.push((key, key_place, item));
    }

    /// Whether the key was written, with or without an error.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, ..)| *name == key)
    }

    /// Key path of `key`.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Place of the value of `key`; of the table if the key is absent.
    pub fn place_of(&self, key: &str) -> &Location {
        self.item(key).map_or(&self.place, |item| &item.place)
    }

    /// The value of `key`; `None` if it is absent or has an error.
    pub fn value(&self, key: &str) -> Option<&Checked> {
        self.item(key)?.value.as_ref()
    }

    fn item(&self, key: &str) -> Option<&Item> {
        self.entries.iter().find(|(name, ..)| *name == key).map(|(.., item)| item)
    }
}

// The walk gives every key a value of the kind that its table of keys says; a reader that asks for another kind is
// wrong for every scenario, which the first test to load one shows.
impl Checked {
    /// The text.
    ///
    /// # Panics
    ///
    /// If the value is not a text, as for the next methods: the declaration of the key gives the kind of its value.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => unreachable!("{other:?} is no text"),
        }
    }

    /// The boolean.
    pub fn flag(&self) -> bool {
        match self {
            Self::Flag(flag) => *flag,
            other => unreachable!("{other:?} is no flag"),
        }
    }

    /// The whole number.
    pub fn integer(&self) -> u64 {
        match self {
            Self::Integer(number) => *number,
            other => unreachable!("{other:?} is no integer"),
        }
    }

    /// The number; of a fraction its value from 0 to 1.
    pub fn number(&self) -> f64 {
        match self {
            Self::Number(number) | Self::Quantity(Quantity::Fraction(number)) => *number,
            other => unreachable!("{other:?} is no number"),
        }
    }

    /// The word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Word(word) => word,
            other => unreachable!("{other:?} is no word"),
        }
    }

    /// The duration.
    pub fn span(&self) -> Span {
        match self {
            Self::Quantity(Quantity::Time(span)) => *span,
            other => unreachable!("{other:?} is no time"),
        }
    }

    /// The rate.
    pub fn rate(&self) -> Rate {
        match self {
            Self::Quantity(Quantity::Rate(rate)) => *rate,
            other => unreachable!("{other:?} is no rate"),
        }
    }

    /// The quantity; `None` for the word for the absence of a limit.
    pub fn limit(&self) -> Option<Quantity> {
        match self {
            Self::Quantity(quantity) => Some(*quantity),
            Self::Unlimited => None,
            other => unreachable!("{other:?} is no quantity"),
        }
    }

    /// The elements of the list.
    pub fn list(&self) -> &[Item] {
        match self {
            Self::List(items) => items,
            other => unreachable!("{other:?} is no list"),
        }
    }

    /// The entries of the table with names chosen by the user.
    pub fn named(&self) -> &[Name] {
        match self {
            Self::Named(names) => names,
            other => unreachable!("{other:?} is no table of names"),
        }
    }

    /// Name of the form, and its table.
    pub fn variant(&self) -> (&'static str, &Table) {
        match self {
            Self::Variant(name, table) => (name, table),
            other => unreachable!("{other:?} is no variant"),
        }
    }
}
