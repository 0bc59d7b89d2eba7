// SPDX-License-Identifier: Apache-2.0
//! Contract: every scenario of the library loads as it is, but for scenarios with programs, which
//! only a kernel runs, and says in its first line what it shows.

use super::{LoadOptions, load};
use std::path::{Path, PathBuf};

/// Every file of the library that is a scenario; beside those there is what they read.
fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the library is part of the sources");
    let files = entries.map(|entry| entry.expect("a folder entry is readable").path());
    let (folders, files): (Vec<_>, Vec<_>) = files.partition(|file| file.is_dir());
    let is_scenario = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "toml");
    let inner = folders.iter().flat_map(|folder| scenarios(folder));
    files.into_iter().filter(is_scenario).chain(inner).collect()
}

#[test]
fn every_scenario_of_the_library_loads_and_says_what_it_shows() {
    let mut names = Vec::new();
    for file in scenarios(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")) {
        let text = std::fs::read_to_string(&file).expect("a scenario is text");
        let name = file.display().to_string();
        let folder = file.parent().expect("a file is in a folder");
        let scenario = load(&text, &name, folder, &[], &LoadOptions::default());
        if folder.ends_with("programs") {
            let faults = scenario.err().unwrap_or_default();
            let refused = faults.iter().all(|fault| fault.path == "flows.0.program" && fault.line > Some(1));
            assert!(refused && faults.len() == 1, "{name}: {faults:?}");
        } else if text.contains("algorithm = \"noq:") {
            // Stacks are no part of this crate.
            let faults = scenario.err().unwrap_or_default();
            let refused = faults.iter().all(|fault| fault.path == "flows.0.algorithm");
            assert!(refused && faults.len() == 1, "{name}: {faults:?}");
        } else {
            assert!(scenario.is_ok(), "{name}: {:?}", scenario.err());
        }
        assert!(text.lines().next().is_some_and(|line| line.starts_with("# ") && line.len() > 40), "{name}");
        names.extend(file.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
    for required in ["two-flows.toml", "cellular.toml"] {
        assert!(names.iter().any(|name| name == required), "{required} is not in {names:?}");
    }
}

#[test]
fn the_main_comparison_puts_its_one_group_to_the_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let text = std::fs::read_to_string(folder.join("two-flows.toml")).expect("it is part of the sources");
    for algorithm in ["newreno", "cubic", "aiad"] {
        let options = LoadOptions { subject: Some(algorithm.into()), ..LoadOptions::default() };
        let scenario = load(&text, "two-flows.toml", &folder, &[], &options).expect("it loads");
        let names: Vec<_> = scenario.model.groups.iter().map(|group| group.algorithm.name()).collect();
        assert_eq!(names, [algorithm]);
    }
}
