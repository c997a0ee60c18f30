//! The links of this thread's network namespace: made, addressed, and switched on.

use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd as _;

use netlink_packet_core::{NLM_F_CREATE, NLM_F_EXCL};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{
    InfoData, InfoKind, InfoVeth, LinkAttribute, LinkFlags, LinkInfo, LinkMessage,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use nix::net::if_::if_nametoindex;

use super::netlink::Netlink;
use crate::sys::ethtool;

/// Makes a virtual wire from here to another namespace; each end is called `name` in its own.
pub(super) fn veth(name: &str, other: &File) -> io::Result<()> {
    let mut peer = LinkMessage::default();
    peer.attributes = vec![LinkAttribute::IfName(name.to_owned()), LinkAttribute::NetNsFd(other.as_raw_fd())];
    let mut link = LinkMessage::default();
    link.attributes = vec![
        LinkAttribute::IfName(name.to_owned()),
        LinkAttribute::LinkInfo(vec![
            LinkInfo::Kind(InfoKind::Veth),
            LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(peer))),
        ]),
    ];
    Netlink::open()?.change(RouteNetlinkMessage::NewLink(link), NLM_F_CREATE | NLM_F_EXCL)
}

/// Gives a link an address, and what else has the same first `prefix` bits as neighbours.
pub(super) fn address(name: &str, address: Ipv4Addr, prefix: u8) -> io::Result<()> {
    let mut message = AddressMessage::default();
    message.header.family = AddressFamily::Inet;
    message.header.prefix_len = prefix;
    message.header.index = index(name)?;
    message.attributes =
        vec![AddressAttribute::Address(address.into()), AddressAttribute::Local(address.into())];
    Netlink::open()?.change(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_EXCL)
}

/// Switches a link on or off.
pub(super) fn switch(name: &str, on: bool) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.header.index = index(name)?;
    link.header.flags = if on { LinkFlags::Up } else { LinkFlags::empty() };
    link.header.change_mask = LinkFlags::Up;
    Netlink::open()?.change(RouteNetlinkMessage::SetLink(link), 0)
}

/// Changes a link's MTU. Unit: bytes.
pub(super) fn mtu(name: &str, mtu: u32) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.header.index = index(name)?;
    link.attributes = vec![LinkAttribute::Mtu(mtu)];
    Netlink::open()?.change(RouteNetlinkMessage::SetLink(link), 0)
}

/// Takes a link's offloads away that let packets larger than the MTU pass: what ethtool(8) calls `tso`,
/// `gso` and `gro`. Of the first there is one for each kind of TCP, and newer kernels have more.
pub(super) fn without_offloads(name: &str) -> io::Result<()> {
    let tso = |feature: &str| feature.starts_with("tx-tcp") && feature.ends_with("segmentation");
    let joins = |feature: &str| tso(feature) || ["tx-generic-segmentation", "rx-gro"].contains(&feature);
    ethtool::Device::open(name)?.switch_off(joins)
}

/// The number of a link.
pub(super) fn index(name: &str) -> io::Result<u32> {
    Ok(if_nametoindex(name)?)
}
