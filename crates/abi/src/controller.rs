// SPDX-License-Identifier: Apache-2.0
//! A controller of a file, with the parameters that a scenario gives.

#[cfg(not(target_family = "wasm"))]
use crate::elf::Elf;
use crate::instance::{Code, Instance};
use crate::layout;
#[cfg(not(target_family = "wasm"))]
use crate::native::Native;
#[cfg(feature = "wasm")]
use crate::wasm::Wasm;
use narrows_cc::card::Value;
use narrows_cc::{CongestionControl, EcnUse, Needs, Setup};
use narrows_model::algorithm::{ExternalAlgorithm, FlowStart, LoadFault};
use narrows_model::hexadecimal;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The C header.
pub const HEADER: &str = include_str!("../include/narrows.h");

/// A controller of a native library or of a WebAssembly module, with its parameters.
#[derive(Debug)]
pub struct Controller {
    code: Compiled,
    /// A value for each parameter; NaN if the scenario gives none.
    values: Vec<f64>,
    ecn: EcnUse,
    needs: Needs,
    digest: String,
}

/// The target to which a controller is compiled.
#[derive(Debug)]
enum Compiled {
    #[cfg(not(target_family = "wasm"))]
    Native(Native),
    #[cfg(feature = "wasm")]
    Wasm(Wasm),
}

impl Compiled {
    fn of_module(content: &[u8], name: &str) -> Result<Self, String> {
        #[cfg(feature = "wasm")]
        return Wasm::read(content, name).map(Self::Wasm);
        #[cfg(not(feature = "wasm"))]
        Err("cannot be run: this build of Narrows is without WebAssembly".to_owned())
    }

    fn parameters(&self) -> &[String] {
        match self {
            #[cfg(not(target_family = "wasm"))]
            Self::Native(native) => &native.parameters,
            #[cfg(feature = "wasm")]
            Self::Wasm(wasm) => &wasm.parameters,
        }
    }

    fn traits(&self) -> layout::Traits {
        match self {
            #[cfg(not(target_family = "wasm"))]
            Self::Native(native) => native.traits(),
            #[cfg(feature = "wasm")]
            Self::Wasm(wasm) => wasm.traits(),
        }
    }

    fn create(
        &self,
        setup: &layout::Setup,
        parameters: &[f64],
        start: &FlowStart<'_>,
    ) -> Result<Box<dyn Code>, String> {
        match self {
            #[cfg(not(target_family = "wasm"))]
            Self::Native(native) => native.create(setup, parameters, start),
            #[cfg(feature = "wasm")]
            Self::Wasm(wasm) => wasm.create(setup, parameters),
        }
    }
}

/// Whether a file is a WebAssembly module, by its name: it needs no trust, for it can do nothing but answer.
pub fn is_wasm(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "wasm")
}

impl Controller {
    /// Loads the controller `name` from `file`. A native library is executed by that.
    ///
    /// # Errors
    ///
    /// If there is no such controller, or it does not take these parameters.
    #[cfg(not(target_family = "wasm"))]
    pub fn load(file: &Path, name: &str, parameters: &[(String, Value)]) -> Result<Self, LoadFault> {
        let content = read(file)?;
        if is_wasm(file) {
            return Self::of_module(&content, name, parameters);
        }
        check_library(&content, name, parameters)?;
        Self::of(Native::load(file, name).map(Compiled::Native), &content, name, parameters)
    }

    /// Checks that `file` has the controller `name` with these parameters, as far as that is known without executing a native library.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    #[cfg(not(target_family = "wasm"))]
    pub fn check(file: &Path, name: &str, parameters: &[(String, Value)]) -> Result<(), LoadFault> {
        let content = read(file)?;
        if is_wasm(file) {
            return Self::of_module(&content, name, parameters).map(drop);
        }
        check_library(&content, name, parameters)
    }

    /// Returns whether the controller `name` of `file` leaves slow start, and the undo of a spurious reduction, to the host, without
    /// executing a native library; `None` if that cannot be read.
    #[cfg(not(target_family = "wasm"))]
    pub fn leaves(file: &Path, name: &str) -> Option<(bool, bool)> {
        let content = read(file).ok()?;
        let declines = if is_wasm(file) {
            Compiled::of_module(&content, name).ok()?.traits().declines
        } else {
            Elf::read(&content).ok()?.declines(name)?
        };
        Some((declines & layout::SLOW_START != 0, declines & layout::UNDO != 0))
    }

