//! Our segments as bytes, built by one library and understood by another.

use etherparse::{TcpHeader, TcpOptionElement};
use linerate_sim::ip::Codepoint;
use linerate_sim::tcp::{Flags, SackBlocks, Segment};
use proptest::prelude::*;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{IpAddress, Ipv4Address, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber};

const CLIENT: [u8; 4] = [10, 0, 0, 1];
const SERVER: [u8; 4] = [10, 0, 0, 2];

/// The options of a segment, laid out as Linux does: timestamps take SACK-permitted into their
/// padding (RFC 7323, appendix A; RFC 2018).
fn options(segment: &Segment) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp,
        WindowScale,
    };
    let mut options = Vec::new();
    options.extend(segment.mss.map(MaximumSegmentSize));
    let padding =
        || if segment.sack_permitted { vec![SelectiveAcknowledgementPermitted] } else { vec![Noop; 2] };
    if let Some([value, echo]) = segment.timestamps {
        options.extend(padding());
        options.push(Timestamp(value, echo));
    } else if segment.sack_permitted {
        options.extend([Noop, Noop]);
        options.extend(padding());
    }
    if let Some(shift) = segment.window_scale {
        options.extend([Noop, WindowScale(shift)]);
    }
    let mut blocks = segment.sack.as_slice().iter().map(|[from, to]| (*from as u32, *to as u32));
    if let Some(first) = blocks.next() {
        options.extend([Noop, Noop, SelectiveAcknowledgement(first, std::array::from_fn(|_| blocks.next()))]);
    }
    options
}

fn encoded(segment: &Segment) -> Vec<u8> {
    let Flags { syn, ack, fin, push, reset, ece, cwr } = segment.flags;
    let mut header = TcpHeader::new(5001, 5002, segment.sequence as u32, segment.window);
    (header.syn, header.fin, header.psh, header.rst, header.ack) = (syn, fin, push, reset, ack);
    (header.ece, header.cwr) = (ece, cwr);
    if ack {
        header.acknowledgment_number = segment.acknowledgement as u32;
    }
    header.set_options(&options(segment)).expect("40 bytes of options suffice");
    let payload = vec![0x55; segment.length as usize];
    header.checksum = header.calc_checksum_ipv4_raw(CLIENT, SERVER, &payload).expect("it is short enough");
    let mut bytes = header.to_bytes().to_vec();
    assert_eq!(bytes.len() + 20, segment.header_bytes() as usize, "header of {segment:?}");
    bytes.extend_from_slice(&payload);
    bytes
}

/// What smoltcp reads in a segment, or would if it were one of its own.
pub(crate) fn check(segment: &Segment) {
    let bytes = encoded(segment);
    let packet = TcpPacket::new_checked(&bytes[..]).expect("smoltcp takes the packet");
    let address = |octets| IpAddress::Ipv4(Ipv4Address::from(octets));
    let every_check = ChecksumCapabilities::default();
    let repr = TcpRepr::parse(&packet, &address(CLIENT), &address(SERVER), &every_check);
    let repr = repr.unwrap_or_else(|_| panic!("smoltcp reads {segment:?}"));

    let control = match segment.flags {
        Flags { syn: true, .. } => TcpControl::Syn,
        Flags { reset: true, .. } => TcpControl::Rst,
        Flags { fin: true, .. } => TcpControl::Fin,
        Flags { push: true, .. } => TcpControl::Psh,
        Flags { .. } => TcpControl::None,
    };
    assert_eq!(repr.control, control);
    assert_eq!([packet.ece(), packet.cwr()], [segment.flags.ece, segment.flags.cwr]);
    assert_eq!(repr.seq_number, TcpSeqNumber(segment.sequence as i32));
    let acknowledged = TcpSeqNumber(segment.acknowledgement as i32);
    assert_eq!(repr.ack_number, segment.flags.ack.then_some(acknowledged));
    assert_eq!(repr.window_len, segment.window);
    assert_eq!(repr.max_seg_size, segment.mss);
    assert_eq!(repr.window_scale, segment.window_scale);
    assert_eq!(repr.sack_permitted, segment.sack_permitted);
    assert_eq!(repr.timestamp.map(|stamp| [stamp.tsval, stamp.tsecr]), segment.timestamps);
    // Of four ranges smoltcp keeps the first three.
    let ranges: Vec<_> = repr.sack_ranges.iter().flatten().map(|(from, to)| [*from, *to]).collect();
    let ours = segment.sack.as_slice().iter().map(|range| range.map(|place| place as u32));
    assert_eq!(ranges, ours.take(3).collect::<Vec<_>>());
    assert_eq!(repr.payload.len(), segment.length as usize);
    assert_eq!(repr.segment_len() as u64, segment.end() - segment.sequence);
}

prop_compose! {
    fn any_segment()(
        positions in prop::array::uniform2(any::<u64>().prop_map(|place| place >> 20)),
        length in prop_oneof![Just(0), 1_u32..9000],
        kind in 0..5,
        push in any::<bool>(),
        congestion in any::<[bool; 2]>(),
        window in any::<u16>(),
        of_syn in (prop::option::of(any::<u16>()), prop::option::of(0_u8..=14), any::<bool>()),
        timestamps in prop::option::of(any::<[u32; 2]>()),
        ranges in prop::collection::vec((1_u64..1 << 40, 1_u64..1 << 20), 0..=4),
    ) -> Segment {
        let syn = kind == 1 || kind == 2;
        let [ece, cwr] = congestion;
        let (fin, push, reset) = (kind == 3, push && kind == 0, kind == 4);
        let flags = Flags { syn, ack: kind != 1, fin, push, reset, ece, cwr };
        let mut sack = SackBlocks::default();
        if !syn {
            // Of the 40 bytes, timestamps leave room for three ranges (RFC 2018, section 3).
            let room = if timestamps.is_some() { 3 } else { 4 };
            ranges.iter().take(room).for_each(|(from, length)| sack.push([*from, from + length]));
        }
        let (mss, window_scale, sack_permitted) = if syn { of_syn } else { (None, None, false) };
        Segment {
            sequence: if syn { 0 } else { positions[0] },
            length: if syn { 0 } else { length },
            flags,
            acknowledgement: if flags.ack { positions[1] } else { 0 },
            window,
            mss,
            window_scale,
            sack_permitted,
            timestamps,
            sack,
            ecn: Codepoint::NotCapable,
            parts: 1,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_segment_is_understood_by_another_library(segment in any_segment()) {
        check(&segment);
    }
}
