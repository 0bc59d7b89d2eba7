// SPDX-License-Identifier: Apache-2.0
//! Routers and links from a GraphML file (<http://graphml.graphdrawing.org>), such as the files of the Internet
//! Topology Zoo (Knight et al., IEEE JSAC 29(9), 2011), of networkx, and their versions saved by the editor yEd. A rate
//! comes from an edge's attributes: `LinkSpeed` with `LinkSpeedUnits`, `LinkSpeedRaw` in bits per second, `rate`,
//! `capacity`, `bandwidth` or `bw`, else its label. A delay is what its `delay` or `latency` says, else the great
//! circle between its nodes' `Longitude` and `Latitude` in fibre, else their distance in the drawing. Unknown content
//! is an error; values read from words, and assumptions, are listed with their edges.

mod account;
mod attributes;
mod delay;
mod edge;
mod rate;
mod text;

use account::Account;
use attributes::{Attribute, Keys, content, elements, line};
use edge::Said;
use narrows_units::{Rate, Span};
use roxmltree::{Document, Node};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Values assumed if the file gives none, and how it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    /// Rate of an edge without a rate; `None` makes such an edge an error.
    pub rate: Option<Rate>,
    /// Delay of an edge without a delay or positions; `None` makes such an edge an error.
    pub delay: Option<Span>,
    /// Rate that the number 1 without a unit stands for; `None` makes such a number an error.
    pub rate_unit: Option<Rate>,
    /// Delay that the number 1 without a unit stands for; `None` makes such a number an error.
    pub delay_unit: Option<Span>,
    /// Whether unknown content is ignored; it is an error otherwise.
    pub unclear: bool,
    /// Whether directed edges are links in one direction; in both otherwise.
    pub directed: bool,
    /// Delay per unit of length of the drawing; `None` if delays do not follow from the drawing.
    pub drawing_unit: Option<Span>,
    /// Factor by which delays that follow from coordinates are multiplied.
    pub factor: f64,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            rate: None,
            delay: None,
            rate_unit: None,
            delay_unit: None,
            unclear: false,
            directed: true,
            drawing_unit: None,
            factor: 1.0,
        }
    }
}

/// The network read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Names of the nodes, all different.
    pub nodes: Vec<String>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Values that were inferred or assumed, one sentence each, with the edges concerned.
    pub assumed: Vec<String>,
}

/// A link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Index of the node at one end.
    pub from: u32,
    /// Index of the node at the other end.
    pub to: u32,
    /// Whether it leads from the one to the other alone.
    pub one_way: bool,
    /// Rate in each direction.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Span,
}

/// Reads the GraphML document in `bytes`; `assumptions` apply if it gives no value.
///
/// # Errors
///
/// If it is not XML of a known encoding, names an unknown node or two of one name, leaves a rate or delay open, or has
/// unknown content: the error and its place, in words.
pub fn import(bytes: &[u8], assumptions: &Assumptions) -> Result<Imported, String> {
    let text = text::decode(bytes)?;
    let document = Document::parse(&text).map_err(|error| format!("not XML: {error}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        return Err(format!("its root is <{}>, not <graphml>", root.tag_name().name()));
    }
    if let Some(hyper) = elements(root, "hyperedge").next() {
        return Err(format!("line {}: a hyperedge, which does not link two nodes", line(hyper)));
    }
    let graphs = root.children().filter(|child| child.tag_name().name() == "graph").count();
    if graphs > 1 {
        return Err(format!("it has {graphs} graphs; allowed: one"));
    }
    let mut reader = Reader { keys: Keys::of(&document)?, assumptions, account: Account::default() };
    let mut places: BTreeMap<&str, u32> = BTreeMap::new();
    let mut nodes = Vec::new();
    for node in elements(root, "node") {
        let at = |problem| format!("line {}: {problem}", line(node));
        let id = node.attribute("id").ok_or_else(|| at("a node without an id".to_owned()))?;
        if places.insert(id, nodes.len() as u32).is_some() {
            return Err(at(format!("two nodes have the id `{id}`")));
        }
        nodes.push(reader.site(id, node).map_err(|problem| at(format!("the node {id}: {problem}")))?);
    }
    distinguish(&mut nodes);
    let edges = reader.edges(root, &places, &nodes)?;
    if edges.is_empty() {
        return Err("it has no edge between two nodes".into());
    }
    let assumed = reader.account.sentences(edges.len());
    Ok(Imported { nodes: nodes.into_iter().map(|site| site.name).collect(), edges, assumed })
}

/// A node.
struct Site {
    id: String,
    name: String,
    /// Longitude and latitude, degrees.
    degrees: Option<delay::Degrees>,
    /// Place in the drawing.
    drawn: Option<(f64, f64)>,
}

/// Reads nodes and edges, and keeps account.
struct Reader<'a> {
    keys: Keys<'a>,
    assumptions: &'a Assumptions,
    account: Account,
}

