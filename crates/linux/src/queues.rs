// SPDX-License-Identifier: Apache-2.0
//! The kernel's queue disciplines in place of ours.
//!
//! Attributes follow `include/uapi/linux/pkt_sched.h` below `TCA_OPTIONS`, as the command `tc` sends them.

use narrows_qdisc::{Discipline, Limit, Settings, Threshold, Unit};
use narrows_units::{Bytes, Rate, Span};

/// Which queue disciplines a run has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Queues {
    /// Ours.
    #[default]
    Ours,
    /// The kernel's, of the same names and with the same parameters.
    Same,
    /// The kernel's discipline of this name on every link, with the limit of the link's queue.
    Named(&'static str),
}

/// A queue discipline of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelQueue {
    /// Its name.
    pub kind: &'static str,
    /// Its parameters, as netlink attributes.
    pub attributes: Vec<u8>,
}

/// Names of the kernel's queue disciplines for [`Queues::Named`].
pub const NAMES: &[&str] =
    &["pfifo", "bfifo", "codel", "fq_codel", "pie", "fq_pie", "cake", "fq", "dualpi2", "choke", "sfb", "sfq"];

/// The unsupported part: the parameter, or an empty text for the discipline, and the reason.
pub type Lack = (&'static str, String);

impl Queues {
    /// Parses the choice `text` of the command line: `linux`, or `linux:NAME`; `None` if there is no such one.
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("linux")? {
            "" => Some(Self::Same),
            rest => {
                NAMES.iter().find(|name| rest.strip_prefix(':') == Some(name)).map(|&name| Self::Named(name))
            }
        }
    }

    /// Returns the text as [`parse`](Self::parse) reads it; empty for ours.
    pub fn text(&self) -> String {
        match self {
            Self::Ours => String::new(),
            Self::Same => "linux".to_owned(),
            Self::Named(name) => format!("linux:{name}"),
        }
    }

    /// Returns the kernel's discipline for a link with `queue` and `rate`; `None` if ours stays: for an unlimited FIFO,
    /// and, if one discipline replaces all, for a link that is not a `bottleneck`.
    ///
    /// # Errors
    ///
    /// [`Lack`] if the kernel cannot do what `queue` does.
    pub fn of(&self, queue: &Discipline, rate: Rate, bottleneck: bool) -> Result<Option<KernelQueue>, Lack> {
        match self {
            Self::Ours => Ok(None),
            Self::Named(name) => {
                Ok(bottleneck.then(|| named(name, queue.limit(), queue.settings().packet(), rate)))
            }
            Self::Same => match SAME.iter().find(|(name, _)| *name == queue.name()) {
                Some((_, same)) => same(queue, rate),
                None => Err(("", format!("the kernel has no {}", queue.name()))),
            },
        }
    }

    /// Returns the names of our disciplines for which the kernel has one of its own.
    pub fn same() -> String {
        SAME.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the kernel's discipline for a queue at a rate; `None` if ours stays.
type Same = fn(&Discipline, Rate) -> Result<Option<KernelQueue>, Lack>;

/// Our disciplines for which the kernel has one of its own.
const SAME: &[(&str, Same)] = &[
    ("droptail", |queue, _| Ok(fifo(queue.limit()))),
    ("codel", |queue, _| Ok(Some(codel(queue.settings())))),
    ("fq-codel", |queue, _| Ok(Some(fq_codel(queue.settings())))),
    ("pie", |queue, _| pie(queue.settings()).map(Some)),
    ("fq-pie", |queue, _| fq_pie(queue.settings()).map(Some)),
    ("cake", |queue, _| cake(queue.settings()).map(Some)),
    ("red", |queue, rate| red(queue.settings(), rate).map(Some)),
    ("dualpi2", |queue, _| dualpi2(queue.settings()).map(Some)),
];

fn fifo(limit: Limit) -> Option<KernelQueue> {
    // struct tc_fifo_qopt
    let queue = |kind, limit: u64| KernelQueue { kind, attributes: word(limit).to_vec() };
    match limit {
        Limit::Unlimited => None,
        Limit::Packets(packets) => Some(queue("pfifo", packets)),
        Limit::Bytes(bytes) => Some(queue("bfifo", bytes)),
    }
}

fn codel(settings: &Settings) -> KernelQueue {
    let attributes = Attributes::default()
        .word(1, microseconds(settings.span("target")))
        .word(2, packets(settings.limit("limit"), settings.packet()))
        .word(3, microseconds(settings.span("interval")))
        .word(4, settings.flag("ecn").into());
    KernelQueue { kind: "codel", attributes: attributes.0 }
}

fn fq_codel(settings: &Settings) -> KernelQueue {
    let attributes = Attributes::default()
        .word(1, microseconds(settings.span("target")))
        .word(2, packets(settings.limit("limit"), settings.packet()))
        .word(3, microseconds(settings.span("interval")))
        .word(4, settings.flag("ecn").into())
        .word(5, settings.whole("flows"))
        .word(6, settings.size("quantum").count())
        .word(9, AMPLE_MEMORY);
    KernelQueue { kind: "fq_codel", attributes: attributes.0 }
}

/// The parameter `name` of `settings`, `alpha` or `beta`, in sixteenths.
fn gain(settings: &Settings, name: &str) -> u64 {
    (settings.number(name) * 16.0).round() as u64
}

fn require_usual_burst(settings: &Settings) -> Result<(), Lack> {
    let usual = settings.span("burst") == Span::from_ms(150);
    usual.then_some(()).ok_or_else(|| ("burst", "the kernel has 150ms".to_owned()))
}

fn pie(settings: &Settings) -> Result<KernelQueue, Lack> {
    require_usual_burst(settings)?;
    let attributes = Attributes::default()
        .word(1, microseconds(settings.span("target")))
        .word(2, packets(settings.limit("limit"), settings.packet()))
        .word(3, microseconds(settings.span("update")))
        .word(4, gain(settings, "alpha"))
        .word(5, gain(settings, "beta"))
        .word(6, settings.flag("ecn").into());
    Ok(KernelQueue { kind: "pie", attributes: attributes.0 })
}

fn fq_pie(settings: &Settings) -> Result<KernelQueue, Lack> {
    require_usual_burst(settings)?;
    let percent = settings.number("ecn_prob") * 100.0;
    if (percent - percent.round()).abs() > 1e-9 {
        return Err(("ecn_prob", "the kernel has whole percents".to_owned()));
    }
    let attributes = Attributes::default()
        .word(1, packets(settings.limit("limit"), settings.packet()))
        .word(2, settings.whole("flows"))
        .word(3, microseconds(settings.span("target")))
        .word(4, microseconds(settings.span("update")))
        .word(5, gain(settings, "alpha"))
        .word(6, gain(settings, "beta"))
        .word(7, settings.size("quantum").count())
        .word(8, AMPLE_MEMORY)
        .word(9, percent.round() as u64)
        .word(10, settings.flag("ecn").into());
    Ok(KernelQueue { kind: "fq_pie", attributes: attributes.0 })
}

/// CAKE without classes of DiffServ; its limit stays the kernel's, which counts memory.
fn cake(settings: &Settings) -> Result<KernelQueue, Lack> {
    if settings.named_classes("hosts").is_some() {
        return Err(("hosts", "every flow has hosts of its own".to_owned()));
    }
    if settings.word("bandwidth") != "unlimited" {
        return Err(("bandwidth", "the link is the shaper".to_owned()));
    }
    let attributes = Attributes::default()
        .word(3, BEST_EFFORT)
        .word(7, microseconds(settings.span("interval")))
        .word(8, microseconds(settings.span("target")))
        .word(16, if settings.flag("ack_filter") { AGGRESSIVE } else { 0 });
    Ok(KernelQueue { kind: "cake", attributes: attributes.0 })
}

/// `DualPI2`, which drops on overload and when packets leave, as ours does.
fn dualpi2(settings: &Settings) -> Result<KernelQueue, Lack> {
    let whole = |key, value: f64, what| {
        let near = value.round();
        let possible = (1.0..=255.0).contains(&near) && (value - near).abs() < 1e-9;
        possible.then_some(near as u8).ok_or_else(|| (key, format!("the kernel has whole {what}")))
    };
    let coupling = whole("coupling", settings.number("coupling"), "numbers from 1 to 255")?;
    let share = whole("classic_share", settings.number("classic_share") * 100.0, "percents")?;
    let gain = |name| (settings.number(name) * 256.0).round() as u64;
    let attributes = Attributes::default()
        .word(1, packets(settings.limit("limit"), settings.packet()))
        .word(2, AMPLE_MEMORY)
        .word(3, microseconds(settings.span("target")))
        .word(4, microseconds(settings.span("update")))
        .word(5, gain("alpha"))
        .word(6, gain("beta"))
        .word(8, microseconds(settings.span("step")))
        .word(9, settings.whole("min_qlen_step"))
        .bytes(10, &[coupling])
        .bytes(13, &[share])
        .bytes(14, &[if settings.word("low_latency") == "ect" { ANY_ECT } else { ECT_1 }]);
    Ok(KernelQueue { kind: "dualpi2", attributes: attributes.0 })
}

/// RED, with the table for idle times as `tc` computes it.
fn red(settings: &Settings, rate: Rate) -> Result<KernelQueue, Lack> {
    let packet = settings.packet();
    let bytes = |name| match settings.threshold(name) {
        Threshold { unit: Unit::Packets, value } => value * packet.count() as f64,
        Threshold { unit: Unit::Bytes, value } => value,
    };
    let (min, max) = (bytes("min").round(), bytes("max").round());
    let limit = match settings.limit("limit") {
        Limit::Unlimited => ENDLESS,
        Limit::Packets(packets) => packets * packet.count(),
        Limit::Bytes(bytes) => bytes,
    };
    let weight = settings.number("weight");
    let shift = (-libm::log2(weight)).round().clamp(1.0, 31.0);
    if max * libm::exp2(shift) >= f64::from(1_u32 << 31) {
        return Err(("max", format!("the kernel's average has 32 bits, of which the weight takes {shift}")));
    }
    let flags = u8::from(settings.flag("ecn")) | u8::from(settings.flag("adaptive")) << 2;
    let average = Average { shift, packet, rate };
    let attributes = average.attributes([limit, min as u64, max as u64], flags, settings.number("max_p"));
    Ok(KernelQueue { kind: "red", attributes })
}

/// `CHOKe` with the thresholds that `tc` computes from a limit in packets.
fn choke(limit: u64, packet: Bytes, rate: Rate) -> Vec<u8> {
    let limit = limit.min(MOST_OF_CHOKE);
    let max = (limit / 4).max(3);
    let min = max / 3;
    // The weight with which a burst of (2 min + max) / 3 packets is allowed: burst + 1 - min > (1 - (1 - w)^burst) / w.
    let burst = ((2 * min + max) / 3).max(1) as f64;
    let allowed = |shift: &i32| {
        let weight = libm::exp2(-f64::from(*shift));
        (1.0 - libm::pow(1.0 - weight, burst)) / weight >= burst + 1.0 - min as f64
    };
    let shift = (1..32).find(allowed).unwrap_or(1);
    Average { shift: f64::from(shift), packet, rate }.attributes([limit, min, max], 0, 0.02)
}

/// The average backlog of RED and of `CHOKe`.
struct Average {
    /// Minus the logarithm to base 2 of the weight.
    shift: f64,
    packet: Bytes,
    rate: Rate,
}

impl Average {
    /// Returns the attributes for limit, lower and upper threshold, and the probability at the upper one.
    fn attributes(&self, thresholds: [u64; 3], flags: u8, probability: f64) -> Vec<u8> {
        let packet_us = self.packet.bits() as f64 / self.rate.as_bps() as f64 * 1e6;
        let decay = -libm::log(1.0 - libm::exp2(-self.shift)) / packet_us;
        let cell = (0..31).find(|cell| 31.0 / decay / libm::exp2(f64::from(*cell)) < 512.0).unwrap_or(31);
        let mut idle = [31_u8; 256];
        for (place, entry) in idle.iter_mut().enumerate().take(255) {
            *entry = (place as f64 * libm::exp2(f64::from(cell)) * decay).min(31.0) as u8;
        }
        let mut parameters: Vec<u8> = thresholds.into_iter().flat_map(word).collect();
        parameters.extend([self.shift as u8, 0, cell as u8, flags]);
        let probability = (probability * TWO_TO_32).round() as u64;
        Attributes::default().bytes(1, &parameters).bytes(2, &idle).word(3, probability).0
    }
}

/// A discipline with the kernel's own defaults, but with `limit`.
fn named(kind: &'static str, limit: Limit, packet: Bytes, rate: Rate) -> KernelQueue {
    let length = packets(limit, packet);
    let attributes = match kind {
        "pfifo" => word(length).to_vec(),
        "bfifo" => word(length * packet.count()).to_vec(),
        "codel" | "pie" => Attributes::default().word(2, length).0,
        "fq_codel" => Attributes::default().word(2, length).word(9, AMPLE_MEMORY).0,
        "fq_pie" | "fq" => Attributes::default().word(1, length).0,
        "dualpi2" => Attributes::default().word(1, length).word(2, AMPLE_MEMORY).0,
        "choke" => choke(length, packet, rate),
        "sfq" => sfq(length),
        "sfb" => sfb(length),
        // CAKE limits memory.
        _ => Vec::new(),
    };
    KernelQueue { kind, attributes }
}

/// `SFQ` with a limit in packets.
fn sfq(limit: u64) -> Vec<u8> {
    // struct tc_sfq_qopt: quantum, perturbation, limit, divisor, flows.
    [0, 0, limit, 0, 0].into_iter().flat_map(word).collect()
}

/// `SFB` with the kernel's defaults and a limit in packets.
fn sfb(limit: u64) -> Vec<u8> {
    // struct tc_sfb_qopt: rehash interval and warm-up in ms, max, bin size, increment, decrement, limit, rate and burst of penalties.
    let parameters: Vec<u8> =
        [600_000, 60_000, 25, 20, 66, 11, limit, 10, 20].into_iter().flat_map(word).collect();
    Attributes::default().bytes(1, &parameters).0
}

/// Netlink attributes: length, type and value, each at a multiple of four bytes.
#[derive(Default)]
struct Attributes(Vec<u8>);

impl Attributes {
    fn word(self, kind: u16, value: u64) -> Self {
        self.bytes(kind, &word(value))
    }

    fn bytes(mut self, kind: u16, value: &[u8]) -> Self {
        self.0.extend((value.len() as u16 + 4).to_ne_bytes());
        self.0.extend(kind.to_ne_bytes());
        self.0.extend(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }
}

fn word(value: u64) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_ne_bytes()
}

fn microseconds(span: Span) -> u64 {
    span.as_ps() / 1_000_000
}

fn packets(limit: Limit, packet: Bytes) -> u64 {
    match limit {
        Limit::Unlimited => ENDLESS,
        Limit::Packets(packets) => packets,
        Limit::Bytes(bytes) => bytes / packet.count().max(1),
    }
}

/// `TC_DUALPI2_ECN_MASK_L4S_ECT` and `TC_DUALPI2_ECN_MASK_ANY_ECT`.
const ECT_1: u8 = 1;
const ANY_ECT: u8 = 3;

/// `CAKE_DIFFSERV_BESTEFFORT`.
const BEST_EFFORT: u64 = 3;

/// `CAKE_ACK_AGGRESSIVE`.
const AGGRESSIVE: u64 = 2;

/// `CHOKE_MAX_QUEUE`, packets.
const MOST_OF_CHOKE: u64 = 128 * 1024 - 1;

/// 2^32.
const TWO_TO_32: f64 = 4_294_967_296.0;

/// More than any run has waiting.
const ENDLESS: u64 = 1 << 30;

/// The limit of memory of `fq_codel` of memory, bytes: so that its other limit is the one that counts, as for ours.
const AMPLE_MEMORY: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::{Attributes, Queues};

    #[test]
    fn attributes_are_laid_out_as_netlink_does() {
        let laid = Attributes::default().bytes(2, &[7, 8, 9]).word(3, 5).0;
        assert_eq!(laid, [7, 0, 2, 0, 7, 8, 9, 0, 8, 0, 3, 0, 5, 0, 0, 0]);
    }

    #[test]
    fn the_choice_is_read_as_it_is_written() {
        for text in ["linux", "linux:cake", "linux:sfq"] {
            assert_eq!(Queues::parse(text).expect("it exists").text(), text);
        }
        assert_eq!(Queues::parse("linux:noqueue"), None);
        assert_eq!(Queues::parse("ours"), None);
    }
}
