// SPDX-License-Identifier: Apache-2.0
//! Files that a scenario names: the place of the name, the path, and the place of their content in a folder of results.

use crate::location::Location;
use std::ops::Range;
use std::path::{Path, PathBuf, absolute};

/// A place where a scenario names a file, which was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The name as written.
    pub written: String,
    /// Bytes of the scenario's text that hold the name; `None` if an argument holds it.
    pub span: Option<Range<usize>>,
    /// Absolute path of the file.
    pub path: PathBuf,
    /// SHA-256 of its content, in hexadecimal.
    pub digest: String,
}

impl InputFile {
    pub(crate) fn new(written: &str, location: &Location, path: PathBuf, digest: String) -> Self {
        let span = match location {
            Location::File(span) => Some(span.clone()),
            Location::Argument(_) | Location::CommandLine => None,
        };
        Self { written: written.to_owned(), span, path: absolute(&path).unwrap_or(path), digest }
    }
}

/// Returns where a folder of results keeps a file, relative to the folder: under its content, so that no two files
/// meet, and with its name, which records show.
pub fn kept(file: &Path, digest: &str) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    format!("{KEPT}/{}/{name}", &digest[..digest.len().min(DIGITS)])
}

/// The folder of kept files in a folder of results.
const KEPT: &str = "inputs";

/// Digits of the digest that distinguish kept files.
const DIGITS: usize = 12;
