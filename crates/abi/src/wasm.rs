// SPDX-License-Identifier: Apache-2.0
//! Controllers in WebAssembly: without clock, files or network, with the same bits on every machine.
//!
//! The module exports its memory, its table of functions, and for each controller the address of its `struct narrows_controller`,
//! whose pointers have 32 bits. Facts are written into pages that the host adds to the memory of the module. Each flow has a memory
//! of its own. Every call is interpreted, and may take a bounded number of instructions, fewer if the calls before it took many; not a number has the same bits everywhere
//! (the feature `deterministic` of wasmi).

use crate::instance::{Code, Event};
use crate::layout;
use crate::room::{Room, limits};
use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use wasmi::{
    CompilationMode, Config, Engine, Error, Instance, Linker, Memory, Module, Ref, Store, StoreLimits, Table,
    TrapCode, TypedFunc, Val, WasmParams, WasmResults,
};

/// A controller in a WebAssembly module.
#[derive(Clone)]
pub struct Wasm {
    engine: Engine,
    module: Module,
    name: String,
    /// Names of its parameters and of what it shows.
    pub parameters: Vec<String>,
    variables: Vec<String>,
    traits: layout::Traits,
    /// Bytes of the memories of all flows.
    taken: Arc<AtomicUsize>,
}

impl fmt::Debug for Wasm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wasm").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Wasm {
    /// Compiles the controller `name` of a module with this content.
    ///
    /// # Errors
    ///
    /// Why there is no such controller, in words.
    pub fn read(content: &[u8], name: &str) -> Result<Self, String> {
        let mut config = Config::default();
        config.consume_fuel(true).compilation_mode(CompilationMode::Eager);
        let engine = Engine::new(&config);
        let module =
            Module::new(&engine, content).map_err(|error| format!("is no WebAssembly module: {error}"))?;
        if let Some(import) = module.imports().next() {
            return Err(format!(
                "the module imports {}.{}: a controller has nothing but its arguments",
                import.module(),
                import.name()
            ));
        }
        let mut loaded = Self {
            engine,
            module,
            name: name.to_owned(),
            parameters: Vec::new(),
            variables: Vec::new(),
            traits: layout::Traits { version: layout::Version::PRESENT, ecn: 0, declines: 0, sent: false },
            taken: Arc::default(),
        };
        let (started, header) = loaded.start()?;
        let Header { create, destroy, limits, acked, lost, .. } = header;
        layout::Obligatory {
            create: create != 0,
            destroy: destroy != 0,
            limits: limits != 0,
            acked: acked != 0,
            lost: lost != 0,
        }
        .check(name)?;
        if header.version.has_parts() {
            layout::check_parts(name, header.declines, header.set != 0, header.copy != 0)?;
        }
        loaded.parameters = started.names(header.parameters)?;
        loaded.variables = started.names(header.variables)?;
        let Header { version, ecn, declines, sent, .. } = header;
        loaded.traits = layout::Traits { version, ecn, declines, sent: sent != 0 };
        Ok(loaded)
    }

    /// Returns what its table says beside names and functions.
    pub fn traits(&self) -> layout::Traits {
        self.traits
    }

    /// Returns an instance for a flow; `parameters` has a value for each name, NaN where none is given.
    ///
    /// # Errors
    ///
    /// The controller refused, or its call did not return.
    pub fn create(&self, setup: &layout::Setup, parameters: &[f64]) -> Result<Box<dyn Code>, String> {
        let (mut started, header) = self.start()?;
        let values: Vec<u64> = parameters.iter().map(|value| value.to_bits()).collect();
        let [setup_at, parameters_at, _] = started.place([&setup.words(), &values, &[]])?;
        let functions = Functions::of(&mut started, &header)?;
        let state = started.call(functions.create, (setup_at, parameters_at))?;
        if state == 0 {
            return Err("create returned NULL: it refuses this setup, or these parameters".to_owned());
        }
        Ok(Box::new(Flow {
            started: Mutex::new(started),
            functions,
            state,
            saved: 0,
            variables: self.variables.clone(),
        }))
    }

    /// Starts the module, and reads the table of the controller.
    fn start(&self) -> Result<(Started, Header), String> {
        let mut store = Store::new(&self.engine, limits());
        store.limiter(|limits| limits);
        store.set_fuel(FUEL).map_err(|error| error.to_string())?;
        let instance = Linker::new(&self.engine)
            .instantiate_and_start(&mut store, &self.module)
            .map_err(|error| format!("cannot be started: {}", why(&error, FUEL)))?;
        let memory = instance.get_memory(&store, "memory").ok_or("the module exports no memory")?;
        let table = instance
            .get_table(&store, TABLE)
            .ok_or_else(|| format!("the module exports no {TABLE}; link it with --export-table"))?;
        let address = self.address(&store, instance)?;
        let mut started = Started {
            store,
            memory,
            table,
            fuel: FUEL,
            memory_of_all: Room::new(&self.taken),
            room: 0,
            reserved: 0,
        };
        started.reserve(PAGE as usize)?;
        let version = layout::Version::read(&self.name, started.word(address)?)?;
        let header = Header::read(&started, address, version)?;
        Ok((started, header))
    }

    fn address(&self, store: &Store<StoreLimits>, instance: Instance) -> Result<u32, String> {
        let exported = instance.get_global(store, &self.name);
        let missing = || format!("the module exports no controller {}", self.name);
        match exported.ok_or_else(missing)?.get(store) {
            Val::I32(address) => Ok(address as u32),
            _ => Err(missing()),
        }
    }
}

