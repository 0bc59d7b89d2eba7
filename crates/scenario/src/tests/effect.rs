// SPDX-License-Identifier: Apache-2.0
//! Contract: every key has an effect: two scenarios that differ in one key run differently, too.

use super::super::kind::{Absent, Key, Kind, Quantities, Variant};
use super::super::section::Section;
use super::super::sections::root::RootKeys;
use super::super::sections::transport::TransportKeys;
use super::{Diagnostic, LEAST, Scenario, read_with};
use narrows_units::Dimension;

/// Place of the value of a key.
#[derive(Clone)]
struct Place {
    /// As on the command line.
    path: String,
    /// The same with the form of each table in brackets, and without the numbers of elements.
    label: String,
    /// What makes the tables around it.
    sets: Vec<String>,
}

impl Place {
    fn key(&self, key: &str) -> Self {
        let join = |path: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        Self { path: join(&self.path), label: join(&self.label), sets: self.sets.clone() }
    }

    /// The first element of the list here.
    fn element(&self) -> Self {
        Self { path: format!("{}.0", self.path), ..self.clone() }
    }

    /// A table of that form here.
    fn form(&self, variant: &Variant) -> Self {
        let label = format!("{}[{}]", self.label, variant.name);
        let here = Self { label, ..self.clone() };
        let mut sets = self.sets.clone();
        sets.push(format!("{}={}", self.path, example(variant, &here)));
        Self { sets, ..here }
    }
}

/// A table of a form with what it needs.
fn example(variant: &Variant, place: &Place) -> String {
    let required = variant.keys.iter().filter(|key| matches!(key.absent, Absent::Refused));
    let keys = required.map(|key| {
        let [value, _] = values(&key.kind, &place.key(key.name));
        format!(", {} = {value}", key.name)
    });
    format!("{{ kind = \"{}\"{} }}", variant.name, keys.collect::<String>())
}

/// Two values of a key.
fn values(kind: &Kind, place: &Place) -> [String; 2] {
    if let Some(values) = values_needed(place, false) {
        return values;
    }
    let strings = |one: &str, other: &str| [one, other].map(|value| format!("{value:?}"));
    match kind {
        Kind::Flag => ["true", "false"].map(str::to_owned),
        Kind::Integer { minimum, .. } => [minimum + 1, minimum + 2].map(|number| number.to_string()),
        Kind::Number => ["1.5", "2.5"].map(str::to_owned),
        Kind::Fraction { .. } => ["0.25", "0.5"].map(str::to_owned),
        Kind::Choice(words) => strings(words[0], words[words.len() - 1]),
        Kind::Quantity(quantities) | Kind::Variants { plain: Some(quantities), .. } => quantity(*quantities),
        Kind::TimeRange => strings("1s", "2s..3s"),
        Kind::Algorithm => strings("cubic", "reno"),
        Kind::List(kind) => values(kind, place).map(|value| format!("[{value}]")),
        Kind::Variants { plain: None, variants } => [0, 1].map(|form| example(&variants[form], place)),
        Kind::Listed(variants) => [0, 1].map(|form| example(&variants()[form], place)),
        Kind::Text | Kind::File | Kind::Named(_) => strings("one", "other"),
        Kind::Table(_) | Kind::Tables(_) => strings("", ""),
    }
}

fn quantity(quantities: Quantities) -> [String; 2] {
    match quantities.dimensions[0] {
        Dimension::Rate => ["3Mbps", "4Mbps"],
        Dimension::Time => ["50ms", "60ms"],
        Dimension::Size => ["30kB", "40kB"],
        Dimension::Packets => ["9pkt", "11pkt"],
        Dimension::Bdp => ["1bdp", "2bdp"],
        Dimension::Fraction => ["1%", "2%"],
    }
    .map(|value| format!("{value:?}"))
}

