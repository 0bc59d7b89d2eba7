// SPDX-License-Identifier: Apache-2.0
//! Contract: a key of a table with presets is declared once: parser, messages, schema, resolved file, description and
//! refusals of a backend follow from the declaration and the field of its options.

use super::super::emit::{Naming, TomlTable};
use super::super::kind::{Absent, Kind};
use super::super::location::Location;
use super::super::section::{Section, Table};
use super::super::sections::preset::{OfPreset, Preset, preset_keys};
use super::super::tree;
use super::super::value::KeyType;

/// The options of a transport with a new one.
#[derive(Debug, PartialEq)]
pub struct Options {
    keep_window: bool,
    spare: bool,
}

impl OfPreset for Options {
    fn of_preset(preset: Preset) -> Self {
        Self { keep_window: preset == Preset::Linux, spare: false }
    }
}

preset_keys! {
    /// A table with a new key.
    pub struct NewKeys, Complete for Options {
        /// The window is kept.
        option keep_window: bool { true => "window kept" },

        /// Another, of which nothing is said unless it differs.
        option spare: bool,
    }
}

/// The table `text` with its defaults in `preset`.
fn complete(text: &str, preset: Preset) -> Result<Complete, String> {
    let mut faults = Vec::new();
    let node = tree::parse(text).expect("it is TOML");
    let keys = Table::<NewKeys>::read(&node, "transport", &mut faults);
    if let Some(fault) = faults.first() {
        return Err(format!("{}: {}; {}", fault.path, fault.message, fault.allowed));
    }
    Ok(Complete::new(&[&keys.expect("without a fault")], preset, &Location::CommandLine))
}

fn options(complete: &Complete) -> Options {
    let mut options = Options { keep_window: false, spare: false };
    complete.set(&mut options).expect("without a fault");
    options
}

#[test]
fn a_new_key_is_read_described_written_and_refused() {
    let [key, _] = NewKeys::PARTS[0] else { panic!("two keys are declared") };
    assert_eq!(
        (key.name, key.meaning(), key.default().as_deref()),
        ("keep_window", "The window is kept.", Some("false; linux: true"))
    );
    assert!(matches!(key.kind, Kind::Flag) && matches!(key.absent, Absent::Is(_)));

    let written = complete("keep_window = true", Preset::Modern).expect("it is a flag");
    assert_eq!(options(&written), Options { keep_window: true, spare: false });
    assert_eq!(written.phrases(Preset::Modern), ["window kept"]);
    assert_eq!(
        complete("spare = true", Preset::Modern).expect("a flag").phrases(Preset::Modern),
        ["spare = true"]
    );
    let wrong = complete("keep_window = 3", Preset::Modern).expect_err("it is no flag");
    assert!(wrong.starts_with("transport.keep_window: ") && wrong.ends_with("true or false"), "{wrong}");

    let absent = |preset| complete("", preset).expect("it has a default");
    assert_eq!(options(&absent(Preset::Ns2)), Options { keep_window: false, spare: false });
    assert_eq!(options(&absent(Preset::Linux)), Options { keep_window: true, spare: false });
    let mut file = TomlTable::default();
    absent(Preset::Linux).keys().emit(Naming::Path, &mut file);
    assert_eq!(file.text(), "keep_window = true\nspare = false\n");
    let mut file = TomlTable::default();
    written.keys_unlike(&absent(Preset::Linux)).emit(Naming::Path, &mut file);
    assert_eq!(file.text(), "", "a group's file has what differs");
    assert_eq!(Complete::defaults(Preset::Linux), ["true", "false"]);

    let [unlike] = &written.unlike(&Options { keep_window: false, spare: false })[..] else {
        panic!("it differs")
    };
    assert_eq!(
        (unlike.key, unlike.at.path.as_str(), unlike.written),
        ("keep_window", "transport.keep_window", true)
    );
    assert_eq!(unlike.other, "false");
    assert!(written.unlike(&Options { keep_window: true, spare: false }).is_empty());
}
