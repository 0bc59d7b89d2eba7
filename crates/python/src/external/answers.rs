// SPDX-License-Identifier: Apache-2.0
//! The attributes of an algorithm in Python, read and checked.

use narrows_lab::units::{Rate, Span, Time};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{Borrowed, intern};

/// The values of the attributes `window`, `pacing_rate`, `ssthresh` and `timer_s`; `None` as in Python.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// Congestion window, packets, from 1 to [`WINDOW_MAX`].
    pub window: Option<f64>,
    /// Pacing rate of payload, at least 1 bit/s.
    pub pacing: Option<Rate>,
    /// Slow-start threshold, packets, at least 2.
    pub ssthresh: Option<f64>,
    /// As set, seconds.
    timer_s: Option<f64>,
    /// Simulated time at which the timer expires.
    pub timer: Option<Time>,
}

/// The reason why an attribute cannot be used.
#[derive(Debug)]
pub enum Misread {
    /// The value is not allowed; a message for the author of the algorithm.
    Value(String),
    /// Reading it raised this exception.
    Error(PyErr),
}

impl Answers {
    /// The values used after a failure: a window of one packet and no timer.
    pub const SAFE: Self =
        Self { window: Some(1.0), pacing: None, ssthresh: None, timer_s: None, timer: None };

    /// Reads all attributes of `object` at time `now`; `self` has the values of the last call.
    ///
    /// # Errors
    ///
    /// If an attribute cannot be read or its value is not allowed.
    pub fn read(self, object: &Bound<'_, PyAny>, now: Time) -> Result<Self, Misread> {
        let py = object.py();
        let number = |name: Borrowed<'_, '_, PyString>, allowed: &str| number(object, name, allowed);
        let window = number(intern!(py, "window").as_borrowed(), WINDOW)?;
        if window.is_some_and(|window| !window.is_finite() || window < 0.0) {
            return Err(Misread::not("window", window, WINDOW));
        }
        let rate = number(intern!(py, "pacing_rate").as_borrowed(), RATE)?;
        if rate.is_some_and(|rate| !(1.0..=RATE_MAX).contains(&rate)) {
            return Err(Misread::not("pacing_rate", rate, RATE));
        }
        if window.is_none() && rate.is_none() {
            return Err(Misread::Value(
                "neither window nor pacing_rate is set: nothing limits the flow".into(),
            ));
        }
        let ssthresh = number(intern!(py, "ssthresh").as_borrowed(), SSTHRESH)?;
        if ssthresh.is_some_and(|ssthresh| ssthresh.is_nan() || ssthresh < 0.0) {
            return Err(Misread::not("ssthresh", ssthresh, SSTHRESH));
        }
        let timer_s = number(intern!(py, "timer_s").as_borrowed(), TIMER)?;
        Ok(Self {
            window: window.map(|window| window.clamp(1.0, WINDOW_MAX)),
            pacing: rate.map(|rate| Rate::from_bps(rate as u64)),
            ssthresh: ssthresh.map(|ssthresh| ssthresh.max(2.0)),
            timer_s,
            timer: if timer_s == self.timer_s { self.timer } else { timer(timer_s, now)? },
        })
    }
}

impl Misread {
    fn not(name: &str, value: Option<f64>, allowed: &str) -> Self {
        Self::Value(format!("{name} is {}: it must be {allowed}", value.unwrap_or(f64::NAN)))
    }
}

fn number(
    object: &Bound<'_, PyAny>,
    name: Borrowed<'_, '_, PyString>,
    allowed: &str,
) -> Result<Option<f64>, Misread> {
    let value = object.getattr(name).map_err(Misread::Error)?;
    if value.is_none() {
        return Ok(None);
    }
    value.extract().map(Some).map_err(|_| {
        let shown = value.repr().map_or_else(|_| "what cannot be shown".into(), |shown| shown.to_string());
        Misread::Value(format!("{} is {shown}: it must be {allowed}", name.to_string_lossy()))
    })
}

/// The simulated time of a timer. Errors: it is not after `now`, since a timer that is due at once could be set without end.
fn timer(at_s: Option<f64>, now: Time) -> Result<Option<Time>, Misread> {
    let Some(at_s) = at_s else { return Ok(None) };
    if !at_s.is_finite() || at_s < 0.0 {
        return Err(Misread::not("timer_s", Some(at_s), TIMER));
    }
    let at = Time::ZERO + Span::from_secs_f64(at_s.min(TIMER_MAX_S));
    if at <= now {
        let now_s = now.as_secs_f64();
        return Err(Misread::Value(format!(
            "timer_s is {at_s}: it must be later than now, {now_s}, or None"
        )));
    }
    Ok(Some(at))
}

/// Upper bound of the window, packets: more than paths in use hold, and few enough to fit into memory.
const WINDOW_MAX: f64 = 1_048_576.0;

/// Upper bound of the pacing rate, bits per second: the highest rate of a link in a scenario.
const RATE_MAX: f64 = 1e15;

/// Upper bound of a timer, seconds: after the end of any run.
const TIMER_MAX_S: f64 = 1.5e7;

const WINDOW: &str = "a number of packets, 0 or more, or None";
const RATE: &str = "a number of bits per second, from 1 to 1e15, or None";
const SSTHRESH: &str = "a number of packets, 0 or more, or None";
const TIMER: &str = "a simulated time in seconds, or None";
