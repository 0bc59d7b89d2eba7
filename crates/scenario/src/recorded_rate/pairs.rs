// SPDX-License-Identifier: Apache-2.0
//! Two columns of numbers of a table: recorded delays, transfers and distribution functions.

use super::field::{OPEN_COMMA, has_open_comma, number, words};
use super::table::Table;
use super::{Problem, TimeUnit};

/// A column that is read.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Description of its content.
    pub what: &'static str,
    /// Its names, in lower case.
    pub names: &'static [&'static str],
    /// The amount of one unit that a name states, and the names of units; `None` for a number without a unit.
    pub unit: Option<(Unit, &'static str)>,
}

/// The amount of one unit that the name of a column states.
pub type Unit = fn(&str) -> Option<f64>;

impl Wanted {
    /// Creates a column of times, whose name states the unit.
    pub const fn time(what: &'static str, names: &'static [&'static str]) -> Self {
        Self { what, names, unit: Some((seconds, "_s or _ms")) }
    }

    /// Creates a column of sizes in bytes.
    pub const fn bytes(what: &'static str, names: &'static [&'static str]) -> Self {
        Self { what, names, unit: Some((bytes, "_bytes, _kB or _MB")) }
    }

    /// Creates a column of numbers.
    pub const fn number(what: &'static str, names: &'static [&'static str]) -> Self {
        Self { what, names, unit: None }
    }
}

/// The numbers of a line, in seconds and bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Number of the line, from 1.
    pub line: usize,
    /// The number in the first column that is wanted.
    pub first: f64,
    /// The number in the second one.
    pub second: f64,
}

/// Reads two columns of the table in `text`. Without a header the table has no other column, and the units are seconds and bytes.
/// A header names the columns and states their units. Text after a `#` in a line is a comment.
///
/// # Errors
///
/// If the text is not such a table, or does not identify the columns or their units. The error describes the fault.
pub fn pairs(text: &str, wanted: [Wanted; 2]) -> Result<Vec<Pair>, String> {
    let table = Table::commented(text).map_err(|Problem { message, .. }| message)?;
    let mut places = [(0, 1.0); 2];
    for (position, place) in places.iter_mut().enumerate() {
        let column = column(&table, wanted, position)?;
        *place = (column, scale(&table, column, &wanted[position])?);
    }
    let [(first, first_scale), (second, second_scale)] = places;
    if first == second {
        return Err(format!("one column may be {} and {}", wanted[0].what, wanted[1].what));
    }
    let mut found = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let read = |column: usize, scale: f64, what: &str| {
            let field = row.fields[column];
            let fault = if has_open_comma(field) { OPEN_COMMA } else { "not a number" };
            let amount = number(field).map(|number| number * scale);
            amount.ok_or_else(|| format!("the {what} on line {} is {fault}", row.line))
        };
        let first = read(first, first_scale, wanted[0].what)?;
        found.push(Pair { line: row.line, first, second: read(second, second_scale, wanted[1].what)? });
    }
    Ok(found)
}

/// The column for `wanted[position]`: found by its name, or the only remaining one.
fn column(table: &Table<'_>, wanted: [Wanted; 2], position: usize) -> Result<usize, String> {
    let Wanted { what, names, .. } = wanted[position];
    let named = |names: &[&str]| -> Vec<usize> {
        let is = |name: &String| words(name).iter().any(|word| names.contains(&word.to_lowercase().as_str()));
        (0..table.names.len()).filter(|&column| is(&table.names[column])).collect()
    };
    let numeric: Vec<usize> = (0..table.width).filter(|&column| table.is_numeric(column)).collect();
    match (named(names).as_slice(), named(wanted[1 - position].names).as_slice()) {
        (&[column], _) => Ok(column),
        ([], []) if table.width == 2 => Ok(position),
        ([], &[other]) if table.width == 2 => Ok(1 - other),
        ([], _) => Err(format!(
            "it has no column of the {what} and more than two columns, {}; a header names it, as in {}",
            table.shown(&numeric),
            names[0]
        )),
        (several, _) => Err(format!("several columns may be the {what}, {}", table.shown(several))),
    }
}

/// The amount of one unit of a column.
fn scale(table: &Table<'_>, column: usize, wanted: &Wanted) -> Result<f64, String> {
    let (Some(name), Some((unit, known))) = (table.names.get(column), wanted.unit) else { return Ok(1.0) };
    match unit(name) {
        Some(scale) => Ok(scale),
        None if table.named_in_comment => Ok(1.0),
        None => {
            let name = table.name(column);
            Err(format!(
                "the header does not say the unit of column \"{name}\": write it behind the name, {known}"
            ))
        }
    }
}

/// Minutes are not read: their abbreviation also stands for a minimum.
fn seconds(name: &str) -> Option<f64> {
    let unit = |word: &&str| TimeUnit::named(word).filter(|unit| *unit != TimeUnit::Minutes);
    words(name).iter().find_map(unit).map(TimeUnit::seconds)
}

fn bytes(name: &str) -> Option<f64> {
    words(name).iter().find_map(|word| match *word {
        "B" | "bytes" | "Bytes" | "byte" | "octets" => Some(1.0),
        "kB" | "KB" => Some(1e3),
        "MB" => Some(1e6),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Wanted, pairs};

    const DELAYS: [Wanted; 2] =
        [Wanted::time("time", &["time", "t"]), Wanted::time("delay", &["delay", "rtt"])];

    fn read(text: &str) -> Result<Vec<(f64, f64)>, String> {
        Ok(pairs(text, DELAYS)?.iter().map(|pair| (pair.first, pair.second)).collect())
    }

    #[test]
    fn columns_and_units_are_those_of_the_header() {
        let expected = Ok(vec![(0.0, 0.025), (1.0, 0.03)]);
        for text in [
            "0 0.025\n1 0.03\n",
            "0,0.025 # near\n1,0.03\n",
            "0;0,025\n1;0,03\n",
            "time_s,delay_ms\n0,25\n1,30\n",
            "Delay (ms);Time [s]\n25;0\n30;1\n",
            "# t_ms delay_ms\n0 25\n1000 30\n",
            "# time delay\n0 0.025\n1 0.03\n",
            "t_s\tloss\trtt_ms\n0\t1\t25\n1\t0\t30\n",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_left_open_is_refused() {
        for (text, why) in [
            ("time_s,delay\n0,25\n1,30\n", "the unit of column \"delay\""),
            ("time_s,rtt_min_ms,rtt_max_ms\n0,25,26\n", "several columns may be the delay"),
            ("time_s,a,b\n0,25,26\n", "no column of the delay"),
            ("0 1 2\n", "no column of the time"),
            ("0;1,025\n1;1,030\n", "the delay on line 1 is written with a comma, which may be"),
            ("0,0,025\n", "more than two columns"),
            ("time_s,delay_ms\n0,x\n", "the delay on line 2 is not a number"),
            ("time_s,delay_min\n0,1\n", "the unit of column \"delay_min\""),
            ("", "no data"),
        ] {
            let problem = read(text).expect_err(text);
            assert!(problem.contains(why), "{problem} in\n{text}");
        }
    }
}
