// SPDX-License-Identifier: Apache-2.0
//! Records the call in progress into external code, so that a process that hangs or ends in such a call can be
//! explained.
//!
//! It is noted in a record of 64-bit words, which is in a file where [`note_in`] says so, and so outlives its process. A process of one
//! run makes one call at a time. Where several threads make calls, each is noted, and the last one counts.

#[cfg(not(target_family = "wasm"))]
use crate::float_mode::kept;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// A call that has not returned, or the last one of a process that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number of the call in its process: odd until it has returned.
    pub number: u64,
    /// Function of the header; `loading` before there is one.
    pub function: &'static str,
    /// Simulated time, nanoseconds.
    pub now: u64,
    /// The controller, and the flow if there is one.
    caller: Vec<u8>,
}

impl Call {
    /// Returns the call in the content of a record; `None` before the first, and for content that is not a record.
    pub fn read(record: &[u8]) -> Option<Self> {
        let mut words = record.chunks_exact(8).map_while(|word| word.try_into().ok()).map(u64::from_le_bytes);
        let (number, _, place, now) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let function = Function::ALL.get(usize::try_from(place).ok()?)?.name();
        let caller = words.flat_map(u64::to_le_bytes).take_while(|byte| *byte != 0).collect();
        (number > 0).then_some(Self { number, function, now, caller })
    }

    /// Whether it has returned.
    pub fn has_returned(&self) -> bool {
        self.number.is_multiple_of(2)
    }
}

/// Function, time and place of the failure, up to the reason; if the call has returned, the last call.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caller = String::from_utf8_lossy(&self.caller);
        let (controller, flow) = caller.split_once('\n').unwrap_or((&caller, ""));
        if flow.is_empty() && self.has_returned() {
            return Ok(());
        }
        if flow.is_empty() {
            return write!(f, "{controller} cannot be loaded: ");
        }
        let at = self.now as f64 / 1e9;
        if self.has_returned() {
            let function = self.function;
            return write!(
                f,
                "; {controller} was called last, for {function} at {at} s of simulated time in {flow}"
            );
        }
        write!(f, "{controller} failed at {at} s of simulated time, in {flow}:\nin {}: ", self.function)
    }
}

/// Returns the call of this process that has not returned; `None` outside of calls.
pub fn running() -> Option<Call> {
    let words = record().words();
    let content = words.flat_map(|word| word.load(Ordering::Acquire).to_le_bytes()).collect::<Vec<u8>>();
    Call::read(&content).filter(|call| !call.has_returned())
}

/// Notes the calls of this process in `file`, which exists, from now on.
///
/// # Errors
///
/// If the file cannot be mapped into memory.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "the system's own function is called with a file that is open and as long as it says"
)]
pub fn note_in(file: &Path) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;
    let file = std::fs::File::options().read(true).write(true).open(file)?;
    file.set_len(size_of::<Record>() as u64)?;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: new memory is mapped, which is never unmapped, and any bits are a record.
    let memory = unsafe {
        libc::mmap(std::ptr::null_mut(), size_of::<Record>(), access, libc::MAP_SHARED, file.as_raw_fd(), 0)
    };
    if memory == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    RECORD.store(memory.cast(), Ordering::Release);
    Ok(())
}

/// Calls are noted in the memory of this process alone: this system has no shared files.
///
/// # Errors
///
/// Always.
#[cfg(not(unix))]
pub fn note_in(_file: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Who is called: a controller, for a flow or to be loaded.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Distinguishes it from all others of this process; never 0.
    number: u64,
    /// The controller; if it is called for a flow, a new line and the flow.
    text: Vec<u64>,
}

impl Caller {
    /// Returns a copy for `controller`, and `flow` if there is one.
    pub fn new(controller: &str, flow: Option<&dyn fmt::Display>) -> Self {
        // The end of a long path is the name.
        let excess = controller.len().saturating_sub(CONTROLLER_BYTES);
        let mut text = controller.as_bytes()[excess..].to_vec();
        if let Some(flow) = flow {
            text.extend(format!("\n{flow}").bytes());
        }
        text.resize(text.len().min(TEXT * 8 - 1) + 1, 0);
        let words = text.chunks(8).map(|part| {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            u64::from_le_bytes(word)
        });
        Self { number: CALLERS.fetch_add(1, Ordering::Relaxed), text: words.collect() }
    }

