// SPDX-License-Identifier: Apache-2.0
//! Truth: contract, on small files of every kind of edge; distances and rates worked by hand.

use super::{Assumptions, Edge, Imported, import};
use narrows_units::{Dimension, Quantity, Rate, Span};
use proptest::prelude::*;

const SMALL: &str = r#"<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key attr.name="Longitude" for="node" id="long"/>
  <key attr.name="Latitude" for="node" id="lat"/>
  <key attr.name="label" for="node" id="name"/>
  <key attr.name="label" for="edge" id="text"/>
  <key attr.name="LinkSpeedRaw" for="edge" id="raw"/>
  <key attr.name="delay" for="edge" id="delay"/>
  <graph edgedefault="undirected">
    <node id="0"><data key="name">Gabon</data><data key="long">0.0</data><data key="lat">0.0</data></node>
    <node id="1"><data key="name">North
      Pole</data><data key="long">77</data><data key="lat">90</data></node>
    <node id="2"><data key="y"><y:ShapeNode><y:Geometry x="3" y="0"/><y:NodeLabel>Twin</y:NodeLabel></y:ShapeNode></data></node>
    <node id="3"><data key="y"><y:ShapeNode><y:Geometry x="0" y="4"/><y:NodeLabel>Twin</y:NodeLabel></y:ShapeNode></data></node>
    <edge source="0" target="1"><data key="text">OC-192c</data></edge>
    <edge source="1" target="2"><data key="raw">2500000000.0</data><data key="delay">7ms</data></edge>
    <edge source="2" target="3"><data key="text">Lit Fibre</data></edge>
    <edge source="3" target="0"><data key="text">100 Mbps</data></edge>
    <edge source="1" target="0"/>
    <edge source="3" target="3"/>
  </graph>
</graphml>"#;

fn usual() -> Assumptions {
    Assumptions {
        rate: Some(Rate::from_bps(1_000_000_000)),
        delay: Some(Span::from_ms(5)),
        ..Assumptions::default()
    }
}

/// Two nodes, a and b, and the given text.
fn document(keys: &str, graph: &str, edges: &str) -> String {
    format!("<graphml>{keys}<graph {graph}><node id=\"a\"/><node id=\"b\"/>{edges}</graph></graphml>")
}

/// An edge from a to b with those attributes.
fn with(attributes: &[(&str, &str)]) -> String {
    let data: Vec<String> =
        attributes.iter().map(|(key, text)| format!("<data key=\"{key}\">{text}</data>")).collect();
    let edge = format!("<edge source=\"a\" target=\"b\">{}</edge>", data.concat());
    document("", "edgedefault=\"undirected\"", &edge)
}

fn read(text: &str) -> Result<Imported, String> {
    import(text.as_bytes(), &usual())
}

fn rate(text: &str) -> u64 {
    read(text).expect(text).edges[0].rate.as_bps()
}

fn refused(text: &str) -> String {
    read(text).expect_err(text)
}

#[test]
fn edges_are_what_the_file_says_of_them() {
    let assumptions = Assumptions {
        rate: Some(Rate::from_bps(1_000_000)),
        delay: Some(Span::from_ms(9)),
        drawing_unit: Some(Span::from_ms(2)),
        factor: 2.0,
        ..Assumptions::default()
    };
    let imported = import(SMALL.as_bytes(), &assumptions).expect("it is in order");
    assert_eq!(imported.nodes, ["Gabon", "North Pole", "Twin 2", "Twin 3"]);
    let edge = |from, to, bps, delay| Edge { from, to, one_way: false, rate: Rate::from_bps(bps), delay };
    // A quarter of a meridian is 6371 km × π/2 = 10 007.543 km, 50.037717 ms at 200 000 km/s.
    let meridian = Span::from_ps(100_075_000_000);
    let expected = [
        edge(0, 1, 9_953_280_000, meridian),
        edge(1, 2, 2_500_000_000, Span::from_ms(7)),
        edge(2, 3, 1_000_000, Span::from_ms(20)),
        edge(3, 0, 100_000_000, Span::from_ms(9)),
        edge(1, 0, 1_000_000, meridian),
    ];
    assert_eq!(imported.edges, expected);
    let words = imported.assumed.join("; ");
    for phrase in [
        "label \"OC-192c\" read as 9953280kbps: Gabon to North Pole",
        "rate 1Mbps assumed, label \"Lit Fibre\" says no rate: Twin 2 to Twin 3",
        "rate 1Mbps assumed, no rate stated: North Pole to Gabon",
        "great circle between the ends at 200000 km/s, times 2, no delay stated: Gabon to North Pole, North Pole to Gabon",
        "the length in the drawing at 2ms for a unit, times 2, no delay stated: Twin 2 to Twin 3",
        "delay 9ms assumed, no delay stated: Twin 3 to Gabon",
        "links beside another between the same nodes, of which routes take the shorter, then the first: North Pole to Gabon",
        "edges from a node to itself left out: Twin 3",
    ] {
        assert!(words.contains(phrase), "{phrase}: {words}");
    }
}