/// What keys need to be tried.
struct Need {
    /// The beginning, a form in brackets, or the end of their labels.
    label: &'static str,
    /// Another scenario than the least.
    base: Option<&'static str>,
    /// Other keys, without which they have no effect; names that begin with a dot belong to the same table.
    sets: &'static [&'static str],
    /// Two values of the key with this label, if the values of its kind are unsuitable.
    values: Option<[&'static str; 2]>,
    /// They are not values of the key if another is tried.
    alone: bool,
}

impl Need {
    const fn sets(label: &'static str, sets: &'static [&'static str]) -> Self {
        Self { label, base: None, sets, values: None, alone: false }
    }

    const fn base(label: &'static str, base: &'static str, sets: &'static [&'static str]) -> Self {
        Self { label, base: Some(base), sets, values: None, alone: false }
    }

    const fn values(label: &'static str, one: &'static str, other: &'static str) -> Self {
        Self { label, base: None, sets: &[], values: Some([one, other]), alone: false }
    }

    /// Values for the trial of the key alone.
    const fn alone(
        label: &'static str,
        sets: &'static [&'static str],
        one: &'static str,
        other: &'static str,
    ) -> Self {
        Self { label, base: None, sets, values: Some([one, other]), alone: true }
    }

    fn concerns(&self, place: &Place) -> bool {
        if self.alone {
            return self.ends(place);
        }
        place.label.starts_with(self.label)
            || self.ends(place)
            || place.label.contains(&format!("{}.", self.label))
    }

    fn ends(&self, place: &Place) -> bool {
        let Some(before) = place.label.strip_suffix(self.label) else { return false };
        before.is_empty() || before.ends_with('.') || self.label.starts_with('.') || self.label.contains(']')
    }
}

fn values_needed(place: &Place, alone: bool) -> Option<[String; 2]> {
    let need = NEEDS.iter().find(|need| need.values.is_some() && need.alone == alone && need.ends(place))?;
    need.values.map(|values| values.map(|value| value.replace("FOLDER", &folder())))
}

/// Where the files are that keys name.
fn folder() -> String {
    std::env::temp_dir().join(format!("narrows-effect-{}", std::process::id())).display().to_string()
}

/// What runs, as text.
fn whole(scenario: &Scenario) -> String {
    let text = format!("{:#?} {:?} {}", scenario.model, scenario.expectations, scenario.replications);
    // Addresses of functions say nothing.
    text.lines().filter(|line| !line.contains("0x")).collect::<Vec<_>>().join("\n")
}

/// The error for a key that has no effect.
fn fault(place: &Place, kind: &Kind) -> Option<String> {
    let table = place.path.rsplit_once('.').map_or("", |(table, _)| table);
    let needs = || NEEDS.iter().filter(|need| need.concerns(place));
    let needed = needs().flat_map(|need| need.sets);
    let needed = needed.map(|set| match set.strip_prefix('.') {
        Some(key) => format!("{table}.{}", key.replace("FOLDER", &folder())),
        None => set.replace("FOLDER", &folder()),
    });
    // Settings in a table follow the table.
    let tables: Vec<&str> = place.sets.iter().filter_map(|set| set.split('=').next()).collect();
    let inside = |set: &String| tables.iter().any(|table| set.starts_with(&format!("{table}.")));
    let (behind, before): (Vec<String>, Vec<String>) = needed.partition(inside);
    let sets: Vec<String> = before.into_iter().chain(place.sets.iter().cloned()).chain(behind).collect();
    let base = needs().rev().find_map(|need| need.base).unwrap_or(LEAST);
    let run = |value: &str| {
        let set = format!("{}={value}", place.path);
        let all: Vec<&str> = sets.iter().map(String::as_str).chain([set.as_str()]).collect();
        read_with(base, &all).map(|scenario| whole(&scenario)).map_err(|faults| {
            let all: Vec<String> = faults.iter().map(Diagnostic::render).collect();
            format!("{}: {set} after {sets:?} is refused: {}", place.label, all.join(" "))
        })
    };
    let [one, other] = values_needed(place, true).unwrap_or_else(|| values(kind, place));
    match (run(&one), run(&other)) {
        (Err(refused), _) | (_, Err(refused)) => Some(refused),
        (Ok(first), Ok(second)) if first == second => {
            Some(format!("{} = {one} or {other} makes no difference after {sets:?}", place.label))
        }
        _ => None,
    }
}

