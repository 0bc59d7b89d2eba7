// SPDX-License-Identifier: Apache-2.0
//! Tables whose defaults are columns: one for each preset.

use crate::emit::Naming;
use crate::field::{At, Field};
use crate::kind::Key;
use crate::location::Location;
use crate::value::{KeyType, Words, words};
use narrows_transport::TransportOptions;
use std::fmt::Write;

/// A named set of defaults; [`Preset::about`] says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The standards of today.
    Modern,
    /// Those of 2012: RFC 5681, 6298, 6675 and 6928.
    Sack2012,
    /// ns-2.35.
    Ns2,
    /// Linux 6.18.
    Linux,
}

words!(Preset { Modern = "modern", Sack2012 = "sack-2012", Ns2 = "ns2", Linux = "linux" });

impl Preset {
    /// Returns what it is, in sentences, and where that is from.
    pub const fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::Modern => (
                "A stack of today: losses are detected by time (RACK) and at the tail by probes (TLP), the window falls over \
                 a round trip (proportional rate reduction), slow start ends when the delay rises (HyStart++), and a timeout \
                 without loss is found by what is acknowledged next (F-RTO). Packets \
                 of window algorithms are not paced: Linux paces those of an algorithm that asks for it, as BBR does, and \
                 of all others only under the queue discipline fq. Algorithms with a rate of their own are paced. With \
                 `pacing = true` all are.",
                "RFC 8985, RFC 9937, RFC 9406, RFC 5682; RFC 5681, RFC 6298, RFC 6928; Linux 6.18 net/ipv4/tcp_output.c, \
                 tcp_internal_pacing, and net/sched/sch_fq.c for pacing, tcp_rearm_rto for the timer",
            ),
            Self::Sack2012 => (
                "The standards of 2012: selective acknowledgements with the pipe algorithm, three duplicates, reductions at \
                 once, standard slow start and an initial window of ten packets.",
                "RFC 5681, RFC 6298, RFC 6675, RFC 6928",
            ),
            Self::Ns2 => (
                "The one-way TCP agents of ns-2 as most studies used them: each packet is acknowledged, an initial window of \
                 two packets, no headers, a first reduction to half. Its Vegas is `vegas(ns2=true)`.",
                "ns-2.35",
            ),
            Self::Linux => (
                "The TCP of Linux as it is by default, with its own algorithms in whole packets: `reno` and `newreno` mean \
                 `reno-linux`, `hstcp` means `highspeed-linux`, and `cubic`, `bic`, `htcp`, `scalable`, `vegas` and \
                 `westwood` mean those with `-linux` behind them.",
                "Linux 6.18 and 6.12 net/ipv4",
            ),
        }
    }
}

/// Options that presets set.
pub trait OfPreset {
    /// Returns their values in `preset`.
    fn of_preset(preset: Preset) -> Self;
}

impl OfPreset for TransportOptions {
    fn of_preset(preset: Preset) -> Self {
        match preset {
            Preset::Modern => Self::modern(),
            Preset::Sack2012 => Self::default(),
            Preset::Ns2 => Self::ns2(),
            Preset::Linux => Self::linux(),
        }
    }
}

/// What a preset is and which values it gives.
#[derive(Clone, Debug)]
pub struct PresetCard {
    /// Its name.
    pub name: &'static str,
    /// What it is, in sentences.
    pub summary: &'static str,
    /// The standards or the program that it follows.
    pub source: &'static str,
    /// Its value of each key of `[transport]`.
    pub values: Vec<PresetValue>,
}

/// A default of a preset.
#[derive(Clone, Debug)]
pub struct PresetValue {
    /// Name of the key.
    pub key: &'static str,
    /// Meaning of the key, in sentences.
    pub meaning: &'static str,
    /// The allowed values, in words.
    pub allowed: String,
    /// The value, as a file writes it, without quotes.
    pub value: String,
}