#[test]
fn what_is_not_known_is_an_error_and_not_a_guess() {
    let error = |text: &str, assumptions: &Assumptions| {
        import(text.as_bytes(), assumptions).expect_err("something is missing")
    };
    let nothing = Assumptions::default();
    let open = error(SMALL, &nothing);
    assert!(
        open.contains("line 17: the edge from Twin 2 to Twin 3: label \"Lit Fibre\" says no rate"),
        "{open}"
    );
    let rated = Assumptions { rate: Some(Rate::from_bps(1)), ..nothing };
    assert!(error(SMALL, &rated).contains("Twin 2 to Twin 3: no delay stated"), "{}", error(SMALL, &rated));
    assert!(error("<graphml><graph>", &nothing).starts_with("not XML"));
    assert!(error("<gml/>", &nothing).contains("<gml>"));
    assert!(error("<graphml/>", &nothing).contains("no edge"));
    let dangling = r#"<graphml><graph><node id="a"/><edge source="a" target="b"/></graph></graphml>"#;
    assert!(error(dangling, &nothing).contains("line 1: an edge with the target `b`, which is not a node"));
}

#[test]
fn rates_are_read_in_all_shapes() {
    for (attributes, bps) in [
        (&[("LinkSpeed", "34"), ("LinkSpeedUnits", "M"), ("LinkLabel", "34 Mbps")][..], 34_000_000),
        (&[("LinkSpeed", "2.5"), ("LinkSpeedUnits", "G"), ("LinkSpeedRaw", "2500000000.0")], 2_500_000_000),
        (&[("LinkLabel", "&lt;= 10 Gbps")], 10_000_000_000),
        (&[("LinkLabel", "10 Gbps (2x)")], 20_000_000_000),
        (&[("capacity", "100Mbps")], 100_000_000),
        (&[("capacity", "100"), ("capacity_unit", "Mbps")], 100_000_000),
        (&[("capacity_mbps", "100")], 100_000_000),
        (&[("bandwidth-Gbps", "2.5")], 2_500_000_000),
        (&[("rate_bps", "1e6")], 1_000_000),
        (&[("bw", "10")], 10_000_000),
        (&[("label", "STM-1")], 155_520_000),
        (&[("speed", "1<!-- a comment -->0 Mbps")], 10_000_000),
    ] {
        assert_eq!(rate(&with(attributes)), bps, "{attributes:?}");
    }
    let edge = "<edge source=\"a\" target=\"b\"/>";
    let key = "<key id=\"k\" for=\"edge\" attr.name=\"capacity\"><default>34 Mbps</default></key>";
    assert_eq!(rate(&document(key, "", edge)), 34_000_000);
    assert_eq!(rate(&document("", "", "<edge source=\"a\" target=\"b\" capacity=\"34 Mbps\"/>")), 34_000_000);
    let of_graph = "<data key=\"capacity_unit\">Gbps</data><edge source=\"a\" target=\"b\"><data key=\"capacity\">3</data></edge>";
    assert_eq!(rate(&document("", "", of_graph)), 3_000_000_000);
    let drawn = "<edge source=\"a\" target=\"b\"><data key=\"d\"><PolyLineEdge><EdgeLabel>10 Gbps</EdgeLabel></PolyLineEdge></data></edge>";
    assert_eq!(rate(&document("", "", drawn)), 10_000_000_000);
    let unit = Assumptions { rate_unit: Some(Rate::from_bps(1000)), ..usual() };
    let imported = import(with(&[("capacity", "34")]).as_bytes(), &unit).expect("a unit");
    assert_eq!(imported.edges[0].rate, Rate::from_bps(34_000));
    assert!(imported.assumed[0].contains("numbers of capacity taken as multiples of 1kbps: a to b"));
}

