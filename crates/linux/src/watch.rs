// SPDX-License-Identifier: Apache-2.0
//! Whether a virtual machine goes on.

use narrows_backend::RunError;
use narrows_units::Time;
use std::fs;
use std::time::Duration;

/// Most processor time that programs may use while no simulated time passes.
const MOST: Duration = Duration::from_secs(60);
/// Looks, of which there is about one in a second, that find neither simulated nor processor time used: five minutes. They are
/// counted, since a clock goes on while this process is stopped together with the virtual machine.
const MOST_IDLE: u32 = 300;
/// Calls between two looks.
const CALLS: u32 = 100;
/// Unit of the times in /proc/PID/stat (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// A watch over a virtual machine, which may stand still. Where programs compute, simulated time does, so that one in an endless
/// loop never ends.
#[derive(Debug)]
pub struct Watch {
    process: u32,
    has_programs: bool,
    /// Simulated time, and the processor time used until it was reached.
    reached: (Time, Duration),
    /// Processor time used, and looks since it was used or simulated time passed.
    idle: (Duration, u32),
    calls: u32,
}

impl Watch {
    /// Creates a watch over the virtual machine that is `process`, and executes programs or not.
    pub fn new(process: u32, has_programs: bool) -> Self {
        let reached = (Time::ZERO, Duration::ZERO);
        Self { process, has_programs, reached, idle: (Duration::ZERO, 0), calls: 0 }
    }

    /// Returns why the run cannot go on, at the simulated time `now`; `None` if it can. To be called some hundred times
    /// a second.
    pub fn refuses(&mut self, now: Time) -> Option<RunError> {
        self.calls += 1;
        if !self.calls.is_multiple_of(CALLS) {
            return None;
        }
        let used = used(self.process);
        self.idle =
            if now > self.reached.0 || used > self.idle.0 { (used, 0) } else { (used, self.idle.1 + 1) };
        if now > self.reached.0 {
            self.reached = (now, used);
        }
        let at = now.as_secs_f64();
        if self.has_programs && used.saturating_sub(self.reached.1) > MOST {
            return Some(RunError::Refused(format!(
                "the programs have computed for {} s of processor time while the simulated time stood at {at} s, as in a loop that \
                 waits without reading the clock",
                MOST.as_secs()
            )));
        }
        (self.idle.1 >= MOST_IDLE).then(|| {
            RunError::Backend(format!(
                "the virtual machine has stood still for {} min at the simulated time {at} s, without any processor time",
                MOST_IDLE / 60
            ))
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
    use super::{Duration, RunError, Watch, used};
    use narrows_units::{Span, Time};

    #[test]
    fn processor_time_without_simulated_time_is_bounded() {
        let own = std::process::id();
        while used(own) < Duration::from_millis(50) {}
        let mut watch = Watch::new(own, true);
        let late = |watch: &mut Watch, now| {
            watch.calls = super::CALLS - 1;
            watch.refuses(now)
        };
        assert!(late(&mut watch, Time::ZERO).is_none());
        watch.reached.1 = Duration::ZERO;
        let soon = Time::ZERO + Span::from_ms(1);
        assert!(late(&mut watch, soon).is_none());
        assert!(watch.reached.1 >= Duration::from_millis(50), "the time used counts from now on");
    }

    #[test]
    fn a_machine_that_uses_no_time_of_either_kind_is_given_up_and_another_is_not() {
        let mut sleeping = std::process::Command::new("sleep").arg("1000").spawn().expect("sleep");
        let mut watch = Watch::new(sleeping.id(), false);
        let mut looks = |now| (0..super::CALLS).find_map(|_| watch.refuses(now));
        let second = |number: u32| Time::ZERO + Span::from_ms(1000) * u64::from(number);
        assert!(
            (0..2 * super::MOST_IDLE).all(|number| looks(second(number)).is_none()),
            "simulated time passes"
        );
        let last = second(2 * super::MOST_IDLE);
        let refused = (0..=super::MOST_IDLE).find_map(|_| looks(last));
        assert!(matches!(refused, Some(RunError::Backend(reason)) if reason.contains("stood still")));
        sleeping.kill().expect("it sleeps");
        sleeping.wait().expect("it is killed");
    }
}
