// SPDX-License-Identifier: Apache-2.0
//! The headers of packets of programs: IPv4 (RFC 791), IPv6 (RFC 8200), TCP (RFC 9293) and UDP (RFC 768).

use narrows_linux::traffic::Segment;
use narrows_wire::Ecn;
use std::net::{IpAddr, SocketAddr};

/// What the network needs to know of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Headers {
    pub segment: Segment,
    pub ecn: Ecn,
    pub source: SocketAddr,
    pub destination: SocketAddr,
}

/// Returns the headers of `packet`; `None` unless it is a whole IP packet to a single host, since the network has no other
/// host to which it could lead.
pub(crate) fn read(packet: &[u8]) -> Option<Headers> {
    let (protocol, ecn, addresses, rest) = match packet.first()? >> 4 {
        4 => {
            let header = usize::from(packet[0] & 15) * 4;
            let length = usize::from(u16::from_be_bytes(word(packet, 2)?));
            let last = *packet.get(16)?;
            if header < 20 || length != packet.len() || last >= FIRST_MULTICAST {
                return None;
            }
            // Fragments behind the first have no header of the transport.
            let is_first = u16::from_be_bytes(word(packet, 6)?) & FRAGMENT_OFFSET == 0;
            let protocol = if is_first { packet[9] } else { 0 };
            (protocol, packet[1], [address4(packet, 12)?, address4(packet, 16)?], packet.get(header..)?)
        }
        6 => {
            let length = usize::from(u16::from_be_bytes(word(packet, 4)?));
            if length + IPV6_HEADER != packet.len() || packet[24] == IPV6_MULTICAST {
                return None;
            }
            let class = packet[0] << 4 | packet[1] >> 4;
            (packet[6], class, [address6(packet, 8)?, address6(packet, 24)?], &packet[IPV6_HEADER..])
        }
        _ => return None,
    };
    let segment =
        segment(protocol, rest).unwrap_or(Segment { payload: rest.len() as u32, ..Segment::default() });
    let [source, destination] = addresses;
    Some(Headers {
        segment: Segment { protocol, ..segment },
        ecn: Ecn::of_field(ecn),
        source: SocketAddr::new(source, (segment.ports >> 16) as u16),
        destination: SocketAddr::new(destination, segment.ports as u16),
    })
}

fn segment(protocol: u8, rest: &[u8]) -> Option<Segment> {
    let ports = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
    match protocol {
        TCP => {
            let sequence = u32::from_be_bytes(rest.get(4..8)?.try_into().ok()?);
            let header = usize::from(rest.get(12)? >> 4) * 4;
            let payload = rest.get(header..)?.len() as u32;
            Some(Segment { protocol, flags: *rest.get(13)?, sequence, ports, payload })
        }
        UDP => Some(Segment { protocol, ports, payload: rest.get(8..)?.len() as u32, ..Segment::default() }),
        _ => None,
    }
}

/// Writes the ECN field `ecn` into `packet`, and the header checksum that follows from it (RFC 1624).
pub(crate) fn mark(packet: &mut [u8], ecn: Ecn) {
    let field = ecn.field();
    match packet.first().map(|first| first >> 4) {
        Some(4) if packet.len() >= 20 => {
            let before = u16::from_be_bytes([packet[0], packet[1]]);
            packet[1] = packet[1] & !3 | field;
            let after = u16::from_be_bytes([packet[0], packet[1]]);
            let checksum = u16::from_be_bytes([packet[10], packet[11]]);
            let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
            sum = (sum & 0xffff) + (sum >> 16);
            sum = (sum & 0xffff) + (sum >> 16);
            packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        }
        Some(6) if packet.len() >= IPV6_HEADER => packet[1] = packet[1] & !0x30 | field << 4,
        _ => {}
    }
}

fn address4(packet: &[u8], at: usize) -> Option<IpAddr> {
    let bytes: [u8; 4] = packet.get(at..at + 4)?.try_into().ok()?;
    Some(bytes.into())
}

fn address6(packet: &[u8], at: usize) -> Option<IpAddr> {
    let bytes: [u8; 16] = packet.get(at..at + 16)?.try_into().ok()?;
    Some(bytes.into())
}

fn word(packet: &[u8], at: usize) -> Option<[u8; 2]> {
    packet.get(at..at + 2)?.try_into().ok()
}

const TCP: u8 = 6;
const UDP: u8 = 17;
const IPV6_HEADER: usize = 40;
const FRAGMENT_OFFSET: u16 = 0x1fff;
/// First byte of the IPv4 addresses of groups of hosts (RFC 5771), and of those behind them, the broadcast address among them.
const FIRST_MULTICAST: u8 = 224;
/// First byte of the IPv6 addresses of groups of hosts (RFC 4291 §2.7).
const IPV6_MULTICAST: u8 = 0xff;

#[cfg(test)]
mod tests {
    use super::{Ecn, Segment, mark, read};
    use proptest::prelude::*;

    /// A TCP segment of 10 bytes from port 1 to port 2 over IPv4, with its header checksum.
    fn tcp4() -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 50, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        packet.extend([0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
        packet.extend([7; 10]);
        let sum = checksum(&packet[..20]);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        packet
    }

    /// The Internet checksum (RFC 1071) of a header, 0 of one that has it.
    fn checksum(header: &[u8]) -> u16 {
        let words = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let mut sum: u32 = words.sum();
        while sum >> 16 > 0 {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    #[test]
    fn a_segment_over_ipv4_is_read() {
        let found = read(&tcp4()).expect("an IP packet");
        let expected = Segment { protocol: 6, flags: 0x10, sequence: 256, ports: 1 << 16 | 2, payload: 10 };
        assert_eq!((found.segment, found.ecn), (expected, Ecn::NotCapable));
        let ends = [found.source, found.destination].map(|each| each.to_string());
        assert_eq!(ends, ["10.0.0.1:1", "10.0.0.2:2"]);
    }

    #[test]
    fn a_datagram_over_ipv6_is_read_and_marked() {
        let mut packet = vec![0x60, 0x20, 0, 0, 0, 12, 17, 64];
        packet.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        packet.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
        packet.extend([0, 9, 0, 8, 0, 12, 0, 0, 1, 2, 3, 4]);
        let found = read(&packet).expect("an IP packet");
        assert_eq!((found.segment.payload, found.segment.ports, found.ecn), (4, 9 << 16 | 8, Ecn::Ect0));
        let ends = [found.source, found.destination].map(|each| each.to_string());
        assert_eq!(ends, ["[fd00::1]:9", "[fd00::2]:8"]);
        mark(&mut packet, Ecn::Ce);
        assert_eq!(read(&packet).map(|found| found.ecn), Some(Ecn::Ce));
        packet[24] = 0xff;
        assert_eq!(read(&packet), None, "it is sent to a group of hosts");
    }

    #[test]
    fn a_mark_keeps_the_header_checksum_right() {
        for ecn in [Ecn::NotCapable, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            let mut packet = tcp4();
            mark(&mut packet, ecn);
            assert_eq!(checksum(&packet[..20]), 0, "{ecn:?}");
            assert_eq!(read(&packet).map(|found| found.ecn), Some(ecn));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_program_make_the_reader_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..120), first in 0_u8..8) {
            if let Some(byte) = bytes.first_mut() {
                *byte = [0x45, 0x46, 0x40, 0x4f, 0x60, 0x6f, 0x50, *byte][usize::from(first)];
            }
            let found = read(&bytes);
            mark(&mut bytes, Ecn::Ce);
            prop_assert!(found.is_none_or(|found| found.segment.payload as usize <= bytes.len()));
        }
    }
}
