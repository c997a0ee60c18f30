//! A stream whose reads and writes must all end by a set time.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// An instant by which something must be done.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// `span` from now.
    #[must_use]
    pub fn after(span: Duration) -> Self {
        Self(Instant::now() + span)
    }

    /// The time left.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] when no time is left.
    pub fn left(self) -> io::Result<Duration> {
        let left = self.0.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(timed_out()) } else { Ok(left) }
    }
}

/// A conversation is idle for this long before its peer is asked whether it is there, and then as often as
/// [`KEEP_PROBES`] says, [`KEEP_INTERVAL`] apart.
const KEEP_IDLE: Duration = Duration::from_secs(10);
const KEEP_INTERVAL: Duration = Duration::from_secs(5);
const KEEP_PROBES: u32 = 3;

/// Lets the kernel end a conversation whose peer has vanished, 25 s after the last word of it: by keep-alives while
/// nothing is said, and by the limit on what stays unacknowledged.  Source: tcp(7).
pub(crate) fn keep_alive(control: &TcpStream) -> io::Result<()> {
    use rustix::net::sockopt;
    sockopt::set_socket_keepalive(control, true)?;
    sockopt::set_tcp_keepidle(control, KEEP_IDLE)?;
    sockopt::set_tcp_keepintvl(control, KEEP_INTERVAL)?;
    sockopt::set_tcp_keepcnt(control, KEEP_PROBES)?;
    #[cfg(on_linux)]
    {
        let all = KEEP_IDLE + KEEP_INTERVAL * KEEP_PROBES;
        sockopt::set_tcp_user_timeout(control, u32::try_from(all.as_millis()).unwrap_or(u32::MAX))?;
    }
    Ok(())
}

/// Whether `error` says that the peer has closed the connection, in order or not.
pub(crate) fn closed_by_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe | NotConnected)
}

fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the peer took too long")
}

/// A TCP stream that gives up at a deadline, however slowly bytes dribble in.
#[derive(Debug)]
pub struct TimedStream<'a> {
    stream: &'a TcpStream,
    deadline: Deadline,
}

impl<'a> TimedStream<'a> {
    /// Reads and writes on `stream` until `deadline`.
    #[must_use]
    pub const fn new(stream: &'a TcpStream, deadline: Deadline) -> Self {
        Self { stream, deadline }
    }
}

/// Turns the error of a call that hit the socket's time limit into a time-out.
fn named(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { timed_out() } else { error }
}

impl Read for TimedStream<'_> {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        loop {
            self.stream.set_read_timeout(Some(self.deadline.left()?))?;
            match (&mut &*self.stream).read(data) {
                // A signal is not an answer.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.map_err(named),
            }
        }
    }
}

impl Write for TimedStream<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.deadline.left()?))?;
        (&mut &*self.stream).write(data).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
