//! A modelled frame as the bytes of a real one.

use etherparse::{IpEcn, IpHeaders, Ipv4Extensions, Ipv4Header, PacketBuilder, TcpOptionElement};
use linerate_sim::frame::{Content, Destination, Frame, Packet, Station};
use linerate_sim::stack::Kind;
use linerate_sim::tcp::Segment;
use linerate_sim::trace::Passage;

/// Shortest frame without its check sequence. Unit: bytes. Source: IEEE 802.3, 3.2.8.
const LEAST_FRAME: usize = 60;
/// Longest IPv4 packet. Unit: bytes. Source: RFC 791.
const LONGEST_PACKET: usize = 65_535;
/// IPv4 header without options. Unit: bytes. Source: RFC 791.
const IP_HEADER: usize = 20;
/// UDP header. Unit: bytes. Source: RFC 768.
const UDP_HEADER: usize = 8;
/// TCP header without options, and most options. Unit: bytes. Source: RFC 9293, 3.1.
const TCP_HEADER: usize = 20;
/// See [`TCP_HEADER`].
const TCP_OPTIONS: usize = 40;
/// Where PAUSE goes. Source: IEEE 802.3, annex 31B.1.
const PAUSE_ADDRESS: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01];
/// EtherType and opcode of PAUSE. Source: IEEE 802.3, 31.4.1.3 and annex 31A.
const MAC_CONTROL: u16 = 0x8808;
/// See [`MAC_CONTROL`].
const PAUSE: u16 = 1;
/// Every station of the link.
const BROADCAST: [u8; 6] = [0xff; 6];
/// Discard (RFC 863): no answer is expected.
const LOAD_PORT: u16 = 9;
/// Ports of a flow are this and its number. Source: RFC 6335, dynamic ports.
const FLOW_PORTS: u16 = 49_152;
/// Time to live; the packet is never routed.
const TIME_TO_LIVE: u8 = 64;

/// The address of a station's MAC: locally administered, with its number.
pub(super) const fn mac(station: u32) -> [u8; 6] {
    let [_, high, middle, low] = station.to_be_bytes();
    [0x02, 0, 0, high, middle, low]
}

/// The IPv4 address of a station, within 10.0.0.0/8 (RFC 1918); counted from 1, because the first
/// address of a network is not a host's.
const fn ip(station: u32) -> [u8; 4] {
    let [_, high, middle, low] = (station + 1).to_be_bytes();
    [10, high, middle, low]
}

/// Puts the bytes of the frame into `bytes`: from the destination address to the padding, without
/// the check sequence.
pub(super) fn build(passage: &Passage, kind: Kind, bytes: &mut Vec<u8>) {
    bytes.clear();
    let frame = &passage.frame;
    match (frame.content, &passage.segment) {
        (Content::Pause { quanta }, _) => pause(frame.source, quanta, bytes),
        (Content::Packet(packet), _) => {
            let ports = ports(packet.flow, packet.forward);
            match kind {
                Kind::Datagram => udp(frame, ports, bytes),
                Kind::Stream => stream(frame, ports, &packet, bytes),
            }
        }
        (Content::Segment { flow, forward, .. }, Some(segment)) => {
            tcp(frame, ports(flow, forward), segment, bytes);
        }
        (Content::Load(_) | Content::Segment { .. }, _) => udp(frame, [LOAD_PORT; 2], bytes),
    }
    if bytes.len() < LEAST_FRAME {
        bytes.resize(LEAST_FRAME, 0);
    }
}

fn pause(source: Station, quanta: u16, bytes: &mut Vec<u8>) {
    bytes.extend(PAUSE_ADDRESS);
    bytes.extend(mac(source.0));
    for field in [MAC_CONTROL, PAUSE, quanta] {
        bytes.extend(field.to_be_bytes());
    }
}

/// Source and destination port of a flow's packet: of its two ends the first has the even one.
const fn ports(flow: u32, forward: bool) -> [u16; 2] {
    let flow = (flow % 8_192) as u16;
    let [first, second] = [FLOW_PORTS + 2 * flow, FLOW_PORTS + 2 * flow + 1];
    if forward { [first, second] } else { [second, first] }
}

/// Addresses of both layers.
fn ends(frame: &Frame) -> ([[u8; 6]; 2], [[u8; 4]; 2]) {
    let (mac_to, ip_to) = match frame.destination {
        Destination::Station(station) => (mac(station.0), ip(station.0)),
        Destination::Everyone | Destination::Link => (BROADCAST, [255; 4]),
    };
    ([mac(frame.source.0), mac_to], [ip(frame.source.0), ip_to])
}

