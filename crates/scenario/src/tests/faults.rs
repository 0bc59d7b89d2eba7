// SPDX-License-Identifier: Apache-2.0
//! Contract: every fault is reported with its line, column and key, the given value, the allowed values, and the
//! nearest known name.

use super::{Diagnostic, LEAST, LoadOptions, load, read, read_with};
use std::path::Path;

/// Line of [`LEAST`] that is replaced, by what, and key and message of the one fault that follows. The fault is at `§`.
type Case = (usize, &'static str, &'static str, &'static str);

const APPENDED: usize = 7;

#[rustfmt::skip]
const FAULTS: &[Case] = &[
    // Keys.
    (1, "duration = \"60s\"\n§wamup = \"5s\"", "wamup", "unknown key"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"droptail\", §limits = \"5pkt\" }", "path.queue.limits", "unknown key of `droptail`"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"droptail\", §min = \"5pkt\" }", "path.queue.min", "unknown key of `droptail`"),
    (6, "algorithm = \"cubic\"\n§cc = \"cubic\"", "flows.0.cc", "unknown key"),
    (6, "algorithm = \"cubic\"\nsize = §\"unlimited\"\nsource = { kind = \"poisson\", interval = \"1ms\" }", "flows.0.size", "the transfers of a process end"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\ncount = §2\nsource = { kind = \"poisson\", interval = \"1ms\" }", "flows.0.count", "only users are counted"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\nstart = §\"0s..1s\"\nsource = { kind = \"poisson\", interval = \"1ms\" }", "flows.0.start", "starts at one time"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\nstart = \"9s\"\nsource = { kind = \"poisson\", interval = \"1ms\", until = §\"8s\" }", "flows.0.source.until", "nothing ever starts"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\nsource = { kind = \"poisson-steps\", intervals = [\"1ms\"], times = §[\"1s\"] }", "flows.0.source.times", "ascending from 0s"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\nsource = { kind = \"users\", think = §\"0s\" }", "flows.0.source.think", "zero"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\nsource = { kind = \"users\", think = \"1s\", surges = [{ from = \"2s\", until = §\"1s\", factor = 2 }] }", "flows.0.source.surges.0.until", "no time of the run"),
    (6, "algorithm = \"cubic\"\nbetween = §\"edges\"", "flows.0.between", "does not fit here"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"arrivals\", arrivals = §\"no such file\" }", "flows.0.source.arrivals", "No such file"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"bulk\", §rate = \"1Mbps\" }", "flows.0.source.rate", "unknown key of `bulk`"),
    (APPENDED, "[§networks]", "networks", "unknown key"),
    (APPENDED, "[transport]\n§min_rtt = \"1s\"", "transport.min_rtt", "unknown key"),
    // What must be there.
    (1, "§title = \"x\"", "duration", "missing"),
    (3, "rate = §{ high = \"1Mbps\" }", "path.rate.kind", "missing"),
    (3, "rate = §{ kind = \"walk\", minimum = \"1Mbps\", maximum = \"2Mbps\", interval = \"1s\" }", "path.rate.step", "missing"),
    (6, "algorithm = §{ a = 1 }", "flows.0.algorithm.name", "missing"),
    // Units.
    (3, "rate = §20", "path.rate", "a number without a unit"),
    (3, "rate = §\"20\"", "path.rate", "a number without a unit"),
    (4, "rtt = §0.04", "path.rtt", "a number without a unit"),
    (3, "rate = §\"20ms\"", "path.rate", "wrong unit: this is a time"),
    (4, "rtt = §\"20Mbps\"", "path.rtt", "wrong unit: this is a rate"),
    (3, "rate = §\"20MB/s\"", "path.rate", "ambiguous unit `MB/s`"),
    (3, "rate = §\"20Mb\"", "path.rate", "ambiguous unit `Mb`"),
    (3, "rate = §\"20mbps\"", "path.rate", "ambiguous unit `mbps`"),
    (4, "rtt = §\"40msec\"", "path.rtt", "unknown unit `msec`"),
    (3, "rate = §\"fast\"", "path.rate", "no number"),
    (3, "rate = \"20Mbps\"\npacket = §\"1.5B\"", "path.packet", "not a whole number of B"),
    (4, "rtt = §\"0.1ps\"", "path.rtt", "not a whole number of ps"),
    (3, "rate = §\"1e40bps\"", "path.rate", "too large to count"),
    // Values that cannot be.
    (1, "duration = §\"-60s\"", "duration", "negative"),
    (1, "duration = §\"0s\"", "duration", "zero is impossible"),
    (1, "duration = §\"1000000h\"", "duration", "too large to count"),
    (1, "duration = §\"4000h\"", "duration", "longer than"),
    (3, "rate = §\"0Mbps\"", "path.rate", "zero is impossible"),
    (3, "rate = §\"1e16bps\"", "path.rate", "faster than"),
    (1, "duration = \"60s\"\nwarmup = §\"60s\"", "warmup", "nothing to measure"),
    (1, "duration = \"60s\"\nseed = §-1", "seed", "out of range"),
    (1, "duration = \"60s\"\nreplications = §0", "replications", "out of range"),
    (3, "rate = { kind = \"square\", high = \"9Mbps\", low = \"1Mbps\", period = \"4s\", duty = §1.5 }", "path.rate.duty", "outside 0 to 100 %"),
    (3, "rate = { kind = \"square\", high = \"1Mbps\", low = §\"9Mbps\", period = \"4s\" }", "path.rate.low", "more than high"),
    (3, "rate = { kind = \"steps\", rates = [\"1Mbps\"], times = [§\"1s\"] }", "path.rate.times.0", "from the start"),
    (3, "rate = { kind = \"steps\", rates = [\"1Mbps\", \"2Mbps\"], times = [\"0s\", §\"0s\"] }", "path.rate.times.1", "not later"),
    (3, "rate = { kind = \"steps\", rates = [\"1Mbps\", \"2Mbps\"], times = §[\"0s\"] }", "path.rate.times", "2 rates for 1 times"),
    (3, "rate = §{ kind = \"steps\", rates = [\"0Mbps\"], times = [\"0s\"] }", "path.rate", "zero all the time"),
    (3, "rate = { kind = \"steps\", rates = [§5], times = [\"0s\"] }", "path.rate.rates.0", "without a unit"),
    (3, "rate = { kind = \"walk\", start = §\"9Mbps\", step = \"1Mbps\", minimum = \"1Mbps\", maximum = \"2Mbps\", interval = \"1s\" }", "path.rate.start", "outside the bounds"),
    (3, "rate = { kind = \"walk\", step = \"1Mbps\", minimum = \"1Mbps\", maximum = \"2Mbps\", interval = \"1s\", bounds = §\"clip\" }", "path.rate.bounds", "fixed steps turn back"),
    (3, "rate = { kind = \"multiplicative-walk\", start = \"1Mbps\", factor = §0, maximum = \"2Mbps\", interval = \"1s\" }", "path.rate.factor", "out of range"),
    (3, "rate = { kind = \"additive-walk\", start = §\"3Mbps\", step = \"1Mbps\", maximum = \"2Mbps\", interval = \"1s\" }", "path.rate.start", "outside the bounds"),
    (3, "rate = { kind = \"uniform\", minimum = §\"3Mbps\", maximum = \"2Mbps\", interval = \"1s\" }", "path.rate.minimum", "more than maximum"),
    (3, "rate = { kind = \"uniform\", minimum = \"1Mbps\", maximum = \"2Mbps\", interval = §\"1ns\" }", "path.rate.interval", "would change more than"),
    (3, "rate = \"20Mbps\"\nloss = { kind = \"bernoulli\", rate = §\"101%\" }", "path.loss.rate", "outside 0 to 100 %"),
    (3, "rate = \"20Mbps\"\nloss = { kind = \"bernoulli\", rate = §-0.1 }", "path.loss.rate", "outside 0 to 100 %"),
    (3, "rate = { kind = \"token-bucket\", rate = \"5Mbps\", burst = §\"1000B\" }", "path.rate.burst", "no full packet would ever be sent"),
    (3, "rate = { kind = \"token-bucket\", rate = \"5Mbps\", burst = \"9kB\", peak = §\"4Mbps\" }", "path.rate.peak", "below the rate of the bucket"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = §\"pings\" } }", "path.rate.autorate.probes", "no group of flows has this name"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = §{ target = \"30ms\" } }", "path.rate.autorate.probes", "missing, and it has no default"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", minimum = §\"9Mbps\" } }", "path.rate.autorate.minimum", "above the rate of the bucket"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", maximum = §\"7Mbps\" } }", "path.rate.autorate.maximum", "outside rate and peak"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", maximum = §\"81Mbps\" } }", "path.rate.autorate.maximum", "outside rate and peak"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", delayed = §7 } }", "path.rate.autorate.delayed", "more than the probes"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", window = §65 } }", "path.rate.autorate.window", "out of range"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", target = §\"0ms\" } }", "path.rate.autorate.target", "zero is impossible"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", down = §0 } }", "path.rate.autorate.down", "zero is impossible"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", up = §\"1%/s\" } }", "path.rate.autorate.up", "unknown unit"),
    (3, "rate = { kind = \"token-bucket\", rate = \"8Mbps\", burst = \"9kB\", autorate = { probes = \"cubic\", interval = §\"1ns\" } }", "path.rate.autorate.interval", "would change more than"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"cbr\", rate = { kind = §\"token-bucket\" } }", "flows.0.source.rate.kind", "unknown kind"),
    (3, "rate = \"20Mbps\"\nloss = { kind = \"list\", packets = [1], group = §\"cubik\" }", "path.loss.group", "no group of flows has this name"),
    (3, "rate = \"20Mbps\"\nloss = { kind = \"list\", packets = [§0] }", "path.loss.packets.0", "out of range"),
    (3, "rate = \"20Mbps\"\nloss = { kind = \"gilbert-elliott\", good_to_bad = 0.1, bad_to_good = 0.1, longest = §\"0pkt\" }", "path.loss.longest", "zero is impossible"),
    (3, "rate = \"20Mbps\"\nimpairments = [§{ kind = \"jitter\" }]", "path.impairments.0.delay", "missing"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = §\"jiter\", delay = \"1ms\" }]", "path.impairments.0.kind", "unknown kind"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"jitter\", delay = { kind = \"exponential\", mean = \"1ms\" }, correlation = §1 }]", "path.impairments.0.correlation", "out of range"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"jitter\", delay = \"1ms\", correlation = §0.5 }]", "path.impairments.0.correlation", "a constant and a mixture"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"jitter\", delay = { kind = \"exponential\", mean = \"1ms\" }, reorder = true }, §{ kind = \"policer\", rate = \"1Mbps\", burst = \"9pkt\" }]", "path.impairments.1", "behind `jitter`, which changes the order"),
    (3, "rate = \"20Mbps\"\nimpairments = [§{ kind = \"reorder\", share = \"1%\" }]", "path.impairments.0", "neither of distance and delay"),
    (3, "rate = \"20Mbps\"\nimpairments = [§{ kind = \"reorder\", share = \"1%\", distance = \"3pkt\", delay = \"1ms\" }]", "path.impairments.0", "both of distance and delay"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"reorder\", share = \"1%\", delay = \"1ms\", hold = §\"1s\" }]", "path.impairments.0.hold", "a delay says itself"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"policer\", rate = \"1Mbps\", burst = §\"1000B\" }]", "path.impairments.0.burst", "no full packet would pass"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"ecn\", mode = §\"clear\" }]", "path.impairments.0.mode", "unknown word"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"ecn\", mode = \"bleach\", share = §0 }]", "path.impairments.0.share", "zero is impossible"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"ecn\", mode = §\"bleach\" }]", "path.impairments.0.mode", "no flow uses ECN"),
    (3, "rate = \"20Mbps\"\nreverse = { impairments = [{ kind = \"ecn\", mode = §\"set-ce\" }] }", "path.reverse.impairments.0.mode", "no flow uses ECN"),
    (3, "rate = \"20Mbps\"\nimpairments = [§{ kind = \"ack-thinning\", share = 0.5 }]", "path.impairments.0", "no acknowledgements cross"),
    (6, "algorithm = \"cubic\"\ndirection = \"reverse\"\n[path.reverse]\nimpairments = [§{ kind = \"ack-thinning\", share = 0.5 }]", "path.reverse.impairments.0", "no acknowledgements cross"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"delay-steps\", delays = [\"1ms\"], times = [§\"1s\"] }]", "path.impairments.0.times.0", "from the start"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"delay-steps\", delays = [\"1ms\", \"2ms\"], times = §[\"0s\"] }]", "path.impairments.0.times", "2 delays for 1 times"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"delay-steps\", delays = [\"1ms\", \"2ms\"], times = [\"0s\", \"2s\"], period = §\"2s\" }]", "path.impairments.0.period", "the last step is not before it"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"delay-sawtooth\", minimum = §\"9ms\", maximum = \"2ms\", period = \"1s\" }]", "path.impairments.0.minimum", "more than maximum"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"delay-trace\", file = §\"no such file\" }]", "path.impairments.0.file", "No such file"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"handover\", delay = \"1ms\", outage = §\"15s\" }]", "path.impairments.0.outage", "nothing would ever be delivered"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"aggregation\", frame = \"4ms\", largest = §\"5000B\" }]", "path.impairments.0.largest", "frames carry only 10Mbps of a faster link"),
    (3, "rate = \"20Mbps\"\nimpairments = [{ kind = \"aggregation\", frame = \"4ms\", error = §\"100%\" }]", "path.impairments.0.error", "out of range"),
    (3, "rate = \"20Mbps\"\npacket = §\"40B\"", "transport.header", "leaves no room"),
    (3, "rate = \"20Mbps\"\npacket = §\"64KiB\"", "path.packet", "larger than an IP packet"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"droptail\", limit = §\"1000B\" }", "path.queue.limit", "smaller than a packet"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"droptail\", limit = §\"0.01bdp\" }", "path.queue.limit", "smaller than a packet"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"droptail\", limit = §\"0pkt\" }", "path.queue.limit", "zero is impossible"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"droptail\", limit = §\"0.5pkt\" }", "path.queue.limit", "a part of a packet"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"red\", min = §\"15pkt\", max = \"5pkt\" }", "path.queue.min", "min is not below max"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"red\", min = \"5pkt\", max = §\"1bdp\" }", "path.queue.max", "not in the same unit"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"red\", max_p = §\"120%\" }", "path.queue.max_p", "outside 0 to 100 %"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"red\", weight = §0 }", "path.queue.weight", "zero is impossible"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"drr\", quantum = §\"0B\" }", "path.queue.quantum", "zero is impossible"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"codel\", interval = §\"0s\" }", "path.queue.interval", "zero is impossible"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"xcp\", limit = §\"9pkt\", discipline = { kind = \"red\" } }", "path.queue.limit", "a limit of its own"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"fq-codel\", flows = §0 }", "path.queue.flows", "out of range"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"pie\", alpha = §-1 }", "path.queue.alpha", "negative"),
    (3, "rate = \"20Mbps\"\nqueue = §{ kind = \"priority\" }", "path.queue.classes", "missing"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"priority\", classes = { §cubik = 0 } }", "path.queue.classes.cubik", "no group of flows has this name"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"priority\", classes = { cubic = §16 } }", "path.queue.classes.cubic", "out of range"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"priority\", classes = §[\"cubic\"] }", "path.queue.classes", "a list does not fit here"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"priority\", classes = { cubic = 1 }, limits = §[\"9pkt\", \"9pkt\", \"9pkt\"] }", "path.queue.limits", "3 limits for 2 classes"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"priority\", classes = { cubic = 0 }, limits = [§\"9B\"] }", "path.queue.limits.0", "smaller than a packet"),
    (3, "rate = \"20Mbps\"\nqueue = §{ kind = \"rio\" }", "path.queue.in", "missing"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"rio\", in = [\"cubic\", §\"reno\"] }", "path.queue.in.1", "no group of flows has this name"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"rio\", in = [], out_min = §\"0.1bdp\" }", "path.queue.out_min", "not in the same unit"),
    (3, "rate = \"20Mbps\"\nqueue = { kind = \"rio\", in = [], in_min = §\"30pkt\" }", "path.queue.in_min", "in_min is not below in_max"),
    (6, "algorithm = \"cubic\"\ncount = §0", "flows.0.count", "every group is left out"),
    (6, "algorithm = \"cubic\"\nstart = §\"60s\"", "flows.0.start", "starts after the run ends"),
    (6, "algorithm = \"cubic\"\nstart = §\"0s..70s\"", "flows.0.start", "starts after the run ends"),
    (6, "algorithm = \"cubic\"\nstart = §\"5s..2s\"", "flows.0.start", "ends before it begins"),
    (6, "algorithm = \"cubic\"\ncount = 4\nstagger = §\"20s\"", "flows.0.stagger", "flow number 4 starts after the run ends"),
    (6, "algorithm = \"cubic\"\nstart = \"0s..1s\"\nstagger = §\"2s\"", "flows.0.stagger", "not a given time apart"),
    (6, "algorithm = \"cubic\"\nstart = \"5s\"\nstop = §\"5s\"", "flows.0.stop", "stops before it starts"),
    (6, "algorithm = \"cubic\"\ncount = 3\nstagger = \"2s\"\nstop = §\"4s\"", "flows.0.stop", "stops before it starts"),
    (6, "algorithm = \"cubic\"\nstop = \"5s\"\nlasts = §\"5s\"", "flows.0.lasts", "beside stop"),
    (6, "algorithm = \"cubic\"\nsize = \"1MB\"\nlasts = §\"9s\"\nsource = { kind = \"poisson\", interval = \"1ms\" }", "flows.0.lasts", "does not fit a process of transfers"),
    (6, "algorithm = \"cubic\"\nstart = §-1.5", "flows.0.start", "a number without a unit"),
    (6, "algorithm = \"cubic\"\nsize = §\"0B\"", "flows.0.size", "zero is impossible"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"pareto\", mean = \"30KB\", shape = §1 }", "flows.0.size.shape", "infinite"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"pareto\", mean = \"30KB\", shape = §0 }", "flows.0.size.shape", "out of range"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"pareto\", mean = §\"30KB\", minimum = \"1KB\", shape = 2 }", "flows.0.size.mean", "either mean or minimum"),
    (6, "algorithm = \"cubic\"\nsize = §{ kind = \"lognormal\", sigma = 2 }", "flows.0.size.mean", "either mean or median"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"pareto\", minimum = §\"3MB\", shape = 2, maximum = \"1MB\" }", "flows.0.size.minimum", "more than maximum"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"uniform\", minimum = §\"3MB\", maximum = \"1MB\" }", "flows.0.size.minimum", "more than maximum"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"exponential\", mean = §\"3s\" }", "flows.0.size.mean", "wrong unit"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"empirical\", values = §[\"1MB\"], shares = [0.5, 1] }", "flows.0.size.values", "1 values for 2 shares"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"empirical\", values = [\"1MB\"], shares = §[0.5] }", "flows.0.size.shares", "last share"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"empirical\", values = [\"2MB\", \"1MB\"], shares = §[0.5, 1] }", "flows.0.size.shares", "do not ascend"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"empirical\", file = §\"no such file\" }", "flows.0.size.file", "No such file"),
    (6, "algorithm = \"cubic\"\nsize = §{ kind = \"empirical\" }", "flows.0.size.values", "one source of points"),
    (6, "algorithm = \"cubic\"\nsize = { kind = \"mixture\", parts = §[{ share = 0.5, of = \"1MB\" }] }", "flows.0.size.parts", "do not sum to 1"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"cbr\", rate = §\"1Mbps\", leaves = \"1Mbps\" }", "flows.0.source.rate", "either rate or leaves"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"cbr\", rate = \"1Mbps\", sharing = §3 }", "flows.0.source.sharing", "not shared with other flows"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"cbr\", leaves = §\"90Gbps\" }", "flows.0.source.leaves", "more than there is"),
    (6, "algorithm = §\"constant\"\nsource = { kind = \"cbr\", rate = \"10.5Mbps\" }", "flows.0.algorithm", "which of both"),
    (6, "algorithm = §\"constant(rate=2Mbps)\"\nsource = { kind = \"onoff\", rate = \"3Mbps\", on = \"1s\", off = \"1s\" }", "flows.0.algorithm", "which of both"),
    (6, "algorithm = \"cubic\"\nsource = { kind = \"cbr\", rate = { kind = §\"trace\" } }", "flows.0.source.rate.kind", "unknown kind"),
    (6, "algorithm = \"cubic\"\nsource = §{ kind = \"writes\", interval = \"1ps\", size = \"1B\" }", "flows.0.source", "act more than"),
    (6, "algorithm = \"tfrc\"\nsource = §{ kind = \"writes\", interval = \"1ms\", size = \"1B\", whole_packets = false }", "flows.0.source", "datagrams are no stream"),
    (6, "algorithm = \"cubic\"\nsize = \"9kB\"\nsource = §{ kind = \"writes\", interval = \"1ms\", size = \"1B\", whole_packets = false }", "flows.0.source", "has no size"),
    (6, "algorithm = \"cubic\"\nrtt = §{ kind = \"exponential\", mean = \"3s\" }", "flows.0.rtt", "no delay for the bottleneck"),
    (6, "algorithm = \"cubic\"\nreceive_window = §\"0pkt\"", "flows.0.receive_window", "zero is impossible"),
    (6, "algorithm = \"cubic\"\nreceive_window = §\"1000B\"", "flows.0.receive_window", "less than the payload of one packet"),
    (6, "algorithm = \"cubic\"\nread_rate = §\"2Mbps\"", "flows.0.read_rate", "receive_window is infinite"),
    (6, "algorithm = \"cubic\"\nread_rate = §\"0bps\"\nreceive_window = \"9pkt\"", "flows.0.read_rate", "zero is impossible"),
    (6, "algorithm = \"cubic\"\nread_pause = §\"2s..3s\"", "flows.0.read_pause", "receive_window is infinite"),
    (6, "algorithm = \"cubic\"\nread_pause = §\"2s\"", "flows.0.read_pause", "a beginning and an end"),
    (6, "algorithm = \"cubic\"\nread_rate = §\"2Mbps\"\nreceive_window = \"1pkt\"", "flows.0.read_rate", "half of the receiver's buffer holds no segment"),
    (6, "algorithm = \"cubic\"\nread_rate = §\"2Mbps\"\nreceive_window = \"2GiB\"", "flows.0.read_rate", "as large as receive_window"),
    (6, "algorithm = \"cubic\"\nread_rate = §\"2Mbps\"\nreceive_window = \"9pkt\"\noptimistic_ack = 3", "flows.0.read_rate", "optimistic_ack"),
    (6, "algorithm = \"tfrc\"\nread_rate = §\"2Mbps\"\nreceive_window = \"9pkt\"", "flows.0.read_rate", "datagrams have no receive window"),
    (6, "algorithm = \"cubic\"\nreceive_window = \"9pkt\"\nread_rate = §\"2Mbps\"\nsource = { kind = \"call\" }", "flows.0.read_rate", "reads all data at once"),
    (6, "algorithm = \"cubic\"\ninitial_window = §\"2.5pkt\"", "flows.0.initial_window", "a part of a packet"),
    (6, "algorithm = \"cubic\"\nack = §\"2000B\"", "flows.0.ack", "larger than a packet"),
    (APPENDED, "[transport]\nmin_rto = §\"70s\"", "transport.min_rto", "min_rto is more than max_rto"),
    (APPENDED, "[transport]\nmax_rto = §\"500ms\"", "transport.max_rto", "initial_rto is more than max_rto"),
    (APPENDED, "[transport]\ndelayed_ack = §0", "transport.delayed_ack", "out of range"),
    (6, "algorithm = \"cubic\"\nabe = §true", "flows.0.abe", "without ecn"),
    (6, "algorithm = \"bbr3\"\necn = true\nabe = §true", "flows.0.abe", "RFC 8511 has no factor for `bbr3`"),
    (6, "algorithm = \"htcp\"\necn = true\nabe = §true", "flows.0.abe", "RFC 8511 has no factor for `htcp`"),
    (APPENDED, "[transport]\necn = true\nabe = §true\n[[flows]]\nalgorithm = \"rap\"", "transport.abe", "RFC 8511 has no factor for `rap`"),
    (6, "algorithm = \"cubic\"\nquick_start_ssthresh = §true", "flows.0.quick_start_ssthresh", "without quick_start"),
    (6, "algorithm = \"cubic\"\nsaved_rtt = §\"80ms\"", "flows.0.saved_rtt", "without saved_window"),
    (6, "algorithm = \"cubic\"\nquick_start = \"1Mbps\"\nsaved_window = §\"99pkt\"", "flows.0.saved_window", "quick_start asks them"),
    (APPENDED, "[transport]\nquick_start_ssthresh = §true", "transport.quick_start_ssthresh", "without quick_start"),
    (6, "algorithm = \"cubic\"\nquick_start = \"none\"\nquick_start_ssthresh = §true\n[transport]\nquick_start = \"1Mbps\"", "flows.0.quick_start_ssthresh", "without quick_start"),
    // Words and names.
    (3, "rate = \"20Mbps\"\nqueue = { kind = §\"codl\" }", "path.queue.kind", "unknown kind"),
    (3, "rate = \"20Mbps\"\nloss = { kind = §\"bernuli\", rate = 0.1 }", "path.loss.kind", "unknown kind"),
    (6, "algorithm = §\"cubik\"", "flows.0.algorithm", "unknown algorithm"),
    (6, "algorithm = { name = §\"cubik\" }", "flows.0.algorithm.name", "unknown algorithm"),
    (6, "algorithm = §\"aimd(z=1)\"", "flows.0.algorithm", "unknown parameter"),
    (6, "algorithm = { name = \"aimd\", z = §1 }", "flows.0.algorithm.z", "unknown parameter"),
    (6, "algorithm = { name = \"aimd\", b = §-3 }", "flows.0.algorithm.b", "b cannot have this value"),
    (6, "algorithm = §\"aimd(\"", "flows.0.algorithm", "neither a name nor"),
    (6, "algorithm = §\"subject\"", "flows.0.algorithm", "nothing is put to the test"),
    (6, "algorithm = \"subject\"\nsubject = §false", "flows.0.subject", "the algorithm says otherwise"),
    (6, "algorithm = \"cubic\"\ndirection = §\"backward\"", "flows.0.direction", "unknown word"),
    (6, "algorithm = \"cubic\"\nsource = { kind = §\"radio\" }", "flows.0.source.kind", "unknown kind"),
    (6, "algorithm = \"cubic\"\npreset = §\"ns3\"", "flows.0.preset", "unknown word"),
    (6, "algorithm = \"cubic\"\nrecovery = §\"tahoe\"", "flows.0.recovery", "unknown word"),
    (6, "algorithm = \"cubic\"\n[[flows]]\nalgorithm = §\"cubic\"", "flows.1.algorithm", "two groups are called `cubic`"),
    (6, "algorithm = \"cubic\"\n[[flows]]\nname = §\"cubic\"\nalgorithm = \"reno\"", "flows.1.name", "two groups are called `cubic`"),
    (6, "algorithm = \"cubic\"\nname = §\"\"", "flows.0.name", "an empty string"),
    // Types of TOML.
    (3, "rate = §true", "path.rate", "a boolean does not fit here"),
    (3, "rate = \"20Mbps\"\nqueue = §\"tail\"", "path.queue", "a string does not fit here"),
    (3, "rate = \"20Mbps\"\nloss = §\"bernoulli\"", "path.loss.rate", "missing, and it has no default"),
    (4, "rtt = §{ time = \"40ms\" }", "path.rtt", "a table does not fit here"),
    (6, "algorithm = §5", "flows.0.algorithm", "an integer does not fit here"),
    (6, "algorithm = \"cubic\"\necn = §\"yes\"", "flows.0.ecn", "a string does not fit here"),
    (6, "algorithm = \"cubic\"\ncount = §1.5", "flows.0.count", "a number does not fit here"),
    (1, "duration = §1979-05-27", "duration", "a date does not fit here"),
    (1, "duration = \"60s\"\ntransport = §\"ns2\"", "transport", "a string does not fit here"),
    (APPENDED, "[record]\npacket_limit = §5", "record.packet_limit", "packets are not logged"),
    // Expectations.
    (APPENDED, "[[expect]]\nmeasure = §\"goodput\"\nat_least = 1", "expect.0.measure", "unknown metric"),
    (APPENDED, "[[expect]]\nmeasure = §\"goodput_bps\"", "expect.0.measure", "without a bound"),
    (APPENDED, "[[expect]]\nmeasure = \"jain\"\ngroup = §\"cubik\"\nat_least = 0.9", "expect.0.group", "unknown group"),
    (APPENDED, "[[expect]]\nmeasure = \"utilization\"\nlink = §\"bottle\"\nat_least = 0.9", "expect.0.link", "unknown link"),
    (APPENDED, "[[expect]]\nmeasure = §\"jain\"\nlink = \"bottleneck\"\nat_least = 0.9", "expect.0.measure", "unknown metric"),
    (APPENDED, "[[expect]]\nmeasure = \"jain\"\nat_least = §2\nat_most = 1", "expect.0.at_least", "more than at_most"),
    // Files.
    (3, "rate = { trace = §\"./no such file\" }", "path.rate.trace", "cannot be read"),
    (3, "rate = { trace = §\"lte-drivin\" }", "path.rate.trace", "no link has this name"),
    (3, "rate = { trace = \"lte\", start = §\"1h\" }", "path.rate.start", "after the end of the recording"),
    (3, "rate = { trace = §\"Cargo.toml\" }", "path.rate.trace", "no trace: line 1 is not a whole number"),
    // Syntax.
    (3, "rate = §20Mbps", "", ""),
    (3, "rate = \"20Mbps§", "", ""),
    (4, "rtt = \"40ms\"\n§rtt = \"50ms\"", "", "duplicate key"),
];

/// Errors that show in another place than the fault: the whole file, key and message of the one fault at `§`.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("duration = \"9s\"\n§[path]\nrtt = \"40ms\"\n[[flows]]\nalgorithm = \"reno\"", "path.rate", "missing"),
    ("duration = \"9s\"\n§[path]\nrate = \"1Mbps\"\n[[flows]]\nalgorithm = \"reno\"", "path.rtt", "missing"),
    (
        "duration = \"9s\"\n[path]\nrate = \"1Mbps\"\nrtt = \"40ms\"\n§[[flows]]\ncount = 2",
        "flows.0.algorithm",
        "missing",
    ),
    ("§duration = \"9s\"\n[path]\nrate = \"1Mbps\"\nrtt = \"40ms\"", "flows", "missing"),
    ("§duration = \"9s\"\n[[flows]]\nalgorithm = \"reno\"", "path", "missing"),
    ("flows = §[]\nduration = \"9s\"\n[path]\nrate = \"1Mbps\"\nrtt = \"40ms\"", "flows", "an empty list"),
    (
        "duration = \"9s\"\n[path]\nrate = \"1Mbps\"\ndelay = \"25ms\"\nrtt = §\"40ms\"\n[[flows]]\nalgorithm = \"reno\"",
        "path.rtt",
        "a round trip of 40ms is shorter than twice path.delay, 25ms",
    ),
    ("§", "duration", "missing"),
];

/// [`LEAST`] with one line replaced.
fn text(line: usize, replacement: &str) -> String {
    let mut lines: Vec<&str> = LEAST.lines().collect();
    lines.resize(APPENDED, "");
    lines[line - 1] = replacement;
    lines.join("\n")
}

/// Line and column of the mark, and the text without it.
fn unmark(text: &str) -> (usize, usize, String) {
    let (before, after) = text.split_once('§').expect("the place of the fault is marked");
    let line = before.lines().last().filter(|_| !before.ends_with('\n')).unwrap_or("");
    (before.matches('\n').count() + 1, line.chars().count() + 1, format!("{before}{after}"))
}

fn check(marked: &str, path: &str, message: &str) {
    let (line, column, text) = unmark(marked);
    let faults = read(&text).map(|_| ()).expect_err(&text);
    let all: String = faults.iter().map(Diagnostic::render).collect();
    let fault = &faults[0];
    assert_eq!((fault.line, fault.column, fault.path.as_str()), (Some(line), Some(column), path), "{all}");
    assert!(fault.message.contains(message), "{all}");
    let says_more =
        !fault.allowed.is_empty() || fault.hint.is_some() || path.is_empty() || message.contains(' ');
    assert!(says_more, "it says what is allowed: {all}");
    assert!(faults.len() == 1 || text.is_empty(), "one error, one fault: {all}");
}

#[test]
fn every_fault_is_reported_once_at_its_place() {
    assert!(FAULTS.len() >= 100);
    for (line, replacement, path, message) in FAULTS {
        check(&text(*line, replacement), path, message);
    }
    for (text, path, message) in ELSEWHERE {
        check(text, path, message);
    }
}

#[test]
fn a_text_of_any_key_that_is_longer_than_any_has_to_be_is_one_fault() {
    for letters in [10_001, 1_000_000] {
        let long = "x".repeat(letters);
        for (line, replacement, path) in [
            (1, format!("duration = \"60s\"\ntitle = §\"{long}\""), "title"),
            (3, format!("rate = §\"{long}\""), "path.rate"),
            (3, format!("rate = {{ trace = §\"{long}\" }}"), "path.rate.trace"),
            (6, format!("algorithm = §\"{long}\""), "flows.0.algorithm"),
            (6, format!("algorithm = \"cubic\"\nname = §\"{long}\""), "flows.0.name"),
            (6, format!("algorithm = {{ name = \"cubic\", §{long} = 1 }}"), "flows.0.algorithm"),
            (APPENDED, format!("[§{long}]"), ""),
        ] {
            check(&text(line, &replacement), path, "a text of ");
        }
    }
    let name = format!("name = \"{}\"", "x".repeat(10_000));
    read(&text(6, &format!("algorithm = \"cubic\"\n{name}"))).expect("it is not longer");
}

#[test]
fn all_faults_of_a_file_are_reported_at_once_in_its_order() {
    let text = "duration = 60\n[path]\nrtt = \"40Mbps\"\nrat = \"1Mbps\"\n[[flows]]\nalgorithm = \"cubik\"\n[[flows]]\n\
                algorithm = \"reno\"\ncount = -1\n";
    let faults = read(text).map(|_| ()).expect_err("it is full of faults");
    let found: Vec<_> =
        faults.iter().map(|fault| (fault.line.expect("a line"), fault.path.as_str())).collect();
    let expected = [
        (1, "duration"),
        (2, "path.rate"),
        (3, "path.rtt"),
        (4, "path.rat"),
        (6, "flows.0.algorithm"),
        (9, "flows.1.count"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_slip_of_the_pen_is_answered_with_the_nearest_name() {
    let hint = |line: usize, replacement: &str| {
        let faults = read(&text(line, replacement)).map(|_| ()).expect_err(replacement);
        faults[0].hint.clone().unwrap_or_default()
    };
    assert_eq!(hint(1, "duration = \"60s\"\nwamup = \"5s\""), "did you mean `warmup`?");
    assert_eq!(hint(3, "rate = \"20Mbps\"\nqueue = { kind = \"drop-tail\" }"), "did you mean `droptail`?");
    assert_eq!(hint(3, "rate = 10000000"), "write \"10Mbps\"");
    assert_eq!(hint(3, "rate = \"5000\""), "write \"5000Mbps\"");
    for queue in ["droptail:1s", "droptail,limit=1s", "droptail limit=1s"] {
        let form =
            "write { kind = \"droptail\", limit = ... }, or droptail(limit=...) behind --set and --vary";
        assert_eq!(hint(3, &format!("rate = \"20Mbps\"\nqueue = \"{queue}\"")), form, "{queue}");
    }
    assert_eq!(hint(3, "rate = \"20Mbps\"\nqueue = \"drop-tail\""), "did you mean `droptail`?");
    assert_eq!(hint(6, "algorithm = \"cubik\""), "did you mean `cubic`?");
    assert_eq!(hint(6, "algorithm = \"bbr\""), "did you mean `bbr1` or `bbr3`?");
    assert_eq!(hint(6, "algorithm = \"cubi\""), "did you mean `cubic`?");
    assert_eq!(hint(6, "algorithm = \"cubic\"\nrecvery = \"sack\""), "did you mean `recovery`?");
    assert_eq!(hint(4, "rtt = \"40MS\""), "did you mean `ms`?");
    let classes = "rate = \"20Mbps\"\nqueue = { kind = \"priority\", classes = { cubik = 0 } }";
    assert_eq!(hint(3, classes), "did you mean `cubic`?");
    assert_eq!(hint(6, "algorithm = \"cubic\"\nqqqqqqqqq = 1"), "");
}

#[test]
fn a_diagnostic_shows_the_line_and_underlines_what_is_wrong() {
    let faults =
        read(&text(3, "rate = \"20Mbps\"\n\tqueue = { kind = \"réd\", limit = \"5pkt\" }")).map(|_| ());
    let rendered = faults.expect_err("an unknown kind")[0].render();
    let expected = "test.toml:4:19: path.queue.kind: unknown kind\n  \
         4 | \tqueue = { kind = \"réd\", limit = \"5pkt\" }\n    \
         | \t                 ^^^^^\n  \
         hint: did you mean `red`?\n  \
         given: \"réd\"\n";
    assert_eq!(rendered, expected);
    let faults = read(&text(3, "rate = \"20Mbps\"\nqueue = { kind = \"nothing-near\" }")).map(|_| ());
    let queues =
        super::super::kind::list(narrows_qdisc::catalogue::entries().iter().map(|entry| entry.card.name));
    let rendered = faults.expect_err("no name is near")[0].render();
    assert!(rendered.ends_with(&format!("  given: \"nothing-near\"\n  allowed: {queues}\n")), "{rendered}");
}

#[test]
fn a_fault_in_an_argument_names_the_argument() {
    let fault = |argument: &str| {
        let faults = read_with(LEAST, &[argument]).map(|_| ()).expect_err(argument);
        assert_eq!(faults.len(), 1, "{argument}: {faults:?}");
        assert_eq!((faults[0].line, faults[0].file.as_str()), (None, format!("--set {argument}").as_str()));
        (faults[0].path.clone(), faults[0].message.clone())
    };
    assert_eq!(fault("path.rate=20").1, "a number without a unit");
    assert_eq!(fault("path.rat=20Mbps").1, "unknown key");
    assert_eq!(fault("path.queue.limit=100B").1, "a queue of 100 bytes is smaller than a packet");
    assert_eq!(fault("flows.reno.count=2").1, "unknown element `reno`");
    assert_eq!(fault("flows.1.count=2").1, "unknown element `1`");
    assert_eq!(fault("flows.0.count.x=2"), ("flows.0.count".into(), "a table does not fit here".into()));
    assert_eq!(fault("duration").1, "not of the form key.path=value");
    assert_eq!(fault("path..rate=1Mbps").1, "an empty key in the path");
    assert!(fault("path.rate.trace=no-such.file").1.starts_with("cannot be read"));
    assert_eq!(fault("path.queue=codle").1, "unknown kind");
    assert_eq!(fault("path.queue=codel(target").1, "not a name with parameters");
    assert_eq!(fault("path.queue=codel(target)").1, "not a name with parameters");
    assert_eq!(fault("path.queue=codel(min=1pkt)").1, "unknown key of `codel`");
}

#[test]
fn a_faulty_subject_is_blamed_on_the_command_line_once() {
    let options = LoadOptions { subject: Some("cubik".into()), ..LoadOptions::default() };
    let text = format!("{LEAST}[[flows]]\nalgorithm = \"reno\"\n");
    let faults =
        load(&text, "test.toml", Path::new("."), &[], &options).map(|_| ()).expect_err("no such algorithm");
    assert_eq!(faults.len(), 1);
    assert_eq!((faults[0].file.as_str(), faults[0].line), ("the command line", None));
}

#[test]
fn no_replication_at_all_is_refused() {
    let options = LoadOptions { replications: Some(0), ..LoadOptions::default() };
    let faults =
        load(LEAST, "test.toml", Path::new("."), &[], &options).map(|_| ()).expect_err("nothing would run");
    assert_eq!((faults.len(), faults[0].path.as_str()), (1, "replications"));
}
