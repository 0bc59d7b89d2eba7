// SPDX-License-Identifier: Apache-2.0
//! Controllers in native libraries.

use crate::calls::{Caller, Function};
use crate::instance::{Code, Event};
use crate::layout;
use libloading::{Library, Symbol};
use narrows_model::algorithm::FlowStart;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::sync::Arc;

/// The pointers of `struct narrows_controller`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Table {
    parameters: *const *const c_char,
    variables: *const *const c_char,
    create: Option<unsafe extern "C" fn(*const layout::Setup, *const f64) -> *mut c_void>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    limits: Option<unsafe extern "C" fn(*const c_void, *mut layout::Limits)>,
    acked: Option<On<layout::Acked>>,
    lost: Option<On<layout::Loss>>,
    sent: Option<unsafe extern "C" fn(*mut c_void, *const layout::Packet, *const layout::Path)>,
    recovered: Option<OnMoment>,
    spurious: Option<OnMoment>,
    idle_restart: Option<unsafe extern "C" fn(*mut c_void, *const layout::Path, u64)>,
    timer: Option<OnMoment>,
    observe: Option<unsafe extern "C" fn(*const c_void, *mut f64)>,
}

/// The pointers behind them, which a controller that leaves nothing to the host need not have.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    set: Option<unsafe extern "C" fn(*mut c_void, u64, u64)>,
    copy: Option<unsafe extern "C" fn(*const c_void) -> *mut c_void>,
}

/// A function for an event with packets.
type On<T> = unsafe extern "C" fn(*mut c_void, *const T, *const layout::Path, *const u64, u64);
/// A function for an event without further details.
type OnMoment = unsafe extern "C" fn(*mut c_void, *const layout::Path);

/// A controller in a native library.
#[derive(Clone, Debug)]
pub struct Native {
    /// Keeps the code of the table in memory.
    _library: Arc<Library>,
    table: Table,
    parts: Parts,
    traits: layout::Traits,
    /// Name of the file, and of the controller in it.
    controller: String,
    /// Names of its parameters and of its variables.
    pub parameters: Vec<String>,
    variables: Vec<String>,
}

impl Native {
    /// Loads the controller `name` from `file`, which executes the library's initialization code.
    ///
    /// # Errors
    ///
    /// Why there is no such controller, in words.
    #[allow(unsafe_code, reason = "a library of another is called; the header says what it promises")]
    pub fn load(file: &Path, name: &str) -> Result<Self, String> {
        let controller = format!("{}:{name}", file.file_name().unwrap_or(file.as_os_str()).display());
        // SAFETY: that the library is executed is what it is for; the caller has asked whether its file is trusted.
        let library = Caller::new(&controller, None)
            .noted(Function::Loading, 0, || unsafe { Library::new(file) })
            .map_err(|error| format!("cannot be loaded: {error}"))?;
        // SAFETY: the version is read first, and decides what else is there.
        let (table, parts, traits) = unsafe {
            let found: Symbol<'_, *const u64> = library
                .get(name.as_bytes())
                .map_err(|_| format!("the library exports no controller {name}"))?;
            let version = layout::Version::read(name, found.read_unaligned())?;
            let ecn = found.add(1).read_unaligned();
            let (declines, pointers) = if version.has_declines() {
                (found.add(2).read_unaligned(), found.add(3))
            } else {
                (0, found.add(2))
            };
            let table = pointers.cast::<Table>().read_unaligned();
            let parts = if version.has_parts() && declines & (layout::SLOW_START | layout::UNDO) != 0 {
                pointers.cast::<Table>().add(1).cast::<Parts>().read_unaligned()
            } else {
                Parts::default()
            };
            (table, parts, layout::Traits { version, ecn, declines, sent: table.sent.is_some() })
        };
        let Table { create, destroy, limits, acked, lost, .. } = &table;
        layout::Obligatory {
            create: create.is_some(),
            destroy: destroy.is_some(),
            limits: limits.is_some(),
            acked: acked.is_some(),
            lost: lost.is_some(),
        }
        .check(name)?;
        if traits.version.has_parts() {
            layout::check_parts(name, traits.declines, parts.set.is_some(), parts.copy.is_some())?;
        }
        let (parameters, variables) = (names(table.parameters), names(table.variables));
        Ok(Self { _library: Arc::new(library), table, parts, traits, controller, parameters, variables })
    }

    /// Returns what its table says beside names and functions.
    pub fn traits(&self) -> layout::Traits {
        self.traits
    }

    /// Returns an instance for the flow `start`; `parameters` has a value for each name, NaN where none is given.
    ///
    /// # Errors
    ///
    /// The controller refused.
    #[allow(unsafe_code, reason = "a function of another's library is called")]
    pub fn create(
        &self,
        setup: &layout::Setup,
        parameters: &[f64],
        start: &FlowStart<'_>,
    ) -> Result<Box<dyn Code>, String> {
        let create = self.table.create.ok_or("it has no function create")?;
        let separator = if start.stack.is_empty() { "" } else { ":" };
        let controller = format!("{}{separator}{}", start.stack, self.controller);
        let (caller, now) = (Caller::new(&controller, Some(start)), setup.now);
        // SAFETY: the arguments are as the header says.
        let state = caller.noted(Function::Create, now, || unsafe { create(setup, parameters.as_ptr()) });
        if state.is_null() {
            return Err("create returned NULL: it refuses this setup, or these parameters".to_owned());
        }
        Ok(Box::new(Flow { native: self.clone(), state, saved: std::ptr::null_mut(), caller, now }))
    }
}

