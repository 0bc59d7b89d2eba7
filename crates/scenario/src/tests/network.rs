// SPDX-License-Identifier: Apache-2.0
//! Contract: `[network]` resolves to explicit links that load to the same model, and its faults are distinguished.

use super::{LEAST, LoadOptions, Scenario, good, good_with, load, read, read_with};
use narrows_model::{Access, LinkChange};
use narrows_units::Span;

const TRIANGLE: &str = r#"duration = "60s"
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
name = "slow"
rate = { kind = "square", high = "9Mbps", low = "1Mbps", period = "2s" }
delay = "5ms"
queue = { kind = "red", min = "5pkt" }
reverse = { rate = "4Mbps", queue = { kind = "rio", in = ["there"] } }
[[network.links]]
from = "A"
to = "C"
rate = "10Mbps"
delay = "40ms"
loss = { kind = "bernoulli", rate = "1%" }
[[flows]]
name = "there"
algorithm = "cubic"
from = "A"
to = "C"
[[flows]]
name = "back"
algorithm = "reno"
from = "C"
to = "A"
via = ["B"]
rtt = "90ms"
"#;

fn survives(scenario: &Scenario) {
    let again = good(&scenario.resolved);
    assert_eq!(format!("{:#?}", again.model), format!("{:#?}", scenario.model), "{}", scenario.resolved);
    assert_eq!(again.resolved, scenario.resolved);
    assert_eq!(again.digest, scenario.digest);
}

const EVENTS: &str = "network.events=[{at=\"9s\",fail=\"B-A\"},{at=\"5s\",set=\"slow\",delay=\"1ms\"},{at=\"20s\",restore=\"A-B\"}]";

#[test]
fn the_resolved_file_loads_to_the_same_model() {
    survives(&good(TRIANGLE));
    survives(&good_with(TRIANGLE, &[EVENTS, "network.convergence=200ms", "network.note=mine"]));
    for shape in SHAPES {
        survives(&good(shape));
    }
}

#[test]
fn sources_send_over_a_network_too_but_leave_nothing_of_a_rate_that_it_has_not() {
    survives(&good_with(TRIANGLE, &["flows.0.source={kind=\"cbr\",rate=\"1Mbps\"}"]));
    let faults =
        read_with(TRIANGLE, &["flows.0.source={kind=\"cbr\",leaves=\"1Mbps\"}"]).expect_err("no one rate");
    assert!(faults.iter().any(|fault| fault.render().contains("a network has no one rate")), "{faults:?}");
}

const SHAPES: &[&str] = &[
    r#"duration = "9s"
       network = { rtt = "40ms", generator = { kind = "dumbbell", rate = "9Mbps", delay = "5ms", reverse = { queue = { kind = "codel" } } } }
       flows = [{ algorithm = "cubic", from = "left", to = "right" }]
       expect = [{ measure = "utilization", at_least = 0.5 }]"#,
    r#"duration = "9s"
       network = { rtt = "40ms", packet = "1000B", generator = { kind = "parking-lot", hops = 4, rate = "9Mbps", delay = "5ms" } }
       flows = [{ algorithm = "cubic", from = "R0", to = "R4" }, { algorithm = "reno", from = "R3", to = "R2" }]"#,
    r#"duration = "9s"
       network = { rtt = "40ms", generator = { kind = "ring", links = 4, rate = "9Mbps", delay = "5ms", loss = { kind = "bernoulli", rate = 0.01 } } }
       flows = [{ algorithm = "cubic", from = "R3", to = "R1", via = ["R0"] }]"#,
    r#"duration = "9s"
       network = { rtt = "40ms", generator = { kind = "two-routers", rate = "9Mbps", delay = "5ms", r0 = { queue = { kind = "drr" } }, r1 = { queue = { kind = "rio", in = ["cubic"] } } } }
       flows = [{ algorithm = "cubic", from = "R0", to = "R2" }, { algorithm = "reno", from = "R1", to = "R2" }]"#,
];

#[test]
fn a_flow_has_the_round_trip_of_its_route_or_a_longer_one() {
    let scenario = good(TRIANGLE);
    let model = &scenario.model;
    let rtts: Vec<_> = model.groups.iter().map(|group| group.rtt).collect();
    assert_eq!(rtts, [Span::from_ms(30), Span::from_ms(90)]);
    for workload in &model.workloads {
        let Access::RoundTrip { rtt, .. } = &workload.access else { panic!("round trips are given") };
        assert_eq!(rtt.constant(), Some(model.groups[workload.group].rtt));
        assert!(model.path_delay(&workload.paths[0]) <= model.groups[workload.group].rtt);
    }
    let names: Vec<_> = model.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["A-B", "B-A", "slow", "slow reverse", "A-C", "C-A"]);
    assert_eq!(model.links[model.groups[0].bottleneck.expect("its flows share links")].name, "slow");
    assert_eq!(model.links[model.groups[1].bottleneck.expect("its flows share links")].name, "slow reverse");
}

