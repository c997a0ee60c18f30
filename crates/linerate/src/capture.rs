//! Capture files (pcapng), for Wireshark and similar tools: the frames at a model's ports, and packets of traced messages.

pub(crate) mod messages;
mod packet;

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use linerate_sim::fabric::Seen;
use linerate_sim::stack::Kind;
use linerate_sim::trace::{Passage, Trace};
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock as _, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

/// Timestamps count this many decimal places of a second. Source: draft-ietf-opsawg-pcapng, if_tsresol.
const NANOSECONDS: u8 = 9;
/// Direction of a frame in its flags. Source: draft-ietf-opsawg-pcapng, epb_flags, bits 0 and 1.
const INBOUND: u32 = 1;
/// See [`INBOUND`].
const OUTBOUND: u32 = 2;

/// What a trace does not contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Stations of the network; each is an interface.
    pub(crate) stations: u32,
    /// Whether packets of a plain flow are segments of a stream (TCP) or datagrams (UDP).
    pub(crate) kind: Kind,
}

/// Writes `trace` as pcapng: an interface a station, times in nanoseconds rounded down, frames
/// without preamble and check sequence, whatever the medium was.
///
/// # Errors
///
/// When writing to `out` fails.
pub(crate) fn write(trace: &Trace, form: Form, out: impl Write) -> io::Result<()> {
    buffered(out, |out| write_blocks(trace, form, out))
}

/// Writes what `blocks` writes.
fn buffered(out: impl Write, blocks: impl FnOnce(&mut dyn Write) -> Result<(), PcapError>) -> io::Result<()> {
    let mut buffered = BufWriter::new(out);
    blocks(&mut buffered).map_err(|error| match error {
        PcapError::IoError(error) => error,
        error => io::Error::other(error),
    })?;
    buffered.flush()
}

/// The beginning of a file: what it is about, and who wrote it.
fn section(about: String) -> SectionHeaderBlock<'static> {
    let program = format!("linerate {}", env!("CARGO_PKG_VERSION"));
    SectionHeaderBlock {
        endianness: Endianness::Little,
        options: vec![
            SectionHeaderOption::Comment(Cow::Owned(about)),
            SectionHeaderOption::UserApplication(Cow::Owned(program)),
        ],
        ..SectionHeaderBlock::default()
    }
}

fn write_blocks(trace: &Trace, form: Form, out: &mut dyn Write) -> Result<(), PcapError> {
    let about = match trace.left_out() {
        0 => "a modelled network".to_owned(),
        more => format!("a modelled network; {more} more passages were left out"),
    };
    let mut writer = PcapNgWriter::with_section_header(out, section(about))?;
    for station in 0..form.stations {
        writer.write_block(&interface(station).into_block())?;
    }
    let mut bytes = Vec::new();
    for passage in trace.passages() {
        packet::build(passage, form.kind, &mut bytes);
        writer.write_block(&block(passage, &bytes).into_block())?;
    }
    Ok(())
}

fn interface(station: u32) -> InterfaceDescriptionBlock<'static> {
    InterfaceDescriptionBlock {
        linktype: DataLink::ETHERNET,
        snaplen: 0,
        options: vec![
            InterfaceDescriptionOption::IfName(Cow::Owned(format!("station {station}"))),
            InterfaceDescriptionOption::IfMacAddr(Cow::Owned(packet::mac(station).to_vec())),
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
        ],
    }
}

fn block<'a>(passage: &Passage, bytes: &'a [u8]) -> EnhancedPacketBlock<'a> {
    let direction = match passage.seen {
        Seen::Sent => OUTBOUND,
        Seen::Received => INBOUND,
    };
    EnhancedPacketBlock {
        interface_id: passage.port.0,
        timestamp: Duration::from_nanos(passage.time.as_ps() / 1000),
        original_len: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        data: Cow::Borrowed(bytes),
        options: vec![EnhancedPacketOption::Flags(direction)],
    }
}

#[cfg(test)]
mod tests;
