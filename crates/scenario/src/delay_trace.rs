// SPDX-License-Identifier: Apache-2.0
//! Recorded delays: a table of text with times and the additional delay from each on.

use crate::file;
use crate::recorded_rate::{Wanted, pairs};
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

/// Reads the recorded delays in the file `path`.
///
/// # Errors
///
/// If the file cannot be read or is not a table of times and delays, if a delay or a time since the first is not from 0 to 10
/// million seconds, or if a time is not later than the time on the line before.
pub fn read(path: &Path) -> Result<DelayTrace, String> {
    let (text, digest) = file::text(path)?;
    let mut points: Vec<(Span, Span)> = Vec::new();
    let rows = pairs(&text, [TIME, DELAY])?;
    let start = rows.first().map_or(0.0, |row| row.first);
    for row in &rows {
        let point = seconds(row.first - start).zip(seconds(row.second));
        let point = point.ok_or_else(|| format!("line {} is not a time and a delay, {RANGE}", row.line))?;
        if points.last().is_some_and(|last| point.0 <= last.0) {
            return Err(format!("the time on line {} is not later than the one before", row.line));
        }
        points.push(point);
    }
    Ok(DelayTrace { points, digest })
}

fn seconds(seconds: f64) -> Option<Span> {
    (0.0..=LONGEST_S).contains(&seconds).then(|| Span::from_secs_f64(seconds))
}

const TIME: Wanted = Wanted::time("time", &["time", "timestamp", "ts", "t", "elapsed", "epoch", "seconds"]);
const DELAY: Wanted = Wanted::time("delay", &["delay", "rtt", "latency", "owd", "jitter"]);

/// Longest time of a scenario, seconds.
const LONGEST_S: f64 = 1e7;
const RANGE: &str = "each from 0 to 10000000 s";

#[cfg(test)]
mod tests {
    use super::{RANGE, Span, read};

    #[test]
    fn delays_are_read_and_wrong_lines_are_named() {
        let file = std::env::temp_dir().join(format!("narrows-delays-{}", std::process::id()));
        let given = |text: &str| {
            std::fs::write(&file, text).expect("the temporary folder is writable");
            read(&file).map(|trace| trace.points)
        };
        let points = vec![(Span::ZERO, Span::from_ms(20)), (Span::from_ms(1500), Span::ZERO)];
        for text in [
            "# LEO\n0 0.02\n\n1.5 0 # best\n",
            "\u{feff}0 0.02\r\n1.5 0\r\n",
            "time_s,rtt_ms\n1700000000,20\n1700000001.5,0\n",
        ] {
            assert_eq!(given(text), Ok(points.clone()), "{text}");
        }
        for (text, problem) in [
            ("", "it has no data".to_owned()),
            ("0 -1\n", format!("line 1 is not a time and a delay, {RANGE}")),
            ("0 1\n1e8 1\n", format!("line 2 is not a time and a delay, {RANGE}")),
            ("0 1\n5\n", "line 2 has another number of fields (1) than the first (2)".to_owned()),
            ("0 1\n0 2\n", "the time on line 2 is not later than the one before".to_owned()),
        ] {
            assert_eq!(given(text), Err(problem));
        }
        std::fs::remove_file(&file).expect("it was made above");
    }
}
