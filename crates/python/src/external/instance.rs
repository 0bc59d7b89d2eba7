//! An instance of an algorithm in Python for one flow.
//!
//! Only the methods that the class defines are called. After each call the attributes `window`, `pacing_rate`, `ssthresh` and
//! `timer_s` are read. The first error is stored with its simulated time; from then on the algorithm is not called any more,
//! and its window is one packet until the run ends.

use super::answers::{Answers, Misread};
use super::facts::{PyAck, PyLoss, PyMoment, PySent, PySetup};
use super::observed;
use narrows_lab::congestion_control::{
    Ack, Cause, CongestionControl, EcnUse, Failure, Idle, Limits, Loss, Path, SentPacket, Setup,
};
use narrows_lab::units::{Bytes, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::OnceCell;

/// An instance of a Python class as congestion control of one flow, with the last values of its attributes.
#[derive(Debug)]
pub struct Instance {
    /// `None` after a failure.
    living: Option<Living>,
    failure: Option<Failure>,
    /// The first error of the method `observe`, which is called with the instance shared.
    misobserved: OnceCell<Failure>,
    answers: Answers,
    ecn: EcnUse,
    burst: Bytes,
    /// Time of the last event.
    now: Time,
    /// In loss recovery, but not after a timeout.
    recovering: bool,
}

/// The object and its methods, in the order of [`HOOKS`]; `None` where the class has none.
#[derive(Debug)]
struct Living {
    object: Py<PyAny>,
    hooks: [Option<Py<PyAny>>; HOOKS.len()],
    /// The method `observe`; `None` where the class has none.
    observe: Option<Py<PyAny>>,
}

/// An event with a method; the discriminant is its index in [`HOOKS`].
#[derive(Clone, Copy, Debug)]
enum Hook {
    Ack,
    Loss,
    Recovered,
    Sent,
    SpuriousLoss,
    IdleRestart,
    Timer,
}

/// The names of the methods.
const HOOKS: [&str; 7] =
    ["on_ack", "on_loss", "on_recovered", "on_sent", "on_spurious_loss", "on_idle_restart", "on_timer"];

impl Instance {
    /// Calls `class` with the setup and the keyword arguments `parameters`. If that raises an exception, the instance
    /// has failed.
    pub fn new(
        py: Python<'_>,
        class: &Py<PyAny>,
        parameters: &Py<PyDict>,
        ecn: EcnUse,
        setup: &Setup,
    ) -> Self {
        let mut instance = Self::idle(setup, ecn);
        let object = class.call(py, (PySetup::of(setup),), Some(parameters.bind(py)));
        instance.start(py, object.and_then(|object| Living::new(object.bind(py))), "__init__");
        instance
    }

    /// Returns an instance that has failed from the start.
    pub fn failed(setup: &Setup, reason: String) -> Self {
        let mut instance = Self::idle(setup, EcnUse::Classic);
        instance.fail(reason);
        instance
    }

    fn idle(setup: &Setup, ecn: EcnUse) -> Self {
        Self {
            living: None,
            failure: None,
            misobserved: OnceCell::new(),
            answers: Answers::SAFE,
            ecn,
            burst: setup.mss * 2,
            now: Time::ZERO,
            recovering: false,
        }
    }

    /// Stores the object and reads its attributes.
    fn start(&mut self, py: Python<'_>, living: PyResult<Living>, after: &str) {
        match living {
            Ok(living) => {
                let answers = self.answers.read(living.object.bind(py), Time::ZERO);
                self.living = Some(living);
                self.take(py, answers, after);
            }
            Err(error) => self.fail(explain(py, &error)),
        }
    }

    /// Calls the method of `hook` with `fact` and reads the attributes.
    fn notify(
        &mut self,
        hook: Hook,
        path: &Path,
        fact: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
    ) {
        self.now = path.now;
        let Some(living) = &self.living else { return };
        let Some(method) = &living.hooks[hook as usize] else { return };
        let before = self.answers;
        let answers = Python::attach(|py| {
            let result = fact(py).and_then(|fact| method.bind(py).call1((fact,)));
            match result {
                Ok(_) => before.read(living.object.bind(py), path.now),
                Err(error) => Err(Misread::Error(error)),
            }
        });
        match answers {
            Ok(answers) => self.answers = answers,
            failed @ Err(_) => Python::attach(|py| self.take(py, failed, HOOKS[hook as usize])),
        }
    }

    /// As [`notify`](Self::notify), for an event without further details.
    fn notify_moment(&mut self, hook: Hook, path: &Path) {
        self.notify(hook, path, |py| Ok(Bound::new(py, PyMoment::of(path))?.into_any()));
    }

    fn take(&mut self, py: Python<'_>, answers: Result<Answers, Misread>, after: &str) {
        match answers {
            Ok(answers) => self.answers = answers,
            Err(Misread::Value(words)) => self.fail(format!("after {after}, {words}")),
            Err(Misread::Error(error)) => self.fail(explain(py, &error)),
        }
    }

    fn fail(&mut self, reason: String) {
        self.living = None;
        self.answers = Answers::SAFE;
        self.failure = Some(Failure { at: self.now, reason });
    }

    /// Sets attributes of the object and reads all of them again.
    fn set(&mut self, what: &str, change: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        let Some(living) = &self.living else { return };
        let (before, now) = (self.answers, self.now);
        let answers = Python::attach(|py| {
            let object = living.object.bind(py);
            change(object).map_err(Misread::Error).and_then(|()| before.read(object, now))
        });
        Python::attach(|py| self.take(py, answers, what));
    }
}

impl Living {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut hooks = [const { None }; HOOKS.len()];
        for (hook, name) in hooks.iter_mut().zip(HOOKS) {
            *hook = object.getattr_opt(name)?.map(Bound::unbind);
        }
        let observe = object.getattr_opt("observe")?.map(Bound::unbind);
        Ok(Self { object: object.clone().unbind(), hooks, observe })
    }
}