/// `struct narrows_controller` with pointers of 32 bits: addresses of lists, numbers of functions, 0 for NULL.
#[derive(Clone, Copy, Debug)]
struct Header {
    version: layout::Version,
    ecn: u64,
    declines: u64,
    parameters: u32,
    variables: u32,
    create: u32,
    destroy: u32,
    limits: u32,
    acked: u32,
    lost: u32,
    sent: u32,
    recovered: u32,
    spurious: u32,
    idle_restart: u32,
    timer: u32,
    observe: u32,
    set: u32,
    copy: u32,
}

impl Header {
    fn read(started: &Started, address: u32, version: layout::Version) -> Result<Self, String> {
        let at = |offset: u32| address.checked_add(offset).ok_or(OUTSIDE);
        let ecn = started.word(at(8)?)?;
        let (declines, first) = if version.has_declines() { (started.word(at(16)?)?, 24) } else { (0, 16) };
        let mut pointers = [0; 13];
        for (number, pointer) in pointers.iter_mut().enumerate() {
            *pointer = started.half(at(first + 4 * number as u32)?)?;
        }
        let has_parts = version.has_parts() && declines & (layout::SLOW_START | layout::UNDO) != 0;
        let part = |number: u32| if has_parts { started.half(at(first + 4 * number)?) } else { Ok(0) };
        let parts = [part(13)?, part(14)?];
        let [
            parameters,
            variables,
            create,
            destroy,
            limits,
            acked,
            lost,
            sent,
            recovered,
            spurious,
            idle_restart,
            timer,
            observe,
        ] = pointers;
        Ok(Self {
            version,
            ecn,
            declines,
            parameters,
            variables,
            create,
            destroy,
            limits,
            acked,
            lost,
            sent,
            recovered,
            spurious,
            idle_restart,
            timer,
            observe,
            set: parts[0],
            copy: parts[1],
        })
    }
}

/// A function for an event with packets: state, fact, path, packets, their number.
type On = TypedFunc<(u32, u32, u32, u32, u64), ()>;
/// A function for an event without further details: state, path.
type OnMoment = TypedFunc<(u32, u32), ()>;

/// The functions of a controller; `None` for NULL.
struct Functions {
    create: TypedFunc<(u32, u32), u32>,
    destroy: TypedFunc<u32, ()>,
    limits: OnMoment,
    acked: On,
    lost: On,
    sent: Option<TypedFunc<(u32, u32, u32), ()>>,
    recovered: Option<OnMoment>,
    spurious: Option<OnMoment>,
    idle_restart: Option<TypedFunc<(u32, u32, u64), ()>>,
    timer: Option<OnMoment>,
    observe: Option<OnMoment>,
    set: Option<TypedFunc<(u32, u64, u64), ()>>,
    copy: Option<TypedFunc<u32, u32>>,
}

