//! Values that passed the walk, each with its place.

use super::location::Location;
use narrows_units::{Quantity, Rate, Span};

/// A value that passed.
#[derive(Clone, Debug)]
pub enum Checked {
    Text(String),
    Flag(bool),
    Integer(u64),
    Number(f64),
    /// One of the words that the key allows.
    Word(&'static str),
    /// A number with a unit.
    Quantity(Quantity),
    /// The key's word for no limit.
    Unlimited,
    List(Vec<Item>),
    Named(Vec<Name>),
    Variant(&'static str, Table),
}

/// A key that a person chose, with its value.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub place: Location,
    pub path: String,
    pub item: Item,
}

/// A value with its place; `None` where it did not pass.
#[derive(Clone, Debug)]
pub struct Item {
    pub place: Location,
    pub value: Option<Checked>,
}

/// A table whose keys are all known.
#[derive(Clone, Debug)]
pub struct Table {
    pub path: String,
    pub place: Location,
    entries: Vec<(&'static str, Location, Item)>,
}

impl Table {
    pub fn new(path: &str, place: &Location) -> Self {
        Self { path: path.to_owned(), place: place.clone(), entries: Vec::new() }
    }

    pub fn insert(&mut self, key: &'static str, key_place: Location, item: Item) {
        self.entries.push((key, key_place, item));
    }

    /// Whether the key was written, well or badly.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, ..)| *name == key)
    }

    /// The path of one of its keys.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The place of a key's value; of the whole table where the key is absent.
    pub fn place_of(&self, key: &str) -> &Location {
        self.item(key).map_or(&self.place, |item| &item.place)
    }

    /// The value of `key`; `None` if nothing was written, or something that did not pass.
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
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => unreachable!("{other:?} is no text"),
        }
    }

    pub fn flag(&self) -> bool {
        match self {
            Self::Flag(flag) => *flag,
            other => unreachable!("{other:?} is no flag"),
        }
    }

    pub fn integer(&self) -> u64 {
        match self {
            Self::Integer(number) => *number,
            other => unreachable!("{other:?} is no integer"),
        }
    }

    pub fn number(&self) -> f64 {
        match self {
            Self::Number(number) | Self::Quantity(Quantity::Fraction(number)) => *number,
            other => unreachable!("{other:?} is no number"),
        }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Self::Word(word) => word,
            other => unreachable!("{other:?} is no word"),
        }
    }

    pub fn span(&self) -> Span {
        match self {
            Self::Quantity(Quantity::Time(span)) => *span,
            other => unreachable!("{other:?} is no time"),
        }
    }

    pub fn rate(&self) -> Rate {
        match self {
            Self::Quantity(Quantity::Rate(rate)) => *rate,
            other => unreachable!("{other:?} is no rate"),
        }
    }

    /// A quantity, or `None` for the key's word for no limit.
    pub fn limit(&self) -> Option<Quantity> {
        match self {
            Self::Quantity(quantity) => Some(*quantity),
            Self::Unlimited => None,
            other => unreachable!("{other:?} is no quantity"),
        }
    }

    pub fn list(&self) -> &[Item] {
        match self {
            Self::List(items) => items,
            other => unreachable!("{other:?} is no list"),
        }
    }

    pub fn named(&self) -> &[Name] {
        match self {
            Self::Named(names) => names,
            other => unreachable!("{other:?} is no table of names"),
        }
    }

    pub fn variant(&self) -> (&'static str, &Table) {
        match self {
            Self::Variant(name, table) => (name, table),
            other => unreachable!("{other:?} is no variant"),
        }
    }
}
