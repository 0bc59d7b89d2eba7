// SPDX-License-Identifier: Apache-2.0
//! An instance of an algorithm in Python for one flow.
//!
//! Only the methods that the class defines are called. After each call the attributes `window`, `pacing_rate`, `ssthresh` and
//! `timer_s` are read. The first error is stored with its simulated time; from then on the algorithm is not called any more,
//! and its window is one packet until the run ends.

use super::answers::{Answers, Misread};
use super::facts::{PyAck, PyLoss, PyMoment, PySent, PySetup};
use super::observed;
use narrows_lab::congestion_control::slow_start::Hosted;
use narrows_lab::congestion_control::{
    Ack, CongestionControl, EcnUse, Failure, Idle, Limits, Loss, Path, SentPacket, Setup,
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
    declared: Declared,
    hosted: Hosted,
    /// The object and the host's state before the last episode, if the host undoes a spurious one.
    undo: Option<(Py<PyAny>, Hosted)>,
    burst: Bytes,
    /// Time of the last event.
    now: Time,
}

/// The properties that a class declares by its attributes.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// How it uses ECN.
    pub ecn: EcnUse,
    /// Slow start and the restart after an idle time are the host's.
    pub slow_start_by_host: bool,
    /// The host restores the object after a spurious episode.
    pub undo_by_host: bool,
}

