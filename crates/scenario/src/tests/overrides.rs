// SPDX-License-Identifier: Apache-2.0
//! Contract: what `--set` and the other options of a command do to a scenario.

use super::{Diagnostic, EXAMPLE, LEAST, good, good_with, read_with};
use super::{LoadOptions, Scenario, load};
use narrows_model::RateModel;
use narrows_qdisc::catalogue::entries;
use narrows_qdisc::{Entry, Limit, droptail};
use narrows_units::{Rate, Span};
use std::path::Path;

fn with(text: &str, options: &LoadOptions) -> Scenario {
    load(text, "test.toml", Path::new("."), &[], options).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn subject(text: &str, algorithm: &str) -> Scenario {
    with(text, &LoadOptions { subject: Some(algorithm.into()), ..LoadOptions::default() })
}

#[test]
fn a_value_is_toml_where_it_reads_as_such_and_else_a_string() {
    assert_eq!(good_with(LEAST, &["seed=7"]).model.seed, 7);
    assert_eq!(good_with(LEAST, &["path.rtt=80ms"]).model.groups[0].rtt, Span::from_ms(80));
    assert_eq!(good_with(LEAST, &["path.rtt=\"80ms\""]).model.groups[0].rtt, Span::from_ms(80));
    assert_eq!(good_with(LEAST, &["title=a = b"]).model.title, "a = b");
}

#[test]
fn a_queue_is_named_with_parameters_and_keeps_the_keys_that_it_has_too() {
    let limited = "path.queue.limit=70pkt";
    let limit = |set: &[&str]| good_with(LEAST, set).model.links[0].queue.limit();
    let plain = limit(&[limited]);
    assert_eq!(limit(&[limited, "path.queue=codel"]), plain);
    assert_ne!(limit(&["path.queue=codel"]), plain);
    assert_ne!(limit(&[limited, "path.queue=codel(limit=80pkt)"]), plain);
    let red =
        ["path.queue=red(min=5pkt,max=15pkt,gentle=true)", "path.queue=codel(target=\"3ms\", interval=50ms)"];
    assert_eq!(good_with(LEAST, &red[..1]).model.links[0].queue.name(), "red");
    // What codel does not have is gone.
    assert_eq!(good_with(LEAST, &red).model.links[0].queue.name(), "codel");
    assert_eq!(good_with(LEAST, &["path.reverse.queue=fq-codel"]).model.links[1].queue.name(), "fq-codel");
}

#[test]
fn a_key_that_means_another_thing_in_the_new_form_is_not_kept() {
    let walk = "path.rate={kind=\"walk\",start=\"6Mbps\",step=\"500kbps\",minimum=\"1Mbps\",maximum=\"12Mbps\",interval=\"100ms\"}";
    let recorded = good_with(LEAST, &[walk, "path.rate.trace=lte"]).resolved;
    assert_eq!(recorded, good_with(LEAST, &["path.rate={ trace = \"lte\" }"]).resolved);
}

#[test]
fn the_name_of_a_form_stands_for_its_table_in_a_file() {
    let read = |replacement: &str, set: &[&str]| {
        let text = LEAST.replace("rate = \"20Mbps\"", &format!("rate = \"20Mbps\"\n{replacement}"));
        read_with(&text, set).map(|scenario| scenario.resolved).map_err(|faults| faults[0].message.clone())
    };
    for entry in entries() {
        let name = entry.card.name;
        let table = format!("queue = {{ kind = \"{name}\" }}");
        assert_eq!(read(&format!("queue = \"{name}\""), &[]), read(&table, &[]), "{name}");
        let limited = &["path.queue.limit=70pkt"];
        assert_eq!(read(&format!("queue = \"{name}\""), limited), read(&table, limited), "{name}");
    }
    let call = |source: &str| {
        read_with(&format!("{LEAST}\nsource = {source}"), &[]).map(|scenario| scenario.resolved).map_err(drop)
    };
    assert!(call("\"call\"").is_ok());
    assert_eq!(call("\"call\""), call("{ kind = \"call\" }"));
}

#[test]
fn by_its_kind_a_queue_is_the_same_as_by_its_name_alone() {
    let limited = ["path.queue.limit=70pkt", "path.queue.target=3ms"];
    let resolved = |set: &[&str]| {
        let words =
            |faults: Vec<Diagnostic>| faults.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>();
        read_with(LEAST, set).map(|scenario| scenario.resolved).map_err(words)
    };
    let mut kept = 0;
    for before in entries() {
        for after in entries() {
            let form = |entry: &Entry, sign: &str| format!("path.queue{sign}={}", entry.card.name);
            let has = |key: &str| before.card.parameters.iter().any(|parameter| parameter.name == key);
            let keys = limited.iter().filter(|set| set.split(['.', '=']).nth(2).is_some_and(has));
            let here = form(before, "");
            let mut sets: Vec<&str> = std::iter::once(here.as_str()).chain(keys.copied()).collect();
            let [name, kind] = ["", ".kind"].map(|sign| form(after, sign));
            let by_name = resolved(&[&sets[..], &[name.as_str()]].concat());
            sets.push(&kind);
            assert_eq!(resolved(&sets), by_name, "{sets:?}");
            kept += usize::from(
                before.card.name != after.card.name && by_name.is_ok_and(|text| text.contains("70pkt")),
            );
        }
    }
    assert!(kept > 100, "{kept} pairs kept their limit");
}

#[test]
fn another_form_keeps_the_keys_that_both_have_however_it_comes_about() {
    let limited = ["path.queue={kind=\"droptail\",limit=\"70pkt\"}", "path.queue.min=5pkt"];
    let red = good_with(LEAST, &limited).model.links[0].queue.clone();
    assert_eq!((red.name(), red.limit()), ("red", droptail::with_limit(Limit::Packets(70)).limit()));
    let walk = "path.rate={kind=\"walk\",step=\"1Mbps\",minimum=\"1Mbps\",maximum=\"9Mbps\",interval=\"1s\"}";
    let faults = read_with(LEAST, &[walk, "path.rate.kind=square"]).expect_err("a square needs its own keys");
    assert!(faults.iter().all(|fault| !fault.message.contains("unknown key")), "{faults:?}");
}

#[test]
fn a_key_below_a_string_or_of_another_form_replaces_the_whole_value() {
    let trace = std::env::temp_dir().join(format!("narrows-set-{}", std::process::id()));
    std::fs::write(&trace, "1\n2\n").expect("the temporary folder is writable");
    let set = format!("path.rate.trace={}", trace.display());
    assert!(matches!(good_with(LEAST, &[&set]).model.links[0].rate, RateModel::Trace(_)));
    let walk = "path.rate={kind=\"walk\",step=\"1Mbps\",minimum=\"1Mbps\",maximum=\"9Mbps\",interval=\"1s\"}";
    assert!(matches!(good_with(LEAST, &[walk, &set]).model.links[0].rate, RateModel::Trace(_)));
    std::fs::remove_file(&trace).expect("it was written above");
    let red = good_with(EXAMPLE, &["path.queue.min=5pkt"]).model;
    assert_eq!(red.links[0].queue.name(), "red");
    let square =
        ["path.rate.kind=square", "path.rate.high=9Mbps", "path.rate.low=1Mbps", "path.rate.period=2s"];
    assert!(matches!(good_with(LEAST, &square).model.links[0].rate, RateModel::Square { .. }));
}

#[test]
fn a_key_of_the_present_form_changes_it_alone() {
    let walk = "path.rate={kind=\"walk\",step=\"1Mbps\",minimum=\"1Mbps\",maximum=\"9Mbps\",interval=\"1s\"}";
    let model = good_with(LEAST, &[walk, "path.rate.maximum=8Mbps"]).model;
    assert!(
        matches!(model.links[0].rate, RateModel::Walk { maximum, .. } if maximum == Rate::from_bps(8_000_000))
    );
    let model = good_with(LEAST, &["path.queue.limit=50pkt"]).model;
    assert_eq!(model.links[0].queue, droptail::with_limit(Limit::Packets(50)));
}

#[test]
fn groups_are_addressed_by_number_and_by_name() {
    assert_eq!(good_with(EXAMPLE, &["flows.1.count=4"]).model.slots(), 6);
    assert_eq!(good_with(EXAMPLE, &["flows.cubic.count=4"]).model.slots(), 5);
    assert_eq!(good_with(EXAMPLE, &["flows.0.algorithm=reno"]).model.groups[0].algorithm.name(), "reno");
}

#[test]
fn a_subject_takes_the_place_of_the_marked_groups_alone() {
    let marked = format!("{LEAST}[[flows]]\nalgorithm = \"subject\"\n");
    let groups = subject(&marked, "aimd(a=2)").model.groups;
    assert_eq!((groups[0].algorithm.name(), groups[0].subject), ("cubic", false));
    assert_eq!((groups[1].algorithm.to_string().as_str(), groups[1].subject), ("aimd(a=2,b=0.5)", true));
    assert_eq!(groups[1].name, "subject");
    let by_flag = format!("{LEAST}[[flows]]\nalgorithm = \"reno\"\nsubject = true\n");
    assert_eq!(subject(&by_flag, "aiad").model.groups[1].algorithm.name(), "aiad");
    assert_eq!(good(&by_flag).model.groups[1].algorithm.name(), "reno", "run needs no other algorithm");
}

#[test]
fn a_subject_takes_the_place_of_all_groups_where_none_is_marked() {
    let groups = subject(EXAMPLE, "aiad").model.groups;
    assert!(groups.iter().all(|group| group.algorithm.name() == "aiad" && group.subject));
    assert_eq!((groups[0].name.as_str(), groups[1].name.as_str()), ("cubic", "reno"), "names stay");
}

#[test]
fn a_subject_obeys_the_preset() {
    let text = format!("{LEAST}[transport]\npreset = \"linux\"\n");
    assert_eq!(subject(&text, "cubic").model.groups[0].algorithm.name(), "cubic-linux");
}

#[test]
fn the_seed_and_the_replications_of_the_command_win() {
    let text = format!("seed = 3\nreplications = 4\n{LEAST}");
    let scenario = good(&text);
    assert_eq!((scenario.model.seed, scenario.replications), (3, 4));
    let options = LoadOptions { seed: Some(u64::MAX), replications: Some(9), ..LoadOptions::default() };
    let scenario = with(&text, &options);
    assert_eq!(
        (scenario.model.seed, scenario.replications, scenario.replications_written),
        (u64::MAX, 9, Some(4))
    );
    assert_eq!(good(&scenario.resolved).model.seed, u64::MAX);
}

#[test]
fn a_link_is_named_as_its_records_are_and_a_name_may_contain_dots() {
    let text = r#"
        duration = "9s"
        [network]
        rtt = "40ms"
        links = [
            { from = "A", to = "B", rate = "8Mbps", delay = "3ms" },
            { from = "B", to = "pop.C", rate = "9Mbps", delay = "3ms" },
            { name = "line.up", from = "pop.C", to = "D", rate = "7Mbps", delay = "3ms" },
        ]
        [[flows]]
        algorithm = "cubic"
        from = "A"
        to = "D"
    "#;
    let queues = |set: &[&str]| -> Vec<String> {
        good_with(text, set).model.links.iter().map(|link| link.queue.name().to_owned()).collect()
    };
    assert_eq!(queues(&["network.links.A-B.queue=codel"])[..2], ["codel", "codel"]);
    assert_eq!(queues(&["network.links.B-pop.C.queue=codel"])[2..4], ["codel", "codel"]);
    assert_eq!(queues(&["network.links.line.up.queue.kind=pie"])[4..], ["pie", "pie"]);
    assert_eq!(queues(&["network.links.2.queue=red"])[4..], ["red", "red"]);
    let set = ["network.links.A-C.queue=codel".to_owned()];
    let faults =
        load(text, "test.toml", Path::new("."), &set, &LoadOptions::default()).expect_err("no such link");
    let [fault] = &faults[..] else { panic!("one fault: {faults:?}") };
    assert_eq!(fault.allowed, "0, 1, 2, A-B, B-pop.C, line.up");
}