impl CongestionControl for Instance {
    fn limits(&self) -> Limits {
        let Answers { window, pacing, .. } = self.answers;
        Limits { window: window.map(|window| window as u64), pacing, burst: self.burst }
    }

    fn window(&self) -> Option<f64> {
        self.answers.window
    }

    fn ssthresh(&self) -> Option<f64> {
        self.answers.ssthresh
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let recovering = self.recovering;
        self.notify(Hook::Ack, path, |py| Ok(Bound::new(py, PyAck::of(ack, path, recovering))?.into_any()));
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.recovering = (self.recovering || loss.new_episode) && loss.cause != Cause::Timeout;
        self.notify(Hook::Loss, path, |py| Ok(Bound::new(py, PyLoss::of(loss, path))?.into_any()));
    }

    fn on_recovered(&mut self, path: &Path) {
        self.recovering = false;
        self.notify_moment(Hook::Recovered, path);
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.notify(Hook::Sent, path, |py| Ok(Bound::new(py, PySent::of(packet, path))?.into_any()));
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.recovering = false;
        self.notify_moment(Hook::SpuriousLoss, path);
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        if idle.timeouts > 0 {
            self.notify_moment(Hook::IdleRestart, path);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.answers.timer
    }

    fn on_timer(&mut self, path: &Path) {
        // A timer expires once; the method may set it again.
        self.now = path.now;
        self.set("a timer", |object| object.setattr("timer_s", None::<f64>));
        self.notify_moment(Hook::Timer, path);
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.set("an answer of the routers", |object| {
            object.setattr("window", window)?;
            if ends_slow_start { object.setattr("ssthresh", window) } else { Ok(()) }
        });
    }

    fn ecn(&self) -> EcnUse {
        self.ecn
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref().or_else(|| self.misobserved.get())
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        let method = self.living.as_ref().and_then(|living| living.observe.as_ref());
        let Some(method) = method.filter(|_| self.misobserved.get().is_none()) else { return };
        Python::attach(|py| {
            let returned = method.bind(py).call0().map_err(Misread::Error);
            if let Err(error) = returned.and_then(|returned| observed::read(&returned, record)) {
                let reason = match error {
                    Misread::Value(words) => words,
                    Misread::Error(error) => explain(py, &error),
                };
                let _ = self.misobserved.set(Failure { at: self.now, reason });
            }
        });
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        let (failure, misobserved) = (self.failure.clone(), self.misobserved.clone());
        let mut clone = Self { living: None, failure, misobserved, answers: self.answers, ..*self };
        if let Some(living) = &self.living {
            Python::attach(|py| {
                let copy = py.import("copy").and_then(|copy| copy.getattr("deepcopy"));
                let object = copy.and_then(|copy| copy.call1((&living.object,)));
                clone.start(py, object.and_then(|object| Living::new(&object)), "a copy");
            });
        }
        Box::new(clone)
    }
}

/// The traceback of an error, without lines of this package.
fn explain(py: Python<'_>, error: &PyErr) -> String {
    let explained = py.import("narrows.external.algorithm").and_then(|module| module.getattr("explain"));
    let explained =
        explained.and_then(|explain| explain.call1((error.clone_ref(py).into_value(py),))?.extract());
    explained.unwrap_or_else(|_| error.to_string())
}
