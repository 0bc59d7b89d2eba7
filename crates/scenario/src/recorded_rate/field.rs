// SPDX-License-Identifier: Apache-2.0
//! A field of a table: a number, a date, no value, or a name.

/// Returns the number in a field, if it is one and finite.
pub fn number(field: &str) -> Option<f64> {
    field.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Whether a field is one that programs write for "no value".
pub fn is_missing(field: &str) -> bool {
    ["", "-", "nan", "na", "n/a", "null", "none"].iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// Returns the words of a name: letters and digits between other characters.
pub fn words(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Returns the seconds of a date with a time of day, year first, or of a time of day alone. Fields may be separated by any of
/// `- / . : _ T` and a space; a time zone is ignored.
pub fn calendar(field: &str) -> Option<f64> {
    let (date, time) = match field.find(['T', '_', ' ']) {
        Some(at) => (Some(&field[..at]), &field[at + 1..]),
        None => (None, field),
    };
    let separator = if date.is_some() && !time.contains(':') { '.' } else { ':' };
    let zone = time.find(['Z', '+', '-', ' ']).unwrap_or(time.len());
    let mut clock = time[..zone].splitn(3, separator);
    let hour = whole(clock.next()?, 23)?;
    let minute = whole(clock.next()?, 59)?;
    let second = clock.next().map_or(Some(0.0), |text| {
        let plain = text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
        number(text).filter(|second| plain && *second < 61.0)
    })?;
    let of_day = (hour * 3600 + minute * 60) as f64 + second;
    let Some(date) = date else { return Some(of_day) };
    let mut parts = date.split(['-', '/', '.']);
    let year = parts.next().filter(|year| year.len() == 4).and_then(|year| whole(year, 9999))?;
    let month = whole(parts.next()?, 12).filter(|month| *month > 0)?;
    let day = whole(parts.next()?, 31).filter(|day| *day > 0)?;
    parts.next().is_none().then(|| days(year, month, day) as f64 * 86_400.0 + of_day)
}

fn whole(text: &str, most: i64) -> Option<i64> {
    let digits = !text.is_empty() && text.len() <= 4 && text.bytes().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|number| digits && *number <= most)
}

/// Days from 1 March of the year 0 to a day of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 1
}
