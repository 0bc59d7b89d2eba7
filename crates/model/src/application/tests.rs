// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. What clients do at each event, by hand.

use super::{
    Action, Adaptation, ApplicationModel, Client, Delivery, Event, Frame, FramesModel, Io, Level, Object,
    ObjectsModel, Observation, Slowest, VideoModel, WebModel,
};
use crate::traffic::{Distribution, Sizes, Spans};
use narrows_engine::Stream;
use narrows_units::{Bytes, Rate, Span, Time};

/// A client whose connections are all free when it starts.
struct Run {
    client: Client,
    free: Vec<bool>,
}

impl Run {
    fn new(model: &ApplicationModel) -> Self {
        let client = model.client(false, Stream::new(1, 0, "test"));
        Self { client, free: vec![true; model.connections() as usize] }
    }

    fn at(&mut self, ms: u64, event: Event) -> Vec<Action> {
        let mut actions = Vec::new();
        let now = Time::ZERO + Span::from_ms(ms);
        self.client.on_event(event, &mut Io { now, free: &mut self.free, actions: &mut actions });
        actions
    }
}

/// An object that was written when the run started.
fn received(connection: u32) -> Event {
    Event::Received(connection, 0, Time::ZERO)
}

fn kbps(rate: u64) -> Rate {
    Rate::from_bps(rate * 1000)
}

fn player(adaptation: Adaptation) -> Run {
    let ladder = [400, 800, 1600].map(kbps).to_vec();
    let [segment, buffer] = [4_000, 12_000].map(Span::from_ms);
    Run::new(&ApplicationModel::Video(VideoModel { ladder, segment, buffer, startup: segment, adaptation }))
}

/// Size of the object that is requested last.
fn requested(actions: &[Action]) -> Option<u64> {
    actions.iter().rev().find_map(|action| match action {
        Action::Request { object: Object::Of(size), .. } => Some(size.count()),
        _ => None,
    })
}

const THROUGHPUT: Adaptation = Adaptation::Throughput { samples: 2, safety: 1.0 };

#[test]
fn a_player_fetches_segments_until_its_buffer_is_full_and_stalls_when_it_is_empty() {
    let mut run = player(THROUGHPUT);
    assert_eq!(run.at(0, Event::Start), [Action::Open(0)]);
    assert_eq!(requested(&run.at(100, Event::Opened(0))), Some(200_000));
    // 1.6 Mbit in 990 ms: the highest bit rate fits.
    let actions = run.at(1_090, received(0));
    assert!(actions.contains(&Action::Observe(Observation::Startup(Span::from_ms(1_090)))));
    assert_eq!(requested(&actions), Some(800_000));
    // Of 4 s, 3 are left; with 4 more, one more fits.
    assert_eq!(requested(&run.at(2_090, received(0))), Some(800_000));
    // 4 s + 3 s + 4 s − 1 s are 10 s, and 4 s more would be too many until 2 s of them have been played.
    assert_eq!(requested(&run.at(3_090, received(0))), None);
    assert_eq!(run.client.next_wake(), Time::ZERO + Span::from_ms(5_090));
    assert!(requested(&run.at(5_090, Event::Timer)).is_some());
    // 8 s were in the buffer. The segment arrives after 10 s.
    let actions = run.at(15_090, received(0));
    assert!(actions.contains(&Action::Observe(Observation::Stall)));
    assert!(actions.contains(&Action::Observe(Observation::Stalled(Span::from_ms(2_000)))));
}

#[test]
fn throughput_is_the_harmonic_mean_of_the_last_segments() {
    let mut run = player(THROUGHPUT);
    run.at(0, Event::Start);
    run.at(0, Event::Opened(0));
    // 1.616 Mbps, then 6.4 Mbit in 16 s are 400 kbps: their harmonic mean is 641 kbps.
    assert_eq!(requested(&run.at(990, received(0))), Some(800_000));
    assert_eq!(requested(&run.at(16_990, received(0))), Some(200_000));
}

/// f rises from 400 to 1600 kbps between 2 s and 8 s of buffer.
#[test]
fn a_rule_by_the_buffer_changes_the_bit_rate_when_f_crosses_another() {
    let [reservoir, cushion] = [2_000, 6_000].map(Span::from_ms);
    let mut run = player(Adaptation::Buffer { reservoir, cushion });
    run.at(0, Event::Start);
    run.at(0, Event::Opened(0));
    // 4 s: f is 800 kbps, which is reached; the greatest below is 400.
    assert_eq!(requested(&run.at(10, received(0))), Some(200_000));
    // 7.99 s: f is just below 1600 kbps.
    assert_eq!(requested(&run.at(20, received(0))), Some(400_000));
}