/// Tries every key below `kind`, each table once, wherever it is.
fn visit(kind: &Kind, place: &Place, seen: &mut Vec<String>, faults: &mut Vec<String>) {
    let mut table = |name: &str, keys: &[Key], place: &Place| {
        let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        let table = format!("{name} {names:?}");
        if keys.is_empty() || seen.contains(&table) {
            return;
        }
        seen.push(table);
        for key in keys {
            let place = place.key(key.name);
            let tried = !matches!(key.kind, Kind::Table(_) | Kind::Tables(_));
            if tried && EXEMPT.iter().all(|(label, _)| *label != place.label) {
                faults.extend(fault(&place, &key.kind));
            }
            visit(&key.kind, &place, seen, faults);
        }
    };
    let mut forms = |variants: &[Variant]| {
        for variant in variants {
            table(variant.name, variant.keys, &place.form(variant));
        }
    };
    match kind {
        Kind::Table(parts) => parts.iter().for_each(|keys| table(&place.label, keys, place)),
        Kind::Tables(parts) => parts.iter().for_each(|keys| table(&place.label, keys, &place.element())),
        Kind::List(kind) => visit(kind, &place.element(), seen, faults),
        Kind::Variants { variants, .. } => forms(variants),
        Kind::Listed(variants) => forms(variants()),
        _ => {}
    }
}

#[test]
fn every_key_has_an_effect() {
    let files = std::path::PathBuf::from(folder());
    std::fs::create_dir_all(&files).expect("the temporary folder is writable");
    for (name, content) in FILES {
        std::fs::write(files.join(name), content).expect("the temporary folder is writable");
    }
    let root = Place { path: String::new(), label: String::new(), sets: Vec::new() };
    let mut faults = Vec::new();
    visit(&Kind::Table(RootKeys::PARTS), &root, &mut Vec::new(), &mut faults);
    for (source, sets) in WORKLOADS {
        let sets = sets.iter().map(|set| set.replace("FOLDER", &folder())).collect();
        let place = Place { path: "flows.0".into(), label: format!("[{source}]"), sets };
        for key in TransportKeys::PARTS.iter().copied().flatten() {
            let place = place.key(key.name);
            if EXEMPT.iter().all(|(label, _)| *label != place.label) {
                faults.extend(fault(&place, &key.kind));
            }
        }
    }
    std::fs::remove_dir_all(&files).expect("it was made above");
    assert!(faults.is_empty(), "{} keys:\n{}", faults.len(), faults.join("\n"));
}

/// Sources that start transfers: every key of an endpoint has an effect there, too.
const WORKLOADS: &[(&str, &[&str])] = &[
    ("with poisson", &["flows.0.size=9kB", "flows.0.source={kind=\"poisson\",interval=\"9ms\"}"]),
    ("with records", &["flows.0.source={kind=\"flow-records\",records=\"FOLDER/one.records\"}"]),
    ("with arrivals", &["flows.0.source={kind=\"arrivals\",arrivals=\"FOLDER/one.arrivals\"}"]),
    ("with vectors", &["flows.0.source={kind=\"vectors\",vectors=\"FOLDER/one.cvec\"}"]),
    ("with users", &["flows.0.size=9kB", "flows.0.source={kind=\"users\",think=\"9s\"}"]),
    ("with video", &["flows.0.source={kind=\"video\"}"]),
];

