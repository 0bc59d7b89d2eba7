// SPDX-License-Identifier: Apache-2.0
//! The types of keys: the allowed values of each type, the Rust type into which it is read, and how it is written.
//!
//! The type of a key is a Rust type. Types that stand for themselves are `bool`, `f64`, `String`, `Span`, `Rate` and
//! `Bytes`; the others say what they restrict, as in `Positive<Span>`.

mod number;
mod quantity;

pub use number::{Count, Fraction, Integer, PositiveFraction, SpanRange, finite, fraction, integer};
pub use quantity::{
    FASTEST, LONGEST, Measured, Or, Packets, PacketsOrSize, Positive, SpanOrPackets, Word, quantity,
};

use super::diagnostic::Fault;
use super::emit::{Naming, TomlTable, text};
use super::field::{At, Reported};
use super::kind::Kind;
use super::tree::{Node, Value};
use crate::input::InputFile;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The type of a key: its allowed values, and how they are read and written.
pub trait KeyType {
    /// Type of the values.
    type Value: Clone + Debug;

    /// Allowed values, for the schema and for messages.
    const KIND: Kind;

    /// Reads the value at the key path `path`.
    ///
    /// # Errors
    ///
    /// If the value is not allowed; the error is added to `faults`.
    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self::Value, Reported>;

    /// Returns the value as TOML.
    fn write(value: &Self::Value, naming: Naming) -> String;

    /// Adds the key with its value to a table of the resolved file, with a comment after it.
    fn emit(value: &Self::Value, key: &str, comment: Option<&str>, naming: Naming, table: &mut TomlTable) {
        table.comment(key, Self::write(value, naming), comment.map(str::to_owned));
    }
}

/// Returns the error of a value of the wrong TOML type.
pub fn wrong_type(node: &Node, kind: &Kind, path: &str) -> Fault {
    Fault::new(&node.place, path, format!("{} does not fit here", node.value.kind()))
        .given(node.value.shown())
        .allowed(kind.allowed())
}

impl KeyType for bool {
    type Value = Self;
    const KIND: Kind = Kind::Flag;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self, Reported> {
        match node.value {
            Value::Flag(flag) => Ok(flag),
            _ => Err(wrong_type(node, &Self::KIND, path).report(faults)),
        }
    }

    fn write(value: &Self, _: Naming) -> String {
        value.to_string()
    }
}

impl KeyType for String {
    type Value = Self;
    const KIND: Kind = Kind::Text;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self, Reported> {
        string(node, &Self::KIND, path).map_err(|fault| fault.report(faults))
    }

    fn write(value: &Self, _: Naming) -> String {
        text(value)
    }
}

/// Returns the text of a value of kind `kind`.
///
/// # Errors
///
/// If the value is not a string that is not empty.
pub fn string(node: &Node, kind: &Kind, path: &str) -> Result<String, Fault> {
    match &node.value {
        Value::Text(text) if text.trim().is_empty() => {
            Err(Fault::new(&node.place, path, "an empty string").allowed(kind.allowed()))
        }
        Value::Text(text) if matches!(kind, Kind::Text) && text.chars().any(char::is_control) => {
            Err(Fault::new(&node.place, path, "a control character").given(format!("{text:?}")))
        }
        Value::Text(text) => Ok(text.clone()),
        _ => Err(wrong_type(node, kind, path)),
    }
}

/// The type of a key whose value is a list of values of one type.
#[derive(Clone, Debug)]
pub struct List<T>(PhantomData<T>);

/// An element of a list.
#[derive(Clone, Debug)]
pub struct Element<V> {
    /// Path and place of the element.
    pub at: At,
    /// The value.
    pub value: V,
}

impl<T: KeyType> KeyType for List<T> {
    type Value = Vec<Element<T::Value>>;
    const KIND: Kind = Kind::List(&T::KIND);

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self::Value, Reported> {
        let Value::List(nodes) = &node.value else {
            return Err(wrong_type(node, &Self::KIND, path).report(faults));
        };
        let elements: Vec<_> = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                let at = At { path: format!("{path}.{index}"), location: node.place.clone() };
                let value = T::read(node, &at.path, faults);
                value.map(|value| Element { at, value })
            })
            .collect();
        elements.into_iter().collect()
    }

    fn write(value: &Self::Value, naming: Naming) -> String {
        let all: Vec<String> = value.iter().map(|each| T::write(&each.value, naming)).collect();
        format!("[{}]", all.join(", "))
    }
}

/// The type of a key whose value is the path of a file.
#[derive(Clone, Debug)]
pub struct File;

/// A file that a scenario names.
#[derive(Clone, Debug)]
pub struct FileReference {
    /// Path as written.
    pub name: String,
    /// The file, once it was read.
    pub found: Option<InputFile>,
}

impl KeyType for File {
    type Value = FileReference;
    const KIND: Kind = Kind::File;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<FileReference, Reported> {
        let name = string(node, &Self::KIND, path).map_err(|fault| fault.report(faults))?;
        Ok(FileReference { name, found: None })
    }

    fn write(FileReference { name, found }: &FileReference, naming: Naming) -> String {
        match (found, naming) {
            (None, _) => text(name),
            (Some(file), naming) => text(naming.of(&file.path, &file.digest)),
        }
    }
}

/// A type of values that are written as words.
pub trait Words: Copy + Debug + PartialEq + 'static {
    /// The words.
    const WORDS: &'static [&'static str];
    /// The values, in the order of the words.
    const VALUES: &'static [Self];

    /// Returns the word for this value.
    fn word(self) -> &'static str {
        let found = Self::VALUES.iter().zip(Self::WORDS).find(|(value, _)| **value == self);
        found.map_or("", |(_, word)| word)
    }
}

/// Returns the value for the word at `node`.
///
/// # Errors
///
/// If there is no such word.
pub fn word<T: Words>(node: &Node, path: &str) -> Result<T, Fault> {
    let kind = Kind::Choice(T::WORDS);
    let Value::Text(text) = &node.value else { return Err(wrong_type(node, &kind, path)) };
    chosen(text, T::WORDS, node, path).map(|index| T::VALUES[index])
}

/// Returns the index of `text` in `words`.
///
/// # Errors
///
/// If it is none of them.
pub fn chosen(text: &str, words: &'static [&'static str], node: &Node, path: &str) -> Result<usize, Fault> {
    words.iter().position(|word| *word == text).ok_or_else(|| {
        let fault = Fault::new(&node.place, path, "unknown word").given(node.value.shown());
        fault.allowed(Kind::Choice(words).allowed()).nearest(text, words.iter().copied())
    })
}

/// Makes an enumeration a type of keys: `words!(RecoveryKind { Reno = "reno", Sack = "sack" })`.
macro_rules! words {
    ($type:ty { $($value:ident = $word:literal),+ $(,)? }) => {
        impl $crate::value::Words for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const VALUES: &'static [Self] = &[$(<$type>::$value),+];
        }

        impl $crate::value::KeyType for $type {
            type Value = Self;
            const KIND: $crate::kind::Kind =
                $crate::kind::Kind::Choice(<Self as $crate::value::Words>::WORDS);

            fn read(
                node: &$crate::tree::Node,
                path: &str,
                faults: &mut Vec<$crate::diagnostic::Fault>,
            ) -> Result<Self, $crate::field::Reported> {
                $crate::value::word(node, path).map_err(|fault| fault.report(faults))
            }

            fn write(value: &Self, _: $crate::emit::Naming) -> String {
                $crate::emit::text($crate::value::Words::word(*value))
            }
        }
    };
}

pub(crate) use words;
