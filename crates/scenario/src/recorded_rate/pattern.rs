// SPDX-License-Identifier: Apache-2.0
//! Patterns of rates as Rattan reads them: the JSON of `netem-trace`, an object with the name of a model and its values.
//!
//! Source: `src/model/bw.rs` of stack-rs/netem-trace, with the defaults of its `build` functions; rates and durations are texts
//! (`"12Mbps"`, `"1s 500ms"`) or objects (`{"gbps", "bps"}`, `{"secs", "nanos"}`), as its feature `human` is set or not.
//!
//! Deviations: a model with noise is refused, as its rates depend on one version of a generator of random numbers.

use super::{Key, Problem, Rates};
use crate::value::FASTEST;
use narrows_units::{Rate, Span};
use serde_json::{Map, Value};

/// Whether `text` is the JSON of a pattern.
pub fn is_pattern(text: &str) -> bool {
    let quoted = text.trim_start().strip_prefix('{').and_then(|rest| rest.trim_start().strip_prefix('"'));
    quoted
        .and_then(|rest| rest.split('"').next())
        .is_some_and(|name| name.contains("Bw") && name.ends_with("Config"))
}

/// Reads the pattern in `text`.
///
/// # Errors
///
/// If it is no JSON, or has a model, a value or a size that is not read.
pub fn read(text: &str) -> Result<Rates, Problem> {
    if text.len() > LARGEST {
        let message = format!("a pattern larger than {} MB", LARGEST / 1_000_000);
        return Err(Problem::new(Key::File, message, "a smaller pattern, or a table of rates"));
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Problem::new(Key::File, format!("line {} is no JSON", error.line()), SHAPE))?;
    let mut made = Vec::new();
    append(&value, "", true, &mut made)?;
    let (mut steps, mut length) = (Vec::with_capacity(made.len()), Span::ZERO);
    for (duration, rate) in made {
        steps.push((length, rate));
        length += duration;
        if length > LONGEST {
            return Err(fault("", &format!("is longer than {LONGEST}")));
        }
    }
    if steps.iter().all(|(_, rate)| *rate == Rate::ZERO) {
        return Err(Problem::new(
            Key::File,
            "every rate of the pattern is zero",
            "a pattern with a rate above zero",
        ));
    }
    Ok(Rates { steps, length, understood: "a pattern of netem-trace".to_owned() })
}

/// Appends the rates of a model to `made`, each with its duration; `place` is the path of the model, and `first` holds for the
/// outermost.
fn append(value: &Value, place: &str, first: bool, made: &mut Vec<(Span, Rate)>) -> Result<(), Problem> {
    let one = value.as_object().filter(|object| object.len() == 1);
    let Some((name, values)) = one.and_then(|object| object.iter().next()) else {
        return Err(fault(place, "is no object with one model"));
    };
    let Some(values) = values.as_object() else { return Err(fault(place, "has a model without values")) };
    let of = Values { values, place };
    match name.as_str() {
        "StaticBwConfig" => {
            of.only(&["bw", "duration"])?;
            push(made, of.duration("duration", SECOND)?, of.rate("bw", USUAL)?, place)
        }
        "NormalizedBwConfig" => {
            of.only(&["mean", "std_dev", "upper_bound", "lower_bound", "duration", "step", "seed"])?;
            of.without_noise()?;
            let mean = of.rate("mean", USUAL)?.max(of.rate("lower_bound", Rate::ZERO)?);
            push(made, of.duration("duration", SECOND)?, mean.min(of.rate("upper_bound", FASTEST)?), place)
        }
        "SawtoothBwConfig" => sawtooth(of, made),
        "TraceBwConfig" => {
            of.only(&["pattern"])?;
            for (index, pair) in of.list("pattern")?.iter().enumerate() {
                let place = format!("{place}pattern.{index}");
                let Some([duration, rates]) = pair.as_array().map(Vec::as_slice) else {
                    return Err(fault(&place, "is no pair of a duration and rates"));
                };
                let Some(rates) = rates.as_array() else { return Err(fault(&place, "has no list of rates")) };
                let duration = self::duration(duration).ok_or_else(|| fault(&place, "has no duration"))?;
                for each in rates {
                    let rate = self::rate(each).ok_or_else(|| fault(&place, "has no rate"))?;
                    push(made, duration, rate, &place)?;
                }
            }
            Ok(())
        }
        "RepeatedBwPatternConfig" => {
            of.only(&["pattern", "count"])?;
            let count = of.values.get("count").map_or(Some(0), Value::as_u64);
            let count = count.ok_or_else(|| fault(place, "has a count that is not a whole number"))?;
            if count == 0 && !first {
                return Err(fault(place, "repeats without end, and stands within another pattern"));
            }
            let start = made.len();
            for (index, each) in of.list("pattern")?.iter().enumerate() {
                append(each, &format!("{place}pattern.{index}."), false, made)?;
            }
            let cycle: Vec<_> = made[start..].to_vec();
            if cycle.is_empty() {
                return Ok(());
            }
            for _ in 1..count {
                for (duration, rate) in &cycle {
                    push(made, *duration, *rate, place)?;
                }
            }
            Ok(())
        }
        _ => Err(fault(place, "has a model that is not read")),
    }
}

