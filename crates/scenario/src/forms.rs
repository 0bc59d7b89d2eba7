// SPDX-License-Identifier: Apache-2.0
//! Keys that hold a table of one of several forms, which its `kind` selects.

use super::diagnostic::Fault;
use super::emit::{Naming, TomlTable, text};
use super::field::{At, Reported};
use super::kind::{KIND, Kind, Variant, list};
use super::section::{Fields, Form};
use super::tree::{Node, Pair, Value};
use super::value::{KeyType, Measured, wrong_type};
use std::fmt::Debug;
use std::marker::PhantomData;

/// The type of a key whose value is a table of one of several forms.
pub trait Forms {
    /// A form with the values of its keys.
    type Value: Clone + Debug;

    /// Names, keys and meanings of the forms.
    const VARIANTS: &'static [Variant];

    /// Reads the keys of the form `name`; `None` if there is no such form.
    fn take(name: &str, fields: &mut Fields<'_>) -> Option<Self::Value>;

    /// Adds the name of the form and its keys to a table of the resolved file.
    fn emit(value: &Self::Value, naming: Naming, table: &mut TomlTable);
}

/// Reads a table of one of several forms at the key path `path`.
///
/// # Errors
///
/// If it is no such table; the error is added to `faults`.
pub fn read_form<F: Forms>(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<F::Value, Reported> {
    let kind = Kind::Variants { plain: None, variants: F::VARIANTS };
    let (variant, entries) = form_at(node, path, &kind, F::VARIANTS).map_err(|fault| fault.report(faults))?;
    let at = At { path: path.to_owned(), location: node.place.clone() };
    let mut fields = Fields::new(entries, &at, &[variant.keys], Some(variant.name), faults);
    F::take(variant.name, &mut fields).ok_or_else(Reported::before)
}

/// Returns the form at `node`, one of `variants`, and its entries; the name of a form stands for a table without others.
///
/// # Errors
///
/// If there is none, or it is named wrongly; the error names `kind`.
pub fn form_at<'n>(
    node: &'n Node,
    path: &str,
    kind: &Kind,
    variants: &'static [Variant],
) -> Result<(&'static Variant, &'n [Pair]), Fault> {
    match &node.value {
        Value::Table(entries) => Ok((choose(entries, node, path, variants)?, entries)),
        _ => Ok((named(node, variants).ok_or_else(|| no_form(node, path, kind, variants))?, &[])),
    }
}

/// Returns the form whose name is the value of `node`.
pub fn named(node: &Node, variants: &'static [Variant]) -> Option<&'static Variant> {
    let Value::Text(text) = &node.value else { return None };
    variants.iter().find(|variant| variant.name == text)
}

/// Adds the name of a form and its keys to a table of the resolved file.
pub fn emit_form<F: Form>(form: &F, naming: Naming, table: &mut TomlTable) {
    table.set(KIND, text(F::VARIANT.name));
    form.emit(naming, table);
}

/// Returns the value as an inline table in TOML.
pub fn write_form<F: Forms>(value: &F::Value, naming: Naming) -> String {
    let mut table = TomlTable::default();
    F::emit(value, naming, &mut table);
    table.inline()
}

/// Returns the error of a value that is neither a table of one of `variants`, the forms of `kind`, nor the name of one.
fn no_form(node: &Node, path: &str, kind: &Kind, variants: &[Variant]) -> Fault {
    let fault = wrong_type(node, kind, path);
    let Value::Text(text) = &node.value else { return fault };
    let end =
        text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let known = variants.iter().find(|variant| variant.name == name);
    let Some(form) = known else { return fault.nearest(name, variants.iter().map(|variant| variant.name)) };
    // What stands behind the name may be a value of the first key, or a key with a value.
    fault.hint(form.keys.first().filter(|_| !rest.trim().is_empty()).map(|first| {
        let key = first.name;
        format!("write {{ kind = \"{name}\", {key} = ... }}, or {name}({key}=...) behind --set and --vary")
    }))
}

/// Queueing disciplines of `tc` that are no kind of queue here.
const OF_TC: &[&str] =
    &["cbs", "etf", "ets", "hfsc", "hhf", "htb", "mqprio", "netem", "sfb", "taprio", "tbf"];

/// Returns the form of a table, from its `kind` or from a key with the name of a form.
///
/// # Errors
///
/// If there is no such form, or none is named.
fn choose(
    entries: &[Pair],
    node: &Node,
    path: &str,
    variants: &'static [Variant],
) -> Result<&'static Variant, Fault> {
    let names = || variants.iter().map(|variant| variant.name);
    let kind_path = format!("{path}.{KIND}");
    match entries.iter().find(|entry| entry.key == KIND).map(|entry| &entry.node) {
        Some(Node { value: Value::Text(name), place }) => {
            variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
                let fault = Fault::new(place, kind_path, "unknown kind").given(format!("\"{name}\""));
                let fault = fault.allowed(list(names()));
                match with_parameters(name, names()) {
                    Some(form) => {
                        fault.hint(Some(format!("values of its keys stand in parentheses, as in {form}")))
                    }
                    None if OF_TC.contains(&name.as_str()) => {
                        fault.hint(Some("docs/tc.md states what a queueing discipline of tc becomes".into()))
                    }
                    None => fault.nearest(name, names()),
                }
            })
        }
        Some(node) => {
            let message = format!("{} where a word is needed", node.value.kind());
            let fault = Fault::new(&node.place, kind_path, message).given(node.value.shown());
            Err(fault.allowed(list(names())))
        }
        None => {
            let implied =
                variants.iter().find(|variant| entries.iter().any(|entry| entry.key == variant.name));
            implied.ok_or_else(|| {
                let fault = Fault::new(&node.place, kind_path, "missing, and it has no default");
                fault.allowed(list(names()))
            })
        }
    }
}

