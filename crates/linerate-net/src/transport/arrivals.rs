//! A transport's own listener of channels, each with a preface.

use std::io;

use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use socket2::Socket;

use super::{Arrived, LineResult, Listen, PREFACE_LEN, Preface, Setup, TransportError, apply};
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous};
use crate::wait::{retry, timespec};

/// How long a connection may take to send its preface.
const PREFACE_TIME: Duration = Duration::from_secs(5);
/// How many may be without a preface at the same time; beyond that the oldest is closed.
const WAITING: usize = 64;

/// A listening socket, and the connections whose preface has not come yet. A silent one does not
/// delay the others, and nobody gets an answer before the token is right.
#[derive(Debug)]
pub(super) struct Arrivals {
    listener: Socket,
    token: ChannelToken,
    waiting: Vec<Unidentified>,
}

/// A connection whose preface has not come whole yet.
#[derive(Debug)]
struct Unidentified {
    socket: Socket,
    heard: [u8; PREFACE_LEN],
    len: usize,
    deadline: Deadline,
}

/// What is known of a connection so far.
enum Look {
    /// Its preface is not whole.
    Unclear,
    /// It does not have the token, or has gone.
    Foreign,
    /// It has the token, and belongs to this flow.
    Flow(u32),
}

impl Arrivals {
    /// Waits on a bound `listener` for those that have `token`.
    pub(super) fn at(listener: Socket, token: &ChannelToken) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        listener.listen(WAITING as i32).map_err(failed("listen for channels"))?;
        listener.set_nonblocking(true).map_err(failed("listen without blocking"))?;
        Ok(Self { listener, token: *token, waiting: Vec::new() })
    }

    /// The port that it listens on, of a family that has ports.
    pub(super) fn port(&self) -> io::Result<u16> {
        let address = self.listener.local_addr()?;
        address.as_socket().map(|address| address.port()).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// The next connection with the right token: its flow, and its socket, of which
    /// nothing beyond the preface was read.
    pub(super) fn next(&mut self, deadline: Deadline) -> Result<(u32, Socket), TransportError> {
        loop {
            self.admit()?;
            if let Some(found) = self.identified() {
                return Ok(found);
            }
            let left = deadline.left().map_err(|_| TransportError::Late)?;
            self.wait(left)?;
        }
    }

    /// Accepts every connection that waits.
    fn admit(&mut self) -> Result<(), TransportError> {
        loop {
            match self.listener.accept() {
                Ok((socket, _)) => {
                    if self.waiting.len() == WAITING {
                        self.waiting.remove(0);
                    }
                    let deadline = Deadline::after(PREFACE_TIME);
                    self.waiting.push(Unidentified { socket, heard: [0; PREFACE_LEN], len: 0, deadline });
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if is_its_own(&error) => {}
                Err(error) => return Err(TransportError::system("accept a channel")(error)),
            }
        }
    }

    /// Checks each waiting connection, and closes those without the token.
    fn identified(&mut self) -> Option<(u32, Socket)> {
        let mut index = 0;
        while index < self.waiting.len() {
            match self.waiting[index].look(&self.token) {
                Look::Unclear => index += 1,
                Look::Foreign => drop(self.waiting.remove(index)),
                Look::Flow(flow) => return Some((flow, self.waiting.remove(index).socket)),
            }
        }
        None
    }

    /// Waits until a connection arrives or sends something.
    fn wait(&self, within: Duration) -> Result<(), TransportError> {
        let sockets = std::iter::once(&self.listener).chain(self.waiting.iter().map(|one| &one.socket));
        let mut looks: Vec<_> =
            sockets.map(|socket| PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN)).collect();
        let within = timespec(within);
        let waited = retry(|| rustix::event::poll(&mut looks, Some(&within)));
        waited.map(drop).map_err(|errno| TransportError::system("wait for a channel")(errno.into()))
    }
}

/// Listens for connections that begin with a preface, and makes channels of those with the right token.
/// TCP with options of its own, MPTCP, Unix and VM sockets use it, and so do pipes and shared memory, whose ends meet on a Unix socket.
#[derive(Debug)]
pub(super) struct StreamListener {
    pub(super) address: ChannelAddress,
    pub(super) arrivals: Arrivals,
    pub(super) setup: Setup,
    pub(super) channel: MakeChannel,
}

impl StreamListener {
    /// Waits at a free port, on a `listener` of the family of `setup`'s address that is not bound yet,
    /// with the options that are asked: connections take them over before their handshake.
    pub(super) fn at_free_port(
        setup: &Setup,
        token: &ChannelToken,
        listener: Socket,
        channel: MakeChannel,
    ) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        let address = setup.own_address();
        apply(&listener, &setup.socket, address.is_ipv6())?;
        setup.bind(&listener).map_err(failed("bind to a free port"))?;
        let arrivals = Arrivals::at(listener, token)?;
        let port = arrivals.port().map_err(failed("read the port that was free"))?;
        Ok(Self { address: ChannelAddress::Port(port), arrivals, setup: setup.clone(), channel })
    }
}

