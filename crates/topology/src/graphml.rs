//! Routers and links from a GraphML file (<http://graphml.graphdrawing.org>), such as those of the Internet Topology Zoo
//! (Knight et al., IEEE JSAC 29(9), 2011) and what the editor yEd makes of them.
//!
//! A rate is what an edge's attributes say: `LinkSpeedRaw` in bits per second, or `rate`, `capacity`, `bandwidth` or
//! `label` with a unit or as an optical carrier (OC-n is n times 51.84 Mbps, ANSI T1.105). A delay is what its `delay` or
//! `latency` says with a unit, else the great circle between its nodes' `Longitude` and `Latitude` in fibre, else their
//! distance in the drawing. What was taken to hold beyond that is listed.

use narrows_units::{Dimension, Quantity, Rate, Span};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Values assumed where the file gives none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    /// Rate of an edge without a rate; `None` makes such an edge an error.
    pub rate: Option<Rate>,
    /// Delay of an edge without a delay or positions; `None` makes such an edge an error.
    pub delay: Option<Span>,
    /// Delay per unit of length of the drawing; `None` if delays do not follow from the drawing.
    pub drawing_unit: Option<Span>,
    /// Factor by which delays that follow from coordinates are multiplied.
    pub factor: f64,
}

/// The network read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Names of the nodes, all different.
    pub nodes: Vec<String>,
    /// The edges, at most one between two nodes.
    pub edges: Vec<Edge>,
    /// Assumptions that were made, a phrase each.
    pub assumed: Vec<String>,
}

/// A link in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Index of the node at one end.
    pub from: u32,
    /// Index of the node at the other end.
    pub to: u32,
    /// Rate in each direction.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Span,
}

/// Reads the GraphML document `text`; `assumptions` apply where it gives no value.
///
/// # Errors
///
/// If the text is not XML, names an unknown node, or leaves a rate or delay open: what is wrong, in words.
pub fn import(text: &str, assumptions: &Assumptions) -> Result<Imported, String> {
    let document = Document::parse(text).map_err(|error| format!("not XML: {error}"))?;
    let elements = |name: &'static str| {
        document.descendants().filter(move |node| node.is_element() && node.tag_name().name() == name)
    };
    let mut names = BTreeMap::new();
    for key in elements("key") {
        if let (Some(id), Some(name)) = (key.attribute("id"), key.attribute("attr.name")) {
            names.insert(id, name.to_lowercase());
        }
    }
    let mut reader = Reader { names, assumptions, counts: BTreeMap::new() };
    let mut places: BTreeMap<&str, u32> = BTreeMap::new();
    let mut nodes = Vec::new();
    for node in elements("node") {
        let id = node.attribute("id").ok_or("a node without an id")?;
        places.insert(id, nodes.len() as u32);
        nodes.push(reader.site(id, node));
    }
    distinguish(&mut nodes);
    let mut edges: Vec<Edge> = Vec::new();
    for edge in elements("edge") {
        let end = |key: &str| {
            let id = edge.attribute(key).ok_or(format!("an edge without a {key}"))?;
            places.get(id).copied().ok_or(format!("an edge with the {key} `{id}`, which is no node"))
        };
        let (from, to) = (end("source")?, end("target")?);
        let same =
            |known: &Edge| (known.from, known.to) == (from, to) || (known.from, known.to) == (to, from);
        if from == to {
            reader.count(LOOPS);
        } else if edges.iter().any(same) {
            reader.count(PARALLEL);
        } else {
            let ends = [&nodes[from as usize], &nodes[to as usize]];
            let rate = reader.rate(edge, ends)?;
            let delay = reader.delay(edge, ends)?;
            edges.push(Edge { from, to, rate, delay });
        }
    }
    if edges.is_empty() {
        return Err("it has no edge between two nodes".into());
    }
    let assumed = reader.assumed();
    Ok(Imported { nodes: nodes.into_iter().map(|site| site.name).collect(), edges, assumed })
}

/// A node.
struct Site {
    id: String,
    name: String,
    /// Longitude and latitude, degrees.
    degrees: Option<(f64, f64)>,
    /// Place in the drawing.
    drawn: Option<(f64, f64)>,
}

