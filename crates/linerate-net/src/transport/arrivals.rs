//! A place of a transport's own, where channels arrive and introduce themselves.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use socket2::Socket;

use super::socket::timespec;
use super::{INTRODUCTION_LEN, Introduction, TransportError};
use crate::control::{Deadline, Pass};
use crate::wait::retry;

/// How long somebody who has arrived may take to introduce himself.
const MANNERS: Duration = Duration::from_secs(5);
/// How many may be without an introduction at the same time; one more turns the first away.
const WAITING: usize = 64;

/// A listening socket, and those who have arrived and said too little so far. Nobody who is silent
/// keeps the others waiting, and nobody is answered before his pass was right.
#[derive(Debug)]
pub(super) struct Arrivals {
    listener: Socket,
    pass: Pass,
    waiting: Vec<Stranger>,
}

/// Somebody who has not introduced himself yet.
#[derive(Debug)]
struct Stranger {
    socket: Socket,
    heard: [u8; INTRODUCTION_LEN],
    len: usize,
    deadline: Deadline,
}

/// What a look at a stranger gave.
enum Look {
    /// He has said too little.
    Unclear,
    /// He is none of ours, or gone.
    Foreign,
    /// He has the pass, and this flow.
    Flow(u32),
}

impl Arrivals {
    /// Waits on a bound `listener` for those who have `pass`.
    pub(super) fn at(listener: Socket, pass: &Pass) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        listener.listen(WAITING as i32).map_err(failed("listen for channels"))?;
        listener.set_nonblocking(true).map_err(failed("listen without blocking"))?;
        Ok(Self { listener, pass: *pass, waiting: Vec::new() })
    }

    /// The port that it listens on, of a family that has ports.
    pub(super) fn port(&self) -> io::Result<u16> {
        let address = self.listener.local_addr()?;
        address.as_socket().map(|address| address.port()).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// The next who introduces himself with the right pass: his flow, and his socket, of which
    /// nothing beyond the introduction was read.
    pub(super) fn next(&mut self, deadline: Deadline) -> Result<(u32, Socket), TransportError> {
        loop {
            self.admit()?;
            if let Some(found) = self.introduced() {
                return Ok(found);
            }
            let left = deadline.left().map_err(|_| TransportError::Late)?;
            self.wait(left)?;
        }
    }

    /// Takes everybody who stands at the door.
    fn admit(&mut self) -> Result<(), TransportError> {
        loop {
            match self.listener.accept() {
                Ok((socket, _)) => {
                    if self.waiting.len() == WAITING {
                        self.waiting.remove(0);
                    }
                    let deadline = Deadline::after(MANNERS);
                    self.waiting.push(Stranger { socket, heard: [0; INTRODUCTION_LEN], len: 0, deadline });
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if is_his_own(&error) => {}
                Err(error) => return Err(TransportError::system("accept a channel")(error)),
            }
        }
    }

    /// Looks at each of those who wait, and turns the strangers away.
    fn introduced(&mut self) -> Option<(u32, Socket)> {
        let mut index = 0;
        while index < self.waiting.len() {
            match self.waiting[index].look(&self.pass) {
                Look::Unclear => index += 1,
                Look::Foreign => drop(self.waiting.remove(index)),
                Look::Flow(flow) => return Some((flow, self.waiting.remove(index).socket)),
            }
        }
        None
    }

    /// Waits until somebody arrives or says something.
    fn wait(&self, within: Duration) -> Result<(), TransportError> {
        let sockets = std::iter::once(&self.listener).chain(self.waiting.iter().map(|one| &one.socket));
        let mut looks: Vec<_> =
            sockets.map(|socket| PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN)).collect();
        let within = timespec(within);
        let waited = retry(|| rustix::event::poll(&mut looks, Some(&within)));
        waited.map(drop).map_err(|errno| TransportError::system("wait for a channel")(errno.into()))
    }
}

impl Stranger {
    fn look(&mut self, pass: &Pass) -> Look {
        let rest = &mut self.heard[self.len..];
        match retry(|| rustix::net::recv(&self.socket, &mut *rest, RecvFlags::DONTWAIT)) {
            Ok((_, 0)) => return Look::Foreign,
            Ok((_, more)) => self.len += more,
            Err(Errno::AGAIN) => {}
            Err(_) => return Look::Foreign,
        }
        if self.len < INTRODUCTION_LEN {
            return if self.deadline.left().is_ok() { Look::Unclear } else { Look::Foreign };
        }
        let introduction = Introduction::decode(&self.heard);
        if introduction.pass == *pass { Look::Flow(introduction.flow) } else { Look::Foreign }
    }
}

/// Whether an accept failed because of the one who came, so that the next may succeed: accept(2)
/// names these.
fn is_his_own(error: &io::Error) -> bool {
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

    const PASS: Pass = [3; 16];

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
        (Arrivals::at(listener, &PASS).expect("it listens"), dial)
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_millis(50))
    }

    #[test]
    fn a_silent_stranger_keeps_nobody_waiting_and_a_wrong_pass_is_no_pass() {
        let (mut arrivals, dial) = place();
        let silent = dial();
        let mut wrong = dial();
        wrong.write_all(&Introduction { pass: [4; 16], flow: 0 }.encode()).expect("it is sent");
        let mut right = dial();
        right.write_all(&Introduction { pass: PASS, flow: 7 }.encode()).expect("it is sent");
        right.write_all(b"data").expect("it is sent");
        let (flow, socket) = arrivals.next(soon()).expect("one has the pass");
        assert_eq!(flow, 7);
        let mut data = [0; 4];
        socket.set_nonblocking(false).expect("it may wait");
        (&socket).read_exact(&mut data).expect("what follows the introduction is there");
        assert_eq!(&data, b"data");
        assert_eq!(wrong.read(&mut [0]).expect("it was turned away without an answer"), 0);
        drop(silent);
        assert!(matches!(arrivals.next(soon()), Err(TransportError::Late)));
    }

    #[test]
    fn an_introduction_in_pieces_is_kept_between_the_calls() {
        let (mut arrivals, dial) = place();
        let introduction = Introduction { pass: PASS, flow: 1 }.encode();
        let mut slow = dial();
        slow.write_all(&introduction[..9]).expect("it is sent");
        assert!(matches!(arrivals.next(soon()), Err(TransportError::Late)));
        slow.write_all(&introduction[9..]).expect("it is sent");
        assert_eq!(arrivals.next(soon()).expect("it has the pass").0, 1);
    }

    #[test]
    fn a_crowd_of_silent_strangers_does_not_bar_the_door() {
        let (mut arrivals, dial) = place();
        let mut crowd = Vec::new();
        for _ in 0..3 {
            crowd.extend((0..WAITING).map(|_| dial()));
            assert!(matches!(arrivals.next(soon()), Err(TransportError::Late)));
        }
        let mut right = dial();
        right.write_all(&Introduction { pass: PASS, flow: 2 }.encode()).expect("it is sent");
        assert_eq!(arrivals.next(soon()).expect("it has the pass").0, 2);
        assert!(arrivals.waiting.len() <= WAITING);
    }
}
