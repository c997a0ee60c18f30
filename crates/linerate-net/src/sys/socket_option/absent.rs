//! Options of sockets that Linux has, elsewhere: refused where they are asked for, and not missed where only more could
//! be said with them.

use std::io;
use std::os::fd::AsFd;

use socket2::Socket;

use super::absent;

pub(crate) fn busy_poll(_: &Socket) -> io::Result<u32> {
    Err(absent())
}

pub(crate) fn set_busy_poll(_: &Socket, _us: u32) -> io::Result<()> {
    Err(absent())
}

pub(crate) fn bind_device(_: &Socket, _name: &str) -> io::Result<()> {
    Err(absent())
}

pub(crate) fn dont_fragment(_: &Socket, _ipv6: bool) -> io::Result<()> {
    Err(absent())
}

pub(crate) fn probe_path(_: impl AsFd, _ipv6: bool) -> io::Result<()> {
    Err(absent())
}

pub(crate) fn path_mtu(_: impl AsFd, _ipv6: bool) -> io::Result<u32> {
    Err(absent())
}

/// A lost datagram is known by its number all the same, and only not where it was lost.
pub(crate) fn count_drops(_: &Socket) -> io::Result<()> {
    Ok(())
}

pub(crate) fn tell_class(_: &Socket, _: bool) -> io::Result<()> {
    Err(absent())
}

pub(crate) fn set_segment(_: &Socket, size: i32) -> io::Result<()> {
    if size == 0 { Ok(()) } else { Err(absent()) }
}

pub(crate) fn set_joined(_: &Socket, joined: bool) -> io::Result<()> {
    if joined { Err(absent()) } else { Ok(()) }
}

pub(crate) fn congestion(_: &Socket) -> io::Result<String> {
    Err(absent())
}

pub(crate) fn set_congestion(_: &Socket, _name: &str) -> io::Result<()> {
    Err(absent())
}
