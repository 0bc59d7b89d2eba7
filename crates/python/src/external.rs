// SPDX-License-Identifier: Apache-2.0
//! External algorithms: classes in Python, and controllers of native libraries and WebAssembly modules.
//!
//! If a scenario is only read, `narrows._internal.external.description` checks a class without executing its file. In the
//! process that runs it, `narrows._internal.external.algorithm` executes the file and checks the class, and [`Instance`]
//! calls its methods.

mod answers;
mod facts;
mod instance;
mod observed;

pub use facts::{PyAck, PyLoss, PyMoment, PySent, PySetup};

use instance::{Declared, Instance};
use narrows_abi::{Controller, calls, is_wasm};
use narrows_lab::algorithm::{AlgorithmLoader, ExternalAlgorithm, FlowStart, LoadFault};
use narrows_lab::card::Value;
use narrows_lab::congestion_control::{CongestionControl, EcnUse, Needs, Setup};
use narrows_lab::units::Bytes;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the C header of controllers.
#[pyfunction]
pub fn c_header() -> &'static str {
    narrows_abi::HEADER
}

/// Returns whether a controller of a native library or of a WebAssembly module leaves slow start, and the undo of a spurious reduction, to
/// the host, without executing a library; `None` if that cannot be read.
#[pyfunction]
pub fn library_leaves(file: &str, name: &str) -> Option<(bool, bool)> {
    Controller::leaves(Path::new(file), name)
}

/// Notes the calls into native libraries in a file, which exists and outlives this process.
#[pyfunction]
pub fn note_calls(file: &str) -> PyResult<()> {
    Ok(calls::note_in(Path::new(file))?)
}

/// Returns the number of the call into a native library that has not returned; `None` outside of calls.
#[pyfunction]
pub fn running_call() -> Option<u64> {
    calls::running().map(|call| call.number)
}

/// Returns the last call of a process that has ended, from the content of a file of `note_calls`: whether it had returned, and
/// controller, time, flow and function in words. `None` without a call.
#[pyfunction]
pub fn last_call(record: &[u8]) -> Option<(bool, String)> {
    calls::Call::read(record).map(|call| (call.has_returned(), call.to_string()))
}

/// A loader of algorithms from files.
#[derive(Debug)]
pub struct Files {
    /// Files, and folders of files, that may be executed.
    trusted: Vec<String>,
    /// Whether files are executed; if not, their algorithms are described and cannot run.
    execute: bool,
    interrupt: Mutex<Option<PyErr>>,
}

/// An algorithm of which only the source has been read.
#[derive(Debug)]
struct Described {
    digest: String,
}

/// A class that has been checked to be an algorithm.
#[derive(Debug)]
struct PythonClass {
    class: Py<PyAny>,
    parameters: Py<PyDict>,
    declared: Declared,
    digest: String,
}

impl Files {
    /// Loads algorithms from `trusted` files, and from files in or below `trusted` folders.
    pub fn new(trusted: Vec<String>, execute: bool) -> Self {
        Self { trusted, execute, interrupt: Mutex::default() }
    }

    fn describe(
        &self,
        py: Python<'_>,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> PyResult<Described> {
        let describe = py.import("narrows._internal.external.description")?.getattr("describe")?;
        let given = keywords(py, parameters)?;
        let digest = describe.call1((file, name, given, &self.trusted))?.getattr("digest")?.extract()?;
        Ok(Described { digest })
    }

