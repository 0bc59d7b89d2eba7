// SPDX-License-Identifier: Apache-2.0
//! Contract: the resolved file is valid input and loads to an identical model; digests depend on what runs alone.

use super::{EXAMPLE, LEAST, LoadOptions, Scenario, good, good_with, load};
use crate::kept;
use narrows_units::{Quantity, Rate, Span};

/// Everything that runs, as text.
fn whole(scenario: &Scenario) -> String {
    format!("{:#?} {:?} {}", scenario.model, scenario.expectations, scenario.replications)
}

fn survives(scenario: &Scenario) {
    let again = good(&scenario.resolved);
    assert_eq!(whole(&again), whole(scenario), "{}", scenario.resolved);
    assert_eq!(again.resolved, scenario.resolved);
    assert_eq!(again.digest, scenario.digest);
}

const SETS: &[&[&str]] = &[
    &[],
    &["transport.preset=ns2", "flows.0.preset=linux"],
    &["transport.preset=linux", "flows.0.slow_start=standard"],
    &["transport.initial_ssthresh=64KiB", "transport.receive_window=100pkt", "transport.ecn=true"],
    &["path.queue.min=0.25bdp", "path.queue.max=1.25bdp", "path.queue.limit=2.5bdp", "path.queue.ecn=true"],
    &[
        "path.queue.min=15.62pkt",
        "path.queue.max=78.1pkt",
        "path.queue.limit=156pkt",
        "path.queue.gentle=false",
    ],
    &["path.queue={kind=\"drr\",quantum=\"500B\",drop=\"tail\"}", "path.reverse.queue={kind=\"step\"}"],
    &["path.queue={kind=\"step\",threshold=\"20pkt\"}", "path.reverse.queue={kind=\"drr\"}"],
    &["path.queue={kind=\"codel\",ecn=true,target=\"3ms\"}", "path.reverse.queue={kind=\"fq-codel\"}"],
    &["path.queue={kind=\"fq-codel\",flows=16,quantum=\"2pkt\"}", "path.reverse.queue={kind=\"codel\"}"],
    &["path.queue={kind=\"pie\",beta=2,burst=\"0s\"}", "path.reverse.queue={kind=\"dualpi2\"}"],
    &[
        "path.queue={kind=\"xcp\",alpha=0.3,min_interval=\"2ms\"}",
        "path.reverse.queue={kind=\"rcp\",gain=\"1%\"}",
    ],
    &["path.queue={kind=\"rcp\",initial=1,limit=\"9pkt\"}", "path.reverse.queue={kind=\"quick-start\"}"],
    &[
        "path.queue={kind=\"quick-start\",encoding=\"exact\",share=0.5,discipline={kind=\"red\",min=\"9pkt\"}}",
        "path.reverse.queue={kind=\"xcp\"}",
        "transport.quick_start=1Gbps",
        "flows.0.quick_start_ssthresh=true",
    ],
    &["transport.quick_start=1Gbps", "flows.0.quick_start=none"],
    &["transport.ecn=true", "transport.abe=true"],
    &["transport.saved_window=300pkt", "flows.0.saved_rtt=80ms"],
    &["transport.saved_rtt=80ms", "flows.0.saved_window=300kB"],
    &["transport.quick_start_ssthresh=true", "flows.0.quick_start=1Gbps"],
    &[
        "path.queue={kind=\"priority\",classes={cubic=3},limits=[\"9pkt\",\"infinite\",\"0.1bdp\"],limit=\"60pkt\"}",
        "path.reverse.queue={kind=\"rio\",in=[\"cubic\"],in_max_p=\"5%\",gentle=true}",
    ],
    &[
        "path.queue={kind=\"rio\",in=[],in_min=\"9ms\",in_max=\"20ms\",out_min=\"0.1bdp\",out_max=\"0.5bdp\"}",
        "path.reverse.queue={kind=\"priority\",classes={}}",
    ],
    &["path.queue={kind=\"dualpi2\",classic_share=\"20%\"}", "path.reverse.queue={kind=\"pie\"}"],
    &["transport.slow_start=limited", "flows.0.slow_start=hystart++"],
    &["path.queue.limit=infinite", "path.loss.rate=0.1%", "path.access_rate=3Gbps", "path.delay=1us"],
    &["path.loss={kind=\"gilbert-elliott\",good_to_bad=\"0.3%\",bad_to_good=0.7}"],
    &["path.rate=1000Tbps", "path.rtt=1us"],
    &["path.rate={kind=\"steps\",rates=[\"9Mbps\",\"0bps\"],times=[\"0s\",\"1.5s\"]}"],
    &["path.rate={kind=\"square\",high=\"9Mbps\",low=\"1234567bps\",period=\"0.3s\",duty=\"33.3%\"}"],
    &["path.rate={kind=\"walk\",step=\"1Mbps\",minimum=\"2Mbps\",maximum=\"9Mbps\",interval=\"7ms\"}"],
    &[
        "path.rate={kind=\"walk\",step=\"1Mbps\",minimum=\"2Mbps\",maximum=\"9Mbps\",interval=\"7ms\",steps=\"uniform\"}",
        "path.reverse.rate={kind=\"walk\",step=\"9Mbps\",minimum=\"2Mbps\",maximum=\"9Mbps\",interval=\"7ms\",\
         steps=\"uniform\",bounds=\"clip\"}",
    ],
    &[
        "path.rate={kind=\"additive-walk\",start=\"3Mbps\",step=\"1Mbps\",maximum=\"9Mbps\",interval=\"7ms\"}",
        "path.reverse.rate={kind=\"multiplicative-walk\",start=\"3Mbps\",factor=1.6667,minimum=\"1bps\",\
         maximum=\"9Mbps\",interval=\"7ms\"}",
    ],
    &["path.rate={kind=\"uniform\",minimum=\"2Mbps\",maximum=\"9Mbps\",interval=\"7ms\"}"],
    &["path.reverse={rate=\"1Mbps\",queue={kind=\"red\"},loss={kind=\"bernoulli\",rate=0.5}}"],
    &[
        "flows.0.size=1MB",
        "flows.0.start=3s",
        "flows.0.source={kind=\"poisson\",interval=\"7ms\",until=\"9s\"}",
    ],
    &[
        "flows.0.size={kind=\"mixture\",parts=[{class=\"web\",share=0.9,of=\"9kB\"},{class=\"film\",share=0.1,of=\"9MB\"}]}",
        "flows.0.source={kind=\"poisson-steps\",intervals=[\"30ms\",\"none\",\"10ms\"],times=[\"0s\",\"1s\",\"2s\"],period=\"5s\",concurrent=77}",
        "record.transfers=all",
    ],
    &[
        "flows.0.size=1MB",
        "flows.0.count=30",
        "flows.0.source={kind=\"users\",think={kind=\"exponential\",mean=\"2s\"},patience=\"9s\"}",
        "record.transfers=none",
    ],
    &["flows.0.start=0s..5s", "flows.0.size=1MB", "flows.0.direction=reverse", "flows.0.subject=true"],
    &[
        "flows.0.size={kind=\"pareto\",mean=\"31234B\",shape=1.2,maximum=\"1MB\"}",
        "flows.0.rtt={kind=\"uniform\",minimum=\"50ms\",maximum=\"70ms\"}",
    ],
    &[
        "flows.0.size={kind=\"lognormal\",mean=\"1MB\",sigma=1.5}",
        "flows.0.rtt={kind=\"exponential\",mean=\"33.3ms\"}",
        "path.delay=1ms",
    ],
    &[
        "flows.0.size={kind=\"web\",median=\"11580B\",sigma=1.318,tail=\"7%\",minimum=\"133KB\",shape=1.1}",
        "flows.0.rtt={kind=\"empirical\",values=[\"10ms\",\"20ms\"],shares=[\"30%\",1]}",
    ],
    &["flows.0.size={kind=\"mixture\",parts=[{class=\"mice\",share=0.9,of=\"10KB\"},\
         {share=\"10%\",of={kind=\"constant\",value=\"5MB\"}}]}"],
    &["flows.0.source={kind=\"cbr\",rate={kind=\"steps\",rates=[\"1Mbps\",\"0bps\"],times=[\"0s\",\"3s\"]}}"],
    &[
        "flows.0.source={kind=\"cbr\",leaves={kind=\"multiplicative-walk\",start=\"1Mbps\",factor=1.667,\
         maximum=\"2Mbps\",interval=\"5s\"}}",
        "flows.0.send_delay=1ms",
    ],
    &["flows.0.source={kind=\"onoff\",rate=\"1Mbps\",on=\"1s\",off={kind=\"pareto\",mean=\"2s\",shape=1.5}}"],
    &["flows.0.source={kind=\"writes\",interval={kind=\"exponential\",mean=\"2s\"},size=\"64KiB\"}"],
    &["flows.0.algorithm=aimd(a=1.5,b=0.8)", "flows.0.name=the \\ first \"group\""],
    &["record.interval=1ms", "record.flows=all", "replications=20", "title=\"50 % \\u00fc\u{3bc}\\\\\""],
    &[
        "expect=[{measure=\"utilization\",at_least=0.9},{measure=\"jain\",group=\"cubic\",at_most=1,at_least=0.5}]",
    ],
];

