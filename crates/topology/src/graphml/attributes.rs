// SPDX-License-Identifier: Apache-2.0
//! The content of a GraphML document on its nodes and edges: the attributes that its keys declare, with their
//! defaults.

use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// An attribute of an element.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Name of the attribute as written.
    pub name: String,
    /// Name in small letters and digits only, so that `link_speed` and `LinkSpeed` are equal.
    pub key: String,
    /// Text of the attribute, without surrounding white space; not empty.
    pub text: String,
}

impl Attribute {
    fn new(name: &str, text: &str) -> Option<Self> {
        let key = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| Self { name: name.to_owned(), key, text })
    }
}

/// The keys of a document.
pub struct Keys<'a> {
    names: BTreeMap<(&'a str, &'a str), &'a str>,
    defaults: Vec<(&'a str, Attribute)>,
}

impl<'a> Keys<'a> {
    /// Returns the keys that `document` declares.
    ///
    /// # Errors
    ///
    /// If two keys of the same elements have one id: which.
    pub fn of(document: &'a Document<'a>) -> Result<Self, String> {
        let mut keys = Self { names: BTreeMap::new(), defaults: Vec::new() };
        for key in elements(document.root(), "key") {
            let Some(id) = key.attribute("id") else { continue };
            let name = key.attribute("attr.name").unwrap_or(id);
            let domain = key.attribute("for").unwrap_or(ALL);
            if keys.names.insert((domain, id), name).is_some() {
                return Err(format!("line {}: two keys have the id `{id}`", line(key)));
            }
            let default = key.children().find(|child| child.tag_name().name() == "default");
            keys.defaults
                .extend(default.and_then(|node| Some((domain, Attribute::new(name, &content(node))?))));
        }
        Ok(keys)
    }

    /// Returns the attributes of `element`, a `domain`: attributes of its data, of XML other than the `known`, and
    /// defaults of keys.
    ///
    /// # Errors
    ///
    /// If one is given twice: which.
    pub fn attributes(
        &self,
        element: Node<'a, 'a>,
        domain: &str,
        known: &[&str],
    ) -> Result<Vec<Attribute>, String> {
        let mut all: Vec<Attribute> = Vec::new();
        for data in element.children().filter(|child| child.tag_name().name() == "data") {
            let id = data.attribute("key").unwrap_or_default();
            // Data of a drawing has elements, which are read by their own names.
            if data.children().any(|child| child.is_element()) {
                continue;
            }
            let name = [domain, ALL].iter().find_map(|domain| self.names.get(&(*domain, id))).unwrap_or(&id);
            let Some(attribute) = Attribute::new(name, &content(data)) else { continue };
            if all.iter().any(|known| known.name == attribute.name) {
                return Err(format!("line {}: `{name}` is given twice", line(data)));
            }
            all.push(attribute);
        }
        for attribute in
            element.attributes().filter(|each| each.namespace().is_none() && !known.contains(&each.name()))
        {
            if all.iter().all(|each| each.name != attribute.name()) {
                all.extend(Attribute::new(attribute.name(), attribute.value()));
            }
        }
        for (of, default) in &self.defaults {
            if [domain, ALL].contains(of) && all.iter().all(|each| each.name != default.name) {
                all.push(default.clone());
            }
        }
        Ok(all)
    }
}

/// Returns the elements called `name` in `node`, at any depth.
pub fn elements<'a, 'b: 'a>(node: Node<'a, 'b>, name: &'static str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.descendants().filter(move |each| each.is_element() && each.tag_name().name() == name)
}

/// Returns the whole text in `node`, with comments left out.
pub fn content(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect()
}

/// Returns the line of the document on which `node` begins, from 1.
pub fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// The domain of keys that apply to all elements.
const ALL: &str = "all";
