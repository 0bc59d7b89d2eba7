// SPDX-License-Identifier: Apache-2.0
//! Recorded delays: a text file with a time and the additional delay from then on in each line, both in seconds.

use crate::file;
use narrows_units::Span;
use std::path::Path;

/// Recorded delays, and the SHA-256 of their file in hexadecimal.
#[derive(Debug)]
pub struct DelayTrace {
    /// Times from the start, ascending from zero, and the delay from each on.
    pub points: Vec<(Span, Span)>,
    /// SHA-256 of the file.
    pub digest: String,
}

/// Reads the recorded delays in the file `path`; what follows `#` in a line is a comment.
///
/// # Errors
///
/// What is wrong: the file cannot be read, has no line, or a line is not two numbers from 0 to 10 million or not later than
/// the line before.
pub fn read(path: &Path) -> Result<DelayTrace, String> {
    let (text, digest) = file::text(path)?;
    let mut points: Vec<(Span, Span)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let number = index + 1;
        let pair = seconds(first).zip(words.next().and_then(seconds)).filter(|_| words.next().is_none());
        let point =
            pair.ok_or_else(|| format!("line {number} is not a time and a delay in seconds, {RANGE}"))?;
        match points.last() {
            None if point.0 != Span::ZERO => {
                return Err(format!("the first time, on line {number}, is not 0"));
            }
            Some(last) if point.0 <= last.0 => {
                return Err(format!("the time on line {number} is not later than the one before"));
            }
            _ => points.push(point),
        }
    }
    if points.is_empty() {
        return Err("it has no delays".to_owned());
    }
    Ok(DelayTrace { points, digest })
}

fn seconds(word: &str) -> Option<Span> {
    let seconds: f64 = word.parse().ok()?;
    (0.0..=LONGEST_S).contains(&seconds).then(|| Span::from_secs_f64(seconds))
}

/// Longest time of a scenario, seconds.
const LONGEST_S: f64 = 1e7;
const RANGE: &str = "each from 0 to 10000000";

#[cfg(test)]
mod tests {
    use super::{RANGE, Span, read};

    #[test]
    fn delays_are_read_with_comments_and_wrong_lines_are_named() {
        let file = std::env::temp_dir().join(format!("narrows-delays-{}", std::process::id()));
        let given = |text: &str| {
            std::fs::write(&file, text).expect("the temporary folder is writable");
            read(&file).map(|trace| trace.points)
        };
        let points = vec![(Span::ZERO, Span::from_ms(20)), (Span::from_ms(1500), Span::ZERO)];
        assert_eq!(given("# LEO\n0 0.02\n\n1.5 0 # best\n"), Ok(points.clone()));
        assert_eq!(given("\u{feff}0 0.02\r\n1.5 0\r\n"), Ok(points));
        for (text, problem) in [
            ("", "it has no delays"),
            ("0 1 2\n", "line 1 is not a time and a delay in seconds"),
            ("0 1\n5\n", "line 2 is not a time and a delay in seconds"),
            ("0 -1\n", "line 1 is not a time and a delay in seconds"),
            ("0 1\n1e8 1\n", "line 2 is not a time and a delay in seconds"),
            ("1 1\n", "the first time, on line 1, is not 0"),
            ("0 1\n0 2\n", "the time on line 2 is not later than the one before"),
        ] {
            let range = if problem.ends_with("seconds") { format!(", {RANGE}") } else { String::new() };
            assert_eq!(given(text), Err(problem.to_owned() + &range));
        }
        std::fs::remove_file(&file).expect("it was made above");
    }
}
