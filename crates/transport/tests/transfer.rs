//! Property: whatever the wire does, a transfer ends with exactly its bytes, and no window is ever exceeded (the wire
//! checks that after each step).

mod wire;

use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Span};
use narrows_wire::Packet;
use proptest::prelude::*;
use wire::{Fate, Halving, POLICIES, Wire, options};

/// What may befall a packet; mostly nothing, at most ten faults in a row.
fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        12 => Just(Fate::Deliver),
        2 => Just(Fate::Drop),
        1 => Just(Fate::Duplicate),
        1 => Just(Fate::Mark),
        1 => (1_u64..60).prop_map(|ms| Fate::Delay(Span::from_ms(ms))),
    ];
    prop::collection::vec(fate, 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_transfer_completes_over_a_wire_that_loses_reorders_and_duplicates(
        fates in fates(),
        policy in 0_usize..4,
        proportional_rate_reduction: bool,
        limited_transmit: bool,
        ecn: bool,
        pacing: bool,
        quick_ack: bool,
        delayed_ack in 1_u32..4,
        receive_window in prop::option::of(1_u64..50),
        window in 1_u32..40,
        size in 0_u64..300_000,
    ) {
        let options = TransportOptions {
            proportional_rate_reduction,
            limited_transmit,
            ecn,
            pacing,
            quick_ack,
            delayed_ack,
            receive_window,
            ..options(POLICIES[policy])
        };
        let mut next = 0;
        let script = move |_: &Packet, _: usize| {
            next += 1;
            fates.get(next - 1).copied().unwrap_or(Fate::Deliver)
        };
        let mut wire = Wire::of_size(options, Halving::growing(f64::from(window)), Some(Bytes::new(size)), script);
        prop_assert!(wire.complete(Span::from_ms(3_600_000)), "{:?}", wire.sender);
        prop_assert_eq!(wire.receiver.counters().bytes_delivered, size);
        prop_assert_eq!(wire.sender.counters().bytes_acked, size);
        prop_assert_eq!(wire.sender.in_flight(), 0);
        let sent = wire.sender.counters();
        prop_assert_eq!(sent.packets_sent - sent.retransmissions, size.div_ceil(1_000));
    }
}