/// Reads nodes and edges, and counts what was taken from where.
struct Reader<'a> {
    /// Names of attributes, in small letters, by their keys.
    names: BTreeMap<&'a str, String>,
    assumptions: &'a Assumptions,
    counts: BTreeMap<&'static str, u32>,
}

impl<'a> Reader<'a> {
    fn data(&self, of: Node<'a, 'a>, name: &str) -> Option<&'a str> {
        let named = |node: &Node<'_, '_>| {
            let key = node.attribute("key").and_then(|key| self.names.get(key));
            node.tag_name().name() == "data" && key.is_some_and(|known| known == name)
        };
        of.children().find(named).and_then(|node| node.text()).map(str::trim).filter(|text| !text.is_empty())
    }

    fn site(&mut self, id: &str, node: Node<'a, 'a>) -> Site {
        let element = |name: &str| node.descendants().find(|each| each.tag_name().name() == name);
        let label = self.data(node, "label").or_else(|| element("NodeLabel").and_then(|label| label.text()));
        let name = label.map(|label| label.split_whitespace().collect::<Vec<_>>().join(" "));
        let number =
            |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok()).filter(|x| x.is_finite());
        let drawing = element("Geometry");
        let drawn = |axis: &str| number(drawing.and_then(|drawing| drawing.attribute(axis)));
        Site {
            id: id.to_owned(),
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| id.to_owned()),
            degrees: number(self.data(node, "longitude")).zip(number(self.data(node, "latitude"))),
            drawn: drawn("x").zip(drawn("y")),
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn rate(&mut self, edge: Node<'a, 'a>, ends: [&Site; 2]) -> Result<Rate, String> {
        let raw = self.data(edge, "linkspeedraw").and_then(|text| text.parse::<f64>().ok());
        let raw = raw.filter(|bps| (1.0..=FASTEST_BPS).contains(bps)).map(Rate::from_bps_f64);
        let said = raw.or_else(|| {
            let texts = ["rate", "capacity", "bandwidth", "label"].map(|name| self.data(edge, name));
            texts.into_iter().flatten().find_map(|text| with_unit(text).or_else(|| optical_carrier(text)))
        });
        if let Some(rate) = said {
            self.count(RATE_SAID);
            return Ok(rate);
        }
        self.count(RATE_ASSUMED);
        self.assumptions.rate.ok_or_else(|| {
            format!(
                "the edge from {} to {} says no rate with a unit, and there is no rate for such edges",
                ends[0].name, ends[1].name
            )
        })
    }

    fn delay(&mut self, edge: Node<'a, 'a>, ends: [&Site; 2]) -> Result<Span, String> {
        let said =
            ["delay", "latency"].into_iter().filter_map(|name| self.data(edge, name)).find_map(|text| {
                match Quantity::parse(text, &[Dimension::Time]) {
                    Ok(Quantity::Time(span)) if span > Span::ZERO => Some(span),
                    _ => None,
                }
            });
        let factor = self.assumptions.factor;
        let drawn = ends[0].drawn.zip(ends[1].drawn).zip(self.assumptions.drawing_unit);
        let (what, delay) = if let Some(delay) = said {
            (DELAY_SAID, delay)
        } else if let (Some(one), Some(other)) = (ends[0].degrees, ends[1].degrees) {
            (DELAY_OF_CIRCLE, whole(great_circle_m(one, other) / FIBRE_M_PER_S * factor))
        } else if let Some(((one, other), unit)) = drawn {
            (
                DELAY_OF_DRAWING,
                whole(libm::hypot(one.0 - other.0, one.1 - other.1) * unit.as_secs_f64() * factor),
            )
        } else if let Some(delay) = self.assumptions.delay {
            (DELAY_ASSUMED, delay)
        } else {
            return Err(format!(
                "the delay of the edge from {} to {} cannot be known, and neither graph.delay nor graph.drawing_unit says it",
                ends[0].name, ends[1].name
            ));
        };
        self.count(what);
        Ok(delay)
    }

    /// What was taken from where, in words.
    fn assumed(&self) -> Vec<String> {
        let Assumptions { rate, delay, drawing_unit, factor } = *self.assumptions;
        let times =
            if factor.to_bits() == 1.0_f64.to_bits() { String::new() } else { format!(", times {factor}") };
        let number = |what| self.counts.get(what).copied().unwrap_or(0);
        let mut all = vec!["every edge is a link in both directions".to_owned()];
        let mut say = |what, words: String| match number(what) {
            0 => {}
            1 => all.push(format!("1 {words}")),
            count => all.push(format!("{count} {words}")),
        };
        say(RATE_SAID, "with the rate that the file says".into());
        say(RATE_ASSUMED, rate.map_or(String::new(), |rate| format!("without a rate taken to have {rate}")));
        say(DELAY_SAID, "with the delay that the file says".into());
        say(
            DELAY_OF_CIRCLE,
            format!("with the delay of the great circle between its ends at 200000 km/s{times}"),
        );
        say(
            DELAY_OF_DRAWING,
            drawing_unit.map_or(String::new(), |unit| {
                format!("with the delay of its length in the drawing at {unit} for a unit{times}")
            }),
        );
        say(
            DELAY_ASSUMED,
            delay.map_or(String::new(), |delay| format!("of unknown delay taken to have {delay}")),
        );
        say(PARALLEL, "left out beside another between the same nodes".into());
        say(LOOPS, "from a node to itself left out".into());
        all
    }
}