/// Keys that cannot be tried so, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("network.note", "it states the source of the links"),
    ("network.graph.unclear", "one of its values refuses what the other takes"),
    ("flows.between", "it has one word, without which other keys are needed"),
    ("flows.stack", "stacks are in a crate of their own, and crates/lab/tests/stacks.rs tries them"),
    ("flows.paths.via", PATHS),
    ("flows.paths.status", PATHS),
    ("flows.paths.start", PATHS),
    ("flows.paths.stop", PATHS),
    ("flows.packet_threshold", OF_STACKS),
    ("flows.time_threshold", OF_STACKS),
    ("flows.initial_rtt", OF_STACKS),
    ("flows.ack_frequency.threshold", OF_STACKS),
    ("flows.ack_frequency.max_delay", OF_STACKS),
    ("flows.ack_frequency.reordering", OF_STACKS),
    ("flows.persistent_congestion_threshold", OF_STACKS),
    ("flows.stream_receive_window", OF_STACKS),
    ("flows.connection_receive_window", OF_STACKS),
    ("flows.send_window", OF_STACKS),
    ("flows.source[objects].fps", OBJECTS),
    ("flows.source[objects].bitrate", OBJECTS),
    ("flows.source[objects].group", OBJECTS),
    ("flows.source[objects].key_frame", OBJECTS),
    ("flows.source[objects].deadline", OBJECTS),
    ("flows.source[objects].delivery", OBJECTS),
    ("[with vectors].read_rate", READS),
    ("[with vectors].read_pause", READS),
    ("[with video].read_rate", READS),
    ("[with video].read_pause", READS),
    ("flows.program.client", PROGRAM),
    ("flows.program.server", PROGRAM),
    ("flows.program.sender", PROGRAM),
];

const OF_STACKS: &str = "they need a stack, and crates/lab/tests/stack_settings.rs tries them";
const PATHS: &str = "they need a stack, and crates/lab/tests/stack_paths.rs tries them";
const OBJECTS: &str = "they need a stack, and crates/lab/tests/stack_objects.rs tries them";
const READS: &str = "the application of such a source reads all data at once";
const PROGRAM: &str = "only a kernel runs programs, and this is the simulator";

/// Files that keys name.
pub(super) const FILES: &[(&str, &str)] = &[
    ("one.trace", "1\n2\n"),
    ("other.trace", "1\n3\n"),
    ("one.rates", RATES),
    ("other.rates", "time_s,Mbps,other_Mbps\n0,1,2\n1,3,1\n"),
    ("one.delays", "0 0.01\n"),
    ("other.delays", "0 0.02\n"),
    ("one.points", "10000 0.5\n20000 1\n"),
    ("other.points", "10000 0.5\n30000 1\n"),
    ("one.arrivals", "0.5 1000\n1 2000\n"),
    ("one.records", "start,other,bytes,packets\n0,0,1000,2\n1,3,2000,3\n"),
    ("other.records", "start,other,bytes,packets\n0,0,1000,2\n2,3,3000,3\n"),
    ("other.arrivals", "0.5 1000\n2 2000\n"),
    (
        "one.cvec",
        "SEQ 0 1 1 1\nw 9000 9000\nr 30000\n> 500\n< 9000\nSEQ 5 1 2 2\nw 9000 9000\n> 500\n< 9000\n",
    ),
    ("other.cvec", "SEQ 0 1 1 1\nw 9000 9000\nr 30000\n> 700\n< 9000\n"),
    ("one.graphml", GRAPH),
    ("other.graphml", OTHER_GRAPH),
    ("drawn.graphml", DRAWN_GRAPH),
    ("numbers.graphml", NUMBERS_GRAPH),
    ("ways.graphml", WAYS_GRAPH),
];

/// Rates in two columns, one of them with a gap, of two runs.
const RATES: &str = "time_s,at,run,Mbps,other_Mbps,holes\n0,0,1,5,4,1\n1,3,1,6,7,\n2,4,2,7,9,3\n";

/// An edge with a rate and a delay of its own, one with places and no rate, and one of which nothing is known.
const GRAPH: &str = r#"<graphml><key id="o" for="node" attr.name="Longitude"/><key id="a" for="node" attr.name="Latitude"/>
<graph><node id="a"><data key="o">0</data><data key="a">0</data></node>
<node id="b"><data key="o">9</data><data key="a">9</data></node><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/></graph></graphml>"#;

const OTHER_GRAPH: &str =
    r#"<graphml><graph><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>"#;

