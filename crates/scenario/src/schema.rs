// SPDX-License-Identifier: Apache-2.0
//! The scenario file as JSON Schema 2020-12, made from the tables that also check it.

use super::kind::{KIND, Key, Kind, Quantities, Variant};
use super::section::Section;
use super::sections::root::RootKeys;
use std::fmt::Write;

/// Returns the JSON Schema 2020-12 of the scenario file, for editors and for programs that write scenarios.
#[expect(clippy::missing_panics_doc, reason = "an object always begins with a brace")]
pub fn schema() -> String {
    let root = object(RootKeys::PARTS, None);
    let members = root.strip_prefix('{').expect("an object begins with a brace");
    format!(
        "{{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Narrows scenario\",{members}\n"
    )
}

/// A table with the given keys; `variant` adds the `kind` that names it.
fn object(parts: &[&'static [Key]], variant: Option<&Variant>) -> String {
    let keys = || parts.iter().copied().flatten();
    let mut properties: Vec<String> = keys().map(property).collect();
    let mut required: Vec<String> =
        keys().filter(|key| key.is_required()).map(|key| quoted(key.name)).collect();
    let mut description = String::new();
    if let Some(variant) = variant {
        properties.insert(0, format!("{}:{{\"const\":{}}}", quoted(KIND), quoted(variant.name)));
        // A form that has a key of its own name needs no kind.
        if !variant.keys.iter().any(|key| key.name == variant.name) {
            required.insert(0, quoted(KIND));
        }
        description = format!("\"description\":{},", quoted(variant.meaning.trim_start()));
    }
    format!(
        "{{{description}\"type\":\"object\",\"properties\":{{{}}},\"required\":[{}],\"additionalProperties\":false}}",
        properties.join(","),
        required.join(",")
    )
}

fn property(key: &Key) -> String {
    let mut description = key.meaning().to_owned();
    if let Some(default) = key.default() {
        let _ = write!(description, " Default: {default}.");
    }
    let of_value = of(&key.kind);
    let members = of_value.strip_prefix('{').expect("an object begins with a brace");
    format!("{}:{{\"description\":{},{members}", quoted(key.name), quoted(&description))
}

fn of(kind: &Kind) -> String {
    match kind {
        Kind::Text | Kind::File => r#"{"type":"string","minLength":1}"#.into(),
        Kind::Flag => r#"{"type":"boolean"}"#.into(),
        Kind::Integer { minimum, maximum: u64::MAX } => {
            format!("{{\"type\":\"integer\",\"minimum\":{minimum}}}")
        }
        Kind::Integer { minimum, maximum } => {
            format!("{{\"type\":\"integer\",\"minimum\":{minimum},\"maximum\":{maximum}}}")
        }
        Kind::Number => r#"{"type":"number"}"#.into(),
        Kind::Fraction { zero } => {
            let bound = if *zero { "minimum" } else { "exclusiveMinimum" };
            format!(
                "{{\"anyOf\":[{{\"type\":\"string\",\"pattern\":\"%$\"}},{{\"type\":\"number\",\"{bound}\":0,\"maximum\":1}}]}}"
            )
        }
        Kind::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            format!("{{\"enum\":[{}]}}", words.join(","))
        }
        Kind::Quantity(quantities) => quantity(*quantities),
        Kind::TimeRange => format!("{{\"type\":\"string\",\"$comment\":{}}}", quoted(&kind.allowed())),
        Kind::Algorithm => ALGORITHM.into(),
        Kind::List(kind) => format!("{{\"type\":\"array\",\"items\":{}}}", of(kind)),
        Kind::Named(kind) => format!("{{\"type\":\"object\",\"additionalProperties\":{}}}", of(kind)),
        Kind::Table(parts) => object(parts, None),
        Kind::Tables(parts) => {
            format!("{{\"type\":\"array\",\"minItems\":1,\"items\":{}}}", object(parts, None))
        }
        Kind::Variants { plain, variants } => any_of(*plain, variants),
        Kind::Listed(variants) => any_of(None, variants()),
    }
}

/// A quantity, if `plain` is given, a table of one of the forms, or the name of a form that needs no key.
fn any_of(plain: Option<Quantities>, variants: &[Variant]) -> String {
    let plain = plain.map(quantity).into_iter();
    let forms = variants.iter().map(|variant| object(&[variant.keys], Some(variant)));
    let bare = variants.iter().filter(|variant| !variant.keys.iter().any(Key::is_required));
    let names: Vec<String> = bare.map(|variant| quoted(variant.name)).collect();
    let names = (!names.is_empty()).then(|| format!("{{\"enum\":[{}]}}", names.join(",")));
    format!("{{\"anyOf\":[{}]}}", plain.chain(forms).chain(names).collect::<Vec<_>>().join(","))
}

/// A number with a unit: a string that begins with a digit, or the word for no limit.
fn quantity(quantities: Quantities) -> String {
    let word = quantities.word.map_or(String::new(), |word| format!("|^{word}$"));
    let comment = quoted(&quantities.allowed());
    format!("{{\"type\":\"string\",\"pattern\":\"^\\\\s*[.0-9]{word}\",\"$comment\":{comment}}}")
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The name of an algorithm, or a table with its name and its parameters, whose names are the algorithm's own.
const ALGORITHM: &str = concat!(
    r#"{"anyOf":[{"type":"string","minLength":1},"#,
    r#"{"type":"object","properties":{"name":{"type":"string","minLength":1}},"required":["name"],"#,
    r#""additionalProperties":{"type":["number","boolean","string"]}}]}"#
);
