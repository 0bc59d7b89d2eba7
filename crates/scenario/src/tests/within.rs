// SPDX-License-Identifier: Apache-2.0
//! Contract: with a folder that no file leaves, a file elsewhere is refused, whatever names it and however.

use super::super::Trust;
use super::effect::FILES;
use super::{Diagnostic, LEAST, LoadOptions, load};
use std::fs;
use std::path::{Path, PathBuf};

/// Each key that names a file: a change of the least scenario, with `FILE` for the name, and a file that fits.
const NAMING: &[(&str, &str, &str)] = &[
    ("rate = \"20Mbps\"", "rate = { kind = \"trace\", trace = \"FILE\" }", "one.trace"),
    ("rate = \"20Mbps\"", "rate = { file = \"FILE\", column = \"Mbps\" }", "one.rates"),
    (
        "rtt = \"40ms\"",
        "rtt = \"40ms\"\nimpairments = [{ kind = \"delay-trace\", file = \"FILE\" }]",
        "one.delays",
    ),
    ("algorithm", "size = { kind = \"empirical\", file = \"FILE\" }\nalgorithm", "one.points"),
    ("algorithm", "source = { kind = \"flow-records\", records = \"FILE\" }\nalgorithm", "one.records"),
    ("algorithm", "source = { kind = \"arrivals\", arrivals = \"FILE\" }\nalgorithm", "one.arrivals"),
    (
        "[path]\nrate = \"20Mbps\"\nrtt = \"40ms\"\n[[flows]]",
        "[network]\nrtt = \"40ms\"\ngraph = { file = \"FILE\", rate = \"9Mbps\", delay = \"5ms\" }\n[[flows]]\nfrom = \"a\"\nto = \"c\"",
        "one.graphml",
    ),
    ("algorithm", "source = { kind = \"vectors\", vectors = \"FILE\" }\nalgorithm", "one.cvec"),
];

/// A folder of its own for a test, with `inner` in it, which has the files of all kinds, as `outer` beside it has.
struct Folders(PathBuf);

impl Folders {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("narrows-within-{name}-{}", std::process::id()));
        for folder in ["inner/below", "outer"] {
            fs::create_dir_all(root.join(folder)).expect("the temporary folder is writable");
            for (file, content) in FILES {
                fs::write(root.join(folder).join(file), content).expect("the temporary folder is writable");
            }
        }
        Self(root)
    }

    /// Loads a scenario in `inner` that names `file` by the key of `naming`, and `sets`.
    fn load(&self, (key, keys, _): (&str, &str, &str), file: &str, trust: &Trust) -> Result<(), String> {
        let text = LEAST.replacen(key, &keys.replace("FILE", file), 1);
        let options = LoadOptions { trust: trust.clone(), ..LoadOptions::default() };
        let loaded = load(&text, "test.toml", &self.0.join("inner"), &[], &options);
        let rendered = |faults: Vec<Diagnostic>| faults.iter().map(Diagnostic::render).collect::<String>();
        loaded.map(drop).map_err(rendered)
    }

    fn trust(&self) -> Trust {
        Trust { within: Some(self.0.join("inner")), typed: false, ..Trust::default() }
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const LEAVES: &str = "is not in the folder of the results";

#[test]
fn a_file_outside_is_refused_by_every_key_that_names_one() {
    let folders = Folders::new("keys");
    let inner = folders.0.join("inner");
    for naming in NAMING {
        let fitting = naming.2;
        let inside = [
            format!("below/{fitting}"),
            format!("./below/../below/{fitting}"),
            format!("{}/below/{fitting}", inner.display()),
            format!("../inner/below/{fitting}"),
        ];
        for file in inside {
            let loaded = folders.load(*naming, &file, &folders.trust());
            assert!(loaded.is_ok(), "{file}: {loaded:?}");
        }
        let outside = [
            format!("../outer/{fitting}"),
            format!("below/../../outer/{fitting}"),
            format!("{}/outer/{fitting}", folders.0.display()),
            "../outer/none".to_owned(),
            "below/../../outer/none".to_owned(),
            "/dev/zero".to_owned(),
            "..".to_owned(),
        ];
        for file in outside {
            let refused = folders.load(*naming, &file, &folders.trust()).expect_err(&file);
            assert!(refused.contains(LEAVES), "{file}: {refused}");
            let anywhere = folders.load(*naming, &file, &Trust::default());
            assert!(!anywhere.is_err_and(|fault| fault.contains(LEAVES)), "{file}");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;

    let folders = Folders::new("links");
    let inner = folders.0.join("inner");
    let link = |name: &str, to: &Path| symlink(to, inner.join(name)).expect("the folder is writable");
    link("folder", &folders.0.join("outer"));
    link("own", &inner.join("below"));
    link("root", Path::new("/"));
    link("dangling", &folders.0.join("outer/none"));
    for naming in NAMING {
        let fitting = naming.2;
        let file = format!("linked-{fitting}");
        link(&file, &folders.0.join("outer").join(fitting));
        let root = format!("root{}/outer/{fitting}", folders.0.display());
        for file in [file, format!("folder/{fitting}"), format!("own/../folder/{fitting}"), root] {
            let refused = folders.load(*naming, &file, &folders.trust()).expect_err(&file);
            assert!(refused.contains(LEAVES), "{file}: {refused}");
        }
        // A missing file is not read, whatever the scenario states.
        folders.load(*naming, "dangling", &folders.trust()).expect_err("it is missing");
        let own = folders.load(*naming, &format!("own/{fitting}"), &folders.trust());
        assert!(own.is_ok(), "{own:?}");
    }
    // The folder itself may be reached through a link.
    symlink(&inner, folders.0.join("alias")).expect("the folder is writable");
    let trust = Trust { within: Some(folders.0.join("alias")), ..folders.trust() };
    assert!(folders.load(NAMING[0], "below/one.trace", &trust).is_ok());
}

/// Files that the user types may be anywhere, unless a folder of results says them.
#[test]
fn what_is_typed_may_be_anywhere_if_it_is_the_users_own() {
    let folders = Folders::new("typed");
    let set = [format!("path.rate.trace={}/outer/one.trace", folders.0.display())];
    for (typed, sound) in [(true, true), (false, false)] {
        let trust = Trust { typed, ..folders.trust() };
        let options = LoadOptions { trust, ..LoadOptions::default() };
        let loaded = load(LEAST, "test.toml", &folders.0.join("inner"), &set, &options);
        assert_eq!(loaded.is_ok(), sound, "typed: {typed}");
    }
}
