// SPDX-License-Identifier: Apache-2.0
//! Whether the programs of a virtual machine compute without end.

use narrows_units::Time;
use std::fs;
use std::time::Duration;

/// Most processor time that programs may use while no simulated time passes.
const MOST: Duration = Duration::from_secs(60);
/// Calls between two looks.
const CALLS: u32 = 100;
/// Unit of the times in /proc/PID/stat (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// A watch over a virtual machine. Time stands still while its programs compute, so that one in an endless loop never ends.
#[derive(Debug)]
pub struct Watch {
    process: u32,
    /// Simulated time, and the processor time used until it was reached.
    reached: (Time, Duration),
    calls: u32,
}

impl Watch {
    /// Creates a watch over the virtual machine that is `process`.
    pub fn new(process: u32) -> Self {
        Self { process, reached: (Time::ZERO, Duration::ZERO), calls: 0 }
    }

    /// Returns why the run cannot go on, at the simulated time `now`; `None` if it can. To be called some hundred times
    /// a second.
    pub fn refuses(&mut self, now: Time) -> Option<String> {
        self.calls += 1;
        if !self.calls.is_multiple_of(CALLS) {
            return None;
        }
        let used = used(self.process);
        if now > self.reached.0 {
            self.reached = (now, used);
        }
        (used.saturating_sub(self.reached.1) > MOST).then(|| {
            format!(
                "the programs have computed for {} s of processor time while the simulated time stood at {} s, as in a loop that \
                 waits without reading the clock",
                MOST.as_secs(),
                now.as_secs_f64()
            )
        })
    }
}

/// Processor time of `process`, and of its children, which are the processes of programs.
fn used(process: u32) -> Duration {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ticks: u64 = numbers.filter_map(|number| ticks(number, process)).sum();
    TICK * u32::try_from(ticks).unwrap_or(u32::MAX)
}

/// Ticks of process `number` if it is `process`, with its ended children, or a child of it.
fn ticks(number: u32, process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name of the program, in parentheses, may hold anything. The fields behind it begin with the third.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let own = field(14)? + field(15)?;
    if number == process {
        return Some(own + field(16)? + field(17)?);
    }
    (field(4)? == u64::from(process)).then_some(own)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{Duration, Watch, used};
    use narrows_units::{Span, Time};

    #[test]
    fn processor_time_without_simulated_time_is_bounded() {
        let own = std::process::id();
        while used(own) < Duration::from_millis(50) {}
        let mut watch = Watch::new(own);
        let late = |watch: &mut Watch, now| {
            watch.calls = super::CALLS - 1;
            watch.refuses(now)
        };
        assert_eq!(late(&mut watch, Time::ZERO), None);
        watch.reached.1 = Duration::ZERO;
        let soon = Time::ZERO + Span::from_ms(1);
        assert_eq!(late(&mut watch, soon), None);
        assert!(watch.reached.1 >= Duration::from_millis(50), "the time used counts from now on");
    }
}
