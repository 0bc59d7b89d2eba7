// SPDX-License-Identifier: Apache-2.0
use super::{Key, Missing, Part, Problem, RateUnit, Rates, Reading, TimeUnit, read};
use narrows_units::Span;

/// A scenario that names the file alone.
const PLAIN: Reading<'static> = Reading {
    column: None,
    unit: None,
    time: None,
    time_unit: None,
    step: None,
    only: Vec::new(),
    missing: Missing::Refuse,
    times_are: Part::Start,
};

/// Steps as pairs of seconds and bits per second.
fn steps(rates: &Rates) -> Vec<(f64, u64)> {
    rates.steps.iter().map(|(at, rate)| (at.as_secs_f64(), rate.as_bps())).collect()
}

fn good(text: &str, reading: &Reading<'_>) -> Rates {
    read(text, reading).unwrap_or_else(|problem| panic!("{problem:?} in\n{text}"))
}

fn bad(text: &str, reading: &Reading<'_>) -> Problem {
    read(text, reading).expect_err(text)
}

#[test]
fn a_time_and_a_rate_are_read_with_any_separator_and_with_or_without_a_header() {
    let mbps = Reading { unit: Some(RateUnit::Mbps), ..PLAIN };
    let expected = [(0.0, 1_000_000), (1.0, 2_500_000)];
    for text in [
        "time,Mbps\n0,1\n1,2.5\n",
        "\"time\",\"rate (Mbit/s)\"\n\"0\",\"1\"\n\"1\",\"2.5\"\n",
        "t_ms;throughput_kbps\n500;1000\n1500;2500\n",
        "# a comment\n\n# time Mbps\n0 1\n1 2.5\n",
        "Timestamp,bytes_sec\n2019-12-31 23:59:59,125000\n2020-01-01 00:00:00,312500\n",
        "Timestamp,DL_bitrate\n2019.12.14_10.16.30,1000\n2019.12.14_10.16.31,2500\n",
        "time\tkind\tMB/s\n1\tLTE\t0.125\n2\tNR\t0.3125\n",
        "datetime,Kbps\n2020-02-28T23:59:59.5Z,1000\n2020-02-29T00:00:00.5Z,2500\n",
        "at,elapsed_sec,mbit_per_second\nhome,0,1\naway,1,2.5\n",
    ] {
        let rates = good(text, &PLAIN);
        assert_eq!(
            (steps(&rates).as_slice(), rates.length),
            (&expected[..], Span::from_secs_f64(2.0)),
            "{text}"
        );
    }
    for text in
        ["0,1\n1,2.5\n", "0 1\r\n1 2.5\r\n", "1576317390\t1\n1576317391\t2.5\n", "10:16:30,1\n10:16:31,2.5\n"]
    {
        assert_eq!(steps(&good(text, &mbps)), expected, "{text}");
    }
    let epoch = Reading { time_unit: Some(TimeUnit::Milliseconds), ..mbps };
    assert_eq!(steps(&good("1453121790686 1\n1453121791686 2.5\n", &epoch)), expected);
}

#[test]
fn a_comma_that_cannot_be_between_thousands_is_the_decimal_point() {
    let expected = [(0.0, 53_210_000), (1.5, 20_500_000)];
    for separator in [";", "\t"] {
        let text = "time;Mbps\n0,0;53,21\n1,5;20,5\n".replace(';', separator);
        assert_eq!(steps(&good(&text, &PLAIN)), expected, "{text}");
        let bare = text.split_once('\n').unwrap().1;
        assert_eq!(steps(&good(bare, &Reading { unit: Some(RateUnit::Mbps), ..PLAIN })), expected, "{bare}");
    }
    assert_eq!(steps(&good("time,Mbps\n0,\"53,21\"\n1.5,\"20,5\"\n", &PLAIN)), expected);
}

#[test]
fn a_column_a_second_needs_a_step_and_can_be_one_of_many() {
    let reading = Reading { step: Some(Span::from_ms(1000)), unit: Some(RateUnit::Mbps), ..PLAIN };
    assert_eq!(steps(&good("1\n2\n3\n", &reading)), [(0.0, 1_000_000), (1.0, 2_000_000), (2.0, 3_000_000)]);
    let text =
        "run_num,seq_num,nrStatus,movingSpeed,Throughput\n1,1,NR,0.5,10\n1,2,NR,0.6,20\n2,1,LTE,0,30\n";
    let of_run = Reading { only: vec![("run_num", "1")], ..reading };
    assert_eq!(steps(&good(text, &of_run)), [(0.0, 10_000_000), (1.0, 20_000_000)]);
    let by_number = Reading { column: Some("5"), time: Some("seq_num"), step: None, ..of_run };
    assert_eq!(steps(&good(text, &by_number)), [(0.0, 10_000_000), (1.0, 20_000_000)]);
    assert_eq!(bad(text, &Reading { only: Vec::new(), ..by_number }).key, Key::Time);
}

