// SPDX-License-Identifier: Apache-2.0
//! Contract: values with which no run can end, that no memory can hold or that the resolved file cannot state are
//! refused at their lines; messages are bounded.

use super::{Diagnostic, LEAST, read, read_with};

/// Arguments, and key and message of the one fault that follows.
type Excess = (&'static [&'static str], &'static str, &'static str);

#[rustfmt::skip]
const EXCESSES: &[Excess] = &[
    // More events than a run can end with.
    (&["path.queue={kind=\"pie\",update=\"1ps\"}"], "path.queue.update", "would wake more than"),
    (&["path.queue={kind=\"dualpi2\",update=\"1ps\"}"], "path.queue.update", "would wake more than"),
    (&["path.queue={kind=\"rcp\",interval=\"1ps\"}"], "path.queue.interval", "would wake more than"),
    (&["path.queue={kind=\"xcp\",min_interval=\"1ps\",max_interval=\"1ps\",initial_interval=\"1ps\"}"], "path.queue.min_interval", "would wake more than"),
    (&["flows.0.size=1kB", "flows.0.source={kind=\"poisson\",interval=\"1ps\"}"], "flows.0.source.interval", "arrivals in a run"),
    (&["flows.0.size=1kB", "flows.0.source={kind=\"poisson-steps\",intervals=[\"1ps\"],times=[\"0s\"]}"], "flows.0.source.intervals", "arrivals in a run"),
    (&["flows.0.size=1kB", "flows.0.source={kind=\"poisson-steps\",intervals=[\"1s\"],times=[\"0s\"],period=\"1ps\"}"], "flows.0.source.period", "steps in a run"),
    // More than memory holds.
    (&["transport.initial_window=1e12pkt"], "transport.initial_window", "too large"),
    (&["flows.0.size={kind=\"empirical\",file=\"/dev/zero\"}"], "flows.0.size.file", "not a regular file"),
    (&["flows.0.source={kind=\"arrivals\",arrivals=\"/dev/zero\"}"], "flows.0.source.arrivals", "not a regular file"),
    (&["flows.0.source={kind=\"vectors\",vectors=\"/dev/zero\"}"], "flows.0.source.vectors", "not a regular file"),
    (&["path.rate={kind=\"trace\",trace=\"/dev/zero\"}"], "path.rate.trace", "not a regular file"),
    // More than the resolved file can say.
    (&["path.queue.limit=1e308bdp"], "path.queue.limit", "longer than any queue"),
    (&["path.queue={kind=\"red\",min=\"1e308bdp\"}"], "path.queue.min", "longer than any queue"),
    (&["path.queue={kind=\"priority\",classes={},limits=[\"10000000s\"]}", "path.rate=1Tbps"], "path.queue.limits.0", "longer than any queue"),
    (&["transport.send_delay=1e9pkt", "path.rate=1bps"], "transport.send_delay", "longer than"),
    (&["path.rate=1000Tbps", "path.rtt=1s"], "path.rate", "bandwidth-delay product"),
];

fn fault(sets: &[&str]) -> Diagnostic {
    let mut faults = read_with(LEAST, sets).expect_err(&format!("{sets:?} passes"));
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults.remove(0)
}

#[test]
fn what_exceeds_every_bound_is_refused_with_its_key() {
    for (sets, path, message) in EXCESSES {
        let fault = fault(sets);
        assert_eq!(fault.path, *path, "{}", fault.render());
        assert!(fault.message.contains(message), "{}", fault.render());
        assert!(!fault.allowed.is_empty(), "{}", fault.render());
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_is_refused_before_it_is_opened() {
    let pipe = std::env::temp_dir().join(format!("narrows-pipe-{}", std::process::id()));
    let made =
        std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is part of the system");
    assert!(made.success());
    let fault = fault(&[&format!("path.rate={{kind=\"trace\",trace=\"{}\"}}", pipe.display())]);
    std::fs::remove_file(&pipe).expect("it was made above");
    assert!(fault.message.contains("not a regular file"), "{}", fault.message);
}

#[test]
fn what_is_no_such_file_is_not_repeated_in_messages() {
    let secret = "root:secret:19000";
    let file = std::env::temp_dir().join(format!("narrows-secret-{}", std::process::id()));
    std::fs::write(&file, format!("{secret}\n")).expect("the temporary folder is writable");
    let name = file.display();
    let sets = [
        format!("path.rate={{kind=\"trace\",trace=\"{name}\"}}"),
        format!("flows.0.source={{kind=\"arrivals\",arrivals=\"{name}\"}}"),
        format!("flows.0.source={{kind=\"vectors\",vectors=\"{name}\"}}"),
        format!("flows.0.size={{kind=\"empirical\",file=\"{name}\"}}"),
    ];
    for set in &sets {
        let fault = fault(&[set]);
        assert!(fault.message.contains("line 1"), "{}", fault.message);
        assert!(!format!("{fault:?}").contains("secret:"), "{fault:?}");
    }
    std::fs::remove_file(&file).expect("it was written above");
}

#[test]
fn groups_that_need_a_file_that_is_missing_are_named_as_the_cause() {
    for queue in ["{kind=\"rio\",in=[\"other\"]}", "{kind=\"priority\",classes={other=0}}"] {
        let sets = [
            &format!("path.queue={queue}"),
            "flows=[{algorithm=\"cubic\"},{name=\"other\",algorithm=\"reno\",source={kind=\"vectors\",vectors=\"none\"}}]",
        ];
        assert_eq!(fault(&sets).path, "flows.1.source.vectors");
    }
}

#[test]
fn too_many_connections_and_groups_are_refused() {
    let group =
        |number: usize| format!("[[flows]]\nname = \"g{number}\"\nalgorithm = \"cubic\"\ncount = 1000000\n");
    let text = |groups: usize| LEAST.to_owned() + &(0..groups).map(group).collect::<Vec<_>>().concat();
    assert!(read(&text(9)).is_ok());
    let faults = read(&text(11)).expect_err("too many");
    assert_eq!((faults[0].path.as_str(), faults.len()), ("flows.10.count", 1));
    let many = LEAST.to_owned() + &"[[flows]]\nalgorithm = \"reno\"\ncount = 1\n".repeat(70_000);
    let faults = read(&many).expect_err("too many");
    assert_eq!((faults[0].path.as_str(), faults.len()), ("flows", 1), "{}", faults[0].render());
}

/// A check that compares all with all takes minutes here.
#[test]
fn any_number_of_faults_is_refused_in_few_words() {
    let unknown: Vec<String> = (0..100_000).map(|number| format!("key{number} = 1\n")).collect();
    let texts = [
        format!("{LEAST}{}", unknown.concat()),
        format!("{LEAST}{}", "key = 1\n".repeat(50_000)),
        format!("{LEAST}{} = 1\n", "a".repeat(10_000_000)),
        format!("{LEAST}{}", "[[flows]]\nalgorithm = \"cubic\"\n".repeat(9000)),
    ];
    for text in &texts {
        let faults = read(text).expect_err("faulty");
        assert!((1..=100).contains(&faults.len()));
        let length: usize = faults.iter().map(|fault| fault.render().len()).sum();
        assert!(length < 1_000_000, "{length} bytes of messages");
        assert!(faults.iter().all(|fault| fault.line.is_some()));
    }
    let hint =
        |text: &str| read(text).expect_err("faulty").pop().and_then(|last| last.hint).unwrap_or_default();
    assert!(hint(&texts[0]).contains("more faults follow"), "{}", hint(&texts[0]));
}