/// Gives nodes of one name their ids too.
fn distinguish(nodes: &mut [Site]) {
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    for site in nodes.iter() {
        *count.entry(site.name.clone()).or_default() += 1;
    }
    for site in nodes.iter_mut().filter(|site| count[&site.name] > 1 && site.name != site.id) {
        site.name = format!("{} {}", site.name, site.id);
    }
}

fn with_unit(text: &str) -> Option<Rate> {
    match Quantity::parse(text, &[Dimension::Rate]) {
        Ok(Quantity::Rate(rate)) if rate > Rate::ZERO && rate.as_bps() as f64 <= FASTEST_BPS => Some(rate),
        _ => None,
    }
}

/// As in "OC-192c".
fn optical_carrier(text: &str) -> Option<Rate> {
    let upper = text.trim().to_uppercase();
    let number = upper.strip_prefix("OC")?.trim_start_matches('-').trim_end_matches('C');
    let level: u64 = number.parse().ok().filter(|level| (1..=HIGHEST_CARRIER).contains(level))?;
    Some(Rate::from_bps(level * CARRIER_BPS))
}

/// Metres between two places on a sphere, by the haversine formula.
fn great_circle_m((long_a, lat_a): (f64, f64), (long_b, lat_b): (f64, f64)) -> f64 {
    let half_sine = |degrees: f64| libm::sin(degrees.to_radians() / 2.0);
    let cosine = |degrees: f64| libm::cos(degrees.to_radians());
    let (north, east) = (half_sine(lat_b - lat_a), half_sine(long_b - long_a));
    let haversine = north * north + cosine(lat_a) * cosine(lat_b) * east * east;
    2.0 * EARTH_M * libm::asin(libm::sqrt(haversine.min(1.0)))
}

/// To the microsecond, 200 metres of fibre.
fn whole(seconds: f64) -> Span {
    Span::from_ps((libm::round(seconds * 1e6).clamp(0.0, MOST_US) as u64) * 1_000_000)
}

/// Mean radius of the Earth, metres.
const EARTH_M: f64 = 6_371_000.0;
/// Two thirds of the speed of light.
const FIBRE_M_PER_S: f64 = 2e8;
/// STS-1, bits per second.
const CARRIER_BPS: u64 = 51_840_000;
const HIGHEST_CARRIER: u64 = 100_000;
/// The fastest link that a scenario may have.
const FASTEST_BPS: f64 = 1e15;
/// An hour.
const MOST_US: f64 = 3.6e9;

const RATE_SAID: &str = "rate said";
const RATE_ASSUMED: &str = "rate assumed";
const DELAY_SAID: &str = "delay said";
const DELAY_OF_CIRCLE: &str = "great circle";
const DELAY_OF_DRAWING: &str = "drawing";
const DELAY_ASSUMED: &str = "delay assumed";
const PARALLEL: &str = "parallel";
const LOOPS: &str = "loop";

#[cfg(test)]
mod tests;
