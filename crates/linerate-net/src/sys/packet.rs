//! Packet sockets: where they listen, what they count, their receive ring, and many frames in one
//! call.
//!
//! Source: packet(7); linux/if_packet.h, kernel user-space interface.
#![expect(unsafe_code, reason = "no safe crate binds a packet socket, maps its ring or reads its counts")]

mod batch;
mod frames;
mod ring;

use std::io;
use std::mem::{size_of, size_of_val};
use std::os::fd::AsRawFd as _;

use socket2::Socket;

pub(crate) use batch::Batch;
pub(crate) use frames::Frames;
pub(crate) use ring::{Frame, Ring};

/// Has a packet socket take the frames of one EtherType that arrive at one interface, and send there.
pub(crate) fn bind(socket: &Socket, ethertype: u16, interface: u32) -> io::Result<()> {
    let index = i32::try_from(interface).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: a socket address is plain integers, for which zero is a value.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as libc::sa_family_t;
    address.sll_protocol = ethertype.to_be();
    address.sll_ifindex = index;
    // SAFETY: the pointer and the length describe `address`, which outlives the call.
    let status = unsafe {
        libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size_of_val(&address) as libc::socklen_t)
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// How many frames the socket's filter let through and its ring had no room for, since the last
/// time this was asked.
pub(crate) fn drops(socket: &Socket) -> io::Result<u64> {
    let mut counts = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    let mut len = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `counts`, which outlives the call; the kernel
    // fills no more than that, and every bit pattern is a count.
    let status = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut counts).cast(),
            &raw mut len,
        )
    };
    if status == 0 { Ok(counts.tp_drops.into()) } else { Err(io::Error::last_os_error()) }
}

/// Every EtherType.  Source: `linux/if_ether.h`, `ETH_P_ALL`.
pub(crate) const EVERY_ETHERTYPE: u16 = 3;
/// Source: `linux/if_packet.h`, since Linux 4.20.
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

/// Has a packet socket take what comes in at its interface, and not what others send there.
pub(crate) fn ignore_outgoing(socket: &Socket) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: PACKET_IGNORE_OUTGOING takes an int.
    unsafe { set(socket, PACKET_IGNORE_OUTGOING, &on) }
}

/// Sets an option of `SOL_PACKET`.
///
/// # Safety
///
/// `T` must be what the kernel expects for this option.
unsafe fn set<T>(socket: &Socket, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the pointer and the length describe `value`, and the caller vouches for its type.
    let status = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
