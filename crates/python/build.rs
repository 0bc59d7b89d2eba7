// SPDX-License-Identifier: Apache-2.0
//! The build fingerprint: a hash of every source that is compiled in, so that results of different engines are never
//! taken for results of the same, committed or not.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crates = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let lock = crates.join("../Cargo.lock");
    let own = crates.join("../algorithms");
    let mut files = vec![lock.clone()];
    collect(&crates, &mut files)?;
    if own.is_dir() {
        collect(&own, &mut files)?;
        println!("cargo:rerun-if-changed={}", own.display());
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        let name = file.strip_prefix(&crates).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let content = fs::read(file)?;
        hash.update(name.as_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    let digits = hash.finalize().iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("a string takes all");
        digits
    });
    println!("cargo:rustc-env=NARROWS_FINGERPRINT={digits}");
    println!("cargo:rerun-if-changed={}", crates.display());
    println!("cargo:rerun-if-changed={}", lock.display());
    Ok(())
}

/// Every Rust source and manifest below `folder`, and every table of a link, which is compiled in.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "csv")
            || path.file_name().is_some_and(|name| name == "Cargo.toml")
        {
            files.push(path);
        }
    }
    Ok(())
}