impl Functions {
    fn of(started: &mut Started, header: &Header) -> Result<Self, String> {
        Ok(Self {
            create: started.required(header.create, "create")?,
            destroy: started.required(header.destroy, "destroy")?,
            limits: started.required(header.limits, "limits")?,
            acked: started.required(header.acked, "acked")?,
            lost: started.required(header.lost, "lost")?,
            sent: started.function(header.sent, "sent")?,
            recovered: started.function(header.recovered, "recovered")?,
            spurious: started.function(header.spurious, "spurious")?,
            idle_restart: started.function(header.idle_restart, "idle_restart")?,
            timer: started.function(header.timer, "timer")?,
            observe: started.function(header.observe, "observe")?,
            set: started.function(header.set, "set")?,
            copy: started.function(header.copy, "copy")?,
        })
    }
}

/// A started module.
struct Started {
    store: Store<StoreLimits>,
    memory: Memory,
    table: Table,
    /// Instructions left of the budget of the calls so far.
    fuel: u64,
    memory_of_all: Room,
    /// Start of the pages to which facts are written, and their bytes.
    room: u32,
    reserved: usize,
}

impl Started {
    /// Calls a function, which may take a bounded number of instructions.
    fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        function: TypedFunc<P, R>,
        arguments: P,
    ) -> Result<R, String> {
        self.fuel = (self.fuel + FUEL_A_CALL).min(FUEL);
        self.store.set_fuel(self.fuel).map_err(|error| error.to_string())?;
        let result = function.call(&mut self.store, arguments).map_err(|error| why(&error, self.fuel));
        self.fuel = self.store.get_fuel().map_err(|error| error.to_string())?;
        self.memory_of_all.count(self.memory.data(&self.store).len())?;
        result
    }

    fn function<P: WasmParams, R: WasmResults>(
        &mut self,
        number: u32,
        name: &str,
    ) -> Result<Option<TypedFunc<P, R>>, String> {
        if number == 0 {
            return Ok(None);
        }
        let found = self.table.get(&self.store, number.into());
        let function = found.as_ref().and_then(Ref::as_func).and_then(|found| found.val().copied());
        let function = function.ok_or_else(|| format!("{name} is no function of the module"))?;
        let typed = function.typed(&self.store);
        typed.map(Some).map_err(|error| format!("{name} has other arguments than in narrows.h: {error}"))
    }

    fn required<P: WasmParams, R: WasmResults>(
        &mut self,
        number: u32,
        name: &str,
    ) -> Result<TypedFunc<P, R>, String> {
        self.function(number, name)?.ok_or_else(|| format!("it has no function {name}"))
    }

    /// Makes room for `bytes` bytes of facts. Memory beyond the present room may be in use by the module.
    fn reserve(&mut self, bytes: usize) -> Result<(), String> {
        if bytes > self.reserved {
            let pages = (bytes as u64).div_ceil(PAGE).next_power_of_two();
            let before = self.memory.grow(&mut self.store, pages).map_err(|error| {
                format!("the memory of the module cannot grow by {pages} pages for facts: {error}")
            })?;
            (self.room, self.reserved) = ((before * PAGE) as u32, (pages * PAGE) as usize);
            self.memory_of_all.count(self.memory.data(&self.store).len())?;
        }
        Ok(())
    }

    /// Writes structures one behind the other, and returns where each of them is.
    fn place(&mut self, parts: [&[u64]; 3]) -> Result<[u32; 3], String> {
        self.reserve(parts.iter().map(|part| part.len() * 8).sum())?;
        let mut at = self.room;
        let mut places = [0; 3];
        for (place, part) in places.iter_mut().zip(parts) {
            *place = at;
            self.write(at, part)?;
            at += part.len() as u32 * 8;
        }
        Ok(places)
    }

    fn write(&mut self, at: u32, words: &[u64]) -> Result<(), String> {
        let place = self.memory.data_mut(&mut self.store).get_mut(at as usize..at as usize + words.len() * 8);
        let place = place.ok_or(OUTSIDE)?;
        for (place, word) in place.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    }

    fn bytes<const N: usize>(&self, at: u32) -> Result<[u8; N], String> {
        let place = self.memory.data(&self.store).get(at as usize..).and_then(|rest| rest.first_chunk::<N>());
        place.copied().ok_or_else(|| OUTSIDE.to_owned())
    }

    fn word(&self, at: u32) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.bytes(at)?))
    }

    fn half(&self, at: u32) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.bytes(at)?))
    }

    /// The names in a list that ends with NULL; none for NULL.
    fn names(&self, list: u32) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        while list != 0 && found.len() < MOST_NAMES {
            let at = self.half(list + 4 * found.len() as u32)?;
            if at == 0 {
                break;
            }
            let text = self.memory.data(&self.store).get(at as usize..).ok_or(OUTSIDE)?;
            let text = &text[..text.len().min(LONGEST_NAME + 1)];
            let end = text.iter().position(|byte| *byte == 0);
            let end = end.ok_or_else(|| format!("a name does not end within {LONGEST_NAME} bytes"))?;
            found.push(String::from_utf8_lossy(&text[..end]).into_owned());
        }
        Ok(found)
    }
}