impl<'a> Reader<'a> {
    fn site(&mut self, id: &str, node: Node<'a, 'a>) -> Result<Site, String> {
        let own = self.keys.attributes(node, "node", &["id"])?;
        let element = |name| elements(node, name).next();
        let label = own.iter().find(|each| each.key == "label").map(|label| label.text.clone());
        let label = label.or_else(|| element("NodeLabel").map(|label| joined(&content(label))));
        let name = label.filter(|name| !name.is_empty()).unwrap_or_else(|| id.to_owned());
        let degrees = delay::degrees(&own).or_else(|problem| {
            if !self.assumptions.unclear {
                return Err(format!(
                    "{problem}; or graph.unclear = \"default\", which takes it as if it had none"
                ));
            }
            self.account.add(format!("position taken as unknown, as {problem}"), name.clone());
            Ok(None)
        })?;
        let drawing = element("Geometry");
        let drawn = |axis: &str| drawing.and_then(|drawing| drawing.attribute(axis)).map(rate::number);
        let drawn = match (drawn("x"), drawn("y"), self.assumptions.drawing_unit) {
            (Some(Some(x)), Some(Some(y)), _) => Some((x, y)),
            (None, None, _) | (_, _, None) => None,
            _ => return Err("its position in the drawing is not a pair of numbers".to_owned()),
        };
        Ok(Site { id: id.to_owned(), name, degrees, drawn })
    }

    fn edges(
        &mut self,
        root: Node<'a, 'a>,
        places: &BTreeMap<&str, u32>,
        nodes: &[Site],
    ) -> Result<Vec<Edge>, String> {
        let mut edges: Vec<Edge> = Vec::new();
        let mut unused = BTreeSet::new();
        let mut graphs: BTreeMap<usize, Vec<Attribute>> = BTreeMap::new();
        let mut used: BTreeSet<(u32, u32)> = BTreeSet::new();
        for edge in elements(root, "edge") {
            let at = |problem| format!("line {}: {problem}", line(edge));
            let end = |key: &str| {
                let id = edge.attribute(key).ok_or_else(|| at(format!("an edge without a {key}")))?;
                places
                    .get(id)
                    .copied()
                    .ok_or_else(|| at(format!("an edge with the {key} `{id}`, which is not a node")))
            };
            let (from, to) = (end("source")?, end("target")?);
            let ends = [&nodes[from as usize], &nodes[to as usize]];
            let name = format!("{} to {}", ends[0].name, ends[1].name);
            let of = |problem| at(format!("the edge from {name}: {problem}"));
            if from == to {
                self.account.add("edges from a node to itself left out".to_owned(), ends[0].name.clone());
                continue;
            }
            let graph = edge.ancestors().find(|each| each.tag_name().name() == "graph");
            let graph = graph.ok_or_else(|| at("an edge outside of a graph".to_owned()))?;
            let place = graph.range().start;
            if let Entry::Vacant(entry) = graphs.entry(place) {
                entry.insert(self.keys.attributes(graph, "graph", &["id", "edgedefault"])?);
            }
            let own = self.keys.attributes(edge, "edge", EDGE_ATTRIBUTES).map_err(of)?;
            let drawn = elements(edge, "EdgeLabel").map(|label| joined(&content(label)));
            let drawn = drawn.filter(|text| !text.is_empty());
            let labels =
                drawn.map(|text| Attribute { name: "label".into(), key: "label".into(), text }).collect();
            let said = Said { name: name.clone(), own, labels, graph: &graphs[&place] };
            let rate = said.rate(self.assumptions, &mut self.account).map_err(of)?;
            let delay = said.delay(ends, self.assumptions, &mut self.account).map_err(of)?;
            let one_way = self.one_way(edge, graph, &name).map_err(of)?;
            let beside = [(from, to), (to, from)].into_iter().take(if one_way { 1 } else { 2 });
            // Each direction is noted, also where another is known.
            if beside.filter(|pair| !used.insert(*pair)).count() > 0 {
                let what = "links beside another between the same nodes, of which routes take the shorter, then the first";
                self.account.add(what.to_owned(), name.clone());
            }
            unused.extend(said.unused().map(str::to_owned));
            edges.push(Edge { from, to, one_way, rate, delay });
        }
        for name in unused {
            self.account.add("attributes of edges that are not read".to_owned(), name);
        }
        Ok(edges)
    }