    /// Returns the result of `call`, and notes until then that `function` is called at `now`. The floating-point mode is kept.
    pub fn noted<T>(&self, function: Function, now: u64, call: impl FnOnce() -> T) -> T {
        let record = record();
        let number = record.number.load(Ordering::Relaxed) | 1;
        if record.caller.load(Ordering::Relaxed) != self.number {
            record.caller.store(self.number, Ordering::Relaxed);
            for (place, word) in record.text.iter().zip(&self.text) {
                place.store(*word, Ordering::Relaxed);
            }
        }
        record.function.store(function as u64, Ordering::Relaxed);
        record.now.store(now, Ordering::Relaxed);
        record.number.store(number, Ordering::Release);
        let returned = kept(call);
        record.number.store(number.wrapping_add(1), Ordering::Release);
        returned
    }
}

/// Where calls are noted.
#[repr(C)]
struct Record {
    number: AtomicU64,
    caller: AtomicU64,
    function: AtomicU64,
    now: AtomicU64,
    /// Ends with a byte of zero.
    text: [AtomicU64; TEXT],
}

impl Record {
    fn words(&self) -> impl Iterator<Item = &AtomicU64> {
        [&self.number, &self.caller, &self.function, &self.now].into_iter().chain(&self.text)
    }
}

#[allow(unsafe_code, reason = "the record is that of this process, or one that is never unmapped")]
fn record() -> &'static Record {
    let mapped = RECORD.load(Ordering::Acquire);
    // SAFETY: it is null, or memory that `note_in` has mapped, of this size, aligned to a page.
    unsafe { mapped.as_ref() }.unwrap_or(&OWN)
}

/// Declares the functions of the header with their names.
macro_rules! functions {
    ($($function:ident: $name:literal),+ $(,)?) => {
        /// A function of the header, or the loading of a file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u64)]
        pub(crate) enum Function {
            $($function),+
        }

        impl Function {
            /// All of them, each at the place of its number in a record.
            const ALL: &[Self] = &[$(Self::$function),+];

            /// Returns its name in the header; `loading` for none.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$function => $name),+
                }
            }
        }
    };
}

functions! {
    Acked: "acked",
    Lost: "lost",
    Sent: "sent",
    Recovered: "recovered",
    Spurious: "spurious",
    IdleRestart: "idle_restart",
    Timer: "timer",
    Loading: "loading",
    Create: "create",
    Limits: "limits",
    Observe: "observe",
    Destroy: "destroy",
    Set: "set",
    Copy: "copy",
}

/// WebAssembly has one floating-point mode.
#[cfg(target_family = "wasm")]
fn kept<T>(call: impl FnOnce() -> T) -> T {
    call()
}

/// Words of the text of a record, and bytes of it for the controller: the rest is for the flow, whose group has a short name.
const TEXT: usize = 60;
const CONTROLLER_BYTES: usize = 300;

static OWN: Record = Record {
    number: AtomicU64::new(0),
    caller: AtomicU64::new(0),
    function: AtomicU64::new(0),
    now: AtomicU64::new(0),
    text: [const { AtomicU64::new(0) }; TEXT],
};
static RECORD: AtomicPtr<Record> = AtomicPtr::new(std::ptr::null_mut());
static CALLERS: AtomicU64 = AtomicU64::new(1);

#[cfg(test)]
mod tests {
    use super::Call;

    /// A record of a call of `acked` at 1.5 s, with this number and this text.
    fn said(number: u64, text: &str) -> Option<String> {
        let mut record: Vec<u8> =
            [number, 1, 0, 1_500_000_000].iter().flat_map(|word| word.to_le_bytes()).collect();
        record.extend(text.bytes());
        record.resize(512, 0);
        Call::read(&record).map(|call| call.to_string())
    }

    #[test]
    fn a_record_says_which_call_has_not_returned_or_was_the_last() {
        let (flow, file) = ("libmine.so:mine\nflow 3 of group video", "libmine.so:mine");
        let begun =
            "libmine.so:mine failed at 1.5 s of simulated time, in flow 3 of group video:\nin acked: ";
        assert_eq!(said(7, flow).as_deref(), Some(begun));
        let over = "; libmine.so:mine was called last, for acked at 1.5 s of simulated time in flow 3 of group video";
        assert_eq!(said(8, flow).as_deref(), Some(over));
        assert_eq!(said(1, file).as_deref(), Some("libmine.so:mine cannot be loaded: "));
        assert_eq!(said(2, file).as_deref(), Some(""));
        assert_eq!(said(0, ""), None);
    }

    #[test]
    fn what_is_no_record_is_no_call() {
        assert_eq!(Call::read(&[1; 512]), None);
        assert_eq!(Call::read(&[1; 9]), None);
        assert_eq!(Call::read(&[]), None);
    }
}
