//! The blocks of a capture file. Source: draft-ietf-opsawg-pcapng, sections 3 and 4.

use std::io::{self, Write};

/// Block types: 4.1, 4.2, 4.3.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Tells a reader the byte order of numbers: here the least significant first.
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Version 1.0.
const VERSION: [u16; 2] = [1, 0];
/// The length of a section, where it is not known in advance.
const UNKNOWN_LENGTH: u64 = u64::MAX;
/// Options: 3.5, 4.1, 4.2, 4.3.
const COMMENT: u16 = 1;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const MAC_ADDRESS: u16 = 6;
const TIME_RESOLUTION: u16 = 9;
const FLAGS: u16 = 2;
/// Timestamps count this many decimal places of a second.
const NANOSECONDS: u8 = 9;

/// What the packets of an interface begin with. The values are link types of <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug)]
pub(super) enum Link {
    /// With the header of Ethernet.
    Ethernet = 1,
    /// With that of IPv4 or IPv6.
    Ip = 101,
}

/// Where a packet was seen. The values are those of epb_flags, bits 0 and 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    Inbound = 1,
    Outbound = 2,
}

/// A packet as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<'a> {
    /// The number of its interface, from 0.
    pub(super) interface: u32,
    /// Since 1970 in UTC.
    pub(super) time_ns: u64,
    /// Its length, of which `bytes` are the first.
    pub(super) length: u32,
    pub(super) bytes: &'a [u8],
    pub(super) direction: Direction,
    pub(super) comment: Option<&'a str>,
}

/// A capture file of one section.
pub(super) struct Capture<'a>(&'a mut dyn Write);

impl<'a> Capture<'a> {
    /// Begins a file: what it is about, and which program wrote it.
    pub(super) fn begin(out: &'a mut dyn Write, about: &str, program: &str) -> io::Result<Self> {
        let [major, minor] = VERSION.map(u16::to_le_bytes);
        let mut body = [&BYTE_ORDER_MAGIC.to_le_bytes()[..], &major, &minor].concat();
        body.extend(UNKNOWN_LENGTH.to_le_bytes());
        let options = [(COMMENT, about.as_bytes()), (USER_APPLICATION, program.as_bytes())];
        let mut capture = Self(out);
        capture.block(SECTION_HEADER, body, &options)?;
        Ok(capture)
    }

    /// Describes an interface. The first has number 0.
    pub(super) fn interface(&mut self, link: Link, name: &str, mac: Option<[u8; 6]>) -> io::Result<()> {
        // A reserved field, and no limit to the length of packets.
        let body = [&(link as u16).to_le_bytes()[..], &[0; 2], &[0; 4]].concat();
        let mut options = vec![(INTERFACE_NAME, name.as_bytes())];
        options.extend(mac.as_ref().map(|mac| (MAC_ADDRESS, &mac[..])));
        options.push((TIME_RESOLUTION, &[NANOSECONDS]));
        self.block(INTERFACE_DESCRIPTION, body, &options)
    }

    pub(super) fn packet(&mut self, packet: Packet<'_>) -> io::Result<()> {
        let time = [(packet.time_ns >> 32) as u32, packet.time_ns as u32];
        let fields = [packet.interface, time[0], time[1], packet.bytes.len() as u32, packet.length];
        let mut body = fields.map(u32::to_le_bytes).concat();
        push_padded(&mut body, packet.bytes);
        let flags = (packet.direction as u32).to_le_bytes();
        let comment = packet.comment.map(|comment| (COMMENT, comment.as_bytes()));
        let options: Vec<_> = comment.into_iter().chain([(FLAGS, &flags[..])]).collect();
        self.block(ENHANCED_PACKET, body, &options)
    }

    /// A block (3.1): its length stands before and after it. An option (3.5) of length zero is the last.
    fn block(&mut self, kind: u32, mut body: Vec<u8>, options: &[(u16, &[u8])]) -> io::Result<()> {
        for (code, value) in options.iter().chain(&[(0, &[][..])]) {
            let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
            body.extend([*code, length].map(u16::to_le_bytes).concat());
            push_padded(&mut body, &value[..length.into()]);
        }
        let length = u32::try_from(body.len() + 12).map_err(io::Error::other)?.to_le_bytes();
        [&kind.to_le_bytes()[..], &length, &body, &length].iter().try_for_each(|part| self.0.write_all(part))
    }
}

/// Appends `bytes`, with zeros up to a multiple of four.
fn push_padded(body: &mut Vec<u8>, bytes: &[u8]) {
    body.extend(bytes);
    body.resize(body.len().next_multiple_of(4), 0);
}