/// Places in a drawing.
const DRAWN_GRAPH: &str = r#"<graphml xmlns:y="y"><graph>
<node id="a"><data><y:Geometry x="0" y="0" width="1" height="1"/></data></node>
<node id="b"><data><y:Geometry x="9" y="9" width="1" height="1"/></data></node>
<edge source="a" target="b"/></graph></graphml>"#;

/// Numbers without units.
const NUMBERS_GRAPH: &str = r#"<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>
<edge source="a" target="b" capacity="5" delay="5"/></graph></graphml>"#;

/// An edge each way, which differ.
const WAYS_GRAPH: &str = r#"<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/>
<edge source="a" target="b" rate="5Mbps"/><edge source="b" target="a" rate="1Mbps"/></graph></graphml>"#;

/// A network whose links are read from elsewhere.
const SHAPE: &str = r#"duration = "60s"
[network]
rtt = "40ms"
[[flows]]
algorithm = "cubic"
"#;

/// Two groups.
const GROUPS: &str = r#"duration = "60s"
[path]
rate = "20Mbps"
rtt = "40ms"
[[flows]]
algorithm = "cubic"
[[flows]]
algorithm = "reno"
"#;

/// Two routes from A to C.
const NETWORK: &str = r#"duration = "60s"
[network]
rtt = "40ms"
[[network.links]]
from = "A"
to = "B"
rate = "20Mbps"
delay = "10ms"
[[network.links]]
from = "B"
to = "C"
rate = "20Mbps"
delay = "10ms"
[[network.links]]
from = "A"
to = "C"
rate = "20Mbps"
delay = "90ms"
[[flows]]
algorithm = "cubic"
from = "A"
to = "C"
"#;

/// Transfers between the edges of a network.
const EDGES: &str = r#"duration = "60s"
[network]
rtt = "40ms"
generator = { kind = "tiered", rate = "3Mbps", backbone = "west", fast = 1, normal = 2 }
[[flows]]
algorithm = "cubic"
size = "9kB"
between = "edges"
source = { kind = "poisson", interval = "9ms" }
"#;

