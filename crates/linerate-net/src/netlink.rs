//! Requests to the kernel's routing netlink, one at a time.
//!
//! A socket belongs to the network namespace of the thread that opened it, whoever uses it then.
//!
//! Source: netlink(7), rtnetlink(7).

pub(crate) mod bucket;

use std::io;

use netlink_packet_core::{
    ErrorMessage, NLM_F_ACK, NLM_F_ACK_TLVS, NLM_F_CAPPED, NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader,
    NetlinkMessage, NetlinkPayload, NlasIterator,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};
use nix::net::if_::if_nametoindex;

/// The request that an error repeats has this much of itself left if it is cut.  Source: `struct nlmsghdr`.
const HEADER_BYTES: usize = 16;
/// Types of messages that are no objects.  Source: `linux/netlink.h`.
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
/// The attribute of an error that says in words what is wrong.  Source: `linux/netlink.h`, `NLMSGERR_ATTR_MSG`.
const IN_WORDS: u16 = 1;

/// A socket for changes of the network of one namespace.
pub(crate) struct Netlink {
    socket: Socket,
    /// The number of the last request.
    last: u32,
}

impl Netlink {
    /// Opens one in this thread's namespace.
    pub(crate) fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        socket.set_cap_ack(true)?;
        socket.set_ext_ack(true)?;
        Ok(Self { socket, last: 0 })
    }

    /// Asks for a change and waits until it is made; `flags` are those besides "request" and "acknowledge".
    ///
    /// Errors: why the kernel refuses, in its words where it has some.
    pub(crate) fn change(&mut self, change: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
        self.send(change, NLM_F_ACK | flags)?;
        self.acknowledged()
    }

    /// Asks for the change `kind` whose message, without its header, is `body`: one that a dump has shown.
    ///
    /// Errors: as of [`Netlink::change`].
    pub(crate) fn replay(&mut self, kind: u16, body: &[u8], flags: u16) -> io::Result<()> {
        self.last += 1;
        let length = u32::try_from(HEADER_BYTES + body.len()).map_err(io::Error::other)?;
        let flags = NLM_F_REQUEST | NLM_F_ACK | flags;
        let head = [length.to_ne_bytes(), pair(kind, flags), self.last.to_ne_bytes(), [0; 4]];
        self.socket.send(&[head.as_flattened(), body].concat(), 0)?;
        self.acknowledged()
    }

    fn acknowledged(&mut self) -> io::Result<()> {
        loop {
            let (bytes, _) = self.socket.recv_from_full()?;
            let answer =
                NetlinkMessage::<RouteNetlinkMessage>::deserialize(&bytes).map_err(io::Error::other)?;
            match answer.payload {
                NetlinkPayload::Error(error) if answer.header.sequence_number == self.last => {
                    return outcome(&error, answer.header.flags);
                }
                _ => {}
            }
        }
    }
}

impl Netlink {
    /// Every object of the kind that `question` asks for: the body of each message, undecoded, because what some
    /// queues say of themselves is no list of attributes.
    ///
    /// Errors: why the kernel refuses, or that an answer cannot be understood.
    pub(crate) fn dump(&mut self, question: RouteNetlinkMessage) -> io::Result<Vec<Vec<u8>>> {
        self.send(question, NLM_F_DUMP)?;
        let mut found = Vec::new();
        loop {
            let (bytes, _) = self.socket.recv_from_full()?;
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (kind, sequence, body) = first_message(&mut rest).ok_or(io::ErrorKind::InvalidData)?;
                match kind {
                    _ if sequence != self.last => {}
                    NLMSG_DONE => return Ok(found),
                    NLMSG_ERROR => return Err(refusal(body)),
                    _ => found.push(body.to_vec()),
                }
            }
        }
    }

    fn send(&mut self, message: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
        self.last += 1;
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        header.sequence_number = self.last;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(message));
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        Ok(())
    }
}

