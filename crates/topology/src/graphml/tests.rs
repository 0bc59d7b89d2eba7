//! Truth: contract, on a small file of every kind of edge; distances and rates worked by hand.

use super::{Assumptions, Edge, import};
use narrows_units::{Rate, Span};

const NOTHING: Assumptions = Assumptions { rate: None, delay: None, drawing_unit: None, factor: 1.0 };

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

#[test]
fn edges_are_what_the_file_says_of_them() {
    let assumptions = Assumptions {
        rate: Some(Rate::from_bps(1_000_000)),
        delay: Some(Span::from_ms(9)),
        drawing_unit: Some(Span::from_ms(2)),
        factor: 2.0,
    };
    let imported = import(SMALL, &assumptions).expect("it is in order");
    assert_eq!(imported.nodes, ["Gabon", "North Pole", "Twin 2", "Twin 3"]);
    let edge = |from, to, bps, delay| Edge { from, to, rate: Rate::from_bps(bps), delay };
    // A quarter of a meridian is 6371 km × π/2 = 10 007.543 km, 50.037717 ms at 200 000 km/s.
    let meridian = Span::from_ps(100_075_000_000);
    let expected = [
        edge(0, 1, 9_953_280_000, meridian),
        edge(1, 2, 2_500_000_000, Span::from_ms(7)),
        edge(2, 3, 1_000_000, Span::from_ms(20)),
        edge(3, 0, 100_000_000, Span::from_ms(9)),
    ];
    assert_eq!(imported.edges, expected);
    let words = imported.assumed.join("; ");
    for phrase in [
        "every edge is a link in both directions",
        "3 with the rate that the file says",
        "1 without a rate taken to have 1Mbps",
        "1 with the delay that the file says",
        "great circle between its ends at 200000 km/s, times 2",
        "its length in the drawing at 2ms for a unit, times 2",
        "1 of unknown delay taken to have 9ms",
        "1 left out beside another",
        "1 from a node to itself left out",
    ] {
        assert!(words.contains(phrase), "{phrase}: {words}");
    }
}

#[test]
fn what_is_not_known_is_an_error_and_not_a_guess() {
    let error =
        |text: &str, assumptions: &Assumptions| import(text, assumptions).expect_err("something is missing");
    assert!(error(SMALL, &NOTHING).contains("Twin 2 to Twin 3 says no rate"));
    let rated = Assumptions { rate: Some(Rate::from_bps(1)), ..NOTHING };
    assert!(error(SMALL, &rated).contains("Twin 2 to Twin 3 cannot be known"));
    assert!(error("<graphml><graph>", &NOTHING).starts_with("not XML"));
    assert!(error("<graphml/>", &NOTHING).contains("no edge"));
    let dangling = r#"<graphml><graph><node id="a"/><edge source="a" target="b"/></graph></graphml>"#;
    assert!(error(dangling, &NOTHING).contains("`b`, which is no node"));
}
