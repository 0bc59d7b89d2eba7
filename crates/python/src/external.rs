//! External algorithms written in Python: `narrows.external.algorithm` finds and checks a class, and [`Instance`] calls its
//! methods.

mod answers;
mod facts;
mod instance;

pub use facts::{PyAck, PyLoss, PyMoment, PySent, PySetup};

use instance::Instance;
use narrows_lab::algorithm::{AlgorithmLoader, ExternalAlgorithm, LoadFault};
use narrows_lab::card::Value;
use narrows_lab::congestion_control::{CongestionControl, EcnUse, FirstCut, Needs, Setup, SlowStartKind};
use narrows_lab::units::Bytes;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A loader of algorithms from Python files.
#[derive(Debug, Default)]
pub struct Files {
    interrupt: Mutex<Option<PyErr>>,
}

/// A class that has been checked to be an algorithm.
#[derive(Debug)]
struct PythonClass {
    class: Py<PyAny>,
    parameters: Py<PyDict>,
    ecn: EcnUse,
    digest: String,
}

impl Files {
    /// Removes and returns the `KeyboardInterrupt` that was raised while a file was executed; `None` if there was none.
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

impl AlgorithmLoader for Files {
    fn load(
        &self,
        file: &Path,
        name: &str,
        parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        Python::attach(|py| {
            let class =
                PythonClass::find(py, file, name, parameters).map_err(|error| self.fault(py, error))?;
            match class.build(&TRIAL).failure() {
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
    fn find(py: Python<'_>, file: &Path, name: &str, parameters: &[(String, Value)]) -> PyResult<Self> {
        let found = py.import("narrows.external.algorithm")?.getattr("find")?.call1((file, name))?;
        let (class, ecn, digest): (Py<PyAny>, String, String) = found.extract()?;
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
        let ecn = match ecn.as_str() {
            "counted" => EcnUse::Counted,
            "low-latency" => EcnUse::LowLatency,
            _ => EcnUse::Classic,
        };
        Ok(Self { class, parameters: keywords.unbind(), ecn, digest })
    }
}

impl ExternalAlgorithm for PythonClass {
    fn needs(&self) -> Needs {
        Needs { rate_samples: true, ..Needs::RELIABLE }
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn build(&self, setup: &Setup) -> Box<dyn CongestionControl> {
        Python::attach(|py| Box::new(Instance::new(py, &self.class, &self.parameters, self.ecn, setup)))
    }
}

/// A typical setup, with which a class is built once to check it.
const TRIAL: Setup = Setup {
    mss: Bytes::new(1460),
    packet: Bytes::new(1500),
    initial_window: 10.0,
    initial_ssthresh: f64::INFINITY,
    first_cut: FirstCut::Rule,
    slow_start: SlowStartKind::Standard,
    quick_start: None,
    paced: false,
    seed: 1,
};

/// 2⁵³: smaller whole numbers are exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;
