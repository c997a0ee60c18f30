//! Whether the kernel stamps what arrives: it begins some time after it was asked, and on a busy host late.

use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsFd;

use linerate_core::units::Span;
use nix::sys::socket::{TimestampingFlag, setsockopt, sockopt};

use super::stamper::{now_ns, take};

/// How long to wait, and how often to try.
const PATIENCE: Span = Span::from_ms(500);
const LOOK: Span = Span::from_us(200);

/// Waits until a datagram to oneself has a stamp of before it was read. Without a loopback nothing can be said, and after a
/// while the stamps stay away.
pub(super) fn until_arrivals_are_stamped() {
    let begun = now_ns();
    let is_stamped = probe();
    while let Some(false) = is_stamped.as_ref().map(stamps) {
        if now_ns().wrapping_sub(begun) > PATIENCE.as_ps() / 1_000 {
            return;
        }
        std::thread::sleep(LOOK.to_duration());
    }
}

/// A socket that hears what it says.
fn probe() -> Option<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    socket.connect(socket.local_addr().ok()?).ok()?;
    socket.set_nonblocking(true).ok()?;
    let flags = libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    setsockopt(&socket, sockopt::Timestamping, &TimestampingFlag::from_bits_retain(flags)).ok()?;
    Some(socket)
}

/// Whether a datagram is stamped on arrival. What comes without a stamp has the time at which it is read.
fn stamps(socket: &UdpSocket) -> bool {
    if socket.send(&[0]).is_err() {
        return true;
    }
    let there = now_ns();
    let mut space = nix::cmsg_space!(nix::sys::socket::Timestamps);
    let taken = take(socket.as_fd(), &mut [0; 1], &mut space);
    taken.is_ok_and(|(_, stamp)| stamp.is_some_and(|stamp| stamp <= there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_stamped_in_the_end() {
        let socket = probe().expect("a loopback");
        until_arrivals_are_stamped();
        // The other socket is gone, but this one has asked too.
        assert!((0..500).any(|_| {
            std::thread::sleep(LOOK.to_duration());
            stamps(&socket)
        }));
    }
}