/// Utilities are 0, ln 2 and ln 4, and V = 2 / (ln 4 + 5).
#[test]
fn bola_weighs_utility_against_the_buffer() {
    let mut run = player(Adaptation::Bola { smoothness: 5.0 });
    run.at(0, Event::Start);
    run.at(0, Event::Opened(0));
    let v = 2.0 / (libm::log(4.0) + 5.0);
    let score = |ratio: f64, segments: f64| (v * (libm::log(ratio) + 5.0) - segments) / ratio;
    // One segment: the lowest bit rate has the greatest score.
    assert!(score(1.0, 1.0) > score(2.0, 1.0));
    assert_eq!(requested(&run.at(10, received(0))), Some(200_000));
    // Nearly two: the highest has it.
    assert!(score(4.0, 1.9975) > score(2.0, 1.9975) && score(4.0, 1.9975) > score(1.0, 1.9975));
    assert_eq!(requested(&run.at(20, received(0))), Some(800_000));
}

#[test]
fn a_browser_repeats_over_another_connection_what_one_that_breaks_did_not_bring() {
    let level = |count, bytes: f64| Level { count, size: Sizes(Distribution::Constant(bytes)) };
    let model = WebModel {
        levels: vec![level(1, 1000.0), level(2, 300.0)],
        connections: 1,
        streams: 100,
        handshakes: 0,
        think: Spans(Distribution::Constant(1.0)),
        until: Span::from_ms(60_000),
    };
    let mut run = Run::new(&ApplicationModel::Web(model));
    assert_eq!(run.at(0, Event::Start), [Action::Open(0)]);
    assert_eq!(requested(&run.at(10, Event::Opened(0))), Some(1000));
    assert_eq!(run.at(20, received(0)).len(), 2, "both objects at once");
    assert_eq!(run.at(25, received(0)), []);
    assert_eq!(run.at(30, Event::Failed(0)), [Action::Open(1)]);
    let object = Object::Of(Bytes::new(300));
    let again = run.at(40, Event::Opened(1));
    assert!(matches!(again[..], [Action::Request { connection: 1, object: it, .. }] if it == object));
    let [waited, took] = [20, 30].map(Span::from_ms);
    let slowest = Slowest { level: 1, index: 1, size: Bytes::new(300), waited, took };
    let loaded = Action::Observe(Observation::Page(Span::from_ms(50), slowest));
    assert_eq!(run.at(50, received(1)), [loaded, Action::Close(1)]);
    assert_eq!(run.client.next_wake(), Time::ZERO + Span::from_ms(1_050));
}

/// At F = 50 and r_ref = 1 Mbps a frame has 2500 bytes; while b bytes wait, less by 0.1 · 8 b F, up to 5 %.
#[test]
fn an_encoder_stays_below_the_permitted_rate_while_data_waits_and_skips_frames_behind_old_data() {
    let [deadline, skip] = [100, 30].map(Span::from_ms);
    let model = FramesModel { fps: 50, minimum: kbps(500), maximum: kbps(2000), deadline, skip };
    let mut encoder = super::Encoder::new(model, Time::ZERO);
    let mut capture = |ms: u64, sent: u64, permitted: Option<u64>| {
        let (size, _) = encoder.capture(Time::ZERO + Span::from_ms(ms), sent, permitted.map(kbps));
        assert_eq!(encoder.next_wake(), Time::ZERO + Span::from_ms(ms + 20));
        size.map(Bytes::count)
    };
    // Before the controller has an estimate, the least rate.
    assert_eq!(capture(0, 0, None), Some(1250));
    // 250 bytes wait: 0.1 · 8 · 250 · 50 = 10 kbps less.
    assert_eq!(capture(20, 1000, Some(1000)), Some(2475));
    // 2475 bytes: 99 kbps would be more than 5 %.
    assert_eq!(capture(40, 1250, Some(1000)), Some(2375));
    // The oldest byte that waits was captured 40 ms ago.
    assert_eq!(capture(60, 3724, Some(1000)), None);
    // Up to 30 ms old is not too old; bounds of the rate.
    assert_eq!(capture(70, 3725, Some(9000)), Some(5000));
    assert_eq!(capture(90, 11_100, Some(100)), Some(1250));
}

#[test]
fn a_viewer_measures_the_delay_of_frames_and_connects_again() {
    let (minimum, maximum) = (kbps(500), kbps(2000));
    let [deadline, skip] = [100, 100].map(Span::from_ms);
    let mut run =
        Run::new(&ApplicationModel::Frames(FramesModel { fps: 50, minimum, maximum, deadline, skip }));
    assert_eq!(run.at(0, Event::Start), [Action::Open(0)]);
    assert!(matches!(run.at(40, Event::Opened(0))[..], [Action::Request { object: Object::Frames, .. }]));
    let mut frame = |ms, captured_ms| match run
        .at(ms, Event::Received(0, 0, Time::ZERO + Span::from_ms(captured_ms)))[..]
    {
        [Action::Observe(Observation::Frame { delay, late })] => (delay, late),
        ref other => panic!("{other:?}"),
    };
    assert_eq!(frame(160, 60), (Span::from_ms(100), false));
    assert_eq!(frame(181, 80), (Span::from_ms(101), true));
    // The first connection has not been left.
    assert_eq!(run.at(200, Event::Failed(0)), [Action::Open(1)]);
    assert_eq!(run.at(210, Event::Failed(1)), []);
    run.free[0] = true;
    assert_eq!(run.at(220, Event::Timer), [Action::Open(0)]);
    assert_eq!(run.at(230, Event::Timer), []);
}

