// SPDX-License-Identifier: Apache-2.0
//! Truth: fingerprint. The digest of the records of a few runs, the same bits on every machine.
//!
//! A digest that changes says that results changed, not that they are wrong: find out which and why, say so in
//! `CHANGELOG.md`, and accept the new ones with `NARROWS_ACCEPT=1 cargo test -p narrows-lab --test all fingerprint`.

use crate::support::{VARIED, run};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

#[test]
fn the_records_are_the_ones_on_file() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fingerprints.toml");
    let now: BTreeMap<&str, String> =
        VARIED.iter().map(|(what, text)| (*what, run(text, 0).digest())).collect();
    let mut written = String::new();
    for (what, digest) in &now {
        let _ = writeln!(written, "\"{what}\" = \"{digest}\"");
    }
    if std::env::var_os("NARROWS_ACCEPT").is_some() {
        std::fs::write(&file, &written).expect("the file of fingerprints can be written");
    }
    let on_file = std::fs::read_to_string(&file).expect("the file of fingerprints can be read");
    assert_eq!(written, on_file, "results have changed");
}