#[test]
fn an_event_concerns_both_directions_and_leads_to_other_routes() {
    let scenario = good_with(TRIANGLE, &[EVENTS]);
    let model = &scenario.model;
    let links = |change: usize| model.changes[change].links.clone();
    assert_eq!(links(0), [2, 3].map(|link| (link, LinkChange::Delay(Span::from_ms(1)))));
    assert_eq!(links(1), [1, 0].map(|link| (link, LinkChange::Fail)));
    let rerouted: Vec<_> = model.changes.iter().map(|change| (change.at, change.routes.len())).collect();
    // The second flow insists on its router, and turns round there.
    let s = |seconds: u64| Span::from_ms(seconds * 1000);
    assert_eq!(rerouted, [(s(5), 0), (s(9), 0), (s(9), 4), (s(20), 0), (s(20), 4)]);
    let forward = model.workloads[0].paths[0].forward;
    assert_eq!(model.changes[2].routes[0], (forward, vec![4]));
    assert_eq!(model.changes[4].routes[0], (forward, model.routes[forward as usize].clone()));
}

#[rustfmt::skip]
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("to = \"C\"\n[[flows]]", "to = \"D\"\n[[flows]]", "flows.0.to", "unknown router"),
    ("via = [\"B\"]", "via = [\"C\"]", "flows.1.via", "the same router twice"),
    ("to = \"A\"\nvia", "to = \"C\"\nvia = []\nfro", "flows.1.fro", "unknown key"),
    ("from = \"C\"\nto = \"A\"", "to = \"A\"", "flows.1.from", "a flow in a network says its routers"),
    ("rtt = \"90ms\"", "rtt = \"29ms\"", "flows.1.rtt", "a round trip of 29ms is shorter than that along slow reverse, B-A"),
    ("rtt = \"90ms\"", "direction = \"reverse\"", "flows.1.direction", "does not fit here"),
    ("name = \"slow\"", "name = \"A-B\"", "network.links.1.name", "two links are called `A-B`"),
    ("from = \"A\"\nto = \"C\"\nrate", "from = \"C\"\nto = \"C\"\nrate", "network.links.2.to", "to itself"),
    ("reverse = {", "one_way = true\nreverse = {", "network.links.1.reverse", "no reverse direction"),
    ("delay = \"40ms\"", "delay = \"0ms\"", "network.links.2.delay", "zero is impossible"),
    ("rtt = \"40ms\"\n", "rtt = \"40ms\"\nevents = [{ at = \"60s\", fail = \"A-B\" }]\n", "network.events.0.at", "after the run ends"),
    ("rtt = \"40ms\"\n", "rtt = \"40ms\"\nevents = [{ at = \"6s\", fail = \"A-D\" }]\n", "network.events.0.fail", "unknown link"),
    ("rtt = \"40ms\"\n", "rtt = \"40ms\"\nevents = [{ at = \"6s\", restore = \"A-B\" }]\n", "network.events.0.restore", "has not failed"),
    ("rtt = \"40ms\"\n", "rtt = \"40ms\"\nevents = [{ at = \"6s\", fail = \"A-B\" }, { at = \"7s\", fail = \"B-A\" }]\n", "network.events.1.fail", "already failed"),
    ("rtt = \"40ms\"\n", "rtt = \"40ms\"\nevents = [{ at = \"6s\" }]\n", "network.events.0.kind", "missing"),
    ("rtt = \"40ms\"\n", "rtt = \"40ms\"\ngenerator = { kind = \"ring\", nodes = 3, rate = \"1Mbps\", delay = \"1ms\" }\n", "network.generator", "several sources of links"),
    ("duration = \"60s\"", "duration = \"60s\"\npath = { rate = \"1Mbps\", rtt = \"9ms\" }", "network", "not both"),
    ("duration = \"60s\"", "duration = \"60s\"\nexpect = [{ measure = \"utilization\", link = \"bottleneck\", at_least = 0 }]", "expect.0.link", "unknown link"),
];