/// Groups of 3 frames, 10 in a second, at 24 kbps: 900 bytes a group, of which the first frame has 4 of 6 parts.
fn objects(delivery: Delivery) -> ApplicationModel {
    let deadline = Span::from_ms(150);
    ApplicationModel::Objects(ObjectsModel {
        fps: 10,
        bitrate: kbps(24),
        group: 3,
        key_frame: 4.0,
        deadline,
        delivery,
    })
}

#[test]
fn a_publisher_writes_groups_of_a_key_frame_and_others_until_a_stream_is_reset() {
    let ms = |ms| Time::ZERO + Span::from_ms(ms);
    let frame =
        |carrier, size, end, last, dropped| Frame { carrier, size: Bytes::new(size), end, last, dropped };
    let mut publisher = objects(Delivery::Streams).publisher(ms(0)).expect("it publishes");
    let mut capture = |at, sent| {
        assert_eq!(publisher.next_frame(), ms(at));
        let expired = std::iter::from_fn(|| publisher.expired(ms(at))).collect::<Vec<_>>();
        let (frame, observation) = publisher.capture(ms(at), sent);
        if at == 300 {
            publisher.on_reset(1, 600);
        }
        (frame, observation, expired)
    };
    let captured = |waiting| Observation::Captured { rate: kbps(24), waiting: Bytes::new(waiting) };
    assert_eq!(capture(0, 0), (frame(0, 600, 600, false, false), captured(0), vec![]));
    assert_eq!(capture(100, 500), (frame(0, 150, 750, false, false), captured(100), vec![]));
    assert_eq!(capture(200, 750), (frame(0, 150, 900, true, false), captured(0), vec![(0, 600)]));
    // Nothing is sent of the next group, whose stream is reset: the rest of it is not written.
    assert_eq!(capture(300, 900), (frame(1, 600, 600, false, false), captured(0), vec![(0, 750)]));
    assert_eq!(capture(400, 900), (frame(1, 150, 750, false, true), captured(0), vec![(0, 900)]));
    assert_eq!(capture(500, 900), (frame(1, 150, 900, true, true), captured(0), vec![]));
    assert_eq!(capture(600, 900), (frame(2, 600, 600, false, false), captured(0), vec![]));
    let mut publisher = objects(Delivery::Datagrams).publisher(ms(0)).expect("it publishes");
    let numbers: Vec<_> = (0..4).map(|k| publisher.capture(ms(100 * k), 0).0).collect();
    let sizes = [600, 150, 150, 600];
    let all: Vec<_> = (0..).zip(sizes).map(|(k, size)| frame(k, size, size, true, false)).collect();
    assert_eq!(numbers, all);
}

#[test]
fn a_viewer_of_objects_misses_a_frame_at_its_deadline_and_knows_it_when_it_comes() {
    let mut run = Run::new(&objects(Delivery::Streams));
    assert_eq!(run.at(0, Event::Start), [Action::Open(0)]);
    let request = Action::Request { connection: 0, request: Bytes::new(500), object: Object::Frames };
    assert_eq!(run.at(10, Event::Opened(0)), [request]);
    let captured = |ms| Event::Captured(Time::ZERO + Span::from_ms(ms));
    let received = |ms| Event::Received(0, 0, Time::ZERO + Span::from_ms(ms));
    assert_eq!(run.client.next_wake(), Time::NEVER);
    for ms in [20, 120, 220] {
        assert_eq!(run.at(ms, captured(ms)), []);
        if ms == 120 {
            // A frame that arrives at its deadline is not late.
            let delay = Span::from_ms(150);
            assert_eq!(
                run.at(170, received(20)),
                [Action::Observe(Observation::Frame { delay, late: false })]
            );
        }
    }
    assert_eq!(run.client.next_wake(), Time::ZERO + Span::from_ms(270) + Span::from_ps(1));
    let missing = Action::Observe(Observation::Missing(Span::from_ms(150)));
    assert_eq!(run.at(271, Event::Timer), [missing]);
    assert_eq!(run.at(300, received(120)), [Action::Observe(Observation::Overdue(Span::from_ms(180)))]);
    // The viewer asks over another connection.
    assert_eq!(run.at(500, Event::Failed(0)), [missing, Action::Open(1)]);
}