#[test]
fn a_column_of_texts_can_state_the_unit() {
    let reading = Reading { step: Some(Span::from_ms(1000)), ..PLAIN };
    let rates = good("1,Mbits/sec\n2.5,Mbits/sec\n", &reading);
    assert_eq!(steps(&rates), [(0.0, 1_000_000), (1.0, 2_500_000)]);
    assert!(rates.understood.contains("in Mbps, from column \"2\""), "{}", rates.understood);
    for other in ["1,Mbits/sec\n2,Kbits/sec\n", "1,Mbits/sec,kbit/s\n2,Mbits/sec,kbit/s\n"] {
        assert_eq!(bad(other, &reading).key, Key::Unit, "{other}");
    }
    assert_eq!(bad("1,Mbits/sec\n2,Mbits/sec\n", &PLAIN).key, Key::Step);
}

#[test]
fn a_pattern_has_no_columns() {
    let text = "{\"TraceBwConfig\":{\"pattern\":[[\"1s\",[\"1Mbps\",\"2.5Mbps\"]]]}}";
    assert_eq!(steps(&good(text, &PLAIN)), [(0.0, 1_000_000), (1.0, 2_500_000)]);
    let reading = Reading { step: Some(Span::from_ms(1000)), ..PLAIN };
    assert_eq!(bad(text, &reading).key, Key::Step);
}

#[test]
fn amounts_are_divided_by_their_interval() {
    let reading = Reading { column: Some("bytes"), unit: Some(RateUnit::Bytes), ..PLAIN };
    let text = "time_ms,bytes\n1000,125\n2000,500\n4000,500\n";
    assert_eq!(steps(&good(text, &reading)), [(0.0, 1000), (1.0, 2000), (3.0, 2000)]);
    let end = Reading { times_are: Part::End, ..reading };
    let rates = good(text, &end);
    assert_eq!(steps(&rates), [(0.0, 1000), (1.0, 4000), (2.0, 2000)]);
    assert_eq!(rates.length, Span::from_ms(4000));
}