/// A datagram that fills the frame's client data.
fn udp(frame: &Frame, [from, to]: [u16; 2], bytes: &mut Vec<u8>) {
    let payload = data_bytes(frame).saturating_sub(IP_HEADER + UDP_HEADER);
    let (macs, ips) = ends(frame);
    let builder = PacketBuilder::ethernet2(macs[0], macs[1]).ipv4(ips[0], ips[1], TIME_TO_LIVE).udp(from, to);
    builder.write(bytes, &vec![0; payload]).expect("the lengths fit their fields");
}

/// A TCP segment with its options.
fn tcp(frame: &Frame, [from, to]: [u16; 2], segment: &Segment, bytes: &mut Vec<u8>) {
    let (macs, ips) = ends(frame);
    let header = Ipv4Header {
        // The payload's length is known when it is written.
        ecn: IpEcn::try_new(frame.ecn().bits()).expect("it has two bits"),
        time_to_live: TIME_TO_LIVE,
        source: ips[0],
        destination: ips[1],
        ..Ipv4Header::default()
    };
    let mut builder = PacketBuilder::ethernet2(macs[0], macs[1])
        .ip(IpHeaders::Ipv4(header, Ipv4Extensions::default()))
        .tcp(from, to, segment.sequence as u32, segment.window);
    let flags = segment.flags;
    if flags.syn {
        builder = builder.syn();
    }
    if flags.ack {
        builder = builder.ack(segment.acknowledgement as u32);
    }
    if flags.fin {
        builder = builder.fin();
    }
    if flags.push {
        builder = builder.psh();
    }
    if flags.reset {
        builder = builder.rst();
    }
    if flags.ece {
        builder = builder.ece();
    }
    if flags.cwr {
        builder = builder.cwr();
    }
    let options = options(segment);
    let builder = builder.options(&options).expect("a segment has no more options than TCP allows");
    builder.write(bytes, &vec![0; segment.length as usize]).expect("the lengths fit their fields");
}

/// The options of a segment, in the order and with the padding that hosts use, so that the header
/// is as long as the model counts it.
fn options(segment: &Segment) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp,
        WindowScale,
    };
    let mut options = Vec::new();
    if let Some(mss) = segment.mss {
        options.push(MaximumSegmentSize(mss));
    }
    match (segment.sack_permitted, segment.timestamps) {
        (true, _) => options.push(SelectiveAcknowledgementPermitted),
        (false, Some(_)) => options.extend([Noop, Noop]),
        (false, None) => {}
    }
    match segment.timestamps {
        Some([value, echo]) => options.push(Timestamp(value, echo)),
        None if segment.sack_permitted => options.extend([Noop, Noop]),
        None => {}
    }
    if let Some(scale) = segment.window_scale {
        options.extend([Noop, WindowScale(scale)]);
    }
    let range = |[from, to]: &[u64; 2]| (*from as u32, *to as u32);
    if let [first, rest @ ..] = segment.sack.as_slice() {
        let mut more = [None; 3];
        more.iter_mut().zip(rest).for_each(|(place, block)| *place = Some(range(block)));
        options.extend([Noop, Noop, SelectiveAcknowledgement(range(first), more)]);
    }
    options
}

/// A plain stream's segment with its place in the stream. A longer header than TCP's is padded with
/// no-operation options; beyond the most options the rest counts as payload, because a capture has
/// no other place for it.
fn stream(frame: &Frame, [from, to]: [u16; 2], packet: &Packet, bytes: &mut Vec<u8>) {
    let header = data_bytes(frame).saturating_sub(packet.length as usize);
    let options = header.saturating_sub(IP_HEADER + TCP_HEADER).min(TCP_OPTIONS) / 4 * 4;
    let payload = data_bytes(frame).saturating_sub(IP_HEADER + TCP_HEADER + options);
    // Without a handshake no window is scaled: one that is wider than the field is shown full.
    let window = packet.edge.saturating_sub(packet.acknowledged);
    let window = u16::try_from(window).unwrap_or(u16::MAX);
    let (macs, ips) = ends(frame);
    let builder = PacketBuilder::ethernet2(macs[0], macs[1])
        .ipv4(ips[0], ips[1], TIME_TO_LIVE)
        .tcp(from, to, number(packet.offset), window)
        .ack(number(packet.acknowledged))
        .options(&vec![TcpOptionElement::Noop; options])
        .expect("they are no longer than TCP allows");
    builder.write(bytes, &vec![0; payload]).expect("the lengths fit their fields");
}

/// The sequence number of a byte of a stream, whose first has 1. Source: RFC 9293, 3.4: modulo 2^32.
const fn number(offset: u64) -> u32 {
    (offset as u32).wrapping_add(1)
}

/// Client data that fits an IPv4 packet.
fn data_bytes(frame: &Frame) -> usize {
    (frame.data_bytes as usize).min(LONGEST_PACKET)
}
