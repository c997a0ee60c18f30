//! How large a packet may be on the way to a server and back.

use std::collections::BTreeSet;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::run::{PathMtu, WayMtu};

use crate::control::{Deadline, Probe, Reflector};
use crate::sys::socket_option;
use crate::transport::announced;

/// An answer is awaited for this long and for as long as one and a half round trips.
const PATIENCE: Duration = Duration::from_millis(150);
/// A packet that every path carries. Unit: bytes.
const SMALL: u16 = 128;
/// Packets that paths with tunnels and other links carry: what is tried where the interface's is lost. Unit: bytes.
const STEPS: [u16; 14] = [576, 1006, 1280, 1320, 1360, 1400, 1420, 1440, 1460, 1480, 1492, 1500, 4352, 9000];

/// The two ends' interfaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interfaces {
    pub(super) here: u16,
    pub(super) there: u16,
}

/// Asks the server at `peer` which packets arrive; unknown if datagrams do not get through, or too slowly to tell.
pub(super) fn find(
    local: SocketAddr,
    peer: SocketAddr,
    reflector: &Reflector,
    interfaces: Interfaces,
    round_trip: Duration,
) -> Fact<PathMtu> {
    let asked = || -> io::Result<Option<PathMtu>> {
        let socket = UdpSocket::bind(at(local, 0))?;
        socket.connect(at(peer, reflector.port))?;
        socket_option::probe_path(&socket, crate::control::is_ipv6(&socket))?;
        let mut asking = Asking {
            socket,
            reflector: *reflector,
            wait: PATIENCE + round_trip.mul_f64(1.5),
            heard: BTreeSet::new(),
            back: 0,
        };
        let Interfaces { here, there } = interfaces;
        if !asking.round(&[here], &[there], SMALL + 1)? {
            return Ok(None);
        }
        let step = |full: u16, announced: u16, arrived: bool| -> Vec<u16> {
            let below = STEPS.into_iter().chain([announced, full]).filter(|size| !arrived && *size <= full);
            below.collect::<BTreeSet<u16>>().into_iter().collect()
        };
        let (up, down) = (asking.heard.contains(&(here, SMALL)), asking.heard.contains(&(SMALL, there)));
        let heard_here = announced(&asking.socket)?;
        let (up, down) = (step(here, heard_here, up), step(there, asking.back, down));
        let narrow = !up.is_empty() || !down.is_empty();
        if narrow && !asking.round(&up, &down, SMALL + 2)? {
            return Ok(None);
        }
        let largest = |of: fn(&(u16, u16)) -> u16| asking.heard.iter().map(of).max().unwrap_or(0).into();
        let way = |interface: u16, largest: u64, announced: u16| WayMtu {
            interface_bytes: interface.into(),
            largest_bytes: largest,
            announced_bytes: announced.min(interface).into(),
        };
        Ok(Some(PathMtu {
            there: way(here, largest(|(sent, _)| *sent), announced(&asking.socket)?),
            back: way(there, largest(|(_, wanted)| *wanted), asking.back),
        }))
    };
    match asked() {
        Ok(Some(found)) => Fact::Known(found),
        Ok(None) => Fact::unknown("datagrams do not get through, or too slowly"),
        Err(error) => Fact::unknown(error.to_string()),
    }
}

/// The same address, in its scope, at another port.
fn at(mut address: SocketAddr, port: u16) -> SocketAddr {
    address.set_port(port);
    address
}

struct Asking {
    socket: UdpSocket,
    reflector: Reflector,
    wait: Duration,
    /// Sizes that went and came.
    heard: BTreeSet<(u16, u16)>,
    /// What the server's kernel last said of the way back.
    back: u16,
}

impl Asking {
    /// Sends packets of these sizes, each twice, and asks for answers of those; false if not even those of size `last`
    /// after them are answered, which no other packets have. A path keeps the order, so what is not answered by then was lost.
    fn round(&mut self, up: &[u16], down: &[u16], last: u16) -> io::Result<bool> {
        let send = |sent: u16, wanted: u16| {
            Probe { sent, wanted, announced: 0 }.send(&self.socket, &self.reflector.token, sent);
        };
        for _ in 0..2 {
            up.iter().for_each(|size| send(*size, SMALL));
            down.iter().for_each(|size| send(SMALL, *size));
        }
        (0..2).for_each(|_| send(last, last));
        let wanted = up.iter().map(|size| (*size, SMALL)).chain(down.iter().map(|size| (SMALL, *size)));
        let wanted: BTreeSet<(u16, u16)> = wanted.collect();
        let deadline = Deadline::after(self.wait);
        let mut bytes = vec![0; usize::from(u16::MAX)];
        loop {
            let all = wanted.is_subset(&self.heard);
            if all || self.heard.contains(&(last, last)) {
                return Ok(true);
            }
            let Ok(left) = deadline.left() else { return Ok(false) };
            self.socket.set_read_timeout(Some(left))?;
            // An error is the time, or the news of a packet that was too large.
            let Ok(length) = self.socket.recv(&mut bytes) else { continue };
            if let Some(probe) = Probe::decode(&self.reflector.token, &bytes[..length]) {
                self.heard.insert((probe.sent, probe.wanted));
                self.back = probe.announced;
            }
        }
    }
}