#[cfg(not(on_linux))]
impl Drop for StreamListener {
    fn drop(&mut self) {
        if let ChannelAddress::Local(name) = &self.address {
            // Somebody may have tidied up.
            std::fs::remove_file(super::unix::file_of(name)).unwrap_or(());
        }
    }
}

/// Makes a channel of a connection whose preface was read.
pub(super) type MakeChannel = fn(Socket, &Setup) -> LineResult;

impl Listen for StreamListener {
    fn rendezvous(&self) -> Rendezvous {
        self.address.clone().into()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<Arrived, TransportError> {
        let (flow, socket) = self.arrivals.next(deadline)?;
        Ok((flow, (self.channel)(socket, &self.setup)?))
    }
}

impl Unidentified {
    fn look(&mut self, token: &ChannelToken) -> Look {
        let rest = &mut self.heard[self.len..];
        match retry(|| rustix::net::recv(&self.socket, &mut *rest, RecvFlags::DONTWAIT)) {
            Ok((_, 0)) => return Look::Foreign,
            Ok((_, more)) => self.len += more,
            Err(Errno::AGAIN) => {}
            Err(_) => return Look::Foreign,
        }
        if self.len < PREFACE_LEN {
            return if self.deadline.left().is_ok() { Look::Unclear } else { Look::Foreign };
        }
        let preface = Preface::decode(&self.heard);
        if preface.token == *token { Look::Flow(preface.flow) } else { Look::Foreign }
    }
}

/// Whether an accept failed because of the peer, so that the next may succeed: accept(2) lists
/// these errors.
fn is_its_own(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
        || error.raw_os_error() == Some(libc::EPROTO)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use socket2::{Domain, SockAddr, Type};

    use super::*;
    use crate::control::random;

    const TOKEN: ChannelToken = [3; 16];

    /// A place of a fresh name, and a way to it.
    fn place() -> (Arrivals, impl Fn() -> UnixStream) {
        let name = random::<8>().expect("random bytes").map(|byte| format!("{byte:02x}")).concat();
        let address = SockAddr::unix(format!("\0linerate-arrivals-{name}")).expect("it is short");
        let listener = Socket::new(Domain::UNIX, Type::STREAM, None).expect("a socket");
        listener.bind(&address).expect("a fresh name");
        let dial = move || {
            let socket = Socket::new(Domain::UNIX, Type::STREAM, None).expect("a socket");
            socket.connect(&address).expect("somebody listens");
            UnixStream::from(std::os::fd::OwnedFd::from(socket))
        };
        (Arrivals::at(listener, &TOKEN).expect("it listens"), dial)
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_millis(50))
    }

    #[test]
    fn a_silent_connection_keeps_no_other_waiting_and_a_wrong_token_is_refused() {
        let (mut arrivals, dial) = place();
        let silent = dial();
        let mut wrong = dial();
        wrong.write_all(&Preface { token: [4; 16], flow: 0 }.encode()).expect("it is sent");
        let mut right = dial();
        right.write_all(&Preface { token: TOKEN, flow: 7 }.encode()).expect("it is sent");
        right.write_all(b"data").expect("it is sent");
        let (flow, socket) = arrivals.next(soon()).expect("one has the token");
        assert_eq!(flow, 7);
        let mut data = [0; 4];
        socket.set_nonblocking(false).expect("it may wait");
        (&socket).read_exact(&mut data).expect("what follows the preface is there");
        assert_eq!(&data, b"data");
        assert_eq!(wrong.read(&mut [0]).expect("it was turned away without an answer"), 0);
        drop(silent);
        assert!(matches!(arrivals.next(soon()), Err(TransportError::Late)));
    }

    #[test]
    fn a_preface_in_pieces_is_kept_between_the_calls() {
        let (mut arrivals, dial) = place();
        let preface = Preface { token: TOKEN, flow: 1 }.encode();
        let mut slow = dial();
        slow.write_all(&preface[..9]).expect("it is sent");
        assert!(matches!(arrivals.next(soon()), Err(TransportError::Late)));
        slow.write_all(&preface[9..]).expect("it is sent");
        assert_eq!(arrivals.next(soon()).expect("it has the token").0, 1);
    }

    #[test]
    fn many_silent_connections_do_not_keep_others_out() {
        let (mut arrivals, dial) = place();
        let mut crowd = Vec::new();
        for _ in 0..3 {
            crowd.extend((0..WAITING).map(|_| dial()));
            assert!(matches!(arrivals.next(soon()), Err(TransportError::Late)));
        }
        let mut right = dial();
        right.write_all(&Preface { token: TOKEN, flow: 2 }.encode()).expect("it is sent");
        assert_eq!(arrivals.next(soon()).expect("it has the token").0, 2);
        assert!(arrivals.waiting.len() <= WAITING);
    }
}