/// Describes the defaults of a key, as in `10pkt; ns2: 2pkt`.
pub fn columns<T: KeyType>(default: impl Fn(Preset) -> T::Value) -> String {
    let shown = Preset::VALUES.iter().map(|preset| Key::plain(&T::write(&default(*preset), Naming::Path)));
    let shown: Vec<String> = shown.collect();
    let [first, others @ ..] = &shown[..] else { return String::new() };
    let mut text = first.clone();
    let mut said: Vec<&String> = vec![first];
    for (index, other) in others.iter().enumerate() {
        if !said.contains(&other) {
            let same = Preset::WORDS.iter().zip(&shown).skip(index + 1).filter(|(_, each)| *each == other);
            let names: Vec<&str> = same.map(|(name, _)| *name).collect();
            let _ = write!(text, "; {}: {other}", names.join(" and "));
            said.push(other);
        }
    }
    text
}

/// Returns the value of a key in the first of `layers` that has it, otherwise `default`, whose place in messages is
/// `otherwise`.
pub fn layered<'a, V: Clone + 'a>(
    layers: impl IntoIterator<Item = &'a Field<Option<V>>>,
    default: V,
    key: &str,
    otherwise: &Location,
) -> Field<V> {
    if let Some(field) = layers.into_iter().find(|field| field.written) {
        let value = field.get().map(|value| value.clone().unwrap_or(default));
        return Field::new(field.at.clone(), true, value);
    }
    let at = At { path: format!("transport.{key}"), location: otherwise.clone() };
    Field::new(at, false, Ok(default))
}

/// A key whose value differs from other options.
#[derive(Clone, Debug)]
pub struct Unlike {
    /// Name of the key.
    pub key: &'static str,
    /// Place of its value; of a default, the place where it would be written.
    pub at: At,
    /// Whether it was written.
    pub written: bool,
    /// The other value, as TOML.
    pub other: String,
}

impl Unlike {
    /// Returns the key `key`, if its value is not `other`.
    pub fn of<T: KeyType>(key: &'static str, field: &Field<T::Value>, other: &T::Value) -> Option<Self> {
        let [own, other] = [field.get().ok()?, other].map(|value| T::write(value, Naming::Digest));
        (own != other).then(|| Self { key, at: field.at.clone(), written: field.written, other })
    }
}