#[test]
fn what_a_file_leaves_open_is_refused_with_the_candidates() {
    for (text, key, message, allowed) in [
        ("0,1\n1,2\n", Key::Unit, "does not say the unit of column \"2\"", "\"Mbps\""),
        ("time,Throughput\n0,1\n1,2\n", Key::Unit, "column \"Throughput\"", "\"kbps\""),
        ("time,MBPS\n0,1\n1,2\n", Key::Unit, "column \"MBPS\"", "\"MB/s\""),
        ("time,mb/s\n0,1\n1,2\n", Key::Unit, "column \"mb/s\"", "\"MB/s\""),
        (
            "time,DL_bitrate,UL_bitrate\n0,1,1\n1,2,1\n",
            Key::Column,
            "2 columns",
            "\"DL_bitrate\", \"UL_bitrate\"",
        ),
        ("0,1,1\n1,2,1\n", Key::Column, "2 columns", "\"2\", \"3\""),
        ("1\n2\n", Key::Step, "no column of times", "step ="),
        ("Mbps,RSRP\n1,2\n", Key::Step, "no column has the name of a time", "step ="),
        ("time,timestamp,Mbps\n1,2,3\n2,3,4\n", Key::Time, "several columns", "\"time\", \"timestamp\""),
        ("1453121790686,1 \n1453121791686,2\n", Key::TimeUnit, "too large for s", "\"ms\""),
        ("time,Mbps\n0,1\n1000,2\n2000,3\n", Key::TimeUnit, "too large for s", "\"ms\""),
        ("time,Mbps\n0,1\n1,-\n", Key::Missing, "line 3 has no rate", "hold"),
        ("time,Mbps\n0,1\n1,fast\n", Key::Column, "line 3 is not a number", "numbers"),
        ("time,Mbps\n0,1\n1,-2\n", Key::Column, "line 3 is negative", "numbers"),
        (
            "time;Mbps\n0;1,250\n1;2,500\n",
            Key::Column,
            "line 2 is written with a comma, which may",
            "numbers",
        ),
        ("1,250;2,500\n2,5;3\n", Key::Unit, "does not say the unit of column \"2\"", "\"Mbps\""),
        ("time;Mbps\n1,250;1\n2,500;2\n", Key::Time, "line 2 is written with a comma, which may", "numbers"),
        ("time,Mbps\n0,1\n1,1e30\n", Key::Column, "line 3 is too large", "numbers"),
        ("time,Mbps\n0,0\n1,0\n", Key::Column, "every rate is zero", "above zero"),
        ("time,Mbps\n1,1\n0,2\n", Key::Time, "line 3 is earlier", "only ="),
        ("time,Mbps\n0,1\n,2\n", Key::Time, "line 3 is not a number", "step ="),
        ("time,Mbps\n31/12/2019 10:00:00,1\n", Key::Time, "", ""),
        ("time,Mbps\n0,1\n", Key::Step, "no length", "step ="),
        (
            "time,Mbps\n0,1,2\n",
            Key::File,
            "line 2 has another number of fields (3) than the first (2)",
            "a table",
        ),
        ("time,Mbps\n0;1\n", Key::File, "line 2 has another number of fields (1)", "a table"),
        ("time,Mbps\n", Key::File, "no data", "a table"),
        ("# nothing\n\n", Key::File, "no data", "a table"),
        ("{\"start\": 1}\n", Key::File, "no table", "narrows import"),
    ] {
        let problem = bad(text, &PLAIN);
        if text.contains("31/12") {
            assert!(matches!(problem.key, Key::Time | Key::Step), "{problem:?}");
            continue;
        }
        assert_eq!(problem.key, key, "{problem:?} in\n{text}");
        assert!(
            problem.message.contains(message) && problem.allowed.contains(allowed),
            "{problem:?} in\n{text}"
        );
    }
    let column = Reading { column: Some("DL_bitrat"), ..PLAIN };
    let problem = bad("time,DL_bitrate,UL_bitrate\n0,1,1\n1,2,1\n", &column);
    assert!(problem.allowed.contains("did you mean \"DL_bitrate\""), "{problem:?}");
    let only = Reading { only: vec![("run", "9")], ..PLAIN };
    assert_eq!(bad("time,run,Mbps\n0,1,1\n1,1,2\n", &only).key, Key::Only);
}

#[test]
fn nothing_of_a_file_that_is_no_table_is_shown() {
    for secret in [
        "root:x:0:0:root:/root:/bin/bash\nother:x:1:1\n",
        "password,user\nhunter2,bob\n",
        "key = 1\nname = 2\n",
    ] {
        for column in [None, Some("secret")] {
            let problem = bad(secret, &Reading { column, ..PLAIN });
            let shown = problem.message + &problem.allowed;
            for word in ["root", "hunter", "password", "key", "bob"] {
                assert!(!shown.contains(word), "{shown}");
            }
        }
    }
}

#[test]
fn missing_rates_hold_or_are_zero_if_the_scenario_says_so() {
    let text = "time,Mbps\n0,1\n1,-\n2,NaN\n3,2\n";
    let hold = good(text, &Reading { missing: Missing::Hold, ..PLAIN });
    assert_eq!(steps(&hold)[1..3], [(1.0, 1_000_000), (2.0, 1_000_000)]);
    let zero = good(text, &Reading { missing: Missing::Zero, ..PLAIN });
    assert_eq!(steps(&zero)[1..3], [(1.0, 0), (2.0, 0)]);
    assert_eq!(bad("time,Mbps\n0,-\n1,2\n", &Reading { missing: Missing::Hold, ..PLAIN }).key, Key::Missing);
}

#[test]
fn of_lines_with_the_same_time_the_last_holds_and_that_is_said() {
    let rates = good("time,Mbps\n0,1\n1,2\n1,3\n2,4\n", &PLAIN);
    assert_eq!(steps(&rates), [(0.0, 1_000_000), (1.0, 3_000_000), (2.0, 4_000_000)]);
    assert!(rates.understood.contains("1 line has the time of the next"), "{}", rates.understood);
}

