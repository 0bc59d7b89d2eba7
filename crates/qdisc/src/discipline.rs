// SPDX-License-Identifier: Apache-2.0
//! A queue discipline of the catalogue, and one with its settings, as a resolved scenario holds it.

use crate::{Classes, Limit, QueueDiscipline, Scale, Threshold};
use alloc::{
    borrow::ToOwned,
    boxed::Box,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;
use narrows_card::{Card, Default, Domain, INFINITE, LENGTHS, Parameter, SIZES};
use narrows_units::{Bytes, Dimension, Quantity, Rate, Span};

/// The catalogue entry of a discipline, which its module exports.
#[derive(Debug)]
pub struct Entry {
    /// Name, source, equations, parameters and deviations.
    pub card: Card,
    /// Whether it marks ECN-capable packets; if it has a parameter `ecn`, only if that is true.
    pub marks: bool,
    /// Which of its packets leave in the order of their arrival.
    pub order: Order,
    /// The time parameter that is the shortest time between two wakes of its timer; `None` without a regular timer.
    pub timer: Option<&'static str>,
    /// Sets the defaults that follow from other settings, and checks that the settings are compatible.
    pub complete: fn(&mut Settings) -> Result<(), Conflict>,
    /// Builds an empty queue with the given settings.
    pub build: fn(&Settings) -> Box<dyn QueueDiscipline>,
}

/// Which packets leave a queue in the order of their arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All packets.
    All,
    /// The packets of each flow.
    Flow,
    /// The packets of each flow with the same identifier of L4S, ECT(1) and CE or neither (RFC 9331 §5.1), as they wait in
    /// two queues.
    Queue,
    /// No packets: later ones of a flow may leave before earlier ones.
    None,
}

/// A discipline with its settings, from which any number of queues can be built.
#[derive(Clone)]
pub struct Discipline {
    entry: &'static Entry,
    settings: Settings,
}

impl Discipline {
    /// Creates the discipline `entry` with the settings `given` on a link with `scale`; all other parameters have their
    /// defaults.
    ///
    /// # Errors
    ///
    /// If a required parameter is missing, or if settings contradict each other.
    pub fn new(entry: &'static Entry, scale: Scale, given: Vec<Given>) -> Result<Self, Conflict> {
        let mut settings = Settings::defaults(entry.card.parameters, scale);
        for Given { parameter, setting, written } in given {
            let chosen = settings.chosen_mut(parameter);
            chosen.setting = Some(setting);
            chosen.written = Some(written);
        }
        let missing = |chosen: &&Chosen| chosen.setting.is_none() && chosen.parameter.domain.is_required();
        if let Some(Chosen { parameter, .. }) = settings.chosen.iter().find(missing) {
            return Err(Conflict {
                parameter: parameter.name,
                message: "missing, and it has no default".to_owned(),
                given: None,
                allowed: parameter.domain.to_string(),
            });
        }
        (entry.complete)(&mut settings)?;
        settings.chosen.iter_mut().for_each(|chosen| chosen.written = None);
        Ok(Self { entry, settings })
    }

    /// Returns an empty queue with these settings.
    pub fn build(&self) -> Box<dyn QueueDiscipline> {
        (self.entry.build)(&self.settings)
    }

    /// Returns its entry in the [`catalogue`](crate::catalogue).
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Returns its name in the [`catalogue`](crate::catalogue).
    pub fn name(&self) -> &'static str {
        self.entry.card.name
    }

    /// Returns the values of the parameters.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the parameter that is the shortest time between two wakes of its timer, and that time.
    pub fn timer(&self) -> Option<(&'static str, Span)> {
        self.entry.timer.map(|name| (name, self.settings.span(name)))
    }

    /// Returns the buffer limit of the discipline, or of the one that holds its packets.
    pub fn limit(&self) -> Limit {
        match (self.settings.get("limit"), self.settings.get("discipline")) {
            (Some(Setting::Limit(limit)), _) => *limit,
            (_, Some(Setting::Discipline(waiting))) => waiting.limit(),
            _ => Limit::Unlimited,
        }
    }
}

/// The same entry with the same settings.
impl PartialEq for Discipline {
    fn eq(&self, other: &Self) -> bool {
        let settings = |of: &Self| of.settings.iter().map(|(_, setting)| setting.clone()).collect::<Vec<_>>();
        self.name() == other.name() && settings(self) == settings(other)
    }
}

/// The name and the settings.
impl fmt::Debug for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name())?;
        f.debug_map()
            .entries(self.settings.iter().map(|(parameter, setting)| (parameter.name, setting)))
            .finish()
    }
}

/// The value of a parameter, resolved for one link.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number or a fraction.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// `true` or `false`.
    Flag(bool),
    /// One word of a choice.
    Word(&'static str),
    /// A duration.
    Span(Span),
    /// A rate.
    Rate(Rate),
    /// A size in bytes.
    Size(Bytes),
    /// A buffer limit, or a queue length in whole packets or bytes.
    Limit(Limit),
    /// A queue length with which an average is compared, not necessarily whole.
    Threshold(Threshold),
    /// Buffer limits by class, from class 0 on.
    Limits(Vec<Limit>),
    /// Names and classes of groups of flows, and the class of each flow.
    Classes(Vec<(String, u8)>, Classes),
    /// The discipline that holds the waiting packets.
    Discipline(Box<Discipline>),
}

