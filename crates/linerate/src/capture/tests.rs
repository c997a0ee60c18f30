use etherparse::SlicedPacket;
use linerate_core::units::Time;
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::blocks::section_header::SectionHeaderOption;
use pcap_file::pcapng::{Block, PcapNgReader};

use super::*;

fn frame(content: Content, data_bytes: u32) -> Frame {
    let destination = Destination::Station(Station(258));
    Frame { source: Station(0), destination, data_bytes, content, offered: Time::ZERO }
}

fn packet(length: u32) -> linerate_sim::frame::Packet {
    linerate_sim::frame::Packet {
        flow: 3,
        forward: true,
        offset: (1 << 32) + 10,
        length,
        acknowledged: 5,
        edge: 1005,
    }
}

fn passage(frame: &Frame) -> Passage {
    Passage { time: Time::ZERO, port: Port(0), seen: Seen::Sent, frame: *frame, segment: None }
}

fn built(frame: &Frame, kind: Kind) -> Vec<u8> {
    let mut bytes = vec![7; 9];
    packet::build(&passage(frame), kind, &mut bytes);
    bytes
}

#[test]
fn load_is_a_datagram_as_long_as_its_frame() {
    for data_bytes in [46, 47, 1500, 9000, 65_280] {
        let bytes = built(&frame(Content::Load(4), data_bytes), Kind::Stream);
        assert_eq!(bytes.len(), 14 + data_bytes as usize);
        let sliced = SlicedPacket::from_ethernet(&bytes).expect("it is a packet");
        let Some(etherparse::TransportSlice::Udp(udp)) = sliced.transport else { panic!("{sliced:?}") };
        assert_eq!(udp.payload().len(), data_bytes as usize - 28);
        assert_eq!(&bytes[..12], [2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 0], "to station 258 from station 0");
        assert_eq!(&bytes[26..34], [10, 0, 0, 1, 10, 0, 1, 3], "one more than the number");
    }
}

#[test]
fn a_segment_has_its_place_in_the_stream_and_options_that_fill_the_header() {
    for (header, options) in [(40, 0), (52, 12), (80, 40), (100, 40)] {
        let length = 100;
        let bytes = built(&frame(Content::Packet(packet(length)), header + length), Kind::Stream);
        assert_eq!(bytes.len(), 14 + (header + length) as usize);
        let sliced = SlicedPacket::from_ethernet(&bytes).expect("it is a packet");
        let Some(etherparse::TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("{sliced:?}") };
        assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number(), tcp.window_size()), (11, 6, 1000));
        assert_eq!(tcp.options().len(), options);
        assert_eq!((tcp.source_port(), tcp.destination_port()), (49_158, 49_159));
    }
}

#[test]
fn what_is_short_is_padded_and_a_datagram_is_udp() {
    let bytes = built(&frame(Content::Packet(packet(1)), 29), Kind::Datagram);
    assert_eq!(bytes.len(), 60);
    let sliced = SlicedPacket::from_ethernet(&bytes).expect("it is a packet");
    let Some(etherparse::TransportSlice::Udp(udp)) = sliced.transport else { panic!("{sliced:?}") };
    assert_eq!(udp.payload().len(), 1);
    // An ATM cell's worth is less than the headers: they alone are shown.
    assert_eq!(built(&frame(Content::Load(0), 10), Kind::Datagram).len(), 60);
}

#[test]
fn pause_is_a_mac_control_frame() {
    let link = Frame { destination: Destination::Link, ..frame(Content::Pause { quanta: 0xabcd }, 46) };
    let bytes = built(&link, Kind::Stream);
    let head = [1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0x88, 0x08, 0, 1, 0xab, 0xcd];
    assert_eq!(&bytes[..18], head);
    assert!(bytes.len() == 60 && bytes[18..].iter().all(|byte| *byte == 0));
}

#[test]
fn times_ports_and_directions_are_in_the_file() {
    let mut trace = Trace::new(2);
    let frame = frame(Content::Load(0), 46);
    trace.record(Passage { time: Time::from_ps(1_999), port: Port(0), seen: Seen::Sent, ..passage(&frame) });
    trace.record(Passage {
        time: Time::from_ps(7_000_000_123_456),
        port: Port(1),
        seen: Seen::Received,
        ..passage(&frame)
    });
    trace.record(Passage {
        time: Time::from_ps(8_000_000_000_000),
        port: Port(1),
        seen: Seen::Received,
        ..passage(&frame)
    });
    let mut file = Vec::new();
    write(&trace, Form { stations: 2, kind: Kind::Stream }, &mut file).expect("a Vec takes all");
    let mut reader = PcapNgReader::new(&file[..]).expect("it is pcapng");
    let (mut names, mut packets) = (Vec::new(), Vec::new());
    while let Some(block) = reader.next_block() {
        match block.expect("it is sound") {
            Block::InterfaceDescription(interface) => {
                let name = |option: &InterfaceDescriptionOption<'_>| match option {
                    InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                };
                names.extend(interface.options.iter().find_map(name));
            }
            Block::EnhancedPacket(packet) => packets.push((
                packet.interface_id,
                packet.timestamp.as_nanos(),
                packet.options == [EnhancedPacketOption::Flags(if packet.interface_id == 0 { 2 } else { 1 })],
            )),
            _ => {}
        }
    }
    assert_eq!(names, ["station 0", "station 1"]);
    assert_eq!(packets, [(0, 1, true), (1, 7_000_000_123, true)]);
}