#[test]
fn what_is_taken_from_the_file_is_said() {
    let said = |text: &str| good(text, &PLAIN).understood;
    let header = said("time,rate_kbps\n0,1\n1,2\n");
    assert!(header.contains("column \"rate_kbps\" in kbps, from the header"), "{header}");
    assert!(header.contains("times in column \"time\", in s, which the file does not say"), "{header}");
    let published = said("Timestamp,DL_bitrate\n2019.12.14_10.16.30,1000\n2019.12.14_10.16.31,2500\n");
    assert!(published.contains("in kbps, as in Raca et al.") && published.contains("dates"), "{published}");
}

#[test]
fn zones_and_halves_of_the_day_count() {
    let expected = [(0.0, 1_000_000), (1.0, 2_000_000)];
    for (one, other) in [
        ("2026-03-29T01:59:59+01:00", "2026-03-29T03:00:00+02:00"),
        ("2026-03-29 01:59:59 +0100", "2026-03-29 03:00:00 +0200"),
        ("2026-03-29 01:59:59-05", "2026-03-29 06:00:00-01"),
        ("2026-03-29 00:59:59Z", "2026-03-29 01:00:00 UTC"),
        ("2026-03-29 00:59:59 GMT", "2026-03-29 03:00:00 UTC+2"),
        ("2026-03-02 11:59:59 AM", "2026-03-02 12:00:00 PM"),
        ("2026-03-02 12:59:59 pm", "2026-03-02 1:00:00 pm"),
        ("2026-03-02 11:59:59 p.m. +01:00", "2026-03-03 12:00:00 a.m. +01:00"),
        ("11:59:59AM", "12:00:00PM"),
        ("10:00:00 UTC", "12:00:01+02:00"),
    ] {
        let text = format!("time,Mbps\n{one},1\n{other},2\n");
        assert_eq!(steps(&good(&text, &PLAIN)), expected, "{text}");
    }
}

#[test]
fn dates_that_are_not_understood_are_refused() {
    for (one, other) in [
        ("2026-03-29 01:59:59+01:00", "2026-03-29 02:00:00"),
        ("2026-03-29 01:59:59", "2026-03-29 02:00:00Z"),
        ("2026-03-02 1:00:00 PM", "2026-03-02 13:00:01"),
        ("2026-03-02 10:00:00", "2026-03-02 10:00:01 CET"),
        ("2026-03-02 10:00:00", "2026-03-02 13:00:01 PM"),
        ("2026-03-02 10:00:00", "2026-03-02 0:00:01 AM"),
        ("2026-03-02 10:00:00", "2026-03-02 10:00:01+1:0"),
        ("2026-03-02 10:00:00", "2026-03-02 10:00:01 +99:00"),
        ("2026-03-02 10:00:00", "10:00:01"),
    ] {
        let problem = bad(&format!("time,Mbps\n{one},1\n{other},2\n"), &PLAIN);
        assert!(
            problem.key == Key::Time && problem.message.contains("line 3"),
            "{one}, {other}: {problem:?}"
        );
    }
    let night = bad("time,Mbps\n23:59:59,1\n00:00:00,2\n", &PLAIN);
    assert!(night.message.contains("midnight"), "{night:?}");
}

#[test]
fn a_column_of_ends_gives_the_length() {
    let rates = good("time_s,Mbps,end_s\n0,100,1\n1,100,2\n2,0,2.003\n", &PLAIN);
    assert_eq!((rates.length, rates.steps.len()), (Span::from_us(2_003_000), 3));
    assert!(rates.understood.contains("ends in column \"end_s\""), "{}", rates.understood);
    assert_eq!(good("start_time,end,Mbps\n5,9,1\n", &PLAIN).length, Span::from_ms(4000));
    // A column in another unit is of something else.
    assert_eq!(good("time_s,Mbps,end_ms\n0,1,9\n1,2,9\n", &PLAIN).length, Span::from_ms(2000));
    let problem = bad("time_s,Mbps,end_s\n0,1,1\n1,2,1\n", &PLAIN);
    assert!(problem.message.contains("the end on line 3 is not after its time"), "{problem:?}");
}

#[test]
fn a_rate_is_no_time_and_a_long_gap_is_said() {
    let rates = good("time,throughput (Mbits/sec)\n0,1\n1,2.5\n", &PLAIN);
    assert_eq!(steps(&rates), [(0.0, 1_000_000), (1.0, 2_500_000)]);
    let rates = good("time,Mbps\n0,1\n1,2\n2,3\n3602,4\n3603,5\n", &PLAIN);
    assert!(rates.understood.contains("line 4 holds for 3600s; 1s is usual"), "{}", rates.understood);
}
