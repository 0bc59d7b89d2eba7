// SPDX-License-Identifier: Apache-2.0
//! Delays of edges: what they say, else the distance between their ends.

use super::attributes::Attribute;
use super::rate::number;
use narrows_units::{Dimension, Quantity, Span};

/// A place on the Earth, longitude and latitude in degrees.
pub type Degrees = (f64, f64);

/// Returns the longitude and latitude among the attributes of a node; `None` if it has neither.
///
/// # Errors
///
/// If they are no place on the Earth, in words.
pub fn degrees(attributes: &[Attribute]) -> Result<Option<Degrees>, String> {
    let axis = |keys: &[&str], most: f64| {
        let Some(found) = attributes.iter().find(|each| keys.contains(&each.key.as_str())) else {
            return Ok(None);
        };
        let degrees = number(&found.text).filter(|degrees| degrees.abs() <= most);
        let wrong =
            || format!("its {}: expected degrees from -{most} to {most}, got \"{}\"", found.name, found.text);
        degrees.map(Some).ok_or_else(wrong)
    };
    let longitude = axis(&["longitude", "long", "lon", "lng"], 180.0)?;
    match (longitude, axis(&["latitude", "lat"], 90.0)?) {
        (Some(longitude), Some(latitude)) => Ok(Some((longitude, latitude))),
        (None, None) => Ok(None),
        _ => Err("it has one of longitude and latitude".to_owned()),
    }
}

/// Reads the delay that `text` says, with a unit, or as a number of `unit`.
///
/// # Errors
///
/// If it says none, in words.
pub fn read(text: &str, unit: Option<Span>) -> Result<Span, String> {
    let delay = match (Quantity::parse(text, &[Dimension::Time]), number(text), unit) {
        (Ok(Quantity::Time(delay)), ..) => delay,
        (_, Some(number), Some(unit)) if number >= 0.0 => Span::from_secs_f64(number * unit.as_secs_f64()),
        (_, Some(number), None) if number >= 0.0 => {
            return Err(
                "is a number without a unit, and no attribute or graph.delay_unit says of what".to_owned()
            );
        }
        _ => return Err("is no delay that is understood".to_owned()),
    };
    if delay > LONGEST { Err(format!("is longer than {LONGEST}")) } else { Ok(delay) }
}

/// Returns the time that light needs in fibre between two places on the Earth.
pub fn on_the_earth(one: Degrees, other: Degrees, factor: f64) -> Span {
    whole(great_circle_m(one, other) / FIBRE_M_PER_S * factor)
}

/// Returns the delay of a line in a drawing, `unit` for a unit of length.
pub fn in_the_drawing(one: (f64, f64), other: (f64, f64), unit: Span, factor: f64) -> Span {
    whole(libm::hypot(one.0 - other.0, one.1 - other.1) * unit.as_secs_f64() * factor)
}

/// Metres between two places on a sphere, by the haversine formula.
fn great_circle_m((long_a, lat_a): Degrees, (long_b, lat_b): Degrees) -> f64 {
    let half_sine = |degrees: f64| libm::sin(degrees.to_radians() / 2.0);
    let cosine = |degrees: f64| libm::cos(degrees.to_radians());
    let (north, east) = (half_sine(lat_b - lat_a), half_sine(long_b - long_a));
    let haversine = north * north + cosine(lat_a) * cosine(lat_b) * east * east;
    2.0 * EARTH_M * libm::asin(libm::sqrt(haversine.min(1.0)))
}

/// To the microsecond, 200 metres of fibre.
fn whole(seconds: f64) -> Span {
    Span::from_ps((libm::round(seconds * 1e6).clamp(0.0, MOST_US) as u64) * 1_000_000)
}

/// Mean radius of the Earth, metres.
const EARTH_M: f64 = 6_371_000.0;
/// Two thirds of the speed of light.
const FIBRE_M_PER_S: f64 = 2e8;
/// Longest delay of an edge.
const LONGEST: Span = Span::from_ms(3_600_000);
/// The same in microseconds.
const MOST_US: f64 = 3.6e9;