/// One flow's state in a module of its own.
struct Flow {
    /// Reading limits runs the module, too.
    started: Mutex<Started>,
    functions: Functions,
    state: u32,
    /// A copy of the state before the last episode; 0 for none.
    saved: u32,
    variables: Vec<String>,
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Flow {
    fn started(&self) -> std::sync::MutexGuard<'_, Started> {
        self.started.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Flow {
    fn run<P: WasmParams, R: WasmResults>(
        &mut self,
        function: TypedFunc<P, R>,
        given: P,
    ) -> Result<R, String> {
        self.started.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).call(function, given)
    }

    /// Destroys the copy.
    fn discard(&mut self) -> Result<(), String> {
        let saved = std::mem::take(&mut self.saved);
        if saved == 0 { Ok(()) } else { self.run(self.functions.destroy, saved) }
    }
}

impl Code for Flow {
    fn call(&mut self, event: &Event<'_>) -> Result<(), String> {
        let (state, functions) = (self.state, &self.functions);
        let started = self.started.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let moment = |started: &mut Started, function: Option<OnMoment>, path: &layout::Path| {
            let Some(function) = function else { return Ok(()) };
            let [at, ..] = started.place([&path.words(), &[], &[]])?;
            started.call(function, (state, at))
        };
        match *event {
            Event::Acked(ack, path, packets) => {
                let at = started.place([&ack.words(), &path.words(), packets.words()])?;
                started.call(functions.acked, (state, at[0], at[1], at[2], packets.count))
            }
            Event::Lost(loss, path, packets) => {
                let at = started.place([&loss.words(), &path.words(), packets.words()])?;
                started.call(functions.lost, (state, at[0], at[1], at[2], packets.count))
            }
            Event::Sent(packet, path) => {
                let Some(sent) = functions.sent else { return Ok(()) };
                let at = started.place([&packet.words(), &path.words(), &[]])?;
                started.call(sent, (state, at[0], at[1]))
            }
            Event::Recovered(path) => moment(started, functions.recovered, path),
            Event::Spurious(path) => moment(started, functions.spurious, path),
            Event::IdleRestart(path, since) => {
                let Some(restart) = functions.idle_restart else { return Ok(()) };
                let [at, ..] = started.place([&path.words(), &[], &[]])?;
                started.call(restart, (state, at, since))
            }
            Event::Timer(path) => moment(started, functions.timer, path),
        }
    }

    fn limits(&self) -> Result<layout::Limits, String> {
        let mut started = self.started();
        let [at, ..] = started.place([&layout::Limits::EMPTY.words(), &[], &[]])?;
        started.call(self.functions.limits, (self.state, at))?;
        let mut read = [0; 5];
        for (number, word) in read.iter_mut().enumerate() {
            *word = started.word(at + 8 * number as u32)?;
        }
        let [window, pacing_rate, burst, ssthresh, timer] = read;
        Ok(layout::Limits { window, pacing_rate, burst, ssthresh, timer })
    }

    fn set(&mut self, window: u64, ssthresh: u64) -> Result<(), String> {
        let Some(set) = self.functions.set else { return Ok(()) };
        self.run(set, (self.state, window, ssthresh))
    }

