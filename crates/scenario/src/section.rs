// SPDX-License-Identifier: Apache-2.0
//! Tables of a scenario file: one declaration for each key.
//!
//! [`keys!`] declares a table as a struct. A field is a key: its documentation is the key's meaning, its type gives the
//! allowed values and the Rust type into which they are read, and behind that stands the default: nothing for a
//! required key, a value for a default that is always the same, words for one that depends on other keys. Schema,
//! documentation, messages, reading and the resolved file follow from that.

use super::diagnostic::Fault;
use super::emit::{Naming, TomlTable};
use super::field::{At, Field, Reported};
use super::kind::{KIND, Key, Kind, Parts, Variant, list};
use super::location::Location;
use super::tree::{Node, Pair, Value};
use super::value::{KeyType, wrong_type};
use std::fmt::Debug;
use std::marker::PhantomData;

/// A table with a known set of keys.
pub trait Section: Clone + Debug {
    /// The keys of the table.
    const PARTS: Parts;

    /// Reads the values of the keys.
    fn take(fields: &mut Fields<'_>) -> Self;

    /// Adds the keys to a table of the resolved file.
    fn emit(&self, naming: Naming, table: &mut TomlTable);

    /// Returns the table with all keys at their defaults; errors of missing keys are added to `faults`.
    fn absent(at: &At, faults: &mut Vec<Fault>) -> Self {
        Self::take(&mut Fields::new(&[], at, Self::PARTS, None, faults))
    }
}

/// The entries of a table, from which a [`Section`] reads its keys.
pub struct Fields<'a> {
    entries: &'a [Pair],
    /// Path and place of the table.
    pub at: &'a At,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Fields<'a> {
    /// Returns the entries of the table at `at`, whose keys are `parts`; `form` is the value of its `kind`, if it has
    /// one. Errors of unknown and missing keys are added to `faults`.
    pub fn new(
        entries: &'a [Pair],
        at: &'a At,
        parts: &[&'static [Key]],
        form: Option<&str>,
        faults: &'a mut Vec<Fault>,
    ) -> Self {
        check_names(entries, at, parts, form, faults);
        Self { entries, at, faults }
    }

    /// Returns the value of a required key.
    pub fn required<T: KeyType>(&mut self, key: &str) -> Field<T::Value> {
        let missing = Reported::before();
        self.field::<T, _>(key, |value| value, Err(missing))
    }

    /// Returns the value of a key with a default.
    pub fn or<T: KeyType>(&mut self, key: &str, default: T::Value) -> Field<T::Value> {
        self.field::<T, _>(key, |value| value, Ok(default))
    }

    /// Returns the value of a key that may be absent.
    pub fn optional<T: KeyType>(&mut self, key: &str) -> Field<Option<T::Value>> {
        self.field::<T, _>(key, Some, Ok(None))
    }

    fn field<T: KeyType, V>(
        &mut self,
        key: &str,
        convert: impl FnOnce(T::Value) -> V,
        absent: Result<V, Reported>,
    ) -> Field<V> {
        let path = self.at.path_of(key);
        match self.entries.iter().find(|entry| entry.key == key) {
            Some(Pair { node, .. }) => {
                let value = T::read(node, &path, self.faults).map(convert);
                Field::new(At { path, location: node.place.clone() }, true, value)
            }
            None => Field::new(At { path, location: self.at.location.clone() }, false, absent),
        }
    }
}

/// Adds errors of unknown and missing keys of the table at `at` to `faults`.
pub fn check_names(
    entries: &[Pair],
    at: &At,
    parts: &[&'static [Key]],
    form: Option<&str>,
    faults: &mut Vec<Fault>,
) {
    let keys = || parts.iter().copied().flatten();
    let entries = || entries.iter().filter(|entry| form.is_none() || entry.key != KIND);
    let unknown = entries().filter(|entry| keys().all(|key| key.name != entry.key));
    for entry in unknown.take(MOST_UNKNOWN) {
        let names = || keys().map(|key| key.name);
        let whose = form.map_or(String::new(), |form| format!(" of `{form}`"));
        let fault = Fault::new(&entry.key_place, at.path_of(&entry.key), format!("unknown key{whose}"));
        let allowed = if names().next().is_some() { list(names()) } else { "no further key".into() };
        faults.push(fault.given(&entry.key).allowed(allowed).nearest(&entry.key, names()));
    }
    for key in keys().filter(|key| key.is_required() && entries().all(|entry| entry.key != key.name)) {
        let fault = Fault::new(&at.location, at.path_of(key.name), "missing, and it has no default");
        faults.push(fault.allowed(key.kind.allowed()));
    }
}

/// Most unknown keys of one table that are reported: each is compared with all known keys.
const MOST_UNKNOWN: usize = 200;

/// The type of a key whose value is a table.
#[derive(Clone, Debug)]
pub struct Table<S>(PhantomData<S>);

impl<S: Section> KeyType for Table<S> {
    type Value = S;
    const KIND: Kind = Kind::Table(S::PARTS);

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<S, Reported> {
        match &node.value {
            Value::Table(entries) => Ok(section(entries, &node.place, path, faults)),
            _ => Err(wrong_type(node, &Self::KIND, path).report(faults)),
        }
    }

    fn write(value: &S, naming: Naming) -> String {
        let mut table = TomlTable::default();
        value.emit(naming, &mut table);
        table.inline()
    }

    fn emit(value: &S, key: &str, _: Option<&str>, naming: Naming, table: &mut TomlTable) {
        value.emit(naming, table.table(key));
    }
}

/// The type of a key whose value is a list of at least one table.
#[derive(Clone, Debug)]
pub struct Tables<S>(PhantomData<S>);

impl<S: Section> KeyType for Tables<S> {
    type Value = Vec<S>;
    const KIND: Kind = Kind::Tables(S::PARTS);

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Vec<S>, Reported> {
        let Value::List(nodes) = &node.value else {
            return Err(wrong_type(node, &Self::KIND, path).report(faults));
        };
        if nodes.is_empty() {
            let fault = Fault::new(&node.place, path, "an empty list").allowed("at least one table");
            return Err(fault.report(faults));
        }
        let elements: Vec<_> = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                let path = format!("{path}.{index}");
                match &node.value {
                    Value::Table(entries) => Ok(section(entries, &node.place, &path, faults)),
                    other => {
                        let message = format!("{} where a table is needed", other.kind());
                        Err(Fault::new(&node.place, path, message).given(other.shown()).report(faults))
                    }
                }
            })
            .collect();
        elements.into_iter().collect()
    }

    fn write(value: &Vec<S>, naming: Naming) -> String {
        let all: Vec<String> = value.iter().map(|each| Table::<S>::write(each, naming)).collect();
        format!("[{}]", all.join(", "))
    }

    fn emit(value: &Vec<S>, key: &str, _: Option<&str>, naming: Naming, table: &mut TomlTable) {
        for each in value {
            each.emit(naming, table.element(key));
        }
    }
}

fn section<S: Section>(entries: &[Pair], location: &Location, path: &str, faults: &mut Vec<Fault>) -> S {
    let at = At { path: path.to_owned(), location: location.clone() };
    S::take(&mut Fields::new(entries, &at, S::PARTS, None, faults))
}

/// Declares a table of the scenario file: see the [module](self).
macro_rules! keys {
    (
        $(#[doc = $doc:literal])+
        $vis:vis struct $name:ident $(<$unit:ident: $bound:ident>)? $(= $form:literal)? {
            $(
                $(#[doc = $meaning:literal])+
                $key:ident: $type:ty $(= $default:expr)? $(=> $words:literal)?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[allow(clippy::struct_field_names, reason = "keys have the names that the file gives them")]
        $vis struct $name $(<$unit: $bound>)? {
            /// Place of the table.
            #[allow(dead_code, reason = "not every table is named in messages")]
            pub table: $crate::field::At,
            $(
                $(#[doc = $meaning])+
                pub $key: $crate::section::keys!(@field $type $(=> $words)?),
            )*
        }

        // These cannot be derived if a key's type depends on a parameter.
        impl $(<$unit: $bound>)? Clone for $name $(<$unit>)? {
            fn clone(&self) -> Self {
                Self { table: self.table.clone(), $($key: self.$key.clone(),)* }
            }
        }

        impl $(<$unit: $bound>)? std::fmt::Debug for $name $(<$unit>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($key), &self.$key))*.finish_non_exhaustive()
            }
        }

        $crate::section::keys!(@form $(= $form)?; $name; $($unit: $bound)?; $($doc),+);

        impl $(<$unit: $bound>)? $crate::section::Section for $name $(<$unit>)? {
            const PARTS: $crate::kind::Parts = &[&[$(
                $crate::kind::Key {
                    name: stringify!($key),
                    kind: <$type as $crate::value::KeyType>::KIND,
                    absent: $crate::section::keys!(@absent $type $(= $default)? $(=> $words)?),
                    meaning: concat!($($meaning),+),
                },
            )*]];

            fn take(fields: &mut $crate::section::Fields<'_>) -> Self {
                Self {
                    table: fields.at.clone(),
                    $($key: $crate::section::keys!(
                        @take fields, stringify!($key), $type $(= $default)? $(=> $words)?
                    ),)*
                }
            }

            #[allow(unused_variables, reason = "some tables have no keys")]
            fn emit(&self, naming: $crate::emit::Naming, table: &mut $crate::emit::TomlTable) {
                $($crate::section::keys!(@emit self.$key, stringify!($key), naming, table, $type $(=> $words)?);)*
            }
        }
    };

    (@form; $($rest:tt)*) => {};
    (@form = $form:literal; $name:ident; $($unit:ident: $bound:ident)?; $($doc:literal),+) => {
        impl $(<$unit: $bound>)? $crate::section::Form for $name $(<$unit>)? {
            const VARIANT: $crate::kind::Variant = $crate::kind::Variant {
                name: $form,
                keys: <Self as $crate::section::Section>::PARTS[0],
                meaning: concat!($($doc),+),
            };
        }
    };

    (@field $type:ty) => { $crate::field::Field<<$type as $crate::value::KeyType>::Value> };
    (@field $type:ty => $words:literal) => {
        $crate::field::Field<Option<<$type as $crate::value::KeyType>::Value>>
    };

    (@absent $type:ty) => { $crate::kind::Absent::Refused };
    (@absent $type:ty => $words:literal) => { $crate::kind::Absent::Means($words) };
    (@absent $type:ty = $default:expr) => {
        $crate::kind::Absent::Is(|| {
            <$type as $crate::value::KeyType>::write(&$default, $crate::emit::Naming::Path)
        })
    };

    (@take $fields:ident, $name:expr, $type:ty) => { $fields.required::<$type>($name) };
    (@take $fields:ident, $name:expr, $type:ty = $default:expr) => { $fields.or::<$type>($name, $default) };
    (@take $fields:ident, $name:expr, $type:ty => $words:literal) => { $fields.optional::<$type>($name) };

    (@emit $field:expr, $name:expr, $naming:ident, $table:ident, $type:ty) => {
        $crate::section::emit::<$type, _>(&$field, $field.get().ok(), $name, $naming, $table)
    };
    (@emit $field:expr, $name:expr, $naming:ident, $table:ident, $type:ty => $words:literal) => {
        $crate::section::emit::<$type, _>(
            &$field,
            $field.get().ok().and_then(Option::as_ref),
            $name,
            $naming,
            $table,
        )
    };
}

pub(crate) use keys;

/// Adds a key to a table of the resolved file, unless it has no value or is omitted.
pub fn emit<T: KeyType, V>(
    field: &Field<V>,
    value: Option<&T::Value>,
    key: &str,
    naming: Naming,
    table: &mut TomlTable,
) {
    if let Some(value) = value.filter(|_| !field.omitted) {
        T::emit(value, key, field.comment.as_deref(), naming, table);
    }
}

/// A table that is one of several forms.
pub trait Form: Section {
    /// Name, keys and meaning of the form.
    const VARIANT: Variant;
}
