// SPDX-License-Identifier: Apache-2.0
//! Truth: rule. In the steady state the simulator allocates nothing.

use crate::support::scenario;

/// The second half of a run twice as long may only pay for growth that the first half did not need: a ring that grows
/// once more, never a packet, an event or an acknowledgement.
#[test]
fn a_longer_run_allocates_no_more() {
    let allocations = |duration: &str| {
        let text = format!(
            r#"
            duration = "{duration}"
            path = {{ rate = "20Mbps", rtt = "40ms", queue = {{ kind = "red", ecn = true, limit = "1bdp", min = "10pkt", max = "40pkt" }} }}
            record = {{ interval = "{duration}", flows = "none" }}
            [[flows]]
            algorithm = "cubic"
            count = 3
            [[flows]]
            algorithm = "newreno"
            recovery = "newreno"
            ecn = true
            [[flows]]
            algorithm = "rap"
            [[flows]]
            algorithm = "tfrc"
            [[flows]]
            name = "linux"
            algorithm = "newreno"
            preset = "linux"
            "#
        );
        let model = scenario(&text).model;
        let run = || narrows_lab::replication::run(&model, 0, &narrows_lab::backend::Progress::new());
        // The comparison of the short path with the long one takes new memory.
        #[cfg(debug_assertions)]
        let run = || narrows_transport::without_comparison(run);
        allocation_counter::measure(|| drop(run())).count_total
    };
    let (short, long) = (allocations("20s"), allocations("40s"));
    assert!(long <= short + 20, "{short} allocations in 20 s, {long} in 40 s");
}
