//! Answers the datagrams with which a client finds out how large a packet may be.

use std::io;
use std::net::{IpAddr, UdpSocket};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};

use crate::control::{self, Probe};
use crate::sys::socket_option;
use crate::transport::announced;

/// The most datagrams that are answered: enough for every step of both ways.
const MOST: usize = 256;

/// Answers until this is dropped.
#[derive(Debug)]
pub(super) struct Reflector {
    pub(super) place: control::Reflector,
    // Nothing is ever sent: closing it is the message.
    called_off: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Reflector {
    /// Answers `peer` on the bound `socket`.
    pub(super) fn start(socket: UdpSocket, peer: IpAddr) -> io::Result<Self> {
        let (called_off, wait) = UnixStream::pair()?;
        // What `poll` saw may be an error that an answer has met since.
        socket.set_nonblocking(true)?;
        let place = control::Reflector { port: socket.local_addr()?.port(), token: control::random()? };
        let thread = std::thread::Builder::new().name("reflector".to_owned()).spawn(move || {
            reflect(&socket, peer, &place, &wait);
        })?;
        Ok(Self { place, called_off: Some(called_off), thread: Some(thread) })
    }
}

impl Drop for Reflector {
    fn drop(&mut self) {
        drop(self.called_off.take());
        if let Some(thread) = self.thread.take() {
            // It cannot panic.
            thread.join().unwrap_or(());
        }
    }
}

fn reflect(socket: &UdpSocket, peer: IpAddr, place: &control::Reflector, wait: &UnixStream) {
    let mut bytes = vec![0; usize::from(u16::MAX)];
    let mut connected = false;
    for _ in 0..MOST {
        let mut either = [PollFd::new(socket, PollFlags::IN), PollFd::new(wait, PollFlags::IN)];
        if poll(&mut either, None).is_err() || !either[1].revents().is_empty() {
            return;
        }
        // An error is the news of a packet that was too large.
        let Ok((length, from)) = socket.recv_from(&mut bytes) else { continue };
        let Some(probe) = Probe::decode(&place.token, &bytes[..length]) else { continue };
        if from.ip().to_canonical() != peer.to_canonical() {
            continue;
        }
        if !connected {
            connected = socket.connect(from).is_ok();
            socket_option::probe_path(socket, control::is_ipv6(socket)).unwrap_or(());
        }
        let announced = announced(socket).unwrap_or(0);
        Probe { announced, ..probe }.send(socket, &place.token, probe.wanted);
    }
}