/// The names in a list that ends with NULL; none for NULL.
#[allow(unsafe_code, reason = "a list of another's library is read")]
fn names(mut list: *const *const c_char) -> Vec<String> {
    let mut found = Vec::new();
    // SAFETY: the header says that the list ends with NULL, and that its elements are strings.
    unsafe {
        while !list.is_null() && !(*list).is_null() {
            found.push(CStr::from_ptr(*list).to_string_lossy().into_owned());
            list = list.add(1);
        }
    }
    found
}

/// One flow's state in the library.
#[derive(Debug)]
struct Flow {
    native: Native,
    state: *mut c_void,
    /// A copy of the state before the last episode; null for none.
    saved: *mut c_void,
    caller: Caller,
    /// Time of the last event, nanoseconds.
    now: u64,
}

// SAFETY: the header says that calls for one flow do not overlap, not that they come from one thread.
#[allow(unsafe_code, reason = "the state is reached by one flow alone")]
unsafe impl Send for Flow {}

// SAFETY: tables are constant.
#[allow(unsafe_code, reason = "tables are constant")]
unsafe impl Send for Native {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "tables are constant")]
unsafe impl Sync for Native {}

#[allow(unsafe_code, reason = "functions of another's library are called with what the header says")]
impl Flow {
    fn event(&self, event: &Event<'_>) {
        let (state, table) = (self.state, &self.native.table);
        let moment = |function: Option<OnMoment>, path: &layout::Path| {
            if let Some(function) = function {
                // SAFETY: the state is the library's own, and the fact lives until the call returns.
                unsafe { function(state, path) }
            }
        };
        match *event {
            Event::Acked(ack, path, packets) => {
                if let Some(acked) = table.acked {
                    // SAFETY: as above.
                    unsafe { acked(state, ack, path, packets.words().as_ptr(), packets.count) }
                }
            }
            Event::Lost(loss, path, packets) => {
                if let Some(lost) = table.lost {
                    // SAFETY: as above.
                    unsafe { lost(state, loss, path, packets.words().as_ptr(), packets.count) }
                }
            }
            Event::Sent(packet, path) => {
                if let Some(sent) = table.sent {
                    // SAFETY: as above.
                    unsafe { sent(state, packet, path) }
                }
            }
            Event::Recovered(path) => moment(table.recovered, path),
            Event::Spurious(path) => moment(table.spurious, path),
            Event::IdleRestart(path, since) => {
                if let Some(restart) = table.idle_restart {
                    // SAFETY: as above.
                    unsafe { restart(state, path, since) }
                }
            }
            Event::Timer(path) => moment(table.timer, path),
        }
    }

    /// Destroys the copy.
    fn discard(&mut self) {
        let saved = std::mem::replace(&mut self.saved, std::ptr::null_mut());
        if let Some(destroy) = self.native.table.destroy.filter(|_| !saved.is_null()) {
            // SAFETY: the copy is not used any more.
            self.noted(Function::Destroy, || unsafe { destroy(saved) });
        }
    }

    /// Notes a call that is no event, while it is made.
    fn noted<T>(&self, function: Function, call: impl FnOnce() -> T) -> T {
        self.caller.noted(function, self.now, call)
    }
}

#[allow(unsafe_code, reason = "functions of another's library are called with what the header says")]
impl Code for Flow {
    fn call(&mut self, event: &Event<'_>) -> Result<(), String> {
        self.now = event.now();
        self.noted(event.function(), || self.event(event));
        Ok(())
    }

    fn limits(&self) -> Result<layout::Limits, String> {
        // Writes beyond the limits show in the second.
        let mut limits = [layout::Limits::EMPTY; 2];
        if let Some(function) = self.native.table.limits {
            // SAFETY: as above.
            self.noted(Function::Limits, || unsafe { function(self.state, limits.as_mut_ptr()) });
        }
        if limits[1] != layout::Limits::EMPTY {
            return Err("it has written behind the end of struct narrows_limits".to_owned());
        }
        Ok(limits[0])
    }

    fn set(&mut self, window: u64, ssthresh: u64) -> Result<(), String> {
        if let Some(set) = self.native.parts.set {
            // SAFETY: as above.
            self.noted(Function::Set, || unsafe { set(self.state, window, ssthresh) });
        }
        Ok(())
    }

    fn save(&mut self) -> Result<(), String> {
        self.discard();
        let Some(copy) = self.native.parts.copy else { return Ok(()) };
        // SAFETY: as above.
        self.saved = self.noted(Function::Copy, || unsafe { copy(self.state) });
        if self.saved.is_null() { Err("copy returned NULL".to_owned()) } else { Ok(()) }
    }

    fn restore(&mut self) -> Result<(), String> {
        if !self.saved.is_null() {
            std::mem::swap(&mut self.state, &mut self.saved);
            self.discard();
        }
        Ok(())
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) -> Result<(), String> {
        let Some(observe) = self.native.table.observe.filter(|_| !self.native.variables.is_empty()) else {
            return Ok(());
        };
        let count = self.native.variables.len();
        let mut values = vec![f64::NAN; count + BEHIND];
        // SAFETY: there is a value for each name.
        self.noted(Function::Observe, || unsafe { observe(self.state, values.as_mut_ptr()) });
        if values.split_off(count).iter().any(|value| value.to_bits() != f64::NAN.to_bits()) {
            return Err(format!("it has written more than {count} values"));
        }
        for (name, value) in self.native.variables.iter().zip(values).filter(|(_, value)| !value.is_nan()) {
            record(name, value);
        }
        Ok(())
    }
}

/// Values behind the variables, in which writes of too many values show.
const BEHIND: usize = 8;

#[allow(unsafe_code, reason = "a function of another's library is called")]
impl Drop for Flow {
    fn drop(&mut self) {
        self.discard();
        if let Some(destroy) = self.native.table.destroy {
            // SAFETY: the state is not used any more.
            self.noted(Function::Destroy, || unsafe { destroy(self.state) });
        }
    }
}
