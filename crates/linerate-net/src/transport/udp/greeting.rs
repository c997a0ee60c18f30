//! The datagrams by which each end proves to the other that it wants the traffic.

use crate::transport::Preface;
use crate::transport::datagram::Cookie;
use crate::transport::preface::PREFACE_LEN;

/// Length of everything that the initiator sends before the flow. Unit: bytes.
pub const REQUEST_LEN: usize = 96;
/// Length of every answer: less than what it answers, so that nobody can use the server to amplify
/// traffic. Unit: bytes.
pub const REPLY_LEN: usize = 64;
const MAGIC: [u8; 8] = *b"lineudp1";
const COOKIE_LEN: usize = 16;

/// What the initiator sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The token of the conversation.
    pub token: [u8; 16],
    /// The number of the flow.
    pub flow: u32,
    /// Random bytes of the initiator.
    pub client: Cookie,
    /// Which of the two requests it is: a proof holds the responder's cookie.
    pub proof: Option<Cookie>,
}

/// What the responder sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The number of the flow.
    pub flow: u32,
    /// The beginning end's cookie, as it came.
    pub client: Cookie,
    /// The answering end's cookie, which is also the channel's.
    pub server: Cookie,
    /// Which of the two replies it is: an acceptance names the port of the flow.
    pub port: Option<u16>,
}

/// Any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greeting {
    /// From the initiator.
    Request(Request),
    /// From the responder.
    Reply(Reply),
}

const HELLO: u8 = 1;
const ECHO: u8 = 2;
const PROOF: u8 = 3;
const ACCEPT: u8 = 4;

impl Request {
    /// Writes the request.
    #[must_use]
    pub fn encode(&self) -> [u8; REQUEST_LEN] {
        let kind = if self.proof.is_some() { PROOF } else { HELLO };
        let mut bytes = [0; REQUEST_LEN];
        let (head, rest) = bytes.split_at_mut(HEAD_LEN);
        head.copy_from_slice(&head_of(kind));
        let preface = Preface { token: self.token, flow: self.flow };
        rest[..PREFACE_LEN].copy_from_slice(&preface.encode());
        rest[PREFACE_LEN..][..COOKIE_LEN].copy_from_slice(&self.client.0);
        let server = self.proof.map_or([0; COOKIE_LEN], |cookie| cookie.0);
        rest[PREFACE_LEN + COOKIE_LEN..][..COOKIE_LEN].copy_from_slice(&server);
        bytes
    }
}

impl Reply {
    /// Writes the reply.
    #[must_use]
    pub fn encode(&self) -> [u8; REPLY_LEN] {
        let kind = if self.port.is_some() { ACCEPT } else { ECHO };
        let mut bytes = [0; REPLY_LEN];
        let parts: [&[u8]; 5] = [
            &head_of(kind),
            &self.flow.to_be_bytes(),
            &self.client.0,
            &self.server.0,
            &self.port.unwrap_or(0).to_be_bytes(),
        ];
        let mut rest = &mut bytes[..];
        for part in parts {
            let (now, later) = rest.split_at_mut(part.len());
            now.copy_from_slice(part);
            rest = later;
        }
        bytes
    }
}

impl Greeting {
    /// Reads one, or `None` if the bytes are not exactly one of them.
    #[must_use]
    pub fn decode(datagram: &[u8]) -> Option<Self> {
        let (head, rest) = datagram.split_first_chunk::<HEAD_LEN>()?;
        let kind = head[MAGIC.len()];
        let greeting = match (kind, datagram.len()) {
            (HELLO | PROOF, REQUEST_LEN) => {
                let (preface, rest) = rest.split_first_chunk()?;
                let (client, rest) = rest.split_first_chunk()?;
                let server = Cookie(*rest.first_chunk()?);
                let Preface { token, flow } = Preface::decode(preface);
                let proof = (kind == PROOF).then_some(server);
                Self::Request(Request { token, flow, client: Cookie(*client), proof })
            }
            (ECHO | ACCEPT, REPLY_LEN) => {
                let (flow, rest) = rest.split_first_chunk()?;
                let (client, rest) = rest.split_first_chunk()?;
                let (server, rest) = rest.split_first_chunk()?;
                let port = u16::from_be_bytes(*rest.first_chunk()?);
                let port = (kind == ACCEPT).then_some(port);
                let (client, server) = (Cookie(*client), Cookie(*server));
                Self::Reply(Reply { flow: u32::from_be_bytes(*flow), client, server, port })
            }
            _ => return None,
        };
        // Whatever was not read must be as it is written.
        (greeting.encode() == datagram).then_some(greeting)
    }

    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Request(request) => request.encode().to_vec(),
            Self::Reply(reply) => reply.encode().to_vec(),
        }
    }
}

/// Length of what all begin with: the magic bytes, the kind and three zeros. Unit: bytes.
const HEAD_LEN: usize = 12;

fn head_of(kind: u8) -> [u8; HEAD_LEN] {
    let mut head = [0; HEAD_LEN];
    head[..MAGIC.len()].copy_from_slice(&MAGIC);
    head[MAGIC.len()] = kind;
    head
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLIENT: Cookie = Cookie([3; 16]);
    const SERVER: Cookie = Cookie([4; 16]);

    fn all() -> [Greeting; 4] {
        let hello = Request { token: [1; 16], flow: 2, client: CLIENT, proof: None };
        let echo = Reply { flow: 2, client: CLIENT, server: SERVER, port: None };
        [
            Greeting::Request(hello),
            Greeting::Reply(echo),
            Greeting::Request(Request { proof: Some(SERVER), ..hello }),
            Greeting::Reply(Reply { port: Some(5470), ..echo }),
        ]
    }

    #[test]
    fn each_is_read_as_it_was_written_and_no_reply_is_as_long_as_a_request() {
        for greeting in all() {
            assert_eq!(Greeting::decode(&greeting.encode()), Some(greeting));
        }
        const { assert!(REPLY_LEN < REQUEST_LEN) };
    }

    proptest! {
        #[test]
        fn a_byte_too_few_or_too_many_or_noise_is_none(
            which in 0..4_usize, bytes in prop::collection::vec(any::<u8>(), 0..100), more in any::<u8>()
        ) {
            let encoded = all()[which].encode();
            prop_assert_eq!(Greeting::decode(&encoded[..encoded.len() - 1]), None);
            prop_assert_eq!(Greeting::decode(&[&encoded[..], &[more]].concat()), None);
            prop_assert_eq!(Greeting::decode(&bytes), None);
        }
    }
}