    /// Removes and returns the `KeyboardInterrupt` that was raised while a file was read; `None` if there was none.
    pub fn interrupt(&self) -> Option<PyErr> {
        self.interrupt.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn fault(&self, py: Python<'_>, error: PyErr) -> LoadFault {
        let words = |name: &str| error.value(py).getattr(name).and_then(|words| words.extract::<String>());
        let fault = LoadFault {
            message: words("message").unwrap_or_else(|_| error.to_string()),
            allowed: words("allowed").unwrap_or_default(),
            hint: words("hint").ok(),
        };
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            *self.interrupt.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        fault
    }
}

impl Files {
    /// Loads a controller of a native library or a WebAssembly module; only its file is read unless it is to be executed.
    fn library(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        let digest = Python::attach(|py| {
            let read = || -> PyResult<String> {
                let read = py.import("narrows._internal.external.source")?.getattr("digest")?;
                read.call1((file, &self.trusted))?.extract()
            };
            read().map_err(|error| self.fault(py, error))
        })?;
        if !self.execute {
            // A file that will be refused is refused now, as far as that is known without executing it.
            Python::attach(|py| py.detach(|| Controller::check(file, name, parameters)))?;
            return Ok(Arc::new(Described { digest }));
        }
        // The interpreter goes on while a library is loaded, which may take forever.
        let load = || Controller::load(file, name, parameters);
        Ok(Arc::new(Python::attach(|py| py.detach(load))?))
    }
}

/// Whether a file has controllers behind the C interface, by its name.
fn is_library(file: &Path) -> bool {
    is_wasm(file)
        || file.extension().is_some_and(|extension| LIBRARIES.iter().any(|known| extension == *known))
}

impl AlgorithmLoader for Files {
    fn load(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        if is_library(file) {
            return self.library(file, name, parameters);
        }
        Python::attach(|py| {
            if !self.execute {
                let described = self.describe(py, file, name, parameters);
                return match described {
                    Ok(described) => Ok(Arc::new(described) as Arc<dyn ExternalAlgorithm>),
                    Err(error) => Err(self.fault(py, error)),
                };
            }
            let class = PythonClass::find(py, file, name, parameters, &self.trusted)
                .map_err(|error| self.fault(py, error))?;
            match class.instance(&TRIAL).failure() {
                None => Ok(Arc::new(class) as Arc<dyn ExternalAlgorithm>),
                Some(failure) => Err(LoadFault {
                    message: format!("{name} cannot be set up:\n{}", failure.reason.trim_end()),
                    allowed: String::new(),
                    hint: None,
                }),
            }
        })
    }
}

impl PythonClass {
    fn find(
        py: Python<'_>,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
        trusted: &[String],
    ) -> PyResult<Self> {
        let find = py.import("narrows._internal.external.algorithm")?.getattr("find")?;
        let found = find.call1((file, name, trusted))?;
        let (class, ecn, slow_start, undo, digest): (Py<PyAny>, String, String, String, String) =
            found.extract()?;
        let parameters = keywords(py, parameters)?.unbind();
        let ecn = match ecn.as_str() {
            "counted" => EcnUse::Counted,
            "low-latency" => EcnUse::LowLatency,
            _ => EcnUse::Classic,
        };
        let declared =
            Declared { ecn, slow_start_by_host: slow_start == BY_HOST, undo_by_host: undo == BY_HOST };
        Ok(Self { class, parameters, declared, digest })
    }

    fn instance(&self, setup: &Setup) -> Instance {
        Python::attach(|py| Instance::new(py, &self.class, &self.parameters, self.declared, setup))
    }
}

/// Returns parameters as the keyword arguments of a constructor.
fn keywords<'py>(py: Python<'py>, parameters: &[(String, Value)]) -> PyResult<Bound<'py, PyDict>> {
    let keywords = PyDict::new(py);
    for (key, value) in parameters {
        match value {
            // A whole number may be a count, for which Python's functions need an int.
            Value::Number(number) if number.fract() == 0.0 && number.abs() < WHOLE => {
                keywords.set_item(key, *number as i64)?;
            }
            Value::Number(number) => keywords.set_item(key, number)?,
            Value::Flag(flag) => keywords.set_item(key, flag)?,
            Value::Word(word) => keywords.set_item(key, word)?,
        }
    }
    Ok(keywords)
}

impl ExternalAlgorithm for PythonClass {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn build(&self, setup: &Setup, _start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        Box::new(self.instance(setup))
    }
}

impl ExternalAlgorithm for Described {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn build(&self, setup: &Setup, _start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        Box::new(Instance::failed(setup, "its file was read but not executed".to_owned()))
    }
}

/// How the names of native libraries end.
const LIBRARIES: [&str; 3] = ["so", "dylib", "dll"];

/// Requirements on the host of an algorithm in Python.
const NEEDS: Needs = Needs::RELIABLE.packets(true).rate_samples(true).partial_acks(true);

/// A typical setup, with which a class is built once to check it.
const TRIAL: Setup = Setup::new(Bytes::new(1460), 1);

/// The word of a class by which it leaves something to its host.
const BY_HOST: &str = "host";

/// 2⁵³: smaller whole numbers are exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;