/// Appends a sawtooth, a rate for each step.
fn sawtooth(of: Values<'_>, made: &mut Vec<(Span, Rate)>) -> Result<(), Problem> {
    const KEYS: &[&str] = &[
        "bottom",
        "top",
        "interval",
        "duty_ratio",
        "duration",
        "step",
        "seed",
        "std_dev",
        "upper_noise_bound",
        "lower_noise_bound",
    ];
    of.only(KEYS)?;
    of.without_noise()?;
    let (bottom, top) = (of.rate("bottom", Rate::ZERO)?, of.rate("top", USUAL)?);
    let (interval, step) = (of.duration("interval", SECOND)?, of.duration("step", Span::from_ms(1))?);
    let duty = of.values.get("duty_ratio").map_or(Some(0.5), Value::as_f64);
    let Some(duty) = duty.filter(|duty| (0.0..=1.0).contains(duty)) else {
        return Err(fault(of.place, "has a duty_ratio that is not from 0 to 1"));
    };
    if bottom > top || interval == Span::ZERO || step == Span::ZERO {
        return Err(fault(of.place, "has no sawtooth: bottom above top, or an interval or a step of zero"));
    }
    let (mut left, mut at) = (of.duration("duration", SECOND)?, Span::ZERO);
    let range = (top.as_bps() - bottom.as_bps()) as f64;
    let (rising, whole) = (interval.as_secs_f64() * duty, interval.as_secs_f64());
    while left > Span::ZERO {
        let seconds = at.as_secs_f64();
        let part =
            if seconds < rising { seconds / rising } else { 1.0 - (seconds - rising) / (whole - rising) };
        let rate = Rate::from_bps(bottom.as_bps() + (range * part.clamp(0.0, 1.0)).round() as u64);
        let duration = step.min(left);
        push(made, duration, rate, of.place)?;
        left = left.saturating_sub(duration);
        at += duration;
        if at >= interval {
            at = at.saturating_sub(interval);
        }
    }
    Ok(())
}

/// Appends a rate; one that holds for no time is none.
fn push(made: &mut Vec<(Span, Rate)>, duration: Span, rate: Rate, place: &str) -> Result<(), Problem> {
    if duration == Span::ZERO {
        return Ok(());
    }
    if made.len() == MOST {
        return Err(fault(place, &format!("makes the pattern longer than {MOST} rates")));
    }
    made.push((duration, rate));
    Ok(())
}

/// The values of a model, and its place.
#[derive(Clone, Copy)]
struct Values<'a> {
    values: &'a Map<String, Value>,
    place: &'a str,
}

impl Values<'_> {
    fn only(&self, known: &[&str]) -> Result<(), Problem> {
        let all_known = self.values.keys().all(|key| known.contains(&key.as_str()));
        let what = format!("has a value other than {}", known.join(", "));
        if all_known { Ok(()) } else { Err(fault(self.place, &what)) }
    }

    fn without_noise(&self) -> Result<(), Problem> {
        if self.rate("std_dev", Rate::ZERO)? == Rate::ZERO {
            return Ok(());
        }
        Err(fault(self.place, "has noise (std_dev), whose rates only netem-trace can draw"))
    }

    fn rate(&self, key: &str, usual: Rate) -> Result<Rate, Problem> {
        let found = self.values.get(key).map_or(Some(usual), rate);
        found.ok_or_else(|| fault(self.place, &format!("has a {key} that is no rate up to {FASTEST}")))
    }

    fn duration(&self, key: &str, usual: Span) -> Result<Span, Problem> {
        let found = self.values.get(key).map_or(Some(usual), duration);
        found.ok_or_else(|| fault(self.place, &format!("has a {key} that is no duration up to {LONGEST}")))
    }

    fn list(&self, key: &str) -> Result<&[Value], Problem> {
        let found = self.values.get(key).and_then(Value::as_array);
        found.map(Vec::as_slice).ok_or_else(|| fault(self.place, &format!("has no list {key}")))
    }
}

