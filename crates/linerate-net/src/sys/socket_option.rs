//! Options of sockets that other systems have not, or have otherwise.
//!
//! Source: socket(7), ip(7), ipv6(7), udp(7).

use std::io;
use std::os::fd::AsFd;

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{RxqOvfl, UdpGroSegment, UdpGsoSegment};
use rustix::net::sockopt::{self, Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
use socket2::Socket;

/// How long a call polls the adaptor. Unit: microseconds.
pub(crate) fn busy_poll(socket: &Socket) -> io::Result<u32> {
    socket.busy_poll()
}

/// Has calls poll the adaptor for `us` microseconds.
pub(crate) fn set_busy_poll(socket: &Socket, us: u32) -> io::Result<()> {
    socket.set_busy_poll(us)
}

/// Binds a socket to the interface `name`.
pub(crate) fn bind_device(socket: &Socket, name: &str) -> io::Result<()> {
    socket.bind_device(Some(name.as_bytes()))
}

/// Has no datagram cut into fragments.
pub(crate) fn dont_fragment(socket: &Socket, ipv6: bool) -> io::Result<()> {
    let set = if ipv6 {
        sockopt::set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::DO)
    } else {
        sockopt::set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::DO)
    };
    Ok(set?)
}

/// Has no datagram cut into fragments, and none refused for what the kernel has heard of the path.
pub(crate) fn probe_path(socket: impl AsFd, ipv6: bool) -> io::Result<()> {
    let set = if ipv6 {
        sockopt::set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::PROBE)
    } else {
        sockopt::set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::PROBE)
    };
    Ok(set?)
}

/// The largest IP packet of a connected socket's route, as the kernel knows it. Unit: bytes.
pub(crate) fn path_mtu(socket: impl AsFd, ipv6: bool) -> io::Result<u32> {
    Ok(if ipv6 { sockopt::ipv6_mtu(socket)? } else { sockopt::ip_mtu(socket)? })
}

/// Has a socket of datagrams count what it had no room for.
pub(crate) fn count_drops(socket: &Socket) -> io::Result<()> {
    Ok(setsockopt(socket, RxqOvfl, &1)?)
}

/// Has a socket of datagrams tell the octet of differentiated services and explicit congestion notification of each.
pub(crate) fn tell_class(socket: &Socket, ipv6: bool) -> io::Result<()> {
    if ipv6 { socket.set_recv_tclass_v6(true) } else { socket.set_recv_tos_v4(true) }
}

/// Has the kernel cut what is sent into datagrams of `size`; 0 leaves it whole. Unit: bytes.
pub(crate) fn set_segment(socket: &Socket, size: i32) -> io::Result<()> {
    Ok(setsockopt(socket, UdpGsoSegment, &size)?)
}

/// Has the kernel join datagrams that follow each other.
pub(crate) fn set_joined(socket: &Socket, joined: bool) -> io::Result<()> {
    Ok(setsockopt(socket, UdpGroSegment, &joined)?)
}

/// The congestion control of a TCP socket.
pub(crate) fn congestion(socket: &Socket) -> io::Result<String> {
    let name = socket.tcp_congestion()?;
    Ok(String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned())
}

/// Sets it.
pub(crate) fn set_congestion(socket: &Socket, name: &str) -> io::Result<()> {
    socket.set_tcp_congestion(name.as_bytes())
}
