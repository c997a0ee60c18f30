//! Somebody between two ends of a TCP connection, who sees and can change what passes.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Forwards one connection to an address in both directions.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    watched: Arc<Watched>,
}

#[derive(Default)]
struct Watched {
    /// What passed from the initiator to the responder.
    seen: Mutex<Vec<u8>>,
    /// The next piece has its last bit turned.
    spoil: AtomicBool,
    ends: Mutex<Vec<TcpStream>>,
}

impl Relay {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let accepting = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let relay = Self { address: accepting.local_addr().expect("it listens"), watched: Arc::default() };
        let watched = Arc::clone(&relay.watched);
        std::thread::spawn(move || {
            let (one, _) = accepting.accept().expect("an end connects");
            let other = TcpStream::connect(address).expect("the other end listens");
            let copy = |end: &TcpStream| end.try_clone().expect("a descriptor");
            watched.ends.lock().expect("no panic").extend([copy(&one), copy(&other)]);
            let (back_from, back_to) = (copy(&other), copy(&one));
            std::thread::spawn(move || forward(back_from, back_to, |_| {}));
            forward(one, other, |piece| {
                if watched.spoil.swap(false, Ordering::SeqCst) {
                    *piece.last_mut().expect("it is not empty") ^= 1;
                }
                watched.seen.lock().expect("no panic").extend_from_slice(piece);
            });
        });
        relay
    }

    /// Turns a bit of what comes next from the initiator.
    pub(crate) fn spoil(&self) {
        self.watched.spoil.store(true, Ordering::SeqCst);
    }

    /// Ends the connection towards both ends, as if each had closed it.
    pub(crate) fn end(&self) {
        for end in &*self.watched.ends.lock().expect("no panic") {
            end.shutdown(Shutdown::Write).expect("it is connected");
        }
    }

    pub(crate) fn seen(&self) -> Vec<u8> {
        self.watched.seen.lock().expect("no panic").clone()
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, look: impl Fn(&mut [u8])) {
    let mut piece = [0; 64 << 10];
    while let Ok(len @ 1..) = from.read(&mut piece) {
        look(&mut piece[..len]);
        if to.write_all(&piece[..len]).is_err() {
            return;
        }
    }
}