impl Declared {
    /// A class that says nothing.
    pub const PLAIN: Self = Self { ecn: EcnUse::Classic, slow_start_by_host: false, undo_by_host: false };
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
        declared: Declared,
        setup: &Setup,
    ) -> Self {
        let mut instance = Self::idle(setup, declared);
        let object = class.call(py, (PySetup::of(setup),), Some(parameters.bind(py)));
        instance.start(py, object.and_then(|object| Living::new(object.bind(py))), "__init__");
        instance
    }

    /// Returns an instance that has failed from the start.
    pub fn failed(setup: &Setup, reason: String) -> Self {
        let mut instance = Self::idle(setup, Declared::PLAIN);
        instance.fail(reason);
        instance
    }

    fn idle(setup: &Setup, declared: Declared) -> Self {
        Self {
            living: None,
            failure: None,
            misobserved: OnceCell::new(),
            answers: Answers::SAFE,
            declared,
            hosted: Hosted::new(setup),
            undo: None,
            burst: setup.mss * 2,
            now: Time::ZERO,
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
        self.failure = Some(Failure::new(self.now, reason));
    }

    /// Sets the attributes `window` and `ssthresh` if they change.
    fn set_both(&mut self, what: &str, window: f64, ssthresh: f64) {
        let changed = |old: Option<f64>, new: f64| (old != Some(new)).then_some(new);
        let (window, ssthresh) =
            (changed(self.answers.window, window), changed(self.answers.ssthresh, ssthresh));
        if window.is_none() && ssthresh.is_none_or(f64::is_infinite) {
            return;
        }
        self.set(what, |object| {
            window.map_or(Ok(()), |window| object.setattr("window", window))?;
            ssthresh.map_or(Ok(()), |ssthresh| object.setattr("ssthresh", ssthresh))
        });
    }

    /// The window and ssthresh of a class whose slow start is the host's; `None` of others.
    fn hosted_window(&self) -> Option<(f64, f64)> {
        let window = self.answers.window.filter(|_| self.declared.slow_start_by_host)?;
        Some((window, self.answers.ssthresh.unwrap_or(f64::INFINITY)))
    }

    /// Replaces the object by the one before the last episode, with the larger window of the two.
    fn restore(&mut self) {
        let Some((object, hosted)) = self.undo.take() else { return };
        let window = self.answers.window;
        Python::attach(|py| self.start(py, Living::new(object.bind(py)), "an undo"));
        self.hosted = hosted;
        if let (Some(now), Some(before)) = (window, self.answers.window)
            && now > before
        {
            self.set("an undo", |object| object.setattr("window", now));
        }
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
        let hosted = || {
            let (window, ssthresh) = self.hosted_window()?;
            self.hosted.pacing(window, ssthresh)
        };
        Limits::new(window.map(|window| window as u64), pacing.or_else(hosted), self.burst)
    }

    fn window(&self) -> Option<f64> {
        self.answers.window
    }

    fn ssthresh(&self) -> Option<f64> {
        self.answers.ssthresh
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.now = path.now;
        let counted = match self.hosted_window() {
            Some((window, ssthresh)) => {
                let counted = self.hosted.on_ack(window, ssthresh, ack, path);
                self.set_both("slow start", counted.window, counted.ssthresh);
                counted.acked
            }
            None => self.hosted.count(ack, path),
        };
        self.notify(Hook::Ack, path, |py| Ok(Bound::new(py, PyAck::of(ack, path, counted))?.into_any()));
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.new_episode && self.declared.undo_by_host {
            let copy = self.living.as_ref().map(|living| Python::attach(|py| copied(py, &living.object)));
            match copy.transpose() {
                Ok(copy) => self.undo = copy.map(|object| (object, self.hosted.clone())),
                Err(error) => Python::attach(|py| self.fail(explain(py, &error))),
            }
        }
        self.hosted.on_loss(loss);
        let before = self.hosted_window();
        self.notify(Hook::Loss, path, |py| Ok(Bound::new(py, PyLoss::of(loss, path))?.into_any()));
        if let Some((before, (after, _))) = before.zip(self.hosted_window())
            && let Some((window, ssthresh)) = self.hosted.on_reduced(before, after, loss, path)
        {
            self.set_both("slow start", window, ssthresh);
        }
    }

    fn on_recovered(&mut self, path: &Path) {
        self.hosted.on_recovered();
        self.notify_moment(Hook::Recovered, path);
    }

    fn reduces_gradually(&self) -> bool {
        self.hosted.reduces_gradually()
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.notify(Hook::Sent, path, |py| Ok(Bound::new(py, PySent::of(packet, path))?.into_any()));
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.now = path.now;
        self.restore();
        self.hosted.on_recovered();
        self.notify_moment(Hook::SpuriousLoss, path);
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        if idle.timeouts > 0 {
            self.now = path.now;
            self.undo = None;
            if let Some((window, ssthresh)) = self.hosted_window() {
                let (window, ssthresh) = self.hosted.on_idle(window, ssthresh, idle.timeouts);
                self.set_both("an idle time", window, ssthresh);
            }
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
        self.declared.ecn
    }

    fn state(&self) -> &'static str {
        self.hosted_window().map_or("", |(window, ssthresh)| self.hosted.state(window, ssthresh))
    }

    fn state_rule(&self) -> &'static str {
        self.hosted_window().map_or("", |(window, ssthresh)| self.hosted.state_rule(window, ssthresh))
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
                let _ = self.misobserved.set(Failure::new(self.now, reason));
            }
        });
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        let (failure, misobserved) = (self.failure.clone(), self.misobserved.clone());
        let (hosted, undo) = (self.hosted.clone(), None);
        let mut clone =
            Self { living: None, failure, misobserved, answers: self.answers, hosted, undo, ..*self };
        if let Some(living) = &self.living {
            Python::attach(|py| {
                let object = copied(py, &living.object);
                clone.start(py, object.and_then(|object| Living::new(object.bind(py))), "a copy");
                if let Some((before, hosted)) = &self.undo {
                    match copied(py, before) {
                        Ok(before) => clone.undo = Some((before, hosted.clone())),
                        Err(error) => clone.fail(explain(py, &error)),
                    }
                }
            });
        }
        Box::new(clone)
    }
}

/// A copy of an object that shares nothing with it.
fn copied(py: Python<'_>, object: &Py<PyAny>) -> PyResult<Py<PyAny>> {
    Ok(py.import("copy")?.getattr("deepcopy")?.call1((object,))?.unbind())
}

/// The traceback of an error, without lines of this package.
fn explain(py: Python<'_>, error: &PyErr) -> String {
    let explained =
        py.import("narrows._internal.external.algorithm").and_then(|module| module.getattr("explain"));
    let explained =
        explained.and_then(|explain| explain.call1((error.clone_ref(py).into_value(py),))?.extract());
    explained.unwrap_or_else(|_| error.to_string())
}
