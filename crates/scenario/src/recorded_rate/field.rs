// SPDX-License-Identifier: Apache-2.0
//! A field of a table: a number, a date, no value, or a name.

/// Returns the number in a field, if it is one and finite. A comma in it is the decimal point, unless it may as well be between
/// thousands.
pub fn number(field: &str) -> Option<f64> {
    let point = if field.contains(',') && !has_open_comma(field) {
        field.replacen(',', ".", 1)
    } else {
        field.to_owned()
    };
    point.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Whether a field is a number with a comma that may be the decimal point or be between thousands, as in 1,250.
pub fn has_open_comma(field: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    field.trim_start_matches(['+', '-']).split_once(',').is_some_and(|(whole, rest)| {
        rest.len() == 3 && digits(rest) && digits(whole) && whole.len() <= 3 && !whole.starts_with('0')
    })
}

/// Whether a field is one that programs write for "no value".
pub fn is_missing(field: &str) -> bool {
    ["", "-", "nan", "na", "n/a", "null", "none"].iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// Returns the words of a name: letters and digits between other characters.
pub fn words(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// What a number with an open comma is.
pub const OPEN_COMMA: &str = "written with a comma, which may be the decimal point or be between thousands";

/// A date with a time of day, or a time of day alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calendar {
    /// Seconds from 1 March of the year 0, UTC if the zone is known; of a time of day from midnight.
    pub seconds: f64,
    /// How it is written.
    pub form: Form,
}

/// The components of a date. Two dates are compared only if they have the same components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether it has a date.
    pub dated: bool,
    /// Whether it has a time zone.
    pub zoned: bool,
    /// Whether it has AM or PM.
    pub halved: bool,
}

/// Reads a date with a time of day, year first, or a time of day alone. Fields may be separated by any of `- / . : _ T` and a
/// space. AM or PM may follow, then Z, UTC, GMT or an offset from it, as +01:00, which is subtracted (RFC 3339 §4.2).
pub fn calendar(field: &str) -> Option<Calendar> {
    let apart = field.find(['T', '_', ' ']).filter(|&at| !field[..at].contains(':'));
    let (date, time) = apart.map_or((None, field), |at| (Some(&field[..at]), &field[at + 1..]));
    let separator = if date.is_some() && !time.contains(':') { '.' } else { ':' };
    let end = time.find(|c: char| !c.is_ascii_digit() && c != separator && c != '.').unwrap_or(time.len());
    let mut clock = time[..end].splitn(3, separator);
    let (afternoon, rest) = half(time[end..].trim_start());
    let (zoned, offset) = zone(rest)?;
    let hour = whole(clock.next()?, 23)?;
    let hour = match afternoon {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
    };
    let minute = whole(clock.next()?, 59)?;
    let second = clock.next().map_or(Some(0.0), |text| {
        let plain = text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
        number(text).filter(|second| plain && *second < 61.0)
    })?;
    let of_day = (hour * 3600 + minute * 60 - offset) as f64 + second;
    let form = Form { dated: date.is_some(), zoned, halved: afternoon.is_some() };
    let Some(date) = date else { return Some(Calendar { seconds: of_day, form }) };
    let mut parts = date.split(['-', '/', '.']);
    let year = parts.next().filter(|year| year.len() == 4).and_then(|year| whole(year, 9999))?;
    let month = whole(parts.next()?, 12).filter(|month| *month > 0)?;
    let day = whole(parts.next()?, 31).filter(|day| *day > 0)?;
    let seconds = days(year, month, day) as f64 * 86_400.0 + of_day;
    parts.next().is_none().then_some(Calendar { seconds, form })
}

/// Returns whether `text` begins with PM rather than AM, `None` if it begins with neither, and the rest of the text.
fn half(text: &str) -> (Option<bool>, &str) {
    for (word, afternoon) in [("am", false), ("pm", true), ("a.m.", false), ("p.m.", true)] {
        if let Some(begin) = text.get(..word.len()).filter(|begin| begin.eq_ignore_ascii_case(word)) {
            return (Some(afternoon), text[begin.len()..].trim_start());
        }
    }
    (None, text)
}

/// Returns whether `text` is a time zone rather than empty, and its offset from UTC in seconds; `None` if it is neither.
fn zone(text: &str) -> Option<(bool, i64)> {
    if text.is_empty() {
        return Some((false, 0));
    }
    let named = ["Z", "z", "UTC", "GMT"].into_iter().find_map(|name| text.strip_prefix(name));
    let rest = named.unwrap_or(text);
    if rest.is_empty() {
        return Some((true, 0));
    }
    let (sign, digits) = match (rest.strip_prefix('+'), rest.strip_prefix(['-', '\u{2212}'])) {
        (Some(digits), _) => (1, digits),
        (_, Some(digits)) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "00"),
    };
    let apart = whole(hours, 23)? * 3600 + whole(minutes, 59).filter(|_| minutes.len() == 2)? * 60;
    Some((true, sign * apart))
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
