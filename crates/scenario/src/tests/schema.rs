// SPDX-License-Identifier: Apache-2.0
//! Contract: the JSON Schema knows every key that the walk accepts, and no other.

use super::super::kind::{Key, Kind};
use super::super::schema;
use super::super::section::Section;
use super::super::sections::root::RootKeys;

/// Every key of the tables, and `kind` once for each form of a table.
fn keys(kind: &'static Kind, found: &mut Vec<&'static Key>, forms: &mut usize) {
    let mut enter = |keys_here: &'static [Key]| {
        for key in keys_here {
            found.push(key);
            keys(&key.kind, found, forms);
        }
    };
    let variants = match kind {
        Kind::Variants { variants, .. } => *variants,
        Kind::Listed(variants) => variants(),
        _ => &[],
    };
    for variant in variants {
        enter(variant.keys);
    }
    match kind {
        Kind::Table(parts) | Kind::Tables(parts) => {
            for part in *parts {
                enter(part);
            }
        }
        Kind::List(kind) | Kind::Named(kind) => keys(kind, found, forms),
        _ => {}
    }
    *forms += variants.len();
}

/// The names of all properties in a schema, in order: what stands directly inside an object called `properties`.
fn properties(schema: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<bool> = Vec::new();
    let (mut name, mut inside) = (String::new(), false);
    let mut characters = schema.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if !inside => {
                inside = true;
                name.clear();
            }
            '\\' if inside => name.extend(characters.next()),
            '"' => {
                inside = false;
                if characters.peek() == Some(&':') && open.last() == Some(&true) {
                    names.push(name.clone());
                }
            }
            _ if inside => name.push(c),
            '{' => open.push(name == "properties"),
            '}' => assert!(open.pop().is_some(), "braces match"),
            _ => {}
        }
        if c == ',' && !inside {
            name.clear();
        }
    }
    assert!(open.is_empty() && !inside, "braces and quotes match");
    names
}

#[test]
fn the_schema_holds_every_key_and_no_other() {
    let (mut known, mut forms) = (Vec::new(), 0);
    keys(&FILE, &mut known, &mut forms);
    let mut expected: Vec<&str> = known.iter().map(|key| key.name).collect();
    expected.extend(std::iter::repeat_n("kind", forms));
    // The table form of an algorithm has its name as a property; its parameters are the algorithm's own.
    expected.push("name");
    let mut found = properties(&schema());
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn every_key_says_what_it_means_and_what_holds_without_it() {
    let (mut known, mut forms) = (Vec::new(), 0);
    keys(&FILE, &mut known, &mut forms);
    assert!(known.len() > 70);
    for key in known {
        assert!(key.meaning().ends_with('.'), "{}", key.name);
        assert_eq!(key.is_required(), key.default().is_none(), "{}", key.name);
    }
}

const FILE: Kind = Kind::Table(RootKeys::PARTS);

/// Also of those that follow from other keys, as RED's `max` and how packets wait under a router's computation.
#[test]
fn the_schema_has_the_default_of_every_parameter_on_a_queues_card() {
    let schema = schema::schema();
    for entry in narrows_qdisc::catalogue::entries() {
        let form = format!("\"kind\":{{\"const\":\"{}\"}}", entry.card.name);
        let mut rest = &schema[schema.find(&form).expect("every queue has a form")..];
        for parameter in entry.card.parameters {
            let key = format!("\"{}\":{{\"description\":", parameter.name);
            rest = &rest[rest.find(&key).expect("every parameter is a key, in the order of the card")..];
            let (description, _) = rest[key.len()..].split_once("\",\"").expect("the description ends");
            let default = format!("Default: {}.", parameter.domain.default());
            let whose = format!("{} of {}", parameter.name, entry.card.name);
            let required = parameter.domain.is_required();
            assert_eq!(description.ends_with(&default), !required, "{whose}: {description}");
        }
    }
}
