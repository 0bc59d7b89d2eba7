// SPDX-License-Identifier: Apache-2.0
//! Libraries compiled from C, and the compiler for those from Rust.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts compiled libraries: tests that run at once do not write the same file.
static COMPILED: AtomicUsize = AtomicUsize::new(0);

/// Compiles a C file of the tests of `crates/abi`, with `defines`, into a library of its own.
pub fn compiled(source: &str, defines: &[&str]) -> PathBuf {
    compiled_for("include", source, defines)
}

/// As [`compiled`], with the header in the folder `header` of `crates/abi`.
pub fn compiled_for(header: &str, source: &str, defines: &[&str]) -> PathBuf {
    let abi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abi");
    let number = COMPILED.fetch_add(1, Ordering::Relaxed);
    let name = format!("lib{}-{number}-{source}.so", env!("CARGO_CRATE_NAME"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-ffp-contract=off", "-Wall", "-Werror", "-o"])
        .arg(&library)
        .args(defines.iter().map(|define| format!("-D{define}")))
        .arg(abi.join("tests").join(source))
        .arg("-I")
        .arg(abi.join(header))
        .arg("-lm")
        .status()
        .expect("a C compiler");
    assert!(status.success(), "{source} compiles");
    library
}

/// The first Rust compiler that has a standard library for `target` (`None`: any): the compiler in `PATH`, otherwise Debian's.
/// Prints a message and returns `None` if neither has one. `crates/playground/build.sh` and `tests/python/optional.py` select
/// compilers in the same way.
pub fn rust_compiler(target: Option<&str>) -> Option<PathBuf> {
    let Some(target) = target else { return Some("rustc".into()) };
    let has_library = |compiler: &&str| {
        let asked = Command::new(compiler).args(["--print", "target-libdir", "--target", target]).output();
        let Ok(answer) = asked else { return false };
        let folder = std::fs::read_dir(String::from_utf8_lossy(&answer.stdout).trim());
        let mut files = folder.into_iter().flatten().flatten();
        answer.status.success() && files.any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
    };
    let found = ["rustc", "/usr/bin/rustc"].into_iter().find(has_library);
    if found.is_none() {
        eprintln!("skipped: no Rust compiler has the target: rustup target add {target}");
    }
    found.map(PathBuf::from)
}
