// SPDX-License-Identifier: Apache-2.0
//! Records of flows as routers export them (NetFlow): a table of text with a start time and a number of bytes for each flow, as
//! nfdump (`-o csv`), SiLK (`rwcut`) and other tools print it.

use crate::recorded_rate::{Problem, Table, TimeUnit, calendar, number};
use narrows_units::{Bytes, Span};

/// The keys of the scenario on a file.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Name or number of the column of start times.
    pub time: Option<&'a str>,
    /// Unit of the times.
    pub time_unit: Option<TimeUnit>,
    /// Name or number of the column of bytes.
    pub bytes: Option<&'a str>,
}

/// The flows of a file.
#[derive(Debug, PartialEq)]
pub struct FlowRecords {
    /// Times between one start and the next.
    pub gaps: Vec<Span>,
    /// Bytes of each flow.
    pub sizes: Vec<Bytes>,
    /// Number of records without bytes, which are left out.
    pub empty: usize,
}

impl FlowRecords {
    /// Returns the mean time between two starts, seconds.
    pub fn interval_s(&self) -> f64 {
        self.gaps.iter().map(|gap| gap.as_secs_f64()).sum::<f64>() / self.gaps.len() as f64
    }

    /// Returns the mean number of bytes of a flow.
    pub fn bytes(&self) -> f64 {
        self.sizes.iter().map(|size| size.count() as f64).sum::<f64>() / self.sizes.len() as f64
    }
}

/// Reads the flows in `text`.
///
/// # Errors
///
/// If the text is no such table; the reason, in words.
pub fn read(text: &str, reading: Reading<'_>) -> Result<FlowRecords, String> {
    // nfdump appends a summary.
    let records = text.find("\nSummary").map_or(text, |end| &text[..end]);
    let table = Table::read(records).map_err(|problem| words(&problem))?;
    let time = column(&table, reading.time, STARTS, "start times", "time")?;
    let bytes = column(&table, reading.bytes, BYTES, "bytes", "bytes")?;
    let unit = reading.time_unit.or_else(|| TimeUnit::named(table.names.get(time)?));
    let scale = unit.unwrap_or(TimeUnit::Seconds).seconds();
    let mut flows = Vec::with_capacity(table.rows.len());
    let mut form = None;
    for row in &table.rows {
        let start = row.fields[time];
        let mut date = || calendar(start).filter(|date| *form.get_or_insert(date.form) == date.form);
        let start = number(start).map(|number| number * scale).or_else(|| Some(date()?.seconds));
        let start = start.filter(|start| (0.0..LATEST_S).contains(start));
        let size =
            number(row.fields[bytes]).filter(|size| (0.0..=LARGEST).contains(size) && size.fract() == 0.0);
        let (Some(start), Some(size)) = (start, size) else {
            return Err(format!(
                "line {} has no time, zero or later, in the column of start times, or no whole number of bytes",
                row.line
            ));
        };
        flows.push((start, size as u64));
    }
    let count = flows.len();
    flows.retain(|(_, size)| *size > 0);
    // Exporters write a flow when it has ended.
    flows.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let gaps: Vec<Span> = flows.windows(2).map(|pair| Span::from_secs_f64(pair[1].0 - pair[0].0)).collect();
    if gaps.iter().all(|gap| *gap == Span::ZERO) {
        return Err("it has no two flows with bytes that start at different times".to_owned());
    }
    let sizes = flows.iter().map(|(_, size)| Bytes::new(*size)).collect();
    Ok(FlowRecords { gaps, sizes, empty: count - flows.len() })
}

/// The column that the key `key` names, or the only one that has one of the names `known`.
fn column(
    table: &Table<'_>,
    named: Option<&str>,
    known: &[&str],
    what: &str,
    key: &str,
) -> Result<usize, String> {
    if let Some(name) = named {
        return table.column(name, crate::recorded_rate::Key::Column).map_err(|problem| words(&problem));
    }
    let is_known = |name: &String| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let found: Vec<usize> = (0..table.names.len()).filter(|&column| is_known(&table.names[column])).collect();
    match found[..] {
        [column] => Ok(column),
        [] => Err(format!("no column has a known name of {what}: {}; {key} = names one", known.join(", "))),
        _ => Err(format!("several columns may be {what}, {}: {key} = names one", table.shown(&found))),
    }
}

fn words(problem: &Problem) -> String {
    format!("{}; allowed: {}", problem.message, problem.allowed)
}

/// Names of the start of a flow: plain, nfdump 1.6 and 1.7, SiLK, others.
const STARTS: &[&str] = &[
    "start",
    "ts",
    "firstSeen",
    "Date first seen",
    "sTime",
    "stime",
    "start_time",
    "starttime",
    "first",
    "time",
];

/// Names of its bytes.
const BYTES: &[&str] = &["bytes", "ibyt", "byt", "in_bytes", "octets", "dOctets", "size"];

/// Seconds of some hundred years: dates count from the year 0.
const LATEST_S: f64 = 1e12;