    fn save(&mut self) -> Result<(), String> {
        self.discard()?;
        let Some(copy) = self.functions.copy else { return Ok(()) };
        self.saved = self.run(copy, self.state)?;
        if self.saved == 0 { Err("copy returned NULL".to_owned()) } else { Ok(()) }
    }

    fn restore(&mut self) -> Result<(), String> {
        if self.saved != 0 {
            std::mem::swap(&mut self.state, &mut self.saved);
        }
        self.discard()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) -> Result<(), String> {
        let Some(observe) = self.functions.observe.filter(|_| !self.variables.is_empty()) else {
            return Ok(());
        };
        let mut started = self.started();
        let empty = vec![f64::NAN.to_bits(); self.variables.len()];
        let [at, ..] = started.place([&empty, &[], &[]])?;
        started.call(observe, (self.state, at))?;
        for (number, name) in self.variables.iter().enumerate() {
            let value = f64::from_bits(started.word(at + 8 * number as u32)?);
            if !value.is_nan() {
                record(name, value);
            }
        }
        Ok(())
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        // What fails here concerns nothing any more.
        let _ = self.run(self.functions.destroy, self.state);
    }
}

/// What ended a call, in words.
fn why(error: &Error, fuel: u64) -> String {
    match error.as_trap_code() {
        Some(TrapCode::OutOfFuel) => format!("it took more than {fuel} instructions, and was stopped"),
        Some(trap) => format!("it ended with a trap: {}", trap.trap_message()),
        None => error.to_string(),
    }
}

/// Instructions that a call may take: far more than any rule needs, and about a second.
const FUEL: u64 = 100_000_000;

/// Instructions that calls may take on average: about ten milliseconds.
const FUEL_A_CALL: u64 = 1_000_000;

/// Bytes of a page of memory.
const PAGE: u64 = 65_536;

/// Names that a list may have.
const MOST_NAMES: usize = 256;

/// Bytes of a name.
const LONGEST_NAME: usize = 256;

/// The export that holds the functions.
const TABLE: &str = "__indirect_function_table";

const OUTSIDE: &str = "an address is outside of the module's memory";

#[cfg(test)]
mod tests {
    use super::Wasm;

    /// A section of a module: its number and its content, behind the length.
    fn section(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number];
        let mut length = content.len();
        while length >= 0x80 {
            bytes.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend(content);
        bytes
    }

    fn refusal(sections: &[Vec<u8>]) -> String {
        let module = [b"\0asm\x01\0\0\0".to_vec(), sections.concat()].concat();
        Wasm::read(&module, "mine").expect_err("it is refused")
    }

    #[test]
    fn a_module_has_one_memory_and_one_table() {
        let memories = refusal(&[section(5, &[2, 0, 1, 0, 1])]);
        assert!(memories.contains("too many linear memories"), "{memories}");
        let tables = refusal(&[section(4, &[2, 0x70, 0, 1, 0x70, 0, 1]), section(5, &[1, 0, 1])]);
        assert!(tables.contains("too many tables"), "{tables}");
    }

    #[test]
    fn a_name_has_an_end() {
        let exports =
            [&[3, 6][..], b"memory", &[2, 0, 25], b"__indirect_function_table", &[1, 0, 4], b"mine", &[3, 0]]
                .concat();
        // The table of the controller at 8, its lists at 200, which begin with a name that fills the memory.
        let mut memory = vec![0; 400];
        memory[8..16].copy_from_slice(&crate::layout::VERSION.to_le_bytes());
        for pointer in 0..13 {
            memory[32 + 4 * pointer..36 + 4 * pointer].copy_from_slice(&200_u32.to_le_bytes());
        }
        memory[200..204].copy_from_slice(&300_u32.to_le_bytes());
        memory.resize(60_000, b'a');
        memory[300..400].fill(b'a');
        let data = [&[1, 0, 0x41, 0, 0x0b, 0xe0, 0xd4, 3][..], &memory].concat();
        let error = refusal(&[
            section(4, &[1, 0x70, 0, 1]),
            section(5, &[1, 0, 1]),
            section(6, &[1, 0x7f, 0, 0x41, 8, 0x0b]),
            section(7, &exports),
            section(11, &data),
        ]);
        assert!(error.contains("a name does not end within 256 bytes"), "{error}");
    }
}