#[rustfmt::skip]
const NEEDS: &[Need] = &[
    // Rates and queues.
    Need::values("linux.sysctl", "[\"net.a=1\"]", "[\"net.a=2\"]"),
    Need::values("steps].times", "[\"0s\"]", ""),
    Need::alone("[steps].times", &[".rates=[\"1Mbps\",\"2Mbps\"]", ".times=[\"0s\",\"9s\"]"], "[\"0s\", \"1s\"]", "[\"0s\", \"2s\"]"),
    Need::values(".low", "\"1Mbps\"", "\"2Mbps\""),
    Need::values("walk].step", "\"1Mbps\"", "\"2Mbps\""),
    Need::values("walk].minimum", "\"1Mbps\"", "\"2Mbps\""),
    Need::values("walk].maximum", "\"8Mbps\"", "\"9Mbps\""),
    Need::values("rate[uniform].minimum", "\"1Mbps\"", "\"2Mbps\""),
    Need::sets("walk].bounds", &[".steps=uniform"]),
    Need::values("[token-bucket].burst", "\"30kB\"", "\"40kB\""),
    Need::values("[token-bucket].peak", "\"50Mbps\"", "\"60Mbps\""),
    Need::sets("[token-bucket].autorate", &[".probes=cubic"]),
    Need::base("autorate.probes", GROUPS, &[]),
    Need::values("autorate.probes", "\"cubic\"", "\"reno\""),
    Need::values("autorate.minimum", "\"1Mbps\"", "\"2Mbps\""),
    Need::values("autorate.maximum", "\"5Mbps\"", "\"6Mbps\""),
    Need::values("autorate.window", "7", "8"),
    Need::values("[file].file", "\"FOLDER/one.rates\"", "\"FOLDER/other.rates\""),
    Need::sets("rate[file]", &[".column=Mbps"]),
    Need::values("[file].column", "\"Mbps\"", "\"other_Mbps\""),
    Need::values("[file].time", "\"time_s\"", "\"at\""),
    Need::sets("[file].times_are", &[".time=at"]),
    Need::sets("[file].missing", &[".column=holes", ".unit=Mbps"]),
    Need::values("[file].missing", "\"hold\"", "\"zero\""),
    Need::values("[file].only", "[\"run=1\"]", "[]"),
    Need::values("[file].period", "\"4s\"", "\"5s\""),
    Need::values("[file].start", "\"0s\"", "\"1s\""),
    Need::values("[trace].trace", "\"FOLDER/one.trace\"", "\"FOLDER/other.trace\""),
    Need::values("[trace].start", "\"0s\"", "\"1ms\""),
    Need::values("[priority].classes", "{ cubic = 0 }", "{ cubic = 1 }"),
    Need::values("flows.packet", "\"500B\"", "\"600B\""),
    Need::values("[cake].hosts", "{ cubic = 0 }", "{ cubic = 1 }"),
    Need::values("[rio].in", "[]", "[\"cubic\"]"),
    Need::values("[rio].in_max", "\"20pkt\"", "\"30pkt\""),
    // Impairments.
    Need::values("impairments", "[{ kind = \"jitter\", delay = \"1ms\" }]", "[{ kind = \"jitter\", delay = \"2ms\" }]"),
    Need::sets("path.impairments", &["path.impairments=[{kind=\"jitter\",delay=\"1ms\"}]"]),
    Need::sets("[ack-thinning].share", &["flows.0.direction=reverse"]),
    Need::sets("[ecn].mode", &["transport.ecn=true"]),
    Need::sets("[ecn].share", &["transport.ecn=true"]),
    Need::sets("[ecn].packets", &["transport.ecn=true"]),
    Need::sets("[ecn].of", &["transport.ecn=true"]),
    Need::values("[reorder].delay", "\"5ms\"", "\"6ms\""),
    Need::base("[list].group", GROUPS, &[]),
    Need::values("[list].group", "\"cubic\"", "\"reno\""),
    Need::base("[ecn].group", GROUPS, &["transport.ecn=true"]),
    Need::values("[ecn].group", "\"cubic\"", "\"reno\""),
    Need::sets("[ecn].per_flow", &["transport.ecn=true"]),
    Need::sets("[reorder].share", &[".distance=3pkt"]),
    Need::sets("[reorder].hold", &[".distance=3pkt"]),
    Need::sets("[jitter].correlation", &[".delay={kind=\"exponential\",mean=\"1ms\"}"]),
    Need::values("[delay-steps].delays", "[\"5ms\"]", "[\"6ms\"]"),
    Need::alone("[delay-steps].times", &[".delays=[\"5ms\",\"6ms\"]", ".times=[\"0s\",\"9s\"]"], "[\"0s\", \"1s\"]", "[\"0s\", \"2s\"]"),
    Need::values("[delay-sawtooth].minimum", "\"1ms\"", "\"2ms\""),
    Need::values("[aggregation].largest", "\"900pkt\"", "\"901pkt\""),
    Need::values("[delay-trace].file", "\"FOLDER/one.delays\"", "\"FOLDER/other.delays\""),
    Need::values("path.delay", "\"5ms\"", "\"6ms\""),
    // The network.
    Need::base("network", NETWORK, &[]),
    Need::sets("network.convergence", &["network.events=[{at=\"1s\",fail=\"A-B\"}]"]),
    Need::values("network.links.from", "\"A\"", "\"D\""),
    Need::values("network.links.to", "\"B\"", "\"D\""),
    Need::base("network.generator", SHAPE, &["flows.0.from=left", "flows.0.to=right"]),
    Need::values("network.generator", "{ kind = \"dumbbell\", rate = \"3Mbps\", delay = \"5ms\" }", "{ kind = \"dumbbell\", rate = \"4Mbps\", delay = \"5ms\" }"),
    Need::sets("[parking-lot]", &["flows.0.from=R0", "flows.0.to=R1"]),
    Need::sets("[ring]", &["flows.0.from=R0", "flows.0.to=R1"]),
    Need::sets("[two-routers]", &["flows.0.from=R0", "flows.0.to=R1"]),
    Need::values("[two-routers].r0", "{ queue = { kind = \"droptail\" } }", ""),
    Need::values("[two-routers].r1", "{ queue = { kind = \"droptail\" } }", ""),
    Need::sets("[tiered]", &[".backbone=west", ".fast=1", ".normal=2", "flows.0={algorithm=\"cubic\",between=\"edges\",size=\"9kB\",source={kind=\"poisson\",interval=\"9ms\"}}"]),
    Need::sets("[tiered].transfers", &[".buffers=rtt/sqrt(n)"]),
    Need::values("[tiered].transfers", "1000", "2000"),
    Need::values("[tiered].sources", "[1, 2, 3]", "[3, 2, 1]"),
    Need::values("[tiered].receivers", "[1, 2, 3]", "[3, 2, 1]"),
    Need::base("network.graph", SHAPE, &["network.graph={file=\"FOLDER/one.graphml\",rate=\"9Mbps\",delay=\"5ms\"}", "flows.0.from=a", "flows.0.to=b"]),
    Need::sets("network.graph.drawing_unit", &[".file=FOLDER/drawn.graphml"]),
    Need::sets("network.graph.rate_unit", &[".file=FOLDER/numbers.graphml", ".delay_unit=1ms"]),
    Need::sets("network.graph.delay_unit", &[".file=FOLDER/numbers.graphml", ".rate_unit=1Mbps"]),
    Need::sets("network.graph.directed", &[".file=FOLDER/ways.graphml"]),
    Need::values("network.graph.file", "\"FOLDER/one.graphml\"", "\"FOLDER/other.graphml\""),
    Need::base("network.edges", EDGES, &["network.edges=[{router=\"D0\"},{router=\"D1\"}]"]),
    Need::values("network.edges.router", "\"D0\"", "\"N0\""),
    Need::base("network.hosts", EDGES, &[]),
    Need::sets("network.hosts.fast_rate", &[".fast=0.5"]),
    Need::sets("network.events", &["network.events=[{at=\"1s\",fail=\"A-B\"},{at=\"2s\",fail=\"B-C\"}]"]),
    Need::values("network.events", "[{at=\"1s\",fail=\"A-B\"}]", "[{at=\"2s\",fail=\"A-B\"}]"),
    Need::values("[fail].fail", "\"A-B\"", "\"A-C\""),
    Need::values("[restore].at", "\"3s\"", "\"4s\""),
    Need::values("[restore].restore", "\"B-C\"", ""),
    Need::alone("[restore].restore", &["network.events=[{at=\"1s\",fail=\"A-B\"},{at=\"2s\",fail=\"B-C\"},{at=\"1s\",fail=\"A-C\"}]"], "\"B-C\"", "\"A-C\""),
    Need::values("[set].set", "\"A-B\"", "\"A-C\""),
    // Endpoints.
    Need::sets("abe", &[".ecn=true"]),
    Need::sets("quick_start_ssthresh", &[".quick_start=1Mbps"]),
    Need::sets("saved_rtt", &[".saved_window=99pkt"]),
    Need::sets("read_rate", &[".receive_window=9pkt"]),
    Need::sets("read_pause", &[".receive_window=9pkt"]),
    Need::values("read_pause", "\"1s..2s\"", "\"1s..3s\""),
    Need::values(".header", "\"20B\"", "\"30B\""),
    Need::values(".ack", "\"60B\"", "\"70B\""),
    Need::values(".max_rto", "\"30s\"", "\"40s\""),
    // Sizes and times.
    Need::values("delay[uniform].minimum", "\"10ms\"", "\"20ms\""),
    Need::values("rtt[uniform].minimum", "\"10ms\"", "\"20ms\""),
    Need::sets("[pareto].shape", &[".minimum=9ms"]),
    Need::sets("[pareto].maximum", &[".minimum=9ms"]),
    Need::sets("[lognormal].sigma", &[".median=9ms"]),
    Need::sets("[empirical].values", &[".shares=[1]"]),
    Need::sets("[empirical].shares", &[".values=[\"9ms\",\"10ms\"]"]),
    Need::values("[empirical].shares", "[0.5, 1]", "[0.6, 1]"),
    Need::values("[empirical].file", "\"FOLDER/one.points\"", "\"FOLDER/other.points\""),
    Need::values("[mixture].parts", "[{ share = 1, of = \"9ms\" }]", ""),
    Need::alone("[mixture].parts.share", &["path.impairments.0.delay={kind=\"mixture\",parts=[{share=1,of=\"9ms\"},{share=0.5,of=\"8ms\"}]}"], "0.5", "0.5000000001"),
    Need::sets("[four-state].p32", &[".p31=0.25"]),
    // Flows.
    Need::sets("flows.stagger", &["flows.0.count=3"]),
    Need::base("flows.from", NETWORK, &[]),
    Need::values("flows.from", "\"A\"", "\"B\""),
    Need::base("flows.to", NETWORK, &[]),
    Need::values("flows.to", "\"B\"", "\"C\""),
    Need::base("flows.via", NETWORK, &["network.links.0.delay=95ms"]),
    Need::values("flows.via", "[]", "[\"B\"]"),
    Need::base("flows.between", EDGES, &[]),
    Need::values("flows.source", "{ kind = \"bulk\" }", "{ kind = \"cbr\", rate = \"1Mbps\" }"),
    Need::values("[cbr].rate", "\"3Mbps\"", "\"4Mbps\""),
    Need::sets("[cbr].sharing", &[".leaves=3Mbps", "flows.0.count=99"]),
    Need::sets("flows.source[poisson]", &["flows.0.size=9kB"]),
    Need::sets("flows.source[poisson-steps]", &["flows.0.size=9kB"]),
    Need::alone("[poisson-steps].times", &[".intervals=[\"1s\",\"2s\"]", ".times=[\"0s\",\"9s\"]"], "[\"0s\", \"1s\"]", "[\"0s\", \"2s\"]"),
    Need::sets("flows.source[users]", &["flows.0.size=9kB"]),
    Need::values("[flow-records].records", "\"FOLDER/one.records\"", "\"FOLDER/other.records\""),
    Need::values("[flow-records].time", "\"start\"", "\"other\""),
    Need::values("[flow-records].bytes", "\"bytes\"", "\"packets\""),
    Need::values("[arrivals].arrivals", "\"FOLDER/one.arrivals\"", "\"FOLDER/other.arrivals\""),
    Need::alone("[vectors].share", &[], "0.5", "1"),
    Need::sets("[users].surges", &["flows.0.size=9kB", "flows.0.source.surges=[{from=\"1s\",until=\"2s\",factor=2}]"]),
    Need::values("surges.from", "\"1.5s\"", "\"1.7s\""),
    Need::values("surges.until", "\"3s\"", "\"4s\""),
    Need::base("surges.at", EDGES, &[]),
    Need::values("surges.at", "[\"D\"]", "[\"N\"]"),
    Need::values("[call].minimum", "\"1Mbps\"", "\"2Mbps\""),
    Need::values("[video].buffer", "\"20s\"", "\"25s\""),
    Need::values("[web].levels", "[{ size = \"9kB\" }]", ""),
    Need::values("[vectors].vectors", "\"FOLDER/one.cvec\"", "\"FOLDER/other.cvec\""),
    // Records and expectations.
    Need::sets("record.packet_limit", &[".packets=true"]),
    Need::sets("record.clients", &["flows.0.source={kind=\"call\"}", "flows.0.count=2"]),
    Need::sets("expect", &["expect=[{measure=\"loss_rate\",at_most=1}]"]),
    Need::values("expect.measure", "\"goodput_bps\"", "\"loss_rate\""),
    Need::base("expect.group", GROUPS, &[]),
    Need::values("expect.group", "\"cubic\"", "\"reno\""),
    Need::values("expect.at_least", "0.25", "0.5"),
    Need::values("expect.link", "\"bottleneck\"", "\"bottleneck reverse\""),
];
