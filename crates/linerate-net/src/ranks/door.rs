//! Where a rank listens: a thread that takes connections, and one for each that has not proved itself yet.
//!
//! It is idle while nobody comes, so it takes nothing from what is measured.

use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::debug;

use super::introduction::{Introduction, receive};
use crate::control::{Control, Deadline, Key};

/// How long a connection may take to prove itself.
const PROOF: Duration = Duration::from_secs(10);
/// The most connections that have not proved themselves. The oldest make room for more.
const MOST_UNPROVED: usize = 128;
/// The most that have, and were not asked for: more are not of this mesh.
const MOST_WAITING: usize = 16_384;
/// How long to rest when the host has no room for another connection.
const REST: Duration = Duration::from_millis(50);

/// Who came, and the connection.
pub(super) type Arrival = (Introduction, Control);

/// An open door. It closes when this is dropped.
#[derive(Debug)]
pub(super) struct Door {
    address: SocketAddr,
    hall: Arc<Hall>,
}

#[derive(Debug, Default)]
struct Hall {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inside {
    closed: bool,
    /// Those that proved themselves and were not asked for yet.
    waiting: Vec<Arrival>,
    /// Those that have not, oldest first.
    unproved: VecDeque<(u64, TcpStream)>,
    next: u64,
}

impl Hall {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// Listens from now on for those who have `key`.
    pub(super) fn open(listener: TcpListener, key: &Key) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let hall = Arc::new(Hall::default());
        let (key, keeper) = (key.clone(), Arc::clone(&hall));
        thread::Builder::new()
            .name("door".to_owned())
            .stack_size(128 << 10)
            .spawn(move || keep(&listener, &key, &keeper))?;
        Ok(Self { address, hall })
    }

    /// The port at which it is.
    pub(super) const fn port(&self) -> u16 {
        self.address.port()
    }

    /// The first that came and is `wanted`, if one comes before the deadline.
    pub(super) fn wait_for(
        &self,
        deadline: Deadline,
        wanted: impl Fn(&Introduction) -> bool,
    ) -> Option<Arrival> {
        let mut inside = self.hall.lock();
        loop {
            if let Some(place) = inside.waiting.iter().position(|(introduction, _)| wanted(introduction)) {
                return Some(inside.waiting.swap_remove(place));
            }
            let left = deadline.left().ok()?;
            let waited = self.hall.changed.wait_timeout(inside, left);
            inside = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.hall.lock().closed = true;
        // Wakes the thread, which sees that it is closed.
        let own = SocketAddr::new(
            if self.address.ip().is_unspecified() { loopback(&self.address) } else { self.address.ip() },
            self.address.port(),
        );
        let _ = TcpStream::connect_timeout(&own, Duration::from_millis(200));
    }
}

fn loopback(address: &SocketAddr) -> std::net::IpAddr {
    if address.is_ipv4() {
        std::net::Ipv4Addr::LOCALHOST.into()
    } else {
        std::net::Ipv6Addr::LOCALHOST.into()
    }
}

fn keep(listener: &TcpListener, key: &Key, hall: &Arc<Hall>) {
    loop {
        let stream = listener.accept();
        if hall.lock().closed {
            return;
        }
        match stream {
            Ok((stream, _)) => take_in(stream, key, hall),
            Err(error) => {
                debug!(%error, "no connection could be taken");
                thread::sleep(REST);
            }
        }
    }
}

fn take_in(stream: TcpStream, key: &Key, hall: &Arc<Hall>) {
    let Ok(other) = stream.try_clone() else { return };
    let number = {
        let mut inside = hall.lock();
        if inside.unproved.len() >= MOST_UNPROVED
            && let Some((_, oldest)) = inside.unproved.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        inside.next += 1;
        let number = inside.next;
        inside.unproved.push_back((number, other));
        number
    };
    let (key, in_hall) = (key.clone(), Arc::clone(hall));
    let examined = thread::Builder::new().name("examine".to_owned()).stack_size(256 << 10).spawn(move || {
        let received = receive(stream, &key, Deadline::after(PROOF));
        let mut inside = in_hall.lock();
        inside.unproved.retain(|(other, _)| *other != number);
        match received {
            Ok(arrival) if inside.waiting.len() < MOST_WAITING => {
                inside.waiting.push(arrival);
                in_hall.changed.notify_all();
            }
            Ok(_) => {}
            Err(error) => debug!(%error, "a connection was refused"),
        }
    });
    if examined.is_err() {
        hall.lock().unproved.retain(|(other, _)| *other != number);
    }
}