/// As in a scenario, without quotation marks; groups with their classes.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Word(word) => word.fmt(f),
            Self::Span(span) => span.fmt(f),
            Self::Rate(rate) => rate.fmt(f),
            Self::Size(bytes) => bytes.fmt(f),
            Self::Limit(limit) => limit.fmt(f),
            Self::Threshold(threshold) => threshold.fmt(f),
            Self::Limits(limits) => {
                let limits: Vec<String> = limits.iter().map(Limit::to_string).collect();
                f.write_str(&limits.join(", "))
            }
            Self::Classes(groups, _) => {
                let groups: Vec<String> =
                    groups.iter().map(|(name, class)| format!("{name} {class}")).collect();
                f.write_str(&groups.join(", "))
            }
            Self::Discipline(discipline) => f.write_str(discipline.name()),
        }
    }
}

/// A parameter with a value other than its default.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Given {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Value of the parameter on this link.
    pub setting: Setting,
    /// The value as it was written, for messages.
    pub written: String,
}

impl Given {
    /// Creates a parameter with the value `setting`, which messages show as `written`.
    pub fn new(parameter: &'static str, setting: Setting, written: impl Into<String>) -> Self {
        Self { parameter, setting, written: written.into() }
    }
}

/// An error of settings that contradict each other, or of a required parameter that is missing.
///
/// ```
/// use narrows_qdisc::Conflict;
///
/// let mut conflict = Conflict::new("rate", "is missing", "a rate");
/// assert_eq!(conflict.to_string(), "rate: is missing; allowed: a rate");
/// conflict.message = "is not above 0".into();
/// conflict.given = Some("0bps".into());
/// let error: Box<dyn std::error::Error> = conflict.into();
/// assert_eq!(error.to_string(), "rate: is not above 0, got \"0bps\"; allowed: a rate");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// Name of the parameter to which the error belongs.
    pub parameter: &'static str,
    /// Description of the conflict.
    pub message: String,
    /// The value as it was written; `None` if the message is enough.
    pub given: Option<String>,
    /// Allowed values, in words.
    pub allowed: String,
}

impl Conflict {
    /// Creates an error without the value as it was written.
    pub fn new(parameter: &'static str, message: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { parameter, message: message.into(), given: None, allowed: allowed.into() }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parameter, self.message)?;
        if let Some(given) = &self.given {
            write!(f, ", got \"{given}\"")?;
        }
        write!(f, "; allowed: {}", self.allowed)
    }
}

impl core::error::Error for Conflict {}

/// The settings of a discipline: values of its parameters, in the order of its card.
#[derive(Clone, Debug)]
pub struct Settings {
    chosen: Vec<Chosen>,
    packet: Bytes,
}

#[derive(Clone, Debug)]
struct Chosen {
    parameter: &'static Parameter,
    /// `None` where another setting takes its place.
    setting: Option<Setting>,
    /// Value as written, for messages; `None` for a default, and in a finished discipline.
    written: Option<String>,
}

impl Settings {
    /// Every parameter at its default; `None` for one that is required or follows from others.
    fn defaults(parameters: &'static [Parameter], scale: Scale) -> Self {
        let chosen = parameters.iter().map(|parameter| Chosen {
            parameter,
            setting: default(parameter.domain, scale),
            written: None,
        });
        Self { chosen: chosen.collect(), packet: scale.packet }
    }

    /// Returns the size of a full packet on the wire, headers included.
    pub fn packet(&self) -> Bytes {
        self.packet
    }

    /// Returns the parameters that have a value, with their values, in the order of the card.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Parameter, &Setting)> {
        self.chosen
            .iter()
            .filter_map(|chosen| chosen.setting.as_ref().map(|setting| (chosen.parameter, setting)))
    }

    /// The settings that were given, as they were written.
    fn written(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.chosen.iter().filter_map(|chosen| Some((chosen.parameter.name, chosen.written.as_deref()?)))
    }

    /// Returns the value of the parameter `name`; `None` if it has none because another parameter replaces it.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.iter().find_map(|(parameter, setting)| (parameter.name == name).then_some(setting))
    }

    /// Whether the parameter `name` was given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.written().any(|(known, _)| known == name)
    }

    /// Returns the setting of the parameter `name` as it was written, its value where it is a default.
    pub(crate) fn shown(&self, name: &str) -> String {
        let written = self.written().find(|(known, _)| *known == name);
        written.map_or_else(|| self.expect(name).to_string(), |(_, written)| written.to_owned())
    }

    /// Sets the parameter `name`, which follows from others if it is not given.
    pub(crate) fn or_set(&mut self, name: &str, setting: impl FnOnce(&Self) -> Setting) {
        if self.get(name).is_none() {
            let setting = setting(self);
            self.chosen_mut(name).setting = Some(setting);
        }
    }

    /// Takes the setting of the parameter `name` away, for another takes its place.
    pub(crate) fn clear(&mut self, name: &str) {
        self.chosen_mut(name).setting = None;
    }

    fn chosen_mut(&mut self, name: &str) -> &mut Chosen {
        let found = self.chosen.iter_mut().find(|chosen| chosen.parameter.name == name);
        found.expect("only parameters of the card are set")
    }

    fn expect(&self, name: &str) -> &Setting {
        self.get(name).expect("only parameters of the card that are set are read")
    }
}

