// SPDX-License-Identifier: Apache-2.0
//! Files that a scenario names: regular ones of bounded size.
//!
//! A pipe may never end or never begin, a device may give bytes for ever; no scenario describes either.

use narrows_model::hexadecimal;
use sha2::{Digest, Sha256};
use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::Path;

/// Opens the regular file `path`. The reader ends with an error if the file is larger than any that is read here.
pub fn open(path: &Path) -> io::Result<impl Read + use<>> {
    // Looked at before it is opened: to open a pipe is to wait for its writer.
    let found = metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if found.len() > LARGEST {
        return Err(too_large());
    }
    Ok(Bounded { file: File::open(path)?, left: LARGEST })
}

/// Returns the content of the regular file `path`.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Returns the content of the regular file `path`, which is text, and its SHA-256. A byte order mark does not belong to the
/// text. Errors: why it cannot be read, in words.
pub fn text(path: &Path) -> Result<(String, String), String> {
    let content = bytes(path).map_err(|error| format!("cannot be read: {error}"))?;
    let digest = hexadecimal(&Sha256::digest(&content));
    let text = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&content);
    let text = std::str::from_utf8(text).map_err(|_| "not UTF-8 text".to_owned())?;
    Ok((text.to_owned(), digest))
}

/// A file of which no more than `left` bytes are read: it may grow while it is read, or not know its size.
struct Bounded {
    file: File,
    left: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(too_large)?;
        Ok(count)
    }
}

fn too_large() -> io::Error {
    io::Error::other(format!("larger than {} MB", LARGEST / 1_000_000))
}

/// The byte order mark, which some editors write before UTF-8 text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes of a file, of which records of days have a tenth.
const LARGEST: u64 = 256_000_000;

#[cfg(test)]
mod tests {
    use super::text;
    use std::fs::File;
    use std::path::Path;

    #[test]
    fn what_is_no_regular_file_is_not_opened() {
        for path in ["/", "/dev/null"] {
            let error = text(Path::new(path)).expect_err("no file");
            assert!(error.contains("not a regular file"), "{path}: {error}");
        }
        assert!(text(Path::new("no such file")).expect_err("no file").contains("No such file"));
    }

    #[test]
    fn a_file_of_any_size_is_not_read() {
        let path = std::env::temp_dir().join(format!("narrows-file-{}", std::process::id()));
        File::create(&path)
            .and_then(|file| file.set_len(300_000_000))
            .expect("the temporary folder is writable");
        let error = text(&path).expect_err("too large");
        std::fs::remove_file(&path).expect("it was made above");
        assert_eq!(error, "cannot be read: larger than 256 MB");
    }
}