#[test]
fn a_rate_or_delay_that_is_there_and_not_understood_is_refused_with_its_place() {
    for (key, text) in [
        ("rate", "0bps"),
        ("rate", "-1Mbps"),
        ("capacity", "100"),
        ("capacity", "fast"),
        ("capacity", "10 MB/s"),
        ("bandwidth", "10/100 Mbps"),
        ("LinkSpeed", "34"),
        ("LinkLabel", "1-10 Gbps"),
        ("label", "0 Mbps"),
        ("LinkSpeedRaw", "none"),
        ("bw", "1e12"),
        ("delay", "5"),
        ("delay", "-5ms"),
        ("delay", "soon"),
        ("latency", "2h"),
    ] {
        let error = refused(&with(&[(key, text)]));
        let named = error.starts_with("line 1: the edge from a to b: ")
            && error.contains(&format!("{key} \"{text}\""));
        assert!(named, "{error}");
    }
    for attributes in [
        &[("rate", "1Mbps"), ("capacity", "2Mbps")][..],
        &[("rate", "1Mbps"), ("rate", "1Mbps")],
        &[("capacity", "2"), ("capacity_unit", "floops")],
        &[("delay", "1ms"), ("latency", "2ms")],
        &[("delay", "1"), ("delay_unit", "moons")],
    ] {
        refused(&with(attributes));
    }
    let lenient = Assumptions { unclear: true, ..usual() };
    let imported = import(with(&[("capacity", "fast"), ("delay", "soon")]).as_bytes(), &lenient)
        .expect("it is to be taken");
    assert_eq!(
        (imported.edges[0].rate, imported.edges[0].delay),
        (Rate::from_bps(1_000_000_000), Span::from_ms(5))
    );
    let words = imported.assumed.join("; ");
    assert!(words.contains("rate 1Gbps assumed, capacity \"fast\" not understood: a to b"), "{words}");
    assert!(words.contains("delay 5ms assumed, delay \"soon\" not understood: a to b"), "{words}");
}

#[test]
fn delays_are_read_with_their_units() {
    for (attributes, ms) in [
        (&[("delay", "7ms")][..], 7),
        (&[("delay", "7"), ("delay_unit", "ms")], 7),
        (&[("latency_ms", "7")], 7),
        (&[("delay", "0ms")], 0),
    ] {
        assert_eq!(
            read(&with(attributes)).expect("a delay").edges[0].delay,
            Span::from_ms(ms),
            "{attributes:?}"
        );
    }
}