/// A rate: parts as in `1Gbps 500Mbps`, or an object.
fn rate(value: &Value) -> Option<Rate> {
    let bps = match value {
        Value::String(text) => {
            let parts = text.split_whitespace().map(|part| part.parse::<Rate>().ok().map(Rate::as_bps));
            let parts: Option<Vec<u64>> = parts.collect();
            parts.filter(|parts| !parts.is_empty())?.into_iter().try_fold(0_u64, u64::checked_add)?
        }
        Value::Object(parts) => of_parts(parts, ("gbps", 1_000_000_000), "bps")?,
        _ => return None,
    };
    Some(Rate::from_bps(bps)).filter(|rate| *rate <= FASTEST)
}

/// A duration: parts as in `1s 500ms`, or an object.
fn duration(value: &Value) -> Option<Span> {
    let ns = match value {
        Value::String(text) => {
            let parts: Option<Vec<u64>> = text.split_whitespace().map(nanoseconds).collect();
            parts.filter(|parts| !parts.is_empty())?.into_iter().try_fold(0_u64, u64::checked_add)?
        }
        Value::Object(parts) => of_parts(parts, ("secs", 1_000_000_000), "nanos")?,
        _ => return None,
    };
    ns.checked_mul(1000).map(Span::from_ps).filter(|span| *span <= LONGEST)
}

/// A part of a duration in words, as `humantime` writes it.
fn nanoseconds(part: &str) -> Option<u64> {
    let unit = part.trim_start_matches(|c: char| c.is_ascii_digit());
    let factor = match unit {
        "ns" | "nsec" => 1,
        "us" | "µs" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000_000_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000_000_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000_000_000,
        _ => return None,
    };
    part[..part.len() - unit.len()].parse::<u64>().ok()?.checked_mul(factor)
}

fn of_parts(parts: &Map<String, Value>, (large, factor): (&str, u64), small: &str) -> Option<u64> {
    let known = parts.keys().all(|key| key == large || key == small);
    let part = |key: &str| parts.get(key).map_or(Some(0), Value::as_u64);
    part(large)?.checked_mul(factor)?.checked_add(part(small)?).filter(|_| known && !parts.is_empty())
}

/// A fault at a place of the pattern. What stands there is not shown: the file may be a different and secret one.
fn fault(place: &str, what: &str) -> Problem {
    let place = place.trim_end_matches('.');
    let place = if place.is_empty() { "the pattern" } else { place };
    Problem::new(Key::File, format!("{place} {what}"), SHAPE)
}

/// What is read.
const SHAPE: &str = "the JSON of netem-trace: StaticBwConfig, TraceBwConfig, SawtoothBwConfig and NormalizedBwConfig without noise, \
                     and RepeatedBwPatternConfig of these";

/// The default rate of all models.
const USUAL: Rate = Rate::from_bps(12_000_000);

/// The default duration of all models.
const SECOND: Span = Span::from_ms(1000);

/// Bytes of a pattern.
const LARGEST: usize = 16_000_000;

/// Rates of a pattern, repetitions included.
const MOST: usize = 1_000_000;

/// Longest pattern, and longest duration in it: 115 days.
const LONGEST: Span = Span::from_ms(10_000_000_000);

#[cfg(test)]
mod tests {
    //! Contract: the sequences that the documentation of netem-trace shows, and limits.

    use super::{is_pattern, read};
    use proptest::prelude::proptest;

    fn steps(text: &str) -> Vec<(f64, f64)> {
        assert!(is_pattern(text), "{text}");
        let rates = read(text).unwrap_or_else(|problem| panic!("{problem:?} in {text}"));
        let mbps = |bps: u64| bps as f64 / 1e6;
        rates.steps.iter().map(|(at, rate)| (at.as_secs_f64(), mbps(rate.as_bps()))).collect()
    }

    fn refused(text: &str) -> String {
        read(text).expect_err(text).message
    }

