// SPDX-License-Identifier: Apache-2.0
//! Truth: definition. Shares lie between nothing and the whole, in runs that are as short and sparse as can be.

use crate::support::{run, value};

/// The packets that leave at the very end of the warm-up belong to it, sent and lost.
#[test]
fn packets_that_are_sent_as_measures_start_are_no_losses_of_others() {
    let text = r#"
        duration = "20ms"
        path = { rate = "20Mbps", rtt = "40ms" }
        [[flows]]
        algorithm = "constant(rate=1Mbps)"
        count = 1000
    "#;
    let loss = value(&run(text, 0), "constant", "loss_rate");
    assert!((0.0..=1.0).contains(&loss), "{loss}");
}

/// The bits of a packet in transmission that a link without a rate never sends are not sent.
#[test]
fn a_packet_that_is_stopped_in_transmission_counts_as_far_as_it_got() {
    let text = r#"
        duration = "1s"
        path = { rate = { kind = "steps", rates = ["9600bps", "0bps"], times = ["0s", "5ms"] }, rtt = "40ms" }
        transport = { send_delay = "0s" }
        [[flows]]
        algorithm = "constant(rate=1Gbps)"
    "#;
    let records = run(text, 0);
    let utilization = value(&records, "bottleneck", "utilization");
    // The first packet takes 125 ms on its access link of 96 kbps and 2 ms to the router: nothing is sent before 5 ms.
    assert!(utilization == 0.0, "{utilization}");
    let busy = text.replace("\"5ms\"", "\"500ms\"");
    let utilization = value(&run(&busy, 0), "bottleneck", "utilization");
    // Then 9600 bps are sent at for 373 ms of the 500 ms in which they are offered.
    assert!((utilization - 0.746).abs() < 1e-9, "{utilization}");
}