#[test]
fn directed_edges_are_links_in_one_direction() {
    let edges = "<edge source=\"a\" target=\"b\"><data key=\"rate\">100Mbps</data></edge>\
                 <edge source=\"b\" target=\"a\"><data key=\"rate\">10Mbps</data></edge>";
    let ways = |graph: &str, edges: &str| {
        let imported = read(&document("", graph, edges)).expect(graph);
        imported.edges.iter().map(|edge| (edge.one_way, edge.rate.as_bps() / 1_000_000)).collect::<Vec<_>>()
    };
    assert_eq!(ways("edgedefault=\"directed\"", edges), [(true, 100), (true, 10)]);
    let stated = edges.replace("<edge", "<edge directed=\"true\"");
    assert_eq!(ways("edgedefault=\"undirected\"", &stated), [(true, 100), (true, 10)]);
    let kept = read(&document("", "edgedefault=\"undirected\"", edges)).expect("two links");
    assert_eq!(kept.edges.iter().map(|edge| edge.one_way).collect::<Vec<_>>(), [false, false]);
    assert!(kept.assumed.iter().any(|each| each.starts_with("links beside another")), "{:?}", kept.assumed);
    let drawn = "<edge source=\"a\" target=\"b\"><data key=\"y\"><Arrows source=\"none\" target=\"none\"/></data></edge>";
    assert_eq!(ways("edgedefault=\"directed\"", drawn), [(false, 1000)]);
    assert_eq!(
        ways("edgedefault=\"directed\"", &drawn.replace("target=\"none\"", "target=\"standard\"")),
        [(true, 1000)]
    );
    let both = Assumptions { directed: false, ..usual() };
    let imported =
        import(document("", "edgedefault=\"directed\"", edges).as_bytes(), &both).expect("both ways");
    assert!(
        !imported.edges[0].one_way
            && imported.assumed.iter().any(|each| each.starts_with("directed edges taken"))
    );
    assert!(refused(&document("", "edgedefault=\"sideways\"", edges)).contains("sideways"));
}

#[test]
fn documents_that_are_no_network_are_refused_by_name() {
    let two = document("", "", "<node id=\"a\"/>");
    assert!(refused(&two).contains("two nodes have the id `a`"));
    assert!(refused(&document("", "", "<hyperedge/>")).contains("a hyperedge"));
    assert!(refused("<graphml><graph/><graph/></graphml>").contains("2 graphs"));
    let key = "<key id=\"k\" for=\"edge\" attr.name=\"rate\"/>";
    assert!(refused(&document(&key.repeat(2), "", "")).contains("two keys have the id `k`"));
    let place = document(
        "",
        "",
        "<node id=\"c\"><data key=\"Longitude\">12E</data><data key=\"Latitude\">3</data></node>",
    );
    assert!(refused(&place).contains("Longitude: expected degrees from -180 to 180, got \"12E\""));
    assert!(refused(&place.replace("12E", "181")).contains("from -180 to 180"));
    assert!(
        refused(&document("", "", "<node id=\"c\"><data key=\"lat\">3</data></node>"))
            .contains("one of longitude")
    );
    let doctype = format!("<!DOCTYPE graphml SYSTEM \"graphml.dtd\">{}", with(&[("rate", "1Mbps")]));
    assert_eq!(rate(&doctype), 1_000_000);
    assert!(refused(&with(&[("label", "&nbsp;")])).contains("nbsp"));
}

#[test]
fn nodes_have_names_of_their_own() {
    let node = |id: &str, label: &str| format!("<node id=\"{id}\"><data key=\"label\">{label}</data></node>");
    let nodes = [node("c", "x"), node("1", "x"), node("d", "x 1")].concat();
    let imported = read(&document("", "", &(nodes + "<edge source=\"a\" target=\"b\"/>"))).expect("names");
    assert_eq!(imported.nodes, ["a", "b", "c", "1", "d"]);
}

proptest! {
    /// Whatever an edge says of its rate is what it has, or is listed, or refused: the default is never taken in silence.
    #[test]
    fn no_text_is_taken_for_none(key in 0..5_usize, text in "[0-9.]{0,3}[ -]?(x|[kKMGT]?(b|B|bit|bps|Bps|b/s)?|OC-|E)[0-9]?[/ ]?(GE|Mbps)?") {
        let key = ["rate", "capacity", "LinkSpeed", "label", "LinkLabel"][key];
        let text = text.trim();
        prop_assume!(!text.is_empty());
        if let Ok(imported) = read(&with(&[(key, text)])) {
            let stated = match Quantity::parse(text, &[Dimension::Rate]) {
                Ok(Quantity::Rate(rate)) => Some(rate),
                _ => None,
            };
            let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let listed = imported.assumed.iter().any(|each| each.contains(&format!("\"{joined}\"")));
            prop_assert!(stated == Some(imported.edges[0].rate) || listed, "{key} {text}: {imported:?}");
        }
    }
}
