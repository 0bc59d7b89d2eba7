// SPDX-License-Identifier: Apache-2.0
//! Flow records as seeds of traffic, as in Harpoon (Sommers and Barford, "Self-configuring network traffic generation", IMC 2004).

use super::arrivals::{arriving, check_arrivals};
use super::{Process, ProcessContext, RANDOM, RECORDED, Rules, Transfers, read};
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::flow_records::{self, Reading};
use crate::input::InputFile;
use crate::recorded_rate::TimeUnit;
use crate::section::keys;
use crate::value::{Count, File, Positive};
use narrows_model::traffic;
use narrows_units::{Span, Time};

keys! {
    /// Transfers like those of recorded flows (Harpoon: Sommers and Barford 2004): the time to the next and the size of each are
    /// drawn independently from the times between starts and the sizes in a file, with its mean load. Durations, addresses
    /// and ports are not used; a flow that an exporter divided is several, and all pairs of hosts are one process.
    pub struct FlowRecords = "flow-records" {
        /// A table of flows, as of nfdump or SiLK: its fields between commas, semicolons, bars, tabs or spaces, with a header.
        records: File,
        /// Name of the column of start times, or its number from 1. Times are numbers or dates, in any order.
        time: String => "the one with a usual name, as start, ts, firstSeen or sTime",
        /// Unit of the times.
        time_unit: TimeUnit => "the unit in the name of the column, otherwise s",
        /// Name of the column of bytes, or its number from 1. Records of 0 bytes are left out.
        bytes: String => "the one with a usual name, as bytes, ibyt or octets",
        /// Time at or after which no transfer starts.
        until: Positive<Span> => "the end of the run",
        /// Maximum number of concurrent transfers; further arrivals are rejected, and counted.
        concurrent: Count<1, 1_000_000> = 10_000,
    }
}

impl Process for FlowRecords {
    fn rules(&self) -> Rules {
        Rules { no_size: Some(RECORDED), spreads: false, ..RANDOM }
    }

    fn recording(&self) -> Option<&InputFile> {
        self.records.get().ok()?.found.as_ref()
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let window = context.window.until(&mut self.until, faults)?;
        let (time, bytes) = (self.time.get()?.clone(), self.bytes.get()?.clone());
        let reading =
            Reading { time: time.as_deref(), time_unit: self.time_unit.copied()?, bytes: bytes.as_deref() };
        let allowed = "a table of flows with a start time and a number of bytes on each line";
        let parse = |text: &str| flow_records::read(text, reading);
        let found = read(&mut self.records, context.load, allowed, parse, faults)?;
        let interval = found.interval_s();
        check_arrivals(&[(Span::ZERO, 1.0 / interval)], window, &self.records, faults)?;
        let (name, count) = (&self.records.get()?.name, found.sizes.len());
        let empty = found.empty;
        context.load.assume((empty > 0).then(|| format!("{empty} records without bytes in {name} left out")));
        // The mean of many times has no short form: to a microsecond.
        let mean = Span::from_secs_f64((interval * 1e6).round() / 1e6).max(Span::from_us(1));
        let words = format!(
            "arrivals like {count} recorded flows, one every {mean} and {:.0}B in the mean,",
            found.bytes()
        );
        let (from, until) = (Time::ZERO + window.from, Time::ZERO + window.until);
        let (gaps, sizes) = (found.gaps.into(), found.sizes.into());
        let schedule = traffic::Arrivals::Resampled { from, until, gaps, sizes };
        Ok(Transfers {
            sizes: "sizes drawn from theirs",
            ..arriving(schedule, self.concurrent.copied()?, words)
        })
    }
}