/// Declares a table as [`keys!`](crate::section::keys) does, and a second one in which every key has a value.
///
/// An `option` sets the field of that name in `$options`, whose values for each preset are its defaults. The setting of
/// a `key` is computed elsewhere, and behind its type stand its defaults, a column for each preset. Then come words
/// where defaults depend on other keys, too, and phrases by which values are described.
macro_rules! preset_keys {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident, $complete:ident for $options:ty {
            $(
                $(#[doc = $meaning:literal])+
                $role:ident $key:ident: $type:ty $(= $defaults:tt)? $(=> $words:literal)?
                $({ $($value:pat $(if $guard:expr)? => $phrase:expr),+ $(,)? })?
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $meaning])+ pub $key: $crate::field::Field<Option<<$type as $crate::value::KeyType>::Value>>,)+
        }

        /// The same with every key.
        #[derive(Clone, Debug)]
        pub struct $complete {
            $($(#[doc = $meaning])+ pub $key: $crate::field::Field<<$type as $crate::value::KeyType>::Value>,)+
        }

        impl $crate::section::Section for $name {
            const PARTS: $crate::kind::Parts = &[&[$($crate::kind::Key {
                name: stringify!($key),
                kind: <$type as $crate::value::KeyType>::KIND,
                absent: $crate::sections::preset::preset_keys!(@absent $role $options, $type, $key $(= $defaults)? $(=> $words)?),
                meaning: concat!($($meaning),+),
            },)+]];

            fn take(fields: &mut $crate::section::Fields<'_>) -> Self {
                Self { $($key: fields.optional::<$type>(stringify!($key)),)+ }
            }

            fn emit(&self, naming: $crate::emit::Naming, table: &mut $crate::emit::TomlTable) {
                $($crate::section::emit::<$type, _>(
                    &self.$key,
                    self.$key.get().ok().and_then(Option::as_ref),
                    stringify!($key),
                    naming,
                    table,
                );)+
            }
        }

        #[allow(unused_variables, unused_mut, reason = "some tables set no option, and some have a phrase for each key")]
        impl $complete {
            /// Takes each key from the first of `layers` that has it, else its default in the preset; messages name `otherwise`
            /// for the latter.
            pub fn new(layers: &[&$name], preset: $crate::sections::preset::Preset, otherwise: &$crate::location::Location) -> Self {
                Self { $($key: $crate::sections::preset::layered(
                    layers.iter().map(|layer| &layer.$key),
                    $crate::sections::preset::preset_keys!(@default $role $options, preset, $key $(= $defaults)?),
                    stringify!($key),
                    otherwise,
                ),)+ }
            }

            /// Returns the default of each key in `preset`, in the order of the keys, as a file writes it.
            pub fn defaults(preset: $crate::sections::preset::Preset) -> Vec<String> {
                vec![$($crate::kind::Key::plain(&<$type as $crate::value::KeyType>::write(
                    &$crate::sections::preset::preset_keys!(@default $role $options, preset, $key $(= $defaults)?),
                    $crate::emit::Naming::Path,
                )),)+]
            }

            /// Sets the fields of `options` that have the names of keys.
            pub fn set(&self, options: &mut $options) -> Result<(), $crate::field::Reported> {
                $($crate::sections::preset::preset_keys!(@set $role self, options, $key);)+
                Ok(())
            }

            /// Returns all keys with their values.
            pub fn keys(&self) -> $name {
                $name { $($key: self.$key.clone().optional(),)+ }
            }

            /// Returns the keys whose values differ from `other`, with their values in `self`.
            pub fn keys_unlike(&self, other: &Self) -> $name {
                let mut keys = self.keys();
                $(
                    let text = |field: &$crate::field::Field<_>| {
                        field.get().ok().map(|value| <$type as $crate::value::KeyType>::write(value, $crate::emit::Naming::Digest))
                    };
                    keys.$key.omitted = text(&self.$key) == text(&other.$key);
                )+
                keys
            }

            /// Returns the keys whose values differ from `options`, each with its value in `options`.
            pub fn unlike(&self, options: &$options) -> Vec<$crate::sections::preset::Unlike> {
                let mut found = Vec::new();
                $($crate::sections::preset::preset_keys!(@unlike $role self, options, $key, found: $type);)+
                found
            }

            /// Describes the values for a reader: the phrases of their keys. Of the keys without phrases it lists those that
            /// differ from the preset.
            pub fn phrases(&self, preset: $crate::sections::preset::Preset) -> Vec<String> {
                let mut phrases: Vec<String> = Vec::new();
                $($crate::sections::preset::preset_keys!(
                    @phrase phrases,
                    self.$key,
                    $key: $type = $crate::sections::preset::preset_keys!(@default $role $options, preset, $key $(= $defaults)?)
                    $(, { $($value $(if $guard)? => $phrase),+ })?
                );)+
                phrases
            }
        }
    };

    (@absent $role:ident $options:ty, $type:ty, $key:ident $(= $defaults:tt)?) => {
        $crate::kind::Absent::Is(|| $crate::sections::preset::columns::<$type>(|preset| $crate::sections::preset::preset_keys!(@default $role $options, preset, $key $(= $defaults)?)))
    };
    (@absent $role:ident $options:ty, $type:ty, $key:ident $(= $defaults:tt)? => $words:literal) => { $crate::kind::Absent::Means($words) };

    (@default option $options:ty, $preset:ident, $key:ident) => { <$options as $crate::sections::preset::OfPreset>::of_preset($preset).$key };
    (@default key $options:ty, $preset:ident, $key:ident = $defaults:tt) => { $defaults[$preset as usize] };

    (@set option $self:ident, $options:ident, $key:ident) => { $options.$key = $self.$key.copied()?; };
    (@set key $self:ident, $options:ident, $key:ident) => {};

    (@unlike option $self:ident, $options:ident, $key:ident, $found:ident: $type:ty) => {
        $found.extend($crate::sections::preset::Unlike::of::<$type>(stringify!($key), &$self.$key, &$options.$key));
    };
    (@unlike key $self:ident, $options:ident, $key:ident, $found:ident: $type:ty) => {};

    (@phrase $phrases:ident, $field:expr, $key:ident: $type:ty = $default:expr) => {
        $phrases.extend($field.get().ok().and_then(|value| {
            let shown = <$type as $crate::value::KeyType>::write(value, $crate::emit::Naming::Path);
            let differs = shown != <$type as $crate::value::KeyType>::write(&$default, $crate::emit::Naming::Path);
            differs.then(|| format!("{} = {}", stringify!($key), $crate::kind::Key::plain(&shown)))
        }));
    };
    (@phrase $phrases:ident, $field:expr, $key:ident: $type:ty = $default:expr, { $($value:pat $(if $guard:expr)? => $phrase:expr),+ }) => {
        $phrases.extend(match $field.copied() {
            $(Ok($value) $(if $guard)? => Some(String::from($phrase)),)+
            _ => None,
        });
    };
}

