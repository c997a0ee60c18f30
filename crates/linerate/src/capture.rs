//! Capture files (pcapng), for Wireshark and similar tools: the frames at a model's ports, and packets of traced messages.

pub(crate) mod messages;
mod packet;
mod pcapng;

use std::io::{self, BufWriter, Write};

use linerate_core::generator::GENERATOR;
use linerate_sim::fabric::Seen;
use linerate_sim::stack::Kind;
use linerate_sim::trace::{Passage, Trace};
use pcapng::{Capture, Direction, Link, Packet};

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
fn buffered(out: impl Write, blocks: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::new(out);
    blocks(&mut buffered)?;
    buffered.flush()
}

/// The beginning of a file: what it is about, and who wrote it.
fn begin<'a>(out: &'a mut dyn Write, about: &str) -> io::Result<Capture<'a>> {
    Capture::begin(out, about, GENERATOR)
}

fn write_blocks(trace: &Trace, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let about = match trace.left_out() {
        0 => "a modelled network".to_owned(),
        more => format!("a modelled network; {more} more passages were left out"),
    };
    let mut capture = begin(out, &about)?;
    for station in 0..form.stations {
        capture.interface(Link::Ethernet, &format!("station {station}"), Some(packet::mac(station)))?;
    }
    let mut bytes = Vec::new();
    for passage in trace.passages() {
        packet::build(passage, form.kind, &mut bytes);
        capture.packet(frame(passage, &bytes))?;
    }
    Ok(())
}

fn frame<'a>(passage: &Passage, bytes: &'a [u8]) -> Packet<'a> {
    Packet {
        interface: passage.port.0,
        time_ns: passage.time.as_ps() / 1000,
        length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        bytes,
        direction: match passage.seen {
            Seen::Sent => Direction::Outbound,
            Seen::Received => Direction::Inbound,
        },
        comment: None,
    }
}

#[cfg(test)]
mod tests;