#[test]
fn every_fault_is_reported_at_its_key() {
    for (was, is, path, message) in FAULTS {
        let text = TRIANGLE.replacen(was, is, 1);
        assert_ne!(text, TRIANGLE, "{was}");
        let faults = read(&text).map(|_| ()).expect_err(is);
        assert!(
            faults.iter().any(|fault| fault.path == *path && fault.message.contains(message)),
            "{is}: {faults:#?}"
        );
    }
    let one_way = TRIANGLE.replace("delay = \"40ms\"", "delay = \"40ms\"\none_way = true");
    let island = one_way.replace("to = \"C\"\nname", "to = \"D\"\nname").replace("via = [\"B\"]", "");
    let faults = read(&island).map(|_| ()).expect_err("there is no route back from C");
    assert_eq!(faults[0].message, "there is no route from A to C and back");
    let elsewhere = good_with_faults(LEAST, "flows.0.from=A");
    assert!(elsewhere.contains("does not fit here"), "{elsewhere}");
    assert!(good_with_faults(LEAST, "network.rtt=1s").contains("a path or a network, not both"));
}

fn good_with_faults(text: &str, set: &str) -> String {
    super::read_with(text, &[set]).map(|_| ()).expect_err(set)[0].message.clone()
}

const TIERED: &str = r#"duration = "9s"
[network]
rtt = "40ms"
generator = { kind = "tiered", backbone = "west", rate = "96Mbps", direct = 1, fast = 1, normal = 1, IMPAIRED }
[[flows]]
algorithm = "cubic"
between = "edges"
size = "9kB"
source = { kind = "poisson", interval = "9ms" }
"#;

#[test]
fn the_links_of_access_routers_of_a_tiered_network_have_its_impairments() {
    let keys = r#"overhead = { kind = "atm" }, loss = { kind = "bernoulli", rate = "1%" }, impairments = [{ kind = "jitter", delay = "1ms" }]"#;
    for buffers in ["rtt", "rtt/sqrt(n)"] {
        let scenario = good(&TIERED.replace("IMPAIRED", &format!("buffers = \"{buffers}\", {keys}")));
        survives(&scenario);
        let links = &scenario.model.links;
        let impaired: Vec<&str> = links
            .iter()
            .filter(|link| link.loss.is_some() && link.framing.is_some() && link.impairments.len() == 1)
            .map(|link| link.name.as_str())
            .collect();
        assert_eq!(impaired.len(), 6, "{impaired:?}");
        assert!(impaired.iter().all(|name| ["D0", "F0", "N0"].iter().any(|router| name.contains(router))));
        let plain = links.iter().filter(|link| link.loss.is_none() && link.impairments.is_empty()).count();
        assert_eq!(plain + impaired.len(), links.len());
    }
}

#[test]
fn a_queue_of_a_tiered_network_is_that_of_every_port_in_place_of_droptail_and_its_buffers() {
    for buffers in ["rtt", "rtt/sqrt(n)"] {
        let scenario = good(
            &TIERED
                .replace("IMPAIRED", &format!("buffers = \"{buffers}\", queue = {{ kind = \"dualpi2\" }}")),
        );
        survives(&scenario);
        let links = &scenario.model.links;
        assert!(links.iter().all(|link| link.queue.name() == "dualpi2"));
    }
}

#[test]
fn a_queue_that_a_tiered_network_cannot_have_is_refused_once_with_its_key_and_line() {
    let text = TIERED.replace("IMPAIRED", r#"queue = { kind = "red", limit = "90pkt", max = "2pkt" }"#);
    let faults = read(&text).map(|_| ()).expect_err("the threshold is below the minimum");
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].path.starts_with("network.generator.queue"), "{}", faults[0].path);
    assert!(faults[0].render().contains("test.toml:4:"), "{}", faults[0].render());
}