    /// Whether `edge` is a link in one direction: it or its graph says that it is directed, and a drawing has one head of an arrow.
    fn one_way(&mut self, edge: Node<'_, '_>, graph: Node<'_, '_>, name: &str) -> Result<bool, String> {
        let usual = match graph.attribute("edgedefault") {
            Some("directed") => true,
            Some("undirected") => false,
            Some(other) => {
                return Err(format!("edgedefault \"{other}\" of its graph; allowed: directed or undirected"));
            }
            None => {
                self.account
                    .add("links in both directions, as edgedefault is missing".to_owned(), name.to_owned());
                false
            }
        };
        let directed = match edge.attribute("directed") {
            Some("true" | "1") => true,
            Some("false" | "0") => false,
            Some(other) => return Err(format!("directed \"{other}\"; allowed: true or false")),
            None => usual,
        };
        if !directed {
            return Ok(false);
        }
        if !self.assumptions.directed {
            self.account.add("directed edges taken as links in both directions".to_owned(), name.to_owned());
            return Ok(false);
        }
        let arrows = elements(edge, "Arrows").next();
        let head = |end: &str| arrows.and_then(|arrows| arrows.attribute(end)).map(|head| head != "none");
        if let (Some(source), Some(target)) = (head("source"), head("target"))
            && source == target
            && edge.attribute("directed").is_none()
        {
            let what = "links in both directions, as they are drawn with no arrow or with two";
            self.account.add(what.to_owned(), name.to_owned());
            return Ok(false);
        }
        Ok(true)
    }
}

/// The words of `text`, one space apart.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Gives nodes of one name their ids too, and if that is another's name, to all nodes.
fn distinguish(nodes: &mut [Site]) {
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    for site in nodes.iter() {
        *count.entry(site.name.clone()).or_default() += 1;
    }
    for site in nodes.iter_mut().filter(|site| count[&site.name] > 1 && site.name != site.id) {
        site.name = format!("{} {}", site.name, site.id);
    }
    let names: BTreeSet<&str> = nodes.iter().map(|site| site.name.as_str()).collect();
    if names.len() < nodes.len() {
        for site in nodes {
            site.name.clone_from(&site.id);
        }
    }
}

/// Attributes of the element `edge` that are read as such, or are of its drawing.
const EDGE_ATTRIBUTES: &[&str] = &["id", "source", "target", "directed", "sourceport", "targetport"];

#[cfg(test)]
mod tests;
