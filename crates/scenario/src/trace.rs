// SPDX-License-Identifier: Apache-2.0
//! Recorded links in mahimahi's format: a text file with one whole number per line, the millisecond at which a
//! 1500-byte packet can be delivered; the last number is also the period after which the trace repeats.
//!
//! Source: the manual page of `mm-link` (Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", 2015).

use crate::file;
use narrows_model::{Origin, Trace, hexadecimal};
use narrows_units::Span;
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The reason why a file is not a trace.
#[derive(Debug)]
pub enum TraceError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// A line is not a whole number of milliseconds.
    NotANumber {
        /// Number of the line, from 1. Its text is not given: the file may be a different and secret one.
        line: usize,
    },
    /// A timestamp is later than can be counted.
    TooLate {
        /// Number of its line, from 1.
        line: usize,
    },
    /// A timestamp is earlier than the previous one.
    Decreasing {
        /// Number of its line, from 1.
        line: usize,
        /// The timestamp, milliseconds.
        given: u64,
        /// The previous timestamp, milliseconds.
        before: u64,
    },
    /// The file has no line.
    Empty,
    /// Every timestamp is zero, so there is no period.
    NoPeriod,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::NotANumber { line } => {
                write!(f, "no trace: line {line} is not a whole number of milliseconds")
            }
            Self::TooLate { line } => {
                write!(
                    f,
                    "no trace: line {line} is later than {LATEST} ms, the latest time that can be counted"
                )
            }
            Self::Decreasing { line, given, before } => {
                write!(f, "no trace: line {line} is {given}, earlier than {before} on the line before")
            }
            Self::Empty => f.write_str("no trace: the file is empty"),
            Self::NoPeriod => f.write_str("no trace: all timestamps are zero, so it has no length"),
        }
    }
}

impl std::error::Error for TraceError {}

/// Reads the mahimahi trace in the file `path`.
///
/// # Errors
///
/// If the file cannot be read, is empty, has a line that is not a whole number of milliseconds or is less than the line
/// before, or has only zeros.
pub fn read(path: &Path) -> Result<Trace, TraceError> {
    let mut reader = BufReader::new(file::open(path).map_err(TraceError::Unreadable)?);
    let mut hash = Sha256::new();
    let mut opportunities = Vec::new();
    let mut before = 0;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        // A file without line ends must not fill the memory.
        reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(TraceError::Unreadable)?;
        if line.is_empty() {
            break;
        }
        hash.update(&line);
        let text =
            if number == 1 { line.strip_prefix(file::BYTE_ORDER_MARK).unwrap_or(&line) } else { &line };
        let at = millisecond(text).ok_or(TraceError::NotANumber { line: number })?;
        if at > LATEST {
            return Err(TraceError::TooLate { line: number });
        }
        if at < before {
            return Err(TraceError::Decreasing { line: number, given: at, before });
        }
        before = at;
        opportunities.push(Span::from_ms(at));
    }
    let period = *opportunities.last().ok_or(TraceError::Empty)?;
    if period == Span::ZERO {
        return Err(TraceError::NoPeriod);
    }
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Trace {
        name,
        digest: hexadecimal(&hash.finalize()),
        opportunities,
        period,
        start: None,
        origin: Origin::Recorded,
    })
}

/// The whole number in `line`; the largest of its type for one that is larger.
fn millisecond(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.trim_ascii();
    let digits = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Bytes of a line, its end included.
const LONGEST_LINE: u64 = 64;

/// Milliseconds that fit into a span.
const LATEST: u64 = u64::MAX / 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::{TraceError, read};
    use narrows_units::Span;
    use std::path::Path;

    /// Reads a file with that content.
    fn of(name: &str, content: &[u8]) -> Result<narrows_model::Trace, TraceError> {
        let file = std::env::temp_dir().join(format!("narrows-trace-{}-{name}", std::process::id()));
        std::fs::write(&file, content).expect("the temporary folder is writable");
        let trace = read(&file);
        std::fs::remove_file(&file).expect("it was written above");
        trace
    }

    #[test]
    fn a_trace_lasts_to_its_last_time_stamp_and_offers_1500_bytes_a_line() {
        let trace = of("good", b"\xef\xbb\xbf0\n0\n5\r\n10").expect("a trace");
        assert_eq!(trace.opportunities, [0, 0, 5, 10].map(Span::from_ms));
        assert_eq!(trace.period, Span::from_ms(10));
        assert!((trace.mean_bps() - 4.0 * 12_000.0 / 0.010).abs() < 1e-6);
        assert!((trace.greatest_bps() - 2.0 * 12_000.0 / 0.001).abs() < 1e-6);
    }

    #[test]
    fn the_digest_is_that_of_the_bytes() {
        // FIPS 180-4 with the two bytes "1\n"; checked with sha256sum.
        let trace = of("digest", b"1\n").expect("a trace");
        assert_eq!(trace.digest, "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865");
    }

    #[test]
    fn what_is_no_trace_is_named_with_its_line() {
        let fault = |name, content: &[u8]| of(name, content).expect_err("no trace").to_string();
        let word = fault("word", b"1\n2\nthree\n");
        assert!(word.contains("line 3 is not a whole number") && !word.contains("three"), "{word}");
        assert!(fault("blank", b"1\n\n2\n").contains("line 2"));
        assert!(fault("negative", b"-1\n").contains("line 1"));
        assert!(fault("fraction", b"1\n1.5\n").contains("line 2"));
        assert!(fault("decreasing", b"5\n4\n").contains("line 2 is 4, earlier than 5"));
        assert!(fault("empty", b"").contains("empty"));
        assert!(fault("zero", b"0\n0\n").contains("all timestamps are zero"));
        assert!(fault("binary", &vec![0xff; 100_000]).contains("line 1"));
        for late in [&b"99999999999999999999\n"[..], b"1000000000000\n"] {
            assert!(fault("late", late).contains("line 1 is later than 18446744073 ms"));
        }
        assert!(fault("comment", b"# ms\n1\n").contains("line 1 is not"));
    }

    #[test]
    #[ignore = "needs recorded links: NARROWS_TRACES must name a folder of them"]
    fn recorded_traces_are_read_whole() {
        let folder = std::env::var_os("NARROWS_TRACES").expect("NARROWS_TRACES names a folder of traces");
        for entry in std::fs::read_dir(folder).expect("it is a folder") {
            let file = entry.expect("a folder entry is readable").path();
            let lines = std::fs::read_to_string(&file).expect("a trace is text").lines().count();
            let trace = read(&file).expect("it is a trace");
            assert_eq!(trace.opportunities.len(), lines, "{}", file.display());
        }
    }

    #[test]
    fn a_missing_file_is_unreadable() {
        assert!(matches!(read(Path::new("no such trace")), Err(TraceError::Unreadable(_))));
    }
}