#[test]
fn an_impairment_that_a_link_of_a_tiered_network_cannot_have_is_refused_once_with_its_key_and_line() {
    for (key, path, problem) in [
        (r#"[{ kind = "policer", rate = "1Mbps", burst = "10B" }]"#, "burst", "no full packet would pass"),
        (r#"[{ kind = "aggregation", frame = "10ms", largest = "1pkt" }]"#, "largest", "frames carry only"),
        (r#"[{ kind = "ecn", mode = "bleach" }]"#, "mode", "no flow uses ECN"),
    ] {
        let text = TIERED.replace("IMPAIRED", &format!("impairments = {key}"));
        let faults = read(&text).map(|_| ()).expect_err(key);
        assert_eq!(faults.len(), 1, "{key}");
        assert_eq!(faults[0].path, format!("network.generator.impairments.0.{path}"));
        assert!(faults[0].message.contains(problem), "{}", faults[0].message);
        assert!(faults[0].render().contains("test.toml:4:"), "{}", faults[0].render());
    }
}

const THINNED: &str = r#"duration = "9s"
[network]
rtt = "40ms"
[[network.links]]
from = "A"
to = "B"
delay = "5ms"
rate = "9Mbps"
DIRECT
[[network.links]]
from = "A"
to = "C"
delay = "9ms"
rate = "9Mbps"
DETOUR
[[network.links]]
from = "C"
to = "B"
delay = "9ms"
rate = "9Mbps"
[[flows]]
algorithm = "cubic"
from = "A"
to = "B"
"#;

#[test]
fn thinning_where_data_passes_alone_is_refused_with_its_key_and_line() {
    let thinning = r#"impairments = [{ kind = "ack-thinning", share = 0.5 }]"#;
    let file = |direct: &str, detour: &str| THINNED.replace("DIRECT", direct).replace("DETOUR", detour);
    let refused = |text: &str| {
        let faults = read(text).map(|_| ()).expect_err(text);
        assert_eq!(faults.len(), 1, "{faults:#?}");
        assert_eq!(faults[0].path, "network.links.0.impairments.0");
        assert!(faults[0].message.contains("no acknowledgements cross"), "{}", faults[0].message);
        assert!(faults[0].render().contains("test.toml:9:"), "{}", faults[0].render());
    };
    let forward = format!("{thinning}\nreverse = {{ impairments = [] }}");
    refused(&file(&forward, ""));
    let back =
        "[[network.links]]\nfrom = \"B\"\nto = \"A\"\none_way = true\ndelay = \"5ms\"\nrate = \"9Mbps\"";
    refused(&file(&format!("{thinning}\none_way = true\n{back}"), ""));
    survives(&good(&file(&format!("{thinning}\none_way = true\n{back}\n{thinning}"), "")));
    survives(&good(&file(thinning, "")));
    survives(&good(&file(&format!("reverse = {{ {thinning} }}"), "")));
    // No flow uses the detour, until acknowledgements do.
    survives(&good(&file("", thinning)));
    let detour = file(&forward, thinning);
    refused(&detour);
    let failing =
        detour.replace("rtt = \"40ms\"", "rtt = \"40ms\"\nevents = [{ at = \"5s\", fail = \"B-A\" }]");
    survives(&good(&failing));
}

#[test]
fn all_links_of_a_generator_may_thin_whichever_of_them_acknowledgements_cross() {
    let thinning = r#"impairments = [{ kind = "ack-thinning", share = 0.5 }]"#;
    // Of two routes with the same delay, data and acknowledgements may take one each.
    for shape in [r#"kind = "parking-lot", hops = 2"#, r#"kind = "ring", links = 4"#] {
        survives(&good(&format!(
            "duration = \"9s\"\n[network]\nrtt = \"40ms\"\n\
             generator = {{ {shape}, rate = \"9Mbps\", delay = \"5ms\", {thinning} }}\n\
             [[flows]]\nalgorithm = \"cubic\"\nfrom = \"R0\"\nto = \"R2\"\n"
        )));
    }
    survives(&good(&TIERED.replace("IMPAIRED", thinning)));
}

#[test]
fn a_graphml_file_gives_links_and_says_what_was_assumed() {
    let folder = std::env::temp_dir().join(format!("narrows-graphml-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let file = folder.join("two.graphml");
    let content =
        r#"<graphml><graph><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>"#;
    std::fs::write(&file, content).expect("the temporary folder is writable");
    let text = format!(
        "duration = \"9s\"\n[network]\nrtt = \"40ms\"\ngraph = {{ file = '{}', rate = \"1Gbps\", delay = \"3ms\" }}\n\
         [[flows]]\nalgorithm = \"cubic\"\nfrom = \"b\"\nto = \"a\"\n",
        file.display()
    );
    let scenario = good(&text);
    survives(&scenario);
    let missing = read(&text.replace("delay = \"3ms\"", "")).map(|_| ()).expect_err("the delay is not known");
    std::fs::remove_dir_all(&folder).expect("it was made above");
    assert_eq!(scenario.files.len(), 1);
    let note = &scenario.description.iter().find(|(title, _)| title == "Links").expect("a note").1;
    assert!(note.contains(&scenario.files[0].1), "{note}");
    let assumed: Vec<&str> = scenario.model.assumed.iter().map(String::as_str).collect();
    let expected = [
        "rate 1Gbps assumed, no rate stated: a to b",
        "delay 3ms assumed, no delay stated: a to b",
        "links in both directions, as edgedefault is missing: a to b",
    ];
    assert_eq!(assumed, expected);
    let described = scenario.description.iter().filter(|(title, _)| title == "Assumed").map(|(_, text)| text);
    assert!(described.eq(&scenario.model.assumed));
    assert_eq!((missing[0].path.as_str(), missing.len()), ("network.graph.file", 1));
    let gone = read(&text).map(|_| ()).expect_err("the file is gone");
    assert!(gone[0].message.starts_with("cannot be read"));
}

#[test]
fn the_first_of_links_of_one_rate_is_said_to_be_the_bottleneck() {
    let said = |text: &str| {
        let scenario = good(text);
        scenario
            .description
            .iter()
            .any(|(_, text)| text.contains("whose bottleneck is A-B, the first of links of one rate"))
    };
    let line = |rate: &str| {
        format!(
            "duration = \"9s\"\n[network]\nrtt = \"40ms\"\nlinks = [\n\
             {{ from = \"A\", to = \"B\", rate = \"10Mbps\", delay = \"5ms\" }},\n\
             {{ from = \"B\", to = \"C\", rate = \"{rate}\", delay = \"5ms\" }},\n]\n\
             [[flows]]\nalgorithm = \"cubic\"\nfrom = \"A\"\nto = \"C\"\n"
        )
    };
    assert!(said(&line("10Mbps")));
    assert!(!said(&line("20Mbps")));
}

#[test]
fn links_without_names_may_be_parallel_and_the_second_is_used_when_the_first_fails() {
    let text = |events: &str| {
        format!(
            r#"
            duration = "60s"
            [network]
            rtt = "40ms"
            {events}
            links = [
                {{ from = "A", to = "B", rate = "10Mbps", delay = "5ms" }},
                {{ from = "A", to = "B", rate = "20Mbps", delay = "5ms" }},
                {{ from = "B", to = "A", rate = "30Mbps", delay = "6ms" }},
            ]
            [[flows]]
            algorithm = "cubic"
            from = "A"
            to = "B"
            "#
        )
    };
    let model = good_with(&text(""), &[]).model;
    let names: Vec<_> = model.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["A-B", "B-A", "A-B 2", "B-A 2", "B-A 3", "A-B 3"]);
    assert_eq!(model.routes[model.workloads[0].paths[0].forward as usize], [0]);
    let model = good_with(&text("events = [{ at = \"9s\", fail = \"A-B\" }]"), &[]).model;
    assert_eq!(model.changes.last().expect("another route").routes[0].1, [2]);
}

#[test]
fn links_beside_a_graph_are_added_to_it_and_take_the_place_of_its_edges() {
    let folder = std::env::temp_dir().join(format!("narrows-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let graph = r#"<graphml><key id="r" for="edge" attr.name="rate"/><key id="d" for="edge" attr.name="delay"/>
        <graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>
        <edge source="a" target="b"><data key="r">1Gbps</data><data key="d">5ms</data></edge>
        <edge source="b" target="c"><data key="r">1Gbps</data><data key="d">5ms</data></edge></graph></graphml>"#;
    std::fs::write(folder.join("g.graphml"), graph).expect("the folder was made above");
    let text = r#"
        duration = "60s"
        [network]
        rtt = "40ms"
        graph = { file = "g.graphml" }
        links = [
            { from = "c", to = "b", rate = "100Mbps", delay = "4ms", queue = { kind = "codel" } },
            { from = "c", to = "home", rate = "20Mbps", delay = "2ms", queue = { kind = "fq-codel" } },
            { name = "spare", from = "a", to = "b", rate = "2Gbps", delay = "9ms" },
        ]
        [[flows]]
        algorithm = "cubic"
        from = "a"
        to = "home"
    "#;
    let loaded =
        load(text, "test.toml", &folder, &[], &LoadOptions::default()).expect("both sources of links");
    let links: Vec<_> = loaded.model.links.iter().map(|link| (&*link.name, link.queue.name())).collect();
    let expected = [
        ("a-b", "droptail"),
        ("b-a", "droptail"),
        ("c-b", "codel"),
        ("b-c", "codel"),
        ("c-home", "fq-codel"),
        ("home-c", "fq-codel"),
        ("spare", "droptail"),
        ("spare reverse", "droptail"),
    ];
    assert_eq!(links, expected);
    // The resolved file lists all links and needs no graph.
    let again = read(&loaded.resolved).expect("a resolved file is a scenario");
    assert_eq!(again.model.links.len(), 8);
    std::fs::remove_dir_all(folder).expect("it was made above");
}