/// Bytes that a number of 64 bits with a fraction counts exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::{FlowRecords, Reading, read};
    use narrows_units::{Bytes, Span};

    const PLAIN: Reading<'static> = Reading { time: None, time_unit: None, bytes: None };

    fn flows(gaps_ms: &[u64], sizes: &[u64], empty: usize) -> FlowRecords {
        let gaps = gaps_ms.iter().copied().map(Span::from_ms).collect();
        FlowRecords { gaps, sizes: sizes.iter().copied().map(Bytes::new).collect(), empty }
    }

    #[test]
    fn what_people_have_is_read() {
        let expected = flows(&[500, 1500], &[1000, 52, 90_000], 0);
        for text in [
            "start,duration,bytes,packets\n0,1.5,1000,2\n2.0,9,90000,61\n0.5,0,52,1\n",
            "ts,te,td,sa,da,ipkt,ibyt,opkt,obyt\n2024-03-01 10:00:00,2024-03-01 10:00:01,1,10.0.0.1,10.0.0.2,2,1000,0,0\n\
             2024-03-01 10:00:00.5,2024-03-01 10:00:01,1,10.0.0.1,10.0.0.2,1,52,0,0\n\
             2024-03-01 10:00:02,2024-03-01 10:00:09,7,10.0.0.1,10.0.0.2,61,90000,0,0\nSummary\nflows,bytes\n3,91052\n",
            "firstSeen,duration,proto,packets,bytes\n2024-03-01 10:00:00.000,1.0,TCP,2,1000\n\
             2024-03-01 10:00:00.500,1.0,TCP,1,52\n2024-03-01 10:00:02.000,1.0,TCP,61,90000\n",
            "sIP|packets|bytes|sTime|\n10.0.0.1|2|1000|2009/02/12T00:00:00.000|\n10.0.0.1|1|52|2009/02/12T00:00:00.500|\n\
             10.0.0.1|61|90000|2009/02/12T00:00:02.000|\n",
        ] {
            let found = read(text, PLAIN).unwrap_or_else(|problem| panic!("{problem} in\n{text}"));
            assert_eq!(
                found.gaps.iter().map(|gap| (gap.as_secs_f64() * 1e6).round()).collect::<Vec<_>>(),
                [5e5, 15e5],
                "{text}"
            );
            assert_eq!((&found.sizes, found.empty), (&expected.sizes, 0), "{text}");
        }
    }

    #[test]
    fn zones_and_halves_of_the_day_count() {
        for times in [
            ["2026-03-29T01:59:59+01:00", "2026-03-29T03:00:00+02:00"],
            ["2026-03-02 12:59:59 PM", "2026-03-02 1:00:00 PM"],
        ] {
            let found = read(&format!("start,bytes\n{},100\n{},300\n", times[0], times[1]), PLAIN);
            assert_eq!(found, Ok(flows(&[1000], &[100, 300], 0)), "{times:?}");
        }
        let mixed = read("start,bytes\n2026-03-02 10:00:00,1\n2026-03-02 10:00:01Z,1\n", PLAIN);
        assert!(mixed.is_err_and(|problem| problem.contains("line 3")));
    }

    #[test]
    fn columns_and_units_may_be_named_and_records_without_bytes_are_left_out() {
        let reading = Reading {
            time: Some("1"),
            time_unit: Some(crate::recorded_rate::TimeUnit::Milliseconds),
            bytes: Some("up"),
        };
        let found = read("t,up,down\n0,100,7\n10,0,7\n30,300,7\n", reading);
        assert_eq!(found, Ok(flows(&[30], &[100, 300], 1)));
        let found = read("start_ms,bytes\n0,100\n30,300\n", Reading { time: Some("start_ms"), ..PLAIN });
        assert_eq!(found, Ok(flows(&[30], &[100, 300], 0)));
    }

    #[test]
    fn what_a_file_leaves_open_is_refused() {
        for (text, why) in [
            ("begin,bytes\n0,1\n1,1\n", "no column has a known name of start times"),
            ("start,volume\n0,1\n1,1\n", "no column has a known name of bytes"),
            ("start,time,bytes\n0,0,1\n1,1,1\n", "several columns may be start times, \"start\", \"time\""),
            ("0,1\n1,1\n", "time = names one"),
            ("start,bytes\n0,1.5\n1,1\n", "line 2 has no time"),
            ("start,bytes\nx,1\n1,1\n", "line 2 has no time"),
            ("start,bytes\n-1,1\n1,1\n", "line 2 has no time"),
            ("start,bytes\n0,1\n", "no two flows"),
            ("start,bytes\n0,1\n0,2\n", "no two flows"),
            ("start,bytes\n0,0\n1,0\n", "no two flows"),
            ("", "it has no data"),
        ] {
            let problem = read(text, PLAIN).expect_err(text);
            assert!(problem.contains(why), "{problem} in\n{text}");
        }
    }
}