    /// Returns the controller `name` of a WebAssembly module with this content.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn of_module(content: &[u8], name: &str, parameters: &[(String, Value)]) -> Result<Self, LoadFault> {
        Self::of(Compiled::of_module(content, name), content, name, parameters)
    }

    fn of(
        code: Result<Compiled, String>,
        content: &[u8],
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Self, LoadFault> {
        let code = code.map_err(|reason| fault(reason, FORM))?;
        let values = values(name, code.parameters(), parameters)?;
        let layout::Traits { version, ecn, declines, .. } = code.traits();
        let ecn = match ecn {
            0 => EcnUse::Classic,
            1 => EcnUse::Counted,
            2 => EcnUse::LowLatency,
            other => {
                let allowed = "NARROWS_CLASSIC, NARROWS_COUNTED, NARROWS_LOW_LATENCY";
                return Err(fault(format!("{name} has ecn = {other}"), allowed));
            }
        };
        let parts = if version.has_parts() { layout::SLOW_START | layout::UNDO } else { 0 };
        if declines & !(layout::PACKETS | layout::RATE | parts) != 0 {
            let allowed = if parts == 0 {
                "0, NARROWS_PACKETS, NARROWS_RATE, or both, joined by |"
            } else {
                "0, NARROWS_PACKETS, NARROWS_RATE, NARROWS_SLOW_START, NARROWS_UNDO, or several, joined by |"
            };
            return Err(fault(format!("{name} has declines = {declines}"), allowed));
        }
        let needs = Needs::RELIABLE
            .packets(declines & layout::PACKETS == 0)
            .rate_samples(declines & layout::RATE == 0)
            .partial_acks(true);
        Ok(Self { code, values, ecn, needs, digest: hexadecimal(&Sha256::digest(content)) })
    }
}

#[cfg(not(target_family = "wasm"))]
fn read(file: &Path) -> Result<Vec<u8>, LoadFault> {
    std::fs::read(file).map_err(|error| fault(format!("cannot be read: {error}"), ""))
}

/// Checks what the content of a native library says about itself. Systems whose libraries have another format than ELF check it themselves.
#[cfg(not(target_family = "wasm"))]
fn check_library(content: &[u8], name: &str, parameters: &[(String, Value)]) -> Result<(), LoadFault> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let library = Elf::read(content).map_err(|reason| fault(reason, FORM))?;
    library.check(name).map_err(|reason| fault(reason, FORM))?;
    let Some(known) = library.parameters(name) else { return Ok(()) };
    let known: Vec<_> = known.into_iter().map(str::to_owned).collect();
    values(name, &known, parameters).map(drop)
}

/// Returns a value for each of the `known` parameters from those that are `given`.
fn values(name: &str, known: &[String], given: &[(String, Value)]) -> Result<Vec<f64>, LoadFault> {
    let mut values = vec![f64::NAN; known.len()];
    for (parameter, value) in given {
        let Some(place) = known.iter().position(|each| each == parameter) else {
            let allowed = if known.is_empty() { "no parameter at all".to_owned() } else { known.join(", ") };
            return Err(fault(format!("{name} has no parameter `{parameter}`"), &allowed));
        };
        values[place] = match value {
            Value::Number(number) => *number,
            Value::Flag(flag) => f64::from(u8::from(*flag)),
            Value::Word(word) => {
                return Err(fault(
                    format!("{name}'s parameter `{parameter}` is {word:?}"),
                    "a number, true or false",
                ));
            }
        };
    }
    Ok(values)
}

fn fault(message: String, allowed: &str) -> LoadFault {
    LoadFault { message, allowed: allowed.to_owned(), hint: None }
}

impl ExternalAlgorithm for Controller {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn build(&self, setup: &Setup, start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        let code = self.code.create(&layout::Setup::of(setup, start.now), &self.values, start);
        Box::new(Instance::new(code, self.ecn, self.code.traits(), setup, start.now))
    }
}

const FORM: &str = "a library and a controller in it, as in \"./libmine.so:mine\"";