/// Declares a table, and a second one in which every key has a value. Both consist of parts: modules in which [`preset_keys`]
/// declares `Keys` and `Values`.
macro_rules! preset_tables {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident, $complete:ident for $options:ty {
            $($(#[doc = $meaning:literal])+ $part:ident,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $meaning])+ pub $part: $part::Keys,)+
        }

        /// The same with every key.
        #[derive(Clone, Debug)]
        pub struct $complete {
            $($(#[doc = $meaning])+ pub $part: $part::Values,)+
        }

        impl $crate::section::Section for $name {
            const PARTS: $crate::kind::Parts =
                &[$(<$part::Keys as $crate::section::Section>::PARTS[0],)+];

            fn take(fields: &mut $crate::section::Fields<'_>) -> Self {
                Self { $($part: $crate::section::Section::take(fields),)+ }
            }

            fn emit(&self, naming: $crate::emit::Naming, table: &mut $crate::emit::TomlTable) {
                $($crate::section::Section::emit(&self.$part, naming, table);)+
            }
        }

        impl $complete {
            fn new(
                layers: &[&$name],
                preset: $crate::sections::preset::Preset,
                otherwise: &$crate::location::Location,
            ) -> Self {
                Self { $($part: {
                    let layers: Vec<_> = layers.iter().map(|layer| &layer.$part).collect();
                    $part::Values::new(&layers, preset, otherwise)
                },)+ }
            }

            fn defaults(preset: $crate::sections::preset::Preset) -> Vec<String> {
                [$($part::Values::defaults(preset),)+].concat()
            }

            fn set(&self, options: &mut $options) -> Result<(), $crate::field::Reported> {
                $(self.$part.set(options)?;)+
                Ok(())
            }

            /// Returns all keys with their values.
            pub fn keys(&self) -> $name {
                $name { $($part: self.$part.keys(),)+ }
            }

            /// Returns the keys whose values differ from `other`, with their values in `self`.
            pub fn keys_unlike(&self, other: &Self) -> $name {
                $name { $($part: self.$part.keys_unlike(&other.$part),)+ }
            }

            fn unlike(&self, options: &$options) -> Vec<$crate::sections::preset::Unlike> {
                let mut found = Vec::new();
                $(found.extend(self.$part.unlike(options));)+
                found
            }

            fn phrases(&self, preset: $crate::sections::preset::Preset) -> Vec<String> {
                [$(self.$part.phrases(preset),)+].concat()
            }
        }
    };
}

pub(crate) use {preset_keys, preset_tables};
