// SPDX-License-Identifier: Apache-2.0
//! The kernel's queue disciplines in place of ours.
//!
//! Attributes are those of `include/uapi/linux/pkt_sched.h` below `TCA_OPTIONS`, as the command `tc` sends them.

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
pub const NAMES: &[&str] = &["pfifo", "bfifo", "codel", "fq_codel", "pie", "fq_pie", "cake", "fq"];

/// What the kernel cannot do: the parameter, or an empty text for the discipline, and the reason.
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
    /// and, where one discipline replaces all, for a link that is no `bottleneck`.
    ///
    /// # Errors
    ///
    /// [`Lack`] if the kernel cannot do what `queue` does.
    pub fn of(&self, queue: &Discipline, rate: Rate, bottleneck: bool) -> Result<Option<KernelQueue>, Lack> {
        let settings = queue.settings();
        let packet = settings.packet();
        match self {
            Self::Ours => Ok(None),
            Self::Named(name) => Ok(bottleneck.then(|| named(name, queue.limit(), packet))),
            Self::Same => match queue.name() {
                "droptail" => Ok(fifo(queue.limit())),
                "codel" => Ok(Some(codel(settings))),
                "fq-codel" => Ok(Some(fq_codel(settings))),
                "pie" => pie(settings).map(Some),
                "fq-pie" => fq_pie(settings).map(Some),
                "cake" => cake(settings).map(Some),
                "red" => red(settings, rate).map(Some),
                other => Err(("", format!("the kernel has no {other}"))),
            },
        }
    }
}

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
    let packet_us = packet.bits() as f64 / rate.as_bps() as f64 * 1e6;
    let decay = -libm::log(1.0 - libm::exp2(-shift)) / packet_us;
    let cell = (0..31).find(|cell| 31.0 / decay / libm::exp2(f64::from(*cell)) < 512.0).unwrap_or(31);
    let mut idle = [31_u8; 256];
    for (place, entry) in idle.iter_mut().enumerate().take(255) {
        *entry = (place as f64 * libm::exp2(f64::from(cell)) * decay).min(31.0) as u8;
    }
    let flags = u8::from(settings.flag("ecn")) | u8::from(settings.flag("adaptive")) << 2;
    let mut parameters = Vec::new();
    for value in [limit, min as u64, max as u64] {
        parameters.extend(word(value));
    }
    parameters.extend([shift as u8, 0, cell as u8, flags]);
    let probability = (settings.number("max_p") * TWO_TO_32).round() as u64;
    let attributes = Attributes::default().bytes(1, &parameters).bytes(2, &idle).word(3, probability);
    Ok(KernelQueue { kind: "red", attributes: attributes.0 })
}

/// A discipline with the kernel's own defaults, but with `limit`.
fn named(kind: &'static str, limit: Limit, packet: Bytes) -> KernelQueue {
    let length = packets(limit, packet);
    let attributes = match kind {
        "pfifo" => word(length).to_vec(),
        "bfifo" => word(length * packet.count()).to_vec(),
        "codel" | "pie" => Attributes::default().word(2, length).0,
        "fq_codel" => Attributes::default().word(2, length).word(9, AMPLE_MEMORY).0,
        "fq_pie" | "fq" => Attributes::default().word(1, length).0,
        // It limits memory.
        _ => Vec::new(),
    };
    KernelQueue { kind, attributes }
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

/// `CAKE_DIFFSERV_BESTEFFORT`.
const BEST_EFFORT: u64 = 3;

/// `CAKE_ACK_AGGRESSIVE`.
const AGGRESSIVE: u64 = 2;

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
        for text in ["linux", "linux:cake"] {
            assert_eq!(Queues::parse(text).expect("it exists").text(), text);
        }
        assert_eq!(Queues::parse("linux:sfq"), None);
        assert_eq!(Queues::parse("ours"), None);
    }
}
