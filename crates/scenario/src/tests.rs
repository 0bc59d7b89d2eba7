// SPDX-License-Identifier: Apache-2.0
//! The models of whole scenarios.

mod effect;
mod executed;
mod faults;
mod library;
mod limits;
mod model;
mod network;
mod overrides;
mod preset;
mod resolved;
mod robust;
mod schema;
mod within;

use super::{Diagnostic, LoadOptions, Scenario, load};
use std::path::Path;

/// The example of the file format's documentation.
const EXAMPLE: &str = r#"
title    = "Two CUBIC flows and one Reno flow share a bottleneck"
duration = "60s"
warmup   = "10s"          # metrics start here
seed     = 1

[path]                    # the dumbbell; [network] replaces it for graphs
rate   = "100Mbps"        # bottleneck
rtt    = "40ms"           # two-way propagation of a flow, unless the flow says otherwise
packet = "1500B"          # what crosses the wire; goodput counts packet - transport.header
queue  = { kind = "droptail", limit = "1bdp" }

[transport]               # defaults for every flow; a flow may override any of them
preset           = "modern"    # a named set of the values below: modern | sack-2012 | ns2 | linux
recovery         = "rack"      # reno | newreno | sack | rack
delayed_ack      = 2           # segments per ACK; 1 = every segment
initial_window   = "10pkt"
initial_ssthresh = "infinite"
receive_window   = "infinite"
min_rto          = "200ms"
header           = "40B"       # 52B in preset linux, 0B in preset ns2
ack              = "40B"
ecn              = false

[[flows]]
name      = "cubic"
algorithm = "cubic"       # or { name = "aimd", a = 1, b = 0.8 }, or "subject": what `compare` puts to the test
count     = 2
start     = "0s"          # or "0s..5s": uniform at random
size      = "unlimited"   # or "1MB", or a distribution

[[flows]]
name      = "reno"
algorithm = "reno"
recovery  = "newreno"
rtt       = "80ms"
"#;

/// The least that a scenario must say.
const LEAST: &str = r#"duration = "60s"
[path]
rate = "20Mbps"
rtt = "40ms"
[[flows]]
algorithm = "cubic"
"#;

fn read(text: &str) -> Result<Scenario, Vec<Diagnostic>> {
    read_with(text, &[])
}

fn read_with(text: &str, overrides: &[&str]) -> Result<Scenario, Vec<Diagnostic>> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    load(text, "test.toml", Path::new("."), &overrides, &LoadOptions::default())
}

fn good(text: &str) -> Scenario {
    good_with(text, &[])
}

fn good_with(text: &str, overrides: &[&str]) -> Scenario {
    read_with(text, overrides).unwrap_or_else(|faults| {
        let all: Vec<String> = faults.iter().map(Diagnostic::render).collect();
        panic!("{}", all.join("\n"))
    })
}
