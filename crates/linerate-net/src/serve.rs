//! The measurement server: it goes on answering clients, whatever they do.
//!
//! One thread accepts; every connection has a thread of its own, a deadline in every state, and
//! no way to name a file, a command or an address. Measurements run one at a time in each slot.
//! Settings of the host are changed as far as the operator allows it, and put back.

mod admission;
#[cfg(on_linux)]
mod allowed;
mod channels;
mod client;
#[cfg(test)]
mod every_number;
mod guard;
mod key_source;
mod limits;
mod loads;
mod log;
mod queue;
mod rank;
mod reflector;
mod requests;
mod session;
#[cfg(on_linux)]
mod settings;
mod stages;
mod trace;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, OnceLock};

use linerate_core::observation::Clock;
use rustix::event::{PollFd, PollFlags};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::control::Key;
use crate::observe::{CLOCK_READS, HostClock, check_clock};
use crate::ranks::{FindApplication, RankError};

use admission::{Admission, Evicted};
use key_source::KeySource;
use queue::Queue;

#[cfg(on_linux)]
pub use allowed::AllowedSetting;
pub use key_source::ReadKey;
pub use limits::Limits;
#[cfg(on_linux)]
pub use settings::{GuardianProgram, SettingsOptions, may_change_settings};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 128;

/// Why a server could not start or go on. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// No more connections can be accepted.
    #[error("wait for connections: {0}")]
    Accept(io::Error),
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    server: Arc<ServerState>,
}

/// What every connection's thread shares.
#[derive(Debug)]
struct ServerState {
    key: KeySource,
    limits: Limits,
    queue: Queue,
    admission: Admission,
    applications: OnceLock<FindApplication>,
    #[cfg(on_linux)]
    settings: settings::Settings,
    log: log::Log,
    clock: HostClock,
    checked: Clock,
}

impl ServerState {
    /// The applications that it runs; none, unless it was told of some.
    fn applications(&self) -> FindApplication {
        let none: FindApplication =
            |plan, _| Err(RankError::App(format!("run `{}`: this server has no applications", plan.name)));
        self.applications.get().copied().unwrap_or(none)
    }
}

impl Server {
    /// Listens on `address`; without a `key` the server is open to everyone who reaches it.
    ///
    /// # Errors
    ///
    /// [`ServeError::Listen`] when the address is taken or not this host's.
    pub fn bind(address: SocketAddr, key: Option<Key>, limits: Limits) -> Result<Self, ServeError> {
        let listener = listen(address).map_err(|source| ServeError::Listen { address, source })?;
        let clock = HostClock::start();
        let server = ServerState {
            key: KeySource::new(key),
            queue: Queue::new(limits.slots, limits.waiting, limits.memory),
            admission: Admission::new(limits.connections, limits.connections_per_address),
            limits,
            applications: OnceLock::new(),
            #[cfg(on_linux)]
            settings: settings::Settings::default(),
            log: log::Log::default(),
            clock,
            checked: check_clock(&clock, CLOCK_READS),
        };
        Ok(Self { listener, server: Arc::new(server) })
    }

    /// Listens on `port` of every address of the host: IPv6 and IPv4, or IPv4 where that is all.
    ///
    /// # Errors
    ///
    /// [`ServeError::Listen`] when the port is taken.
    pub fn bind_everywhere(port: u16, key: Option<Key>, limits: Limits) -> Result<Self, ServeError> {
        match Self::bind((Ipv6Addr::UNSPECIFIED, port).into(), key.clone(), limits.clone()) {
            Err(ServeError::Listen { source, .. }) if source.raw_os_error() == Some(libc::EAFNOSUPPORT) => {
                Self::bind((Ipv4Addr::UNSPECIFIED, port).into(), key, limits)
            }
            bound => bound,
        }
    }

    /// The address listened on, with the port that the operating system chose for port 0.
    ///
    /// # Errors
    ///
    /// When the operating system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Lets clients change settings of this host. Only the first call counts; it comes before [`Server::run`].
    #[cfg(on_linux)]
    pub fn allow_settings(&self, options: SettingsOptions) {
        self.server.settings.allow(options);
    }

    /// Serves as a rank of the applications that `find` knows. Only the first call counts; it comes before [`Server::run`].
    pub fn run_applications(&self, find: FindApplication) {
        let _ = self.server.applications.set(find);
    }

    /// Asks `read` for the key at the beginning of every conversation, so that a new one needs no restart. A server that began
    /// open stays open. Only the first call counts.
    pub fn read_key_again(&self, read: ReadKey) {
        self.server.key.read_again(read);
    }

    /// Serves until `stop` becomes readable or is closed, then cancels what runs, waits until settings are put back, and
    /// returns.
    ///
    /// # Errors
    ///
    /// [`ServeError::Accept`] when the listener itself fails; a client never ends the server.
    pub fn run(&self, stop: BorrowedFd<'_>) -> Result<(), ServeError> {
        self.run_and_tell(stop, || ())
    }

    /// The same; calls `stopping` when no more connections are taken.
    ///
    /// # Errors
    ///
    /// As [`Server::run`].
    pub fn run_and_tell(&self, stop: BorrowedFd<'_>, stopping: impl FnOnce()) -> Result<(), ServeError> {
        self.listener.set_nonblocking(true).map_err(ServeError::Accept)?;
        let outcome = loop {
            match self.next(stop) {
                Ok(Some((stream, peer))) => self.admit(stream, peer.ip().to_canonical()),
                Ok(None) => break Ok(()),
                Err(error) => break Err(ServeError::Accept(error)),
            }
        };
        stopping();
        self.server.admission.close();
        self.server.queue.close();
        #[cfg(on_linux)]
        self.server.settings.close();
        outcome
    }

    /// The next connection, or `None` when it is time to stop.
    fn next(&self, stop: BorrowedFd<'_>) -> io::Result<Option<(TcpStream, SocketAddr)>> {
        loop {
            let mut either = [
                PollFd::new(&self.listener, PollFlags::IN),
                PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN),
            ];
            match rustix::event::poll(&mut either, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            if !either[1].revents().is_empty() {
                return Ok(None);
            }
            match self.listener.accept() {
                Ok(accepted) => return Ok(Some(accepted)),
                Err(error) if out_of_descriptors(&error) => self.server.admission.wait_for_room(),
                // All other errors concern only this connection (accept(2)).
                Err(_) => {}
            }
        }
    }

    /// Gives a connection a thread, or turns it away where there is none.
    fn admit(&self, stream: TcpStream, peer: IpAddr) {
        let server = Arc::clone(&self.server);
        let Some((permit, evicted)) = Admission::admit(&server, &stream, peer) else { return };
        if let Some(Evicted(crowd)) = evicted {
            let from = if crowd.is_ipv6() { format!("{crowd}/64") } else { crowd.to_string() };
            self.server
                .log
                .warn(format_args!("{from}: a connection that proved no key left to make room for {peer}"));
        }
        let spawned = std::thread::Builder::new()
            .name(format!("session {peer}"))
            .spawn(move || session::serve(&server, stream, peer, &permit));
        if let Err(error) = spawned {
            self.server.log.warn(format_args!("{peer}: turned away, no thread: {error}"));
        }
    }
}

/// The descriptor table of the process or the host is full.
fn out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM))
}

/// Listens on `address`; on an IPv6 wildcard for IPv4 too.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() && address.ip().is_unspecified() {
        socket.set_only_v6(false)?;
    }
    socket.bind(&SockAddr::from(address))?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
