//! Finding a peer and connecting to it.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use linerate_core::plan::{Family, LocalOptions};
use socket2::{Protocol, Type};

use super::PairError;
use crate::control::{DEFAULT_PORT, GreetingError, WELCOME_LEN, Welcome, readable};
use crate::transport::{CONNECT, DialError, SEGMENT, bound, connect};

/// A peer by the name that the user gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    host: String,
    port: u16,
}

impl Target {
    /// Reads `HOST`, `HOST:PORT`, `1.2.3.4`, `2001:db8::1`, `fe80::1%eth0` or `[2001:db8::1]:PORT`.
    ///
    /// # Errors
    ///
    /// [`PairError::Target`] for any other text.
    pub fn parse(text: &str) -> Result<Self, PairError> {
        Self::with_port(text, DEFAULT_PORT)
    }

    /// The same, where a port that is not named is this one.
    pub(crate) fn with_port(text: &str, default: u16) -> Result<Self, PairError> {
        let bad = || PairError::Target { text: text.to_owned() };
        let plain = |host: &str| Self { host: host.to_owned(), port: default };
        let is_address = |text: &str| text.parse::<IpAddr>().is_ok() || is_ipv6(text);
        if is_address(text) {
            return Ok(plain(text));
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return if is_address(inner) { Ok(plain(inner)) } else { Err(bad()) };
        }
        let (host, port) = match text.rsplit_once(':') {
            None => (text, default),
            Some((host, port)) => (host, port.parse().ok().filter(|port| *port > 0).ok_or_else(bad)?),
        };
        // Brackets are around an IPv6 address, which may name its zone, and nowhere else. After a zone they may be missing.
        let host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) if is_ipv6(inner) => inner,
            None if host.contains('%') && is_ipv6(host) => host,
            None if !host.is_empty() && !host.contains([':', '[', ']']) => host,
            _ => return Err(bad()),
        };
        Ok(Self { host: host.to_owned(), port })
    }

    /// Connects for the conversation: to the first address that answers, each within this time. Its segments fit the least MTU of IPv6, so
    /// that it is heard where larger ones vanish.
    pub(crate) fn dial(&self, local: &LocalOptions, within: Duration) -> Result<TcpStream, PairError> {
        let mut last = None;
        for address in self.resolve(local.family)? {
            let dialled = bound(address, Type::STREAM, Protocol::TCP, local).and_then(|socket| {
                socket.set_tcp_mss(SEGMENT).unwrap_or(());
                connect(&socket, address, within.min(CONNECT)).map(|()| socket)
            });
            match dialled {
                Ok(socket) => {
                    socket.set_tcp_nodelay(true).map_err(DialError::Socket)?;
                    return Ok(socket.into());
                }
                Err(error) => last = Some(error),
            }
        }
        Err(last.map_or_else(|| self.no_address(local.family), Into::into))
    }

    pub(crate) fn resolve(&self, family: Option<Family>) -> Result<Vec<SocketAddr>, PairError> {
        let resolved = (self.host.as_str(), self.port).to_socket_addrs();
        let resolved = resolved.map_err(|source| PairError::Resolve { host: self.host.clone(), source })?;
        let wanted = |address: &SocketAddr| match family {
            None => true,
            Some(Family::V4) => address.is_ipv4(),
            Some(Family::V6) => address.is_ipv6(),
        };
        Ok(resolved.filter(wanted).collect())
    }

    pub(crate) fn no_address(&self, family: Option<Family>) -> PairError {
        let family = match family {
            Some(Family::V4) => "IPv4 ",
            Some(Family::V6) => "IPv6 ",
            None => "",
        };
        let source = io::Error::new(io::ErrorKind::NotFound, format!("it has no {family}address"));
        PairError::Resolve { host: self.host.clone(), source }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            write!(out, "[{}]:{}", self.host, self.port)
        } else {
            write!(out, "{}:{}", self.host, self.port)
        }
    }
}

/// Whether `text` is an IPv6 address, with or without a zone such as `%eth0`. The name of an interface has no colon.
fn is_ipv6(text: &str) -> bool {
    let (address, zone) = text.split_once('%').unwrap_or((text, ""));
    address.parse::<Ipv6Addr>().is_ok() && !zone.contains(':')
}

/// Sends the client's greeting. A peer that closes at once may still have sent the reason.
pub(super) fn send_greeting(stream: &mut impl Write, greeting: &[u8]) -> Result<(), PairError> {
    stream.write_all(greeting).map_err(|source| PairError::Silent { source })
}

/// Reads the server's greeting, or the beginning of what an unknown peer sends instead.
pub(super) fn read_welcome(stream: &mut impl Read) -> Result<Welcome, PairError> {
    let mut bytes = [0; WELCOME_LEN];
    let mut filled = 0;
    while filled < bytes.len() {
        match stream.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => {
                let source = io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection");
                return Err(PairError::Silent { source });
            }
            Err(source) if filled == 0 => return Err(PairError::Silent { source }),
            // Fewer bytes than a greeting, and then the end or silence: an unknown peer.
            Ok(0) | Err(_) => return Err(GreetingError::Foreign { said: readable(&bytes[..filled]) }.into()),
            Ok(more) => filled += more,
        }
    }
    Ok(Welcome::decode(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_people_write_them() {
        for (text, shown) in [
            ("node7", "node7:5470"),
            ("10gbe-node1:99", "10gbe-node1:99"),
            ("127.0.0.1", "127.0.0.1:5470"),
            ("::1", "[::1]:5470"),
            ("[::1]", "[::1]:5470"),
            ("[2001:db8::1]:7", "[2001:db8::1]:7"),
            ("[fe80::1%eth0]:7", "[fe80::1%eth0]:7"),
            ("fe80::1%eth0", "[fe80::1%eth0]:5470"),
            ("[fe80::1%eth0]", "[fe80::1%eth0]:5470"),
            ("fe80::1%eth0:7", "[fe80::1%eth0]:7"),
        ] {
            assert_eq!(Target::parse(text).expect(text).to_string(), shown);
        }
        for text in [
            "",
            ":5",
            "host:",
            "host:0",
            "host:99999",
            "host:x",
            "[::1",
            "fe80::1%eth0:x",
            "a:b:c",
            "[x]",
            "[x]:7",
            "[[]]:7",
            "[",
            "]:7",
        ] {
            assert!(Target::parse(text).is_err(), "{text}");
        }
    }
}
