//! Values that passed the walk, each with its place.

use super::tree::Place;
use narrows_cc::catalogue;
use narrows_units::{Bytes, Quantity, Rate, Span};

/// A value that passed.
#[derive(Clone, Debug)]
pub(super) enum Checked {
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
    Range(Span, Span),
    Algorithm(AlgorithmText),
    List(Vec<Item>),
    Named(Vec<Name>),
    Table(Table),
    Tables(Vec<Table>),
    Variant(&'static str, Table),
}

/// An algorithm as written, its name not yet looked up.
#[derive(Clone, Debug)]
pub(super) enum AlgorithmText {
    /// As in `"aimd(a=1,b=0.8)"`.
    Line(String),
    /// As in `{ name = "aimd", a = 1 }`.
    Parts { name: String, name_place: Place, values: Vec<(String, catalogue::Value, Place)> },
}

/// A key that a person chose, with its value.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub place: Place,
    pub path: String,
    pub item: Item,
}

/// A value with its place; `None` where it did not pass.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub place: Place,
    pub value: Option<Checked>,
}

/// A table whose keys are all known.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub path: String,
    pub place: Place,
    entries: Vec<(&'static str, Place, Item)>,
}

impl Table {
    pub fn new(path: &str, place: &Place) -> Self {
        Self { path: path.to_owned(), place: place.clone(), entries: Vec::new() }
    }

    pub fn insert(&mut self, key: &'static str, key_place: Place, item: Item) {
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
    pub fn place_of(&self, key: &str) -> &Place {
        self.item(key).map_or(&self.place, |item| &item.place)
    }

    /// The value of `key`; `None` if nothing was written, or something that did not pass.
    pub fn value(&self, key: &str) -> Option<&Checked> {
        self.item(key)?.value.as_ref()
    }

    /// The value of `key` as `convert` makes it, or `default` if nothing was written; `None` if it did not pass.
    pub fn read<T>(&self, key: &str, default: T, convert: impl FnOnce(&Checked) -> T) -> Option<T> {
        if self.has(key) { self.value(key).map(convert) } else { Some(default) }
    }

    /// As [`value`](Self::value), converted.
    pub fn given<T>(&self, key: &str, convert: impl FnOnce(&Checked) -> T) -> Option<T> {
        self.value(key).map(convert)
    }

    /// The table at `key`, or `absent` if nothing was written; `None` if it is no table.
    pub fn section<'a>(&'a self, key: &str, absent: &'a Self) -> Option<&'a Self> {
        if self.has(key) { self.value(key).map(Checked::table) } else { Some(absent) }
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

    pub fn range(&self) -> (Span, Span) {
        match self {
            Self::Range(first, last) => (*first, *last),
            other => unreachable!("{other:?} is no range of times"),
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

    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Quantity(Quantity::Size(bytes)) => *bytes,
            other => unreachable!("{other:?} is no size"),
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

    pub fn table(&self) -> &Table {
        match self {
            Self::Table(table) => table,
            other => unreachable!("{other:?} is no table"),
        }
    }

    pub fn tables(&self) -> &[Table] {
        match self {
            Self::Tables(tables) => tables,
            other => unreachable!("{other:?} is no list of tables"),
        }
    }

    pub fn variant(&self) -> (&'static str, &Table) {
        match self {
            Self::Variant(name, table) => (name, table),
            other => unreachable!("{other:?} is no variant"),
        }
    }
}