fn pair(a: u16, b: u16) -> [u8; 4] {
    let ([a, b], [c, d]) = (a.to_ne_bytes(), b.to_ne_bytes());
    [a, b, c, d]
}

/// The number of a link in this thread's namespace.
pub(crate) fn index(name: &str) -> io::Result<u32> {
    Ok(if_nametoindex(name)?)
}

/// The attributes in `bytes`, up to the first that is not whole: their number and value.
pub(crate) fn attributes(bytes: &[u8]) -> Vec<(u16, &[u8])> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some((&[a, b, c, d], _)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_ne_bytes([a, b]));
        let Some(value) = rest.get(4..length) else { break };
        // The two highest bits say how the value is written.
        found.push((u16::from_ne_bytes([c, d]) & 0x3fff, value));
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    found
}

/// Takes the first message off `rest`: its type, sequence number and body.
fn first_message<'a>(rest: &mut &'a [u8]) -> Option<(u16, u32, &'a [u8])> {
    let head: [u8; HEADER_BYTES] = *rest.first_chunk()?;
    let [a, b, c, d, e, f, _, _, g, h, i, j, ..] = head;
    let length = usize::try_from(u32::from_ne_bytes([a, b, c, d])).ok()?;
    let body = rest.get(HEADER_BYTES..length)?;
    *rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some((u16::from_ne_bytes([e, f]), u32::from_ne_bytes([g, h, i, j]), body))
}

/// The error whose negative number begins `body`.
fn refusal(body: &[u8]) -> io::Error {
    match body.first_chunk() {
        Some(code) => io::Error::from_raw_os_error(-i32::from_ne_bytes(*code)),
        None => io::ErrorKind::InvalidData.into(),
    }
}

/// What an acknowledgement says.
fn outcome(error: &ErrorMessage, flags: u16) -> io::Result<()> {
    if error.code.is_none() {
        return Ok(());
    }
    let plain = error.to_io();
    let capped = flags & (NLM_F_CAPPED | NLM_F_ACK_TLVS) == NLM_F_CAPPED | NLM_F_ACK_TLVS;
    match error.header.get(HEADER_BYTES..).filter(|_| capped).and_then(in_words) {
        Some(words) => Err(io::Error::new(plain.kind(), words)),
        None => Err(plain),
    }
}

/// The kernel's sentence among the attributes of an error.
fn in_words(attributes: &[u8]) -> Option<String> {
    let words = NlasIterator::new(attributes).flatten().find(|attribute| attribute.kind() == IN_WORDS)?;
    let bytes = words.value().split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(bytes).trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_that_is_cut_ends_the_list() {
        let bytes = [[6_u16, 7].map(u16::to_ne_bytes).concat(), vec![1, 2, 0, 0, 200, 0, 1, 0]].concat();
        assert_eq!(attributes(&bytes), [(7, &[1_u8, 2][..])]);
        assert_eq!(attributes(&[0; 8]), [], "a length of 0 ends too");
    }

    #[test]
    fn messages_come_off_one_by_one_and_a_cut_one_not_at_all() {
        let message = |kind: u16| {
            [
                18_u32.to_ne_bytes().to_vec(),
                kind.to_ne_bytes().to_vec(),
                vec![0; 2],
                9_u32.to_ne_bytes().to_vec(),
            ]
            .into_iter()
            .flatten()
            .chain([0, 0, 0, 0, 5, 6, 0, 0])
            .collect::<Vec<u8>>()
        };
        let bytes = [message(16), message(3)].concat();
        let mut rest = bytes.as_slice();
        assert_eq!(first_message(&mut rest), Some((16, 9, &[5_u8, 6][..])));
        assert_eq!(first_message(&mut rest), Some((3, 9, &[5_u8, 6][..])));
        assert_eq!(rest, b"");
        assert_eq!(first_message(&mut &bytes[..17]), None);
    }
}
