// SPDX-License-Identifier: Apache-2.0
//! Changes of a scenario's text that keep everything else as it is written, comments included.

use narrows_lab::scenario::dropped;
use serde_json::{Map, Value as Json, json};
use toml_edit::{DocumentMut, Formatted, InlineTable, Item, Table, TableLike, Value};

/// Sets each key path of `changes` to its value, which is TOML; an empty value removes the key.
///
/// A number in a path is a place in a list, from 0, and the place after the last adds a table; an absent table is added,
/// and a value that is not a table is replaced. With a new `kind`, a table keeps the keys that it keeps with `--set`. The answer
/// has the new `text` and its content as JSON, `document`.
///
/// # Errors
///
/// If the text or a value is not TOML, or a path leads through a list that has no such place.
pub fn edit(text: &str, changes: &[(&str, &str)]) -> Result<Json, String> {
    let mut document = parse(text)?;
    for (path, value) in changes {
        let steps: Vec<&str> = path.split('.').collect();
        let lost = if value.is_empty() {
            Vec::new()
        } else {
            dropped(&document.to_string(), &format!("{path}={value}"))
        };
        for key in &lost {
            set(document.as_item_mut(), &[&steps[..steps.len() - 1], &[key]].concat(), "")?;
        }
        set(document.as_item_mut(), &steps, value).map_err(|problem| format!("{path}: {problem}"))?;
    }
    Ok(json!({ "text": document.to_string(), "document": table_to_json(document.as_table()) }))
}

/// Returns the content of a TOML file as JSON.
///
/// # Errors
///
/// If the text is not TOML.
pub(crate) fn to_json(text: &str) -> Result<Json, String> {
    Ok(table_to_json(parse(text)?.as_table()))
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| error.to_string())
}

fn set(item: &mut Item, steps: &[&str], value: &str) -> Result<(), String> {
    let [step, rest @ ..] = steps else { return Err("an empty key path".to_owned()) };
    if let Some(list) = item.as_array_of_tables_mut() {
        let place: usize = step.parse().map_err(|_| format!("expected an index of a list, got {step}"))?;
        if place == list.len() {
            list.push(Table::new());
        }
        if rest.is_empty() && value.is_empty() && place < list.len() {
            list.remove(place);
            return Ok(());
        }
        let table = list.get_mut(place).ok_or_else(|| format!("the list has no place {place}"))?;
        return in_table(table, rest, value);
    }
    if !item.is_table_like() {
        *item = inline();
    }
    in_table(item.as_table_like_mut().expect("it was made one"), steps, value)
}

fn inline() -> Item {
    Item::Value(Value::InlineTable(InlineTable::new()))
}

fn in_table(table: &mut dyn TableLike, steps: &[&str], value: &str) -> Result<(), String> {
    match steps {
        [] => Err("a key path ends in a list".to_owned()),
        [key] if value.is_empty() => {
            table.remove(key);
            Ok(())
        }
        [key] => {
            let mut new: Value = value.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
            if let Some(old) = table.get(key).and_then(Item::as_value) {
                // White space and the comment behind the old value stay.
                *new.decor_mut() = old.decor().clone();
            }
            table.insert(key, Item::Value(new));
            Ok(())
        }
        [key, rest @ ..] => {
            if table.get(key).is_none() {
                // A new form stands in one line with its key.
                table.insert(key, if rest == ["kind"] { inline() } else { Item::Table(Table::new()) });
            }
            set(table.get_mut(key).expect("it was inserted"), rest, value)
        }
    }
}

fn table_to_json(table: &dyn TableLike) -> Json {
    let entries = table.iter().filter_map(|(key, item)| Some((key.to_owned(), item_to_json(item)?)));
    Json::Object(entries.collect::<Map<_, _>>())
}

fn item_to_json(item: &Item) -> Option<Json> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value_to_json(value)),
        Item::Table(table) => Some(table_to_json(table)),
        Item::ArrayOfTables(tables) => Some(tables.iter().map(|table| table_to_json(table)).collect()),
    }
}

fn value_to_json(value: &Value) -> Json {
    match value {
        Value::String(text) => json!(text.value()),
        Value::Integer(number) => json!(number.value()),
        Value::Float(number) => json!(number.value()),
        Value::Boolean(flag) => json!(flag.value()),
        Value::Datetime(time) => json!(Formatted::value(time).to_string()),
        Value::Array(values) => values.iter().map(value_to_json).collect(),
        Value::InlineTable(table) => table_to_json(table),
    }
}
