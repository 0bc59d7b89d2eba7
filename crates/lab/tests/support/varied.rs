// SPDX-License-Identifier: Apache-2.0
//! Scenarios of all kinds, for tests of properties that every run has.

/// Scenarios that between them use every mechanism whose randomness or timing could depend on how a run is carried out.
pub const VARIED: &[(&str, &str)] = &[
    (
        "random starts over DropTail",
        r#"
        duration = "5s"
        transport = { preset = "sack-2012" }
        warmup = "1s"
        path = { rate = "20Mbps", rtt = "40ms" }
        [[flows]]
        algorithm = "cubic"
        count = 3
        start = "0s..1s"
        [[flows]]
        algorithm = "newreno"
        recovery = "newreno"
        rtt = "90ms"
        count = 2
        "#,
    ),
    (
        "RED with ECN, reverse traffic, delayed ACKs",
        r#"
        duration = "5s"
        path = { rate = "10Mbps", rtt = "50ms", queue = { kind = "red", ecn = true, min = "5pkt", max = "15pkt", limit = "60pkt" } }
        [transport]
        preset = "sack-2012"
        ecn = true
        [[flows]]
        algorithm = "aimd(a=1,b=0.8)"
        count = 2
        [[flows]]
        name = "back"
        algorithm = "newreno"
        direction = "reverse"
        ecn = false
        "#,
    ),
    (
        "datagrams beside a reliable flow, with random loss",
        r#"
        duration = "6s"
        transport = { preset = "sack-2012" }
        warmup = "1s"
        path = { rate = "8Mbps", rtt = "40ms", loss = { kind = "bernoulli", rate = "0.5%" } }
        [[flows]]
        algorithm = "newreno"
        [[flows]]
        algorithm = "rap"
        start = "0s..1s"
        [[flows]]
        algorithm = "tfrc"
        start = "0s..1s"
        direction = "reverse"
        count = 2
        [[flows]]
        name = "careful"
        algorithm = "tfrc(rules=rfc5348,conservative=true)"
        rtt = "70ms"
        ecn = true
        [[flows]]
        algorithm = "constant(rate=1Mbps)"
        size = "400kB"
        preset = "ns2"
        "#,
    ),
    (
        "a walking rate with bursty loss and finite transfers",
        r#"
        duration = "6s"
        transport = { preset = "sack-2012" }
        [path]
        rate = { kind = "walk", start = "8Mbps", step = "1Mbps", minimum = "2Mbps", maximum = "12Mbps", interval = "100ms" }
        rtt = "30ms"
        loss = { kind = "gilbert-elliott", good_to_bad = "0.1%", bad_to_good = "30%", loss_good = "0%", loss_bad = "50%" }
        [[flows]]
        algorithm = "cubic"
        size = "2MB"
        count = 3
        start = "0s..2s"
        [[flows]]
        name = "kernel"
        preset = "linux"
        algorithm = "newreno"
        "#,
    ),
    (
        "fair queueing over a timer-driven queue, marks counted one by one",
        r#"
        duration = "4s"
        path = { rate = "10Mbps", rtt = "20ms", queue = { kind = "dualpi2" }, reverse = { queue = { kind = "fq-codel" } } }
        [transport]
        preset = "sack-2012"
        ecn = true
        [[flows]]
        algorithm = "dctcp"
        start = "0s..1s"
        [[flows]]
        algorithm = "bbr1"
        ecn = false
        [[flows]]
        algorithm = "fast"
        slow_start = "hystart++"
        direction = "reverse"
        "#,
    ),
    (
        "requests that routers answer",
        r#"
        duration = "4s"
        transport = { preset = "sack-2012" }
        path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "xcp" }, reverse = { queue = { kind = "quick-start" } } }
        [[flows]]
        algorithm = "xcp"
        count = 2
        start = "0s..1s"
        [[flows]]
        algorithm = "cubic"
        quick_start = "20Mbps"
        direction = "reverse"
        [[flows]]
        algorithm = "rcp"
        size = "1MB"
        "#,
    ),
    (
        "a mesh whose links fail, come back and become shorter",
        r#"
        duration = "6s"
        transport = { preset = "sack-2012" }
        warmup = "1s"
        [network]
        rtt = "30ms"
        convergence = "50ms"
        [[network.links]]
        from = "A"
        to = "B"
        rate = "10Mbps"
        delay = "3ms"
        queue = { kind = "red", min = "5pkt", limit = "40pkt" }
        [[network.links]]
        from = "B"
        to = "C"
        rate = "8Mbps"
        delay = "9ms"
        [[network.links]]
        from = "A"
        to = "D"
        rate = { kind = "walk", start = "8Mbps", step = "1Mbps", minimum = "2Mbps", maximum = "12Mbps", interval = "100ms" }
        delay = "6ms"
        loss = { kind = "bernoulli", rate = "0.1%" }
        [[network.links]]
        from = "D"
        to = "C"
        rate = "9Mbps"
        delay = "7ms"
        queue = { kind = "fq-codel" }
        [[network.events]]
        at = "2s"
        fail = "B-C"
        [[network.events]]
        at = "3s"
        restore = "B-C"
        [[network.events]]
        at = "3s"
        set = "A-D"
        delay = "1ms"
        [[network.events]]
        at = "4s"
        set = "D-C"
        delay = "2ms"
        [[flows]]
        algorithm = "cubic"
        from = "A"
        to = "C"
        rtt = "40ms"
        count = 2
        start = "0s..1s"
        [[flows]]
        algorithm = "newreno"
        from = "B"
        to = "C"
        send_delay = "2ms"
        [[flows]]
        name = "insists"
        algorithm = "reno"
        from = "D"
        to = "C"
        via = ["A", "B"]
        size = "1MB"
        start = "0s..1s"
        [[flows]]
        algorithm = "tfrc"
        from = "C"
        to = "A"
        [[flows]]
        name = "arrivals"
        algorithm = "cubic"
        from = "A"
        to = "C"
        rtt = { kind = "uniform", minimum = "40ms", maximum = "90ms" }
        size = { kind = "pareto", mean = "30kB", shape = 1.3 }
        source = { kind = "poisson", interval = "50ms" }
        "#,
    ),
    (
        "transfers of datagrams over links that lose, hold and reorder packets",
        r#"
        duration = "6s"
        warmup = "1s"
        [network]
        rtt = "20ms"
        [[network.links]]
        from = "A"
        to = "B"
        rate = "4Mbps"
        delay = "3ms"
        queue = { kind = "droptail", limit = "10pkt" }
        loss = { kind = "bernoulli", rate = "5%" }
        [[network.links]]
        from = "B"
        to = "C"
        rate = { kind = "steps", rates = ["5Mbps", "100kbps", "5Mbps"], times = ["0s", "2s", "3500ms"] }
        delay = "2ms"
        impairments = [{ kind = "reorder", share = "5%", delay = "20ms" }]
        [[flows]]
        name = "single"
        algorithm = "tfrc"
        from = "A"
        to = "C"
        size = "1kB"
        source = { kind = "poisson", interval = "50ms" }
        [[flows]]
        name = "users"
        algorithm = "rap"
        from = "A"
        to = "C"
        size = { kind = "exponential", mean = "10kB" }
        source = { kind = "users", think = { kind = "exponential", mean = "100ms" }, patience = "300ms" }
        count = 5
        [[flows]]
        name = "bursts"
        algorithm = "constant(rate=20Mbps)"
        from = "B"
        to = "C"
        size = "30kB"
        count = 3
        start = "0s..5s"
        "#,
    ),
    (
        "flows and clients that stop, behind a token bucket and losses by number",
        r#"
        duration = "7s"
        warmup = "1s"
        [network]
        rtt = "30ms"
        events = [{ at = "5s", fail = "A-B" }]
        [[network.links]]
        from = "A"
        to = "B"
        rate = { kind = "token-bucket", rate = "8Mbps", burst = "30kB" }
        delay = "3ms"
        queue = { kind = "droptail", limit = "40ms" }
        loss = { kind = "list", packets = [5, 6, 30], of = "data", group = "steps", per_flow = true }
        [[network.links]]
        from = "A"
        to = "B"
        rate = "5Mbps"
        delay = "4ms"
        [[network.links]]
        from = "B"
        to = "C"
        rate = "9Mbps"
        delay = "5ms"
        loss = { kind = "gilbert-elliott", good_to_bad = "1%", bad_to_good = "20%", longest = "3pkt" }
        impairments = [{ kind = "jitter", delay = { kind = "normal", mean = "2ms", deviation = "1ms" } }]
        [[flows]]
        name = "steps"
        algorithm = "cubic"
        from = "A"
        to = "C"
        count = 3
        stagger = "700ms"
        lasts = "2s"
        [[flows]]
        name = "abandoned"
        algorithm = "newreno"
        from = "C"
        to = "A"
        size = "3MB"
        count = 2
        start = "0s..1s"
        stop = "3s"
        [[flows]]
        name = "datagrams"
        algorithm = "rap"
        from = "A"
        to = "B"
        stop = "4s"
        [[flows]]
        name = "viewers"
        algorithm = "bbr3"
        from = "A"
        to = "C"
        source = { kind = "call" }
        count = 2
        stagger = "1500ms"
        lasts = "2500ms"
        [[flows]]
        name = "load"
        algorithm = "cubic"
        from = "C"
        to = "A"
        source = { kind = "responsiveness" }
        stop = "3500ms"
        "#,
    ),
    (
        "shapers in both directions whose rates follow round trips",
        r#"
        duration = "6s"
        warmup = "1s"
        [network]
        rtt = "40ms"
        [[network.links]]
        from = "A"
        to = "B"
        delay = "2ms"
        rate = { kind = "token-bucket", rate = "8Mbps", burst = "9kB", autorate = { probes = "ping", target = "10ms", interval = "50ms", refractory = "100ms" } }
        queue = { kind = "fq-codel" }
        reverse = { rate = { kind = "token-bucket", rate = "6Mbps", burst = "9kB", autorate = { probes = "upload", up = 0.5 } }, queue = { kind = "cake", bandwidth = "link" } }
        [[network.links]]
        from = "B"
        to = "C"
        delay = "9ms"
        rate = { kind = "walk", step = "2Mbps", minimum = "2Mbps", maximum = "12Mbps", interval = "500ms" }
        queue = { kind = "droptail", limit = "300ms" }
        loss = { kind = "bernoulli", rate = "0.1%" }
        [[flows]]
        name = "upload"
        algorithm = "cubic"
        from = "A"
        to = "C"
        count = 2
        start = "0s..1s"
        [[flows]]
        name = "download"
        algorithm = "newreno"
        from = "C"
        to = "A"
        [[flows]]
        name = "ping"
        algorithm = "newreno"
        from = "A"
        to = "C"
        count = 3
        stagger = "20ms"
        delayed_ack = 1
        nagle = false
        source = { kind = "writes", interval = "60ms", size = "64B", whole_packets = false }
        "#,
    ),
    (
        "every impairment",
        r#"
        duration = "5s"
        warmup = "1s"
        [network]
        rtt = "30ms"
        [[network.links]]
        from = "A"
        to = "B"
        rate = "10Mbps"
        delay = "3ms"
        loss = { kind = "periodic", every = "300pkt" }
        impairments = [
            { kind = "aggregation", frame = "2ms", largest = "20kB", error = "5%" },
            { kind = "handover", interval = "1s", delay = { kind = "uniform", minimum = "1ms", maximum = "5ms" }, outage = "20ms" },
            { kind = "policer", rate = "8Mbps", burst = "30pkt" },
            { kind = "reorder", share = "1%", distance = "3pkt", hold = "50ms" },
            { kind = "ecn", mode = "clear-ce", share = "50%" },
        ]
        reverse = { loss = { kind = "bernoulli", rate = "0.1%" }, impairments = [
            { kind = "ack-thinning", share = "30%" },
            { kind = "jitter", delay = { kind = "exponential", mean = "2ms" }, correlation = "50%", reorder = true },
        ] }
        [[network.links]]
        from = "B"
        to = "C"
        rate = "9Mbps"
        delay = "9ms"
        queue = { kind = "fq-codel" }
        impairments = [
            { kind = "delay-steps", delays = ["0ms", "20ms", "0ms"], times = ["0s", "1s", "2s"], period = "3s" },
            { kind = "delay-sawtooth", maximum = "10ms", period = "700ms", reorder = true },
            { kind = "reorder", share = "1%", delay = "20ms" },
        ]
        [[flows]]
        algorithm = "cubic"
        ecn = true
        from = "A"
        to = "C"
        count = 2
        [[flows]]
        algorithm = "bbr3"
        from = "C"
        to = "A"
        [[flows]]
        algorithm = "tfrc"
        from = "B"
        to = "C"
        [[flows]]
        name = "short"
        algorithm = "newreno"
        from = "A"
        to = "B"
        size = "30kB"
        source = { kind = "poisson", interval = "100ms" }
        "#,
    ),
    (
        "applications and draws",
        r#"
        duration = "5s"
        transport = { preset = "sack-2012" }
        warmup = "1s"
        path = { rate = "10Mbps", rtt = "40ms", delay = "5ms" }
        [[flows]]
        algorithm = "cubic"
        count = 3
        size = { kind = "lognormal", median = "1MB", sigma = 1 }
        rtt = { kind = "uniform", minimum = "20ms", maximum = "80ms" }
        [[flows]]
        source = { kind = "cbr", leaves = { kind = "additive-walk", start = "9Mbps", step = "4Mbps", maximum = "10Mbps", interval = "300ms" } }
        [[flows]]
        count = 2
        source = { kind = "onoff", rate = "2Mbps", on = { kind = "pareto", mean = "100ms", shape = 1.5 }, off = { kind = "exponential", mean = "200ms" } }
        [[flows]]
        algorithm = "newreno"
        source = { kind = "writes", interval = { kind = "exponential", mean = "300ms" }, size = "60kB" }
    "#,
    ),
    (
        "the default transport over a shared link, with random loss and transfers",
        r#"
        duration = "6s"
        warmup = "1s"
        path = { rate = "20Mbps", rtt = "40ms", loss = { kind = "bernoulli", rate = "0.2%" } }
        [[flows]]
        algorithm = "cubic"
        count = 2
        start = "0s..1s"
        [[flows]]
        algorithm = "newreno"
        rtt = "90ms"
        pacing = true
        [[flows]]
        algorithm = "bbr1"
        start = "2s"
        [[flows]]
        name = "transfers"
        algorithm = "cubic"
        size = "100kB"
        source = { kind = "poisson", interval = "200ms" }
        "#,
    ),
    (
        "applications of several clients, with random loss",
        r#"
        duration = "8s"
        warmup = "2s"
        path = { rate = "5Mbps", rtt = "40ms", delay = "5ms", queue = { kind = "droptail", limit = "30pkt" }, loss = { kind = "bernoulli", rate = "1%" } }
        [[flows]]
        name = "players"
        algorithm = "cubic"
        count = 2
        start = "0s..1s"
        rtt = { kind = "uniform", minimum = "30ms", maximum = "60ms" }
        source = { kind = "video", ladder = ["300kbps", "900kbps"], segment = "1s" }
        [[flows]]
        name = "users"
        algorithm = "newreno"
        count = 3
        start = "0s..1s"
        direction = "reverse"
        source = { kind = "web", think = "300ms", connections = 3, levels = [{ size = "30kB" }, { count = 9, size = { kind = "exponential", mean = "20kB" } }] }
        [[flows]]
        name = "probe"
        algorithm = "bbr3"
        source = { kind = "responsiveness", connections = 2 }
        "#,
    ),
    (
        "calls and a game, on a path too slow for them, with random loss",
        r#"
        duration = "8s"
        warmup = "1s"
        path = { rate = "6Mbps", rtt = "40ms", delay = "5ms", queue = { kind = "codel" }, loss = { kind = "bernoulli", rate = "0.5%" } }
        [[flows]]
        name = "calls"
        algorithm = "bbr3"
        count = 3
        start = "0s..1s"
        rtt = { kind = "uniform", minimum = "30ms", maximum = "60ms" }
        source = { kind = "call" }
        [[flows]]
        name = "game"
        algorithm = "cubic"
        direction = "reverse"
        source = { kind = "game", minimum = "1Mbps", fps = 50 }
        "#,
    ),
    (
        "applications that read slowly and pause, with random loss in both directions",
        r#"
        duration = "8s"
        warmup = "1s"
        [path]
        rate = "20Mbps"
        rtt = "40ms"
        loss = { kind = "bernoulli", rate = 0.01 }
        reverse = { loss = { kind = "bernoulli", rate = 0.2 } }
        [[flows]]
        algorithm = "cubic"
        count = 2
        start = "0s..1s"
        receive_window = "20pkt"
        read_rate = "3Mbps"
        read_pause = "2s..4s"
        [[flows]]
        algorithm = "bbr3"
        start = "0s..1s"
        receive_window = "9pkt"
        read_pause = "3s..5s"
        delayed_ack = 1
        [[flows]]
        name = "short"
        algorithm = "newreno"
        size = { kind = "lognormal", mean = "40kB", sigma = 1.0 }
        source = { kind = "poisson", interval = "200ms" }
        receive_window = "4pkt"
        read_rate = "1Mbps"
        "#,
    ),
    (
        "rules for losses and delays of all kinds over a shared link",
        r#"
        duration = "8s"
        transport = { preset = "linux" }
        warmup = "1s"
        path = { rate = "20Mbps", rtt = "40ms" }
        [[flows]]
        algorithm = "illinois"
        [[flows]]
        algorithm = "veno"
        start = "0s..1s"
        [[flows]]
        algorithm = "hybla"
        rtt = "90ms"
        start = "0s..1s"
        [[flows]]
        algorithm = "yeah"
        start = "0s..1s"
        [[flows]]
        algorithm = "lp"
        start = "0s..1s"
        [[flows]]
        algorithm = "nv"
        start = "0s..1s"
        [[flows]]
        algorithm = "cdg"
        start = "0s..1s"
        "#,
    ),
];