    #[test]
    fn patterns_of_its_documentation_are_read() {
        let human = r#"{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":"12Mbps","duration":"1s"}},
            {"StaticBwConfig":{"bw":"24Mbps","duration":"1s"}}],"count":2}}"#;
        let plain = r#"{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":{"gbps":0,"bps":12000000},
            "duration":{"secs":1,"nanos":0}}},{"StaticBwConfig":{"bw":{"gbps":0,"bps":24000000},
            "duration":{"secs":1,"nanos":0}}}],"count":2}}"#;
        for text in [human, plain] {
            assert_eq!(steps(text), [(0.0, 12.0), (1.0, 24.0), (2.0, 12.0), (3.0, 24.0)]);
        }
        let trace = r#"{"RepeatedBwPatternConfig":{"pattern":[{"TraceBwConfig":
            {"pattern":[["1ms",["2Mbps","4Mbps"]],["2ms",["1Mbps"]]]}}],"count":0}}"#;
        assert_eq!(steps(trace), [(0.0, 2.0), (0.001, 4.0), (0.002, 1.0)]);
        let sawtooth = r#"{"SawtoothBwConfig":{"bottom":"12Mbps","top":"16Mbps","duration":"1s","step":"100ms",
            "interval":"500ms","duty_ratio":0.8}}"#;
        let rates: Vec<f64> = steps(sawtooth).into_iter().map(|(_, rate)| rate).collect();
        assert_eq!(rates, [12.0, 13.0, 14.0, 15.0, 16.0, 12.0, 13.0, 14.0, 15.0, 16.0]);
        assert_eq!(
            steps(r#"{"NormalizedBwConfig":{"mean":"1Gbps 500Mbps","duration":"1m 1s"}}"#),
            [(0.0, 1500.0)]
        );
        assert_eq!(steps(r#"{"StaticBwConfig":{}}"#), [(0.0, 12.0)]);
    }

    #[test]
    fn what_is_not_read_is_named_with_its_place_and_not_shown() {
        for (text, message) in [
            (r#"{"StaticBwConfig":{"bw":"secret"}}"#, "the pattern has a bw that is no rate"),
            (r#"{"StaticBwConfig":{"bw":12}}"#, "has a bw that is no rate"),
            (r#"{"StaticBwConfig":{"secret":1}}"#, "has a value other than bw, duration"),
            (r#"{"NormalizedBwConfig":{"std_dev":"1Mbps"}}"#, "has noise"),
            (r#"{"secretBwConfig":{}}"#, "has a model that is not read"),
            (r#"{"StaticBwConfig":{"duration":"1 fortnight"}}"#, "has a duration that is no duration"),
            (r#"{"StaticBwConfig":{"bw":"0bps"}}"#, "every rate of the pattern is zero"),
            (r#"{"RepeatedBwPatternConfig":{"pattern":[]}}"#, "every rate of the pattern is zero"),
            (r#"{"TraceBwConfig":{"pattern":[["1ms"]]}}"#, "pattern.0 is no pair"),
            (
                r#"{"RepeatedBwPatternConfig":{"pattern":[{"RepeatedBwPatternConfig":{"pattern":[]}}]}}"#,
                "pattern.0 repeats without end",
            ),
            ("{\"StaticBwConfig\":\n{", "line 2 is no JSON"),
        ] {
            let shown = refused(text);
            assert!(shown.contains(message) && !shown.contains("secret"), "{shown} of {text}");
        }
    }

    #[test]
    fn no_count_and_no_depth_takes_the_memory() {
        let one = r#"{"StaticBwConfig":{}}"#;
        let many =
            format!(r#"{{"RepeatedBwPatternConfig":{{"pattern":[{one}],"count":18446744073709551615}}}}"#);
        assert!(refused(&many).contains("longer than 1000000 rates"));
        let mut nested = one.to_owned();
        for _ in 0..9 {
            nested = format!(r#"{{"RepeatedBwPatternConfig":{{"pattern":[{nested},{nested}],"count":9}}}}"#);
        }
        assert!(refused(&nested).contains("longer than 1000000 rates"));
        let deep = r#"{"RepeatedBwPatternConfig":{"pattern":["#.repeat(10_000);
        assert!(refused(&deep).contains("no JSON"));
        let fine = r#"{"SawtoothBwConfig":{"duration":"9000s","step":"1ns"}}"#;
        assert!(refused(fine).contains("longer than 1000000 rates"));
    }

    proptest! {
        /// Mutants of a sound pattern are read or refused.
        #[test]
        fn mutants_are_read_or_refused(at in 0..200_usize, by in "[\\[{}\\],:\"0-9a-z]{0,4}", cut in 0..6_usize) {
            let sound = r#"{"RepeatedBwPatternConfig":{"pattern":[{"TraceBwConfig":{"pattern":[["1ms",["2Mbps","4Mbps"]]]}},
                {"SawtoothBwConfig":{"top":"9Mbps","duration":"1s","step":"100ms"}}],"count":2}}"#;
            let at = at.min(sound.len());
            let text = format!("{}{by}{}", &sound[..at], &sound[(at + cut).min(sound.len())..]);
            if let Ok(rates) = read(&text) {
                assert!(rates.steps.len() <= 1_000_000 && rates.steps.is_sorted_by_key(|(time, _)| *time));
            }
        }
    }
}
