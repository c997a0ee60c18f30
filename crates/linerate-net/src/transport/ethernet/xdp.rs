//! Messages by an `AF_XDP` socket: they pass the network stack by at both ends.
//!
//! It is the generic and copying kind, which every driver has. A device queue has one such socket
//! and an interface one such program, so that there is one flow an interface.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::units::Span;
use rustix::io::Errno;

use super::filter::Wanted;
use super::frame::{ETHERNET_LEN, ETHERTYPE, FLOW_AT, HEAD_LEN, KIND_AT, Kind, SENDER_AT, TOKEN_AT};
use super::plane::Plane;
use super::station::Station;
use crate::sys::packet::{Batch, Frame};
use crate::sys::xdp::{Field, LONGEST, RING_BYTES, Refused, Xsk};
use crate::transport::{OptionError, Setup, TransportError};

/// The kernel frees a queue some time after its last socket was closed: `xp_put` leaves it to a
/// worker. So a queue that is taken is asked for again, for half a second.
const FREED: Span = Span::from_ms(500);
const STEP: Duration = Duration::from_millis(5);

/// An `AF_XDP` socket.
#[derive(Debug)]
pub(super) struct XdpPlane(Xsk);

impl Plane for XdpPlane {
    fn open(setup: &Setup, station: &Station, wanted: Wanted) -> Result<Self, TransportError> {
        for (option, asked) in [("sndbuf", setup.socket.sndbuf), ("rcvbuf", setup.socket.rcvbuf)] {
            if let Some(size) = asked {
                let source =
                    io::Error::new(io::ErrorKind::Unsupported, "the rings of AF_XDP have a fixed size");
                return Err(OptionError { option, value: size.to_string(), source }.into());
            }
        }
        if station.mtu + ETHERNET_LEN > LONGEST {
            let most = LONGEST - ETHERNET_LEN;
            let reason =
                format!("the MTU {} of `{}` is above the {most} B of AF_XDP", station.mtu, station.name);
            return Err(TransportError::lacking(setup.transport, reason));
        }
        let fields = fields(station, wanted);
        let begun = setup.clock.now();
        loop {
            match Xsk::open(station.index, &fields) {
                Err(busy)
                    if busy.source.raw_os_error() == Some(libc::EBUSY)
                        && setup.clock.now().since(begun) < FREED =>
                {
                    std::thread::sleep(STEP);
                }
                done => return done.map(Self).map_err(|refused| explained(refused, setup, station)),
            }
        }
    }

    #[inline]
    fn post(&mut self, head: &[u8; HEAD_LEN], payload: &[u8]) -> Result<(), Errno> {
        self.0.send(std::iter::once(head.as_slice()), payload).map(drop)
    }

    fn post_many(
        &mut self,
        batch: &mut Batch<HEAD_LEN>,
        payload: &[u8],
        count: usize,
    ) -> Result<usize, Errno> {
        self.0.send(batch.heads().iter().take(count).map(<[u8; HEAD_LEN]>::as_slice), payload)
    }

    #[inline]
    fn peek(&mut self) -> Option<Frame<'_>> {
        self.0.peek()
    }

    #[inline]
    fn release(&mut self) {
        self.0.release();
    }

    fn drops(&mut self) -> u64 {
        self.0.drops()
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.descriptor()
    }

    fn memory(&self) -> [Fact<u64>; 2] {
        [Fact::Known(RING_BYTES), Fact::Known(RING_BYTES)]
    }
}

/// What a frame must have to be taken from the interface: as the filter of packet sockets says.
fn fields(station: &Station, wanted: Wanted) -> Vec<Field> {
    let field = |at, bytes: &[u8]| Field { at, bytes: bytes.to_vec() };
    let mut fields = vec![
        field(0, &station.mac[..4]),
        field(4, &station.mac[4..]),
        field(ETHERNET_LEN - 2, &ETHERTYPE.to_be_bytes()),
        field(TOKEN_AT, &wanted.token),
        field(KIND_AT, &[Kind::Data as u8, wanted.side as u8]),
    ];
    if let Some((flow, sender)) = wanted.only {
        fields.push(field(FLOW_AT, &flow.to_be_bytes()));
        fields.push(field(SENDER_AT, &sender[..4]));
        fields.push(field(SENDER_AT + 4, &sender[4..]));
    }
    fields
}

fn explained(refused: Refused, setup: &Setup, station: &Station) -> TransportError {
    let reason = match refused.source.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "AF_XDP needs CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF: run as root".to_owned()
        }
        Some(libc::EAFNOSUPPORT) => "this kernel has no AF_XDP (CONFIG_XDP_SOCKETS)".to_owned(),
        Some(libc::EBUSY | libc::EEXIST) => format!(
            "`{}` has an XDP program or an AF_XDP socket already: there is one flow an interface",
            station.name
        ),
        _ => return TransportError::system(refused.step)(refused.source),
    };
    TransportError::lacking(setup.transport, reason)
}