/// Defines methods of [`Settings`] that return the value of a parameter of a known kind.
macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident: $variant:ident -> $type:ty;)+) => {
        impl Settings {
            $($(#[$doc])*
            ///
            /// # Panics
            ///
            /// If the card declares no such parameter, or one of another kind, or if it has no value.
            pub fn $name(&self, name: &str) -> $type {
                match self.expect(name) {
                    Setting::$variant(value) => value.to_owned(),
                    other => unreachable!("{name} is {other:?}"),
                }
            })+
        }
    };
}

reads! {
    /// The number or fraction set by the parameter `name`.
    number: Number -> f64;
    /// The whole number set by the parameter `name`.
    whole: Whole -> u64;
    /// The flag set by the parameter `name`.
    flag: Flag -> bool;
    /// The word set by the parameter `name`, one of its choices.
    word: Word -> &'static str;
    /// The duration set by the parameter `name`.
    span: Span -> Span;
    /// The rate set by the parameter `name`.
    rate: Rate -> Rate;
    /// The size set by the parameter `name`, in bytes.
    size: Size -> Bytes;
    /// The buffer limit, or the queue length in whole packets or bytes, set by the parameter `name`.
    limit: Limit -> Limit;
    /// The queue length set by the parameter `name`, with which an average is compared.
    threshold: Threshold -> Threshold;
    /// The buffer limits by class, from class 0 on, set by the parameter `name`.
    limits: Limits -> Vec<Limit>;
}

impl Settings {
    /// Returns the class of each flow, as set by the parameter `name`.
    ///
    /// # Panics
    ///
    /// If the card does not declare `name` as a list or table of groups.
    pub fn classes(&self, name: &str) -> Classes {
        match self.expect(name) {
            Setting::Classes(_, flows) => flows.clone(),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Does the same as [`classes`](Self::classes), but `None` if no group is named.
    pub fn named_classes(&self, name: &str) -> Option<Classes> {
        match self.expect(name) {
            Setting::Classes(groups, flows) => (!groups.is_empty()).then(|| flows.clone()),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Returns an empty queue of the discipline that the parameter `name` sets.
    ///
    /// # Panics
    ///
    /// If the card does not declare `name` as a discipline.
    pub fn queue(&self, name: &str) -> Box<dyn QueueDiscipline> {
        match self.expect(name) {
            Setting::Discipline(discipline) => discipline.build(),
            other => unreachable!("{name} is {other:?}"),
        }
    }
}

/// The default on the link `scale`; `None` for a parameter that must be given or follows from others.
fn default(domain: Domain, scale: Scale) -> Option<Setting> {
    let quantity = |text: &str, dimensions| {
        Quantity::parse(text, dimensions).expect("the default of a parameter is a value of it")
    };
    match domain {
        Domain::Number { default, .. } | Domain::Fraction { default, .. } => Some(Setting::Number(default)),
        Domain::Integer { default, .. } => Some(Setting::Whole(default)),
        Domain::Flag { default } => Some(Setting::Flag(default)),
        Domain::Choice { default, .. } => Some(Setting::Word(default)),
        Domain::Span { default, .. } => match quantity(default, &[Dimension::Time]) {
            Quantity::Time(span) => Some(Setting::Span(span)),
            _ => None,
        },
        Domain::Rate { default } => match quantity(default, &[Dimension::Rate]) {
            Quantity::Rate(rate) => Some(Setting::Rate(rate)),
            _ => None,
        },
        Domain::Size { default } => Some(Setting::Size(scale.size(quantity(default, SIZES)))),
        Domain::Length { default: Default::Value(default), whole: true } => {
            Some(Setting::Limit(scale.step(quantity(default, LENGTHS))))
        }
        Domain::Length { default: Default::Value(default), .. } => {
            Some(Setting::Threshold(scale.threshold(quantity(default, LENGTHS))))
        }
        Domain::Limit { default: INFINITE } => Some(Setting::Limit(Limit::Unlimited)),
        Domain::Limit { default } => {
            Some(Setting::Limit(scale.with_room(scale.limit(quantity(default, LENGTHS)))))
        }
        Domain::Limits => Some(Setting::Limits(Vec::new())),
        Domain::Classes { required: false, .. } => Some(Setting::Classes(Vec::new(), Classes::new([], 0))),
        Domain::Length { .. } | Domain::Groups | Domain::Classes { .. } | Domain::Discipline { .. } => None,
    }
}

/// Accepts the settings of a discipline that do not depend on each other.
#[expect(clippy::unnecessary_wraps, reason = "other disciplines have conflicts")]
pub(crate) fn independent(_settings: &mut Settings) -> Result<(), Conflict> {
    Ok(())
}