/// Of every length that is padded otherwise, read back by a reader that is not ours.
#[test]
fn what_is_written_is_read_back_with_its_options() {
    let mut file = Vec::new();
    let texts = ["", "a", "ab", "abc", "abcd"];
    let mut capture = Capture::begin(&mut file, "about", "a test 1").expect("a Vec takes all");
    for (link, mac) in [(Link::Ethernet, Some([1, 2, 3, 4, 5, 6])), (Link::Ip, None)] {
        capture.interface(link, "name", mac).expect("the same");
    }
    for (nth, text) in (0..).zip(texts) {
        let direction = Direction::Outbound;
        let time_ns = (1 << 60) + nth;
        let packet = Packet {
            interface: 1,
            time_ns,
            length: 1500,
            bytes: text.as_bytes(),
            direction,
            comment: Some(text),
        };
        capture.packet(packet).expect("the same");
    }
    assert_eq!(file.len() % 4, 0);
    let mut reader = PcapNgReader::new(&file[..]).expect("it is pcapng");
    let section = &reader.section().options;
    let about = SectionHeaderOption::Comment("about".into());
    assert_eq!(section[..], [about, SectionHeaderOption::UserApplication("a test 1".into())]);
    let (mut interfaces, mut packets) = (Vec::new(), 0);
    while let Some(block) = reader.next_block() {
        match block.expect("it is sound") {
            Block::InterfaceDescription(it) => {
                assert!(it.options.contains(&InterfaceDescriptionOption::IfName("name".into())));
                assert!(it.options.contains(&InterfaceDescriptionOption::IfTsResol(9)));
                let mac = InterfaceDescriptionOption::IfMacAddr(vec![1, 2, 3, 4, 5, 6].into());
                interfaces.push((u32::from(it.linktype), it.snaplen, it.options.contains(&mac)));
            }
            Block::EnhancedPacket(it) => {
                let text = texts[packets];
                assert_eq!((it.interface_id, it.original_len, &it.data[..]), (1, 1500, text.as_bytes()));
                assert_eq!(it.timestamp.as_nanos(), (1 << 60) + packets as u128);
                let comment = EnhancedPacketOption::Comment(text.into());
                assert_eq!(it.options, [comment, EnhancedPacketOption::Flags(2)]);
                packets += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((interfaces, packets), (vec![(1, 0, true), (101, 0, false)], texts.len()));
}

/// What Wireshark's dissectors find for `fields` of `trace`, a line a frame. Absent without tshark.
fn dissected(trace: &Trace, form: Form, fields: &[&str]) -> Option<Vec<String>> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&paths).any(|folder| folder.join("tshark").is_file()) {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "tshark is missing");
        eprintln!("skipped: tshark is missing");
        return None;
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    write(trace, form, &file).expect("there is room");
    let mut command = std::process::Command::new("tshark");
    command.arg("-r").arg(file.path());
    for setting in ["ip.check_checksum:TRUE", "udp.check_checksum:TRUE", "tcp.check_checksum:TRUE"] {
        command.args(["-o", setting]);
    }
    command.args(["-T", "fields"]);
    fields.iter().for_each(|field| {
        command.args(["-e", field]);
    });
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("it says text");
    Some(text.lines().map(|line| line.trim_end().replace('\t', " ")).collect())
}

#[test]
fn wireshark_reads_every_kind_of_frame() {
    let mut trace = Trace::new(10);
    let link = Frame { destination: Destination::Link, ..frame(Content::Pause { quanta: 4660 }, 46) };
    let everyone = Frame { destination: Destination::Everyone, ..frame(Content::Load(1), 200) };
    let frames = [frame(Content::Load(0), 46), everyone, frame(Content::Packet(packet(100)), 152), link];
    for (nth, frame) in (1..).zip(&frames) {
        trace.record(Passage {
            time: Time::from_ps(nth * 1_000_000),
            port: Port(0),
            seen: Seen::Sent,
            ..passage(frame)
        });
    }
    let form = Form { stations: 1, kind: Kind::Stream };
    let fields = [
        "frame.time_epoch",
        "frame.interface_name",
        "frame.packet_flags_direction",
        "frame.protocols",
        "frame.len",
        "udp.length",
        "tcp.len",
        "macc.pause_time",
        "ip.checksum.status",
        "udp.checksum.status",
        "tcp.checksum.status",
        "_ws.malformed",
    ];
    let Some(lines) = dissected(&trace, form, &fields) else { return };
    // 1 is a checksum that is good; an empty field is two blanks in a row.
    let wanted = [
        "0.000001000 station 0 0x00000002 eth:ethertype:ip:udp:data 60 26   1 1",
        "0.000002000 station 0 0x00000002 eth:ethertype:ip:udp:data 214 180   1 1",
        "0.000003000 station 0 0x00000002 eth:ethertype:ip:tcp:data 166  100  1  1",
        "0.000004000 station 0 0x00000002 eth:ethertype:macc 60   4660",
    ];
    assert_eq!(lines, wanted);
}