/// Returns a kind that was written with values of keys behind it in another form, such as `droptail,limit=1s`, in the form that
/// is read.
fn with_parameters(given: &str, mut names: impl Iterator<Item = &'static str>) -> Option<String> {
    let (name, rest) = given.split_once([',', ':', ';', ' '])?;
    let name = names.find(|known| *known == name.trim())?;
    let rest = rest.trim();
    Some(if rest.contains('=') { format!("{name}({rest})") } else { format!("{name}(key={rest})") })
}

/// Declares the forms that a table may have, each a table declared by [`keys!`] with the name of its form.
macro_rules! forms {
    (
        $(#[doc = $doc:literal])+
        $vis:vis enum $name:ident $(<$unit:ident: $bound:ident>)? { $($form:ident $(<$of:ident>)?),+ $(,)? }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a scenario has few of them")]
        $vis enum $name $(<$unit: $bound>)? {
            $($form($form $(<$of>)?),)+
        }

        impl $(<$unit: $bound>)? $crate::forms::Forms for $name $(<$unit>)? {
            type Value = Self;
            const VARIANTS: &'static [$crate::kind::Variant] =
                &[$(<$form $(<$of>)? as $crate::section::Form>::VARIANT),+];

            fn take(name: &str, fields: &mut $crate::section::Fields<'_>) -> Option<Self> {
                $(if name == <$form $(<$of>)? as $crate::section::Form>::VARIANT.name {
                    return Some(Self::$form($crate::section::Section::take(fields)));
                })+
                None
            }

            fn emit(value: &Self, naming: $crate::emit::Naming, table: &mut $crate::emit::TomlTable) {
                match value {
                    $(Self::$form(form) => $crate::forms::emit_form(form, naming, table),)+
                }
            }
        }

        impl $(<$unit: $bound>)? $crate::value::KeyType for $name $(<$unit>)? {
            type Value = Self;
            const KIND: $crate::kind::Kind = $crate::kind::Kind::Variants {
                plain: None,
                variants: <Self as $crate::forms::Forms>::VARIANTS,
            };

            fn read(
                node: &$crate::tree::Node,
                path: &str,
                faults: &mut Vec<$crate::diagnostic::Fault>,
            ) -> Result<Self, $crate::field::Reported> {
                $crate::forms::read_form::<Self>(node, path, faults)
            }

            fn write(value: &Self, naming: $crate::emit::Naming) -> String {
                $crate::forms::write_form::<Self>(value, naming)
            }
        }
    };
}

pub(crate) use forms;

/// The type of a key whose value is a quantity, or a table of one of several forms.
#[derive(Clone, Debug)]
pub struct PlainOr<T, F>(PhantomData<(T, F)>);

/// A quantity or a table of one of several forms, as written.
#[derive(Clone, Debug)]
pub enum Choice<P, F> {
    /// A quantity.
    Plain(P),
    /// A table.
    Form(F),
}

impl<T: Measured, F: Forms> KeyType for PlainOr<T, F> {
    type Value = Choice<T::Value, F::Value>;
    const KIND: Kind = Kind::Variants { plain: Some(T::QUANTITIES), variants: F::VARIANTS };

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self::Value, Reported> {
        match &node.value {
            Value::Table(_) => read_form::<F>(node, path, faults).map(Choice::Form),
            _ if named(node, F::VARIANTS).is_some() => read_form::<F>(node, path, faults).map(Choice::Form),
            _ => T::read(node, path, faults).map(Choice::Plain),
        }
    }

    fn write(value: &Self::Value, naming: Naming) -> String {
        match value {
            Choice::Plain(value) => T::write(value, naming),
            Choice::Form(form) => write_form::<F>(form, naming),
        }
    }
}
