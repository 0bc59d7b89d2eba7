// SPDX-License-Identifier: Apache-2.0
//! Libraries compiled from C.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts compiled libraries: tests that run at once do not write the same file.
static COMPILED: AtomicUsize = AtomicUsize::new(0);

/// Compiles a C file of the door's tests, with `defines`, into a library of its own.
pub fn compiled(source: &str, defines: &[&str]) -> PathBuf {
    let door = Path::new(env!("CARGO_MANIFEST_DIR")).join("../door");
    let number = COMPILED.fetch_add(1, Ordering::Relaxed);
    let name = format!("lib{}-{number}-{source}.so", env!("CARGO_CRATE_NAME"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-ffp-contract=off", "-Wall", "-Werror", "-o"])
        .arg(&library)
        .args(defines.iter().map(|define| format!("-D{define}")))
        .arg(door.join("tests").join(source))
        .arg("-I")
        .arg(door.join("include"))
        .arg("-lm")
        .status()
        .expect("a C compiler");
    assert!(status.success(), "{source} compiles");
    library
}