#[test]
fn the_resolved_file_loads_to_the_same_model() {
    for sets in SETS {
        survives(&good_with(LEAST, sets));
    }
    survives(&good(EXAMPLE));
}

#[test]
fn the_resolved_file_shows_the_limit_in_all_four_units() {
    let scenario = good_with(LEAST, &["path.queue.limit=0.5bdp"]);
    let line =
        scenario.resolved.lines().find(|line| line.starts_with("queue")).expect("the path has a queue");
    assert!(line.contains("33.333333pkt = 50000B = 20ms = 0.5bdp"), "{line}");
}

#[test]
fn a_digest_depends_on_what_runs_and_not_on_where_its_files_lie() {
    let trace = |folder: &str, content: &str| {
        let folder = std::env::temp_dir().join(format!("narrows-digest-{}-{folder}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
        std::fs::write(folder.join("trace"), content).expect("the temporary folder is writable");
        let scenario = good_with(LEAST, &[&format!("path.rate.trace={}", folder.join("trace").display())]);
        survives(&scenario);
        std::fs::remove_dir_all(&folder).expect("it was made above");
        scenario
    };
    let (here, there, other) = (trace("here", "1\n2\n"), trace("there", "1\n2\n"), trace("other", "1\n3\n"));
    assert_eq!(here.digest, there.digest);
    assert_ne!(here.digest, other.digest);
    assert_ne!(here.files[0].0, there.files[0].0);
    assert_ne!(good(LEAST).digest, good_with(LEAST, &["seed=2"]).digest);
    assert_eq!(good(LEAST).digest, good_with(LEAST, &["path.queue.limit=1bdp"]).digest);
}

#[test]
fn the_portable_file_names_its_files_as_a_folder_of_results_keeps_them() {
    let place = std::env::temp_dir().join(format!("narrows-portable-{}", std::process::id()));
    let (here, there) = (place.join("here"), place.join("there"));
    std::fs::create_dir_all(&here).expect("the temporary folder is writable");
    std::fs::write(here.join("lte.up"), "1\n2\n").expect("the temporary folder is writable");
    let text = LEAST.replace("\"20Mbps\"", "{ trace = \"lte.up\" }");
    let first = load(&text, "test.toml", &here, &[], &LoadOptions::default()).expect("it is sound");

    let [input] = &first.inputs[..] else { panic!("one file is named: {:?}", first.inputs) };
    let span = input.span.clone().expect("the file names it");
    assert_eq!((input.written.as_str(), &text[span]), ("lte.up", "\"lte.up\""));
    let file = kept(&input.path, &input.digest);
    assert!(file.starts_with("inputs/") && file.ends_with("/lte.up"), "{file}");
    assert!(first.portable.contains(&file) && !first.portable.contains("here"), "{}", first.portable);

    let target = there.join(&file);
    std::fs::create_dir_all(target.parent().expect("it is below")).expect("the temporary folder is writable");
    std::fs::rename(here.join("lte.up"), target).expect("the temporary folder is writable");
    let again = load(&first.portable, "scenario.toml", &there, &[], &LoadOptions::default());
    let again = again.expect("what is portable is sound elsewhere");
    std::fs::remove_dir_all(&place).expect("it was made above");
    assert_eq!((again.digest, again.portable), (first.digest, first.portable));
}

#[test]
fn a_description_names_what_a_reader_asks_for() {
    let words = good(EXAMPLE).description;
    let text = |title: &str| &words.iter().find(|(this, _)| this == title).expect(title).1;
    assert!(text("Run").contains("60s simulated once, measured from 10s on, seed 1"));
    assert!(text("Bottleneck").contains("100Mbps; droptail, limit 333.3pkt = 500000B = 40ms = 1bdp"));
    assert!(
        text("Group cubic").contains("2 flows of cubic") && text("Group reno").contains("NewReno recovery")
    );
    let fixed = good_with(LEAST, &["flows.0={source={kind=\"cbr\",rate=\"5Mbps\"}}"]).description;
    assert!(
        fixed.iter().any(|(_, text)| text.starts_with("1 flow without congestion control, ")),
        "{fixed:?}"
    );
    let slow =
        good_with(LEAST, &["transport.min_rto=1s", "flows.0.max_rto=9s", "flows.0.initial_window=20pkt"]);
    let group = &slow.description.iter().find(|(title, _)| title == "Group cubic").expect("a group").1;
    assert!(group.contains("initial window 20 packets"), "{group}");
    assert!(group.contains("min_rto = 1s, max_rto = 9s") && !group.contains("initial_rto"), "{group}");
    let widened = good_with(LEAST, &["record.interval=1ms", "replications=7"]).description;
    assert!(widened.iter().any(|(_, text)| text.contains("widened from 1ms")));
}

proptest::proptest! {
    #[test]
    fn what_is_printed_reads_back(value in 0_u64..=u64::MAX / 8) {
        let dimensions = [narrows_units::Dimension::Rate, narrows_units::Dimension::Time];
        for quantity in [Quantity::Rate(Rate::from_bps(value)), Quantity::Time(Span::from_ps(value))] {
            proptest::prop_assert_eq!(Quantity::parse(&quantity.to_string(), &dimensions), Ok(quantity));
        }
    }
}
