//! Contract: the JSON Schema knows every key that the walk accepts, and no other.

use super::super::keys::{Key, Kind, ROOT};
use super::super::schema;

/// Every key of the tables, with the path by which the schema reaches it.
fn keys(key: &'static Key, found: &mut Vec<&'static str>) {
    found.push(key.name);
    below(&key.kind, found);
}

fn below(kind: &'static Kind, found: &mut Vec<&'static str>) {
    match kind {
        Kind::Table(table) => table.iter().for_each(|key| keys(key, found)),
        Kind::Tables(parts) => parts.iter().copied().flatten().for_each(|key| keys(key, found)),
        Kind::List(kind) => below(kind, found),
        Kind::Variants { variants, .. } => {
            for variant in *variants {
                found.push("kind");
                variant.keys.iter().for_each(|key| keys(key, found));
            }
        }
        _ => {}
    }
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
    let mut expected = Vec::new();
    ROOT.iter().for_each(|key| keys(key, &mut expected));
    let mut found = properties(&schema());
    // The table form of an algorithm has its name as a property; its parameters are the algorithm's own.
    expected.push("name");
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn every_key_says_what_it_means_and_what_holds_without_it() {
    fn check(key: &Key) {
        assert!(key.meaning.ends_with('.'), "{}", key.name);
        assert_eq!(key.required, key.default.is_empty(), "{}", key.name);
    }
    fn descend(kind: &'static Kind) {
        match kind {
            Kind::Table(table) => table.iter().for_each(|key| (check(key), descend(&key.kind)).1),
            Kind::Tables(parts) => {
                parts.iter().copied().flatten().for_each(|key| (check(key), descend(&key.kind)).1);
            }
            Kind::Variants { variants, .. } => {
                let keys = variants.iter().flat_map(|variant| variant.keys);
                keys.for_each(|key| (check(key), descend(&key.kind)).1);
            }
            _ => {}
        }
    }
    ROOT.iter().for_each(|key| (check(key), descend(&key.kind)).1);
}
