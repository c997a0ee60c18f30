//! The packets of traced messages.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};

use etherparse::PacketBuilder;
use jiff::Timestamp;
use linerate_core::run::Run;
use linerate_core::trace::{Message, PacketSeen, Point, TracedSize, Way};
use linerate_core::units::Size;

use super::pcapng::{Direction, Link, Packet};

/// Time to live; the packet is never routed.
const TIME_TO_LIVE: u8 = 64;
/// Any window: it was not looked at.
const WINDOW: u16 = u16::MAX;
/// Between two sizes. Unit: nanoseconds.
const GAP_NS: i64 = 100_000;

/// Writes the packets of the first messages of `run`, which it says it has: an interface for each end, headers of IP and TCP
/// without payload, and comments that say where each packet and its message were.
///
/// # Errors
///
/// When writing to `out` fails.
pub(crate) fn write(run: &Run, ends: [SocketAddr; 2], out: impl Write) -> io::Result<()> {
    super::buffered(out, |out| blocks(run, ends, out))
}

/// The addresses of both ends, if the run has packets. Absent if none were seen.
pub(crate) fn seen(run: &Run) -> Option<[SocketAddr; 2]> {
    let trace = run.trace.as_ref()?;
    let ends: Vec<SocketAddr> = trace.addresses.iter().filter_map(|address| address.parse().ok()).collect();
    let has_packets = trace.sizes.iter().any(|size| !size.packets.is_empty());
    ends.try_into().ok().filter(|_| has_packets)
}

fn blocks(run: &Run, ends: [SocketAddr; 2], out: &mut dyn Write) -> io::Result<()> {
    let about = "traced messages: headers as they would be on the wire, without payload; sequence numbers begin with 1";
    let mut capture = super::begin(out, about)?;
    for (name, address) in ["initiator", "responder"].into_iter().zip(ends) {
        capture.interface(Link::Ip, &format!("{name} {}", address.ip()), None)?;
    }
    let started: Option<Timestamp> = run.started.parse().ok();
    let mut begin = started.map_or(0, Timestamp::as_nanosecond);
    for size in run.trace.iter().flat_map(|trace| &trace.sizes) {
        for packet in &size.packets {
            let bytes = header(packet, size.size, ends)?;
            let at = u64::try_from(begin + i128::from(packet.seen_ns)).unwrap_or(0);
            capture.packet(Packet {
                interface: u32::from(!packet.by_initiator),
                time_ns: at,
                length: (bytes.len() as u32).saturating_add(packet.length_bytes),
                bytes: &bytes,
                direction: if packet.sent { Direction::Outbound } else { Direction::Inbound },
                comment: Some(&comment(packet, size)),
            })?;
        }
        let last =
            size.there.iter().chain(&size.back).map(|message| message.call_ns + message.taken_ns).max();
        begin += i128::from(last.unwrap_or(0) + GAP_NS);
    }
    Ok(())
}

/// Whether a packet goes from the initiator to the responder.
const fn goes_there(packet: &PacketSeen) -> bool {
    packet.by_initiator == packet.sent
}

/// The headers of a packet of messages of `size`.
fn header(packet: &PacketSeen, size: u64, [initiator, responder]: [SocketAddr; 2]) -> io::Result<Vec<u8>> {
    let there = goes_there(packet);
    let (from, to) = if there { (initiator, responder) } else { (responder, initiator) };
    let builder = match (from.ip(), to.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => PacketBuilder::ipv4(from.octets(), to.octets(), TIME_TO_LIVE),
        (from, to) => {
            let wide = |ip: IpAddr| match ip {
                IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
                IpAddr::V6(ip) => ip.octets(),
            };
            PacketBuilder::ipv6(wide(from), wide(to), TIME_TO_LIVE)
        }
    };
    // In a ping-pong an answer acknowledges its message, and that the answer before it.
    let answered = u64::from(packet.message) + u64::from(!there);
    let number = |bytes: u64| (bytes as u32).wrapping_add(1);
    let builder = builder
        .tcp(from.port(), to.port(), number(packet.offset_bytes), WINDOW)
        .ack(number(answered.wrapping_mul(size)));
    let mut bytes = Vec::new();
    // The payload is counted in the lengths and then left out.
    let payload = vec![0; packet.length_bytes.min(u32::from(u16::MAX) - 60) as usize];
    let headers = builder.size(0);
    builder.write(&mut bytes, &payload).map_err(|error| io::Error::other(error.to_string()))?;
    bytes.truncate(headers);
    Ok(bytes)
}

/// Where the packet and, if it has its last byte, its message were.
fn comment(packet: &PacketSeen, size: &TracedSize) -> String {
    let way = if goes_there(packet) { Way::There } else { Way::Back };
    let first = packet.offset_bytes % size.size;
    let last = first + u64::from(packet.length_bytes);
    let mut text = format!(
        "message {} of {}{}, bytes {first} to {}",
        packet.message,
        Size(size.size),
        if way == Way::Back { " back" } else { "" },
        last - 1
    );
    if let Some(left) = packet.left_ns {
        let what = if packet.sent { "the driver took it" } else { "TCP had it" };
        text += &format!("; {what} {} us later", us(left - packet.seen_ns));
    }
    let message = size.messages(way).iter().find(|message| message.number == packet.message);
    if let Some(message) = message.filter(|_| last >= size.size) {
        text += &format!("; the message since its call, us: {}", points(message));
    }
    text
}

fn points(message: &Message) -> String {
    let known = Point::ALL.into_iter().skip(1).filter_map(|point| Some((point.name(), message.at(point)?)));
    known.map(|(name, ns)| format!("{name} {}", us(ns))).collect::<Vec<_>>().join(", ")
}

fn us(ns: i64) -> String {
    format!("{:.2}", ns as f64 / 1e3)
}
