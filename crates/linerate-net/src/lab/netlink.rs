//! Requests to the kernel's routing netlink, one at a time.
//!
//! A socket belongs to the network namespace of the thread that opened it, whoever uses it then.
//!
//! Source: netlink(7), rtnetlink(7).

use std::io;

use netlink_packet_core::{
    ErrorMessage, NLM_F_ACK, NLM_F_ACK_TLVS, NLM_F_CAPPED, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage,
    NetlinkPayload, NlasIterator,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// The request that an error repeats has this much of itself left if it is cut.  Source: `struct nlmsghdr`.
const HEADER_BYTES: usize = 16;
/// The attribute of an error that says in words what is wrong.  Source: `linux/netlink.h`, `NLMSGERR_ATTR_MSG`.
const IN_WORDS: u16 = 1;

/// A socket for changes of the network of one namespace.
pub(super) struct Netlink {
    socket: Socket,
    /// The number of the last request.
    last: u32,
}

impl Netlink {
    /// Opens one in this thread's namespace.
    pub(super) fn open() -> io::Result<Self> {
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
    pub(super) fn change(&mut self, change: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
        self.last += 1;
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
        header.sequence_number = self.last;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(change));
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
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
