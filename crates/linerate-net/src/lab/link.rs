//! The links of this thread's network namespace: made, addressed, and switched on.

use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd as _;

use linerate_core::lab::{Address, Route};
use netlink_packet_core::{NLM_F_CREATE, NLM_F_EXCL};
use netlink_packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{
    InfoData, InfoKind, InfoVeth, LinkAttribute, LinkFlags, LinkInfo, LinkMessage,
};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

use crate::netlink::{Netlink, index};
use crate::sys::ethtool;

/// Makes a virtual wire from here, where it is called `name`, to the namespace `other`, where it is called
/// `other_name`.
pub(super) fn veth(name: &str, other: &File, other_name: &str) -> io::Result<()> {
    let mut peer = LinkMessage::default();
    peer.attributes =
        vec![LinkAttribute::IfName(other_name.to_owned()), LinkAttribute::NetNsFd(other.as_raw_fd())];
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

/// Makes a bridge that forwards from the first moment on: it runs no spanning tree.
pub(super) fn bridge(name: &str) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.attributes = vec![
        LinkAttribute::IfName(name.to_owned()),
        LinkAttribute::LinkInfo(vec![LinkInfo::Kind(InfoKind::Bridge)]),
    ];
    Netlink::open()?.change(RouteNetlinkMessage::NewLink(link), NLM_F_CREATE | NLM_F_EXCL)
}

/// Makes a link a port of a bridge.
pub(super) fn enslave(name: &str, bridge: &str) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.header.index = index(name)?;
    link.attributes = vec![LinkAttribute::Controller(index(bridge)?)];
    Netlink::open()?.change(RouteNetlinkMessage::SetLink(link), 0)
}

/// Adds a route.
pub(super) fn route(route: Route) -> io::Result<()> {
    let mut message = RouteMessage::default();
    message.header = RouteHeader {
        address_family: family(route.to.ip),
        destination_prefix_length: route.to.prefix,
        table: RouteHeader::RT_TABLE_MAIN,
        protocol: RouteProtocol::Static,
        scope: RouteScope::Universe,
        kind: RouteType::Unicast,
        ..RouteHeader::default()
    };
    message.attributes = vec![
        RouteAttribute::Destination(route_address(route.to.ip)),
        RouteAttribute::Gateway(route_address(route.via)),
    ];
    Netlink::open()?.change(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_EXCL)
}

fn family(ip: IpAddr) -> AddressFamily {
    if ip.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}

fn route_address(ip: IpAddr) -> RouteAddress {
    match ip {
        IpAddr::V4(ip) => RouteAddress::Inet(ip),
        IpAddr::V6(ip) => RouteAddress::Inet6(ip),
    }
}

/// Gives a link an address, and the rest of its network as neighbours. One of IPv6 is not asked for first whether
/// another node has it: the plan says that none has.
pub(super) fn address(name: &str, address: Address) -> io::Result<()> {
    let mut message = AddressMessage::default();
    message.header.family = family(address.ip);
    message.header.flags =
        if address.ip.is_ipv6() { AddressHeaderFlags::Nodad } else { AddressHeaderFlags::empty() };
    message.header.prefix_len = address.prefix;
    message.header.index = index(name)?;
    let ip = address.ip;
    message.attributes = vec![AddressAttribute::Address(ip), AddressAttribute::Local(ip)];
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

/// Has every frame of a link cut and complete when it leaves, for who reads it on the way: the offloads go that
/// [`without_offloads`] leaves, of checksums and of the segmentation of other protocols than TCP.
pub(super) fn whole(name: &str) -> io::Result<()> {
    let chosen = |feature: &str| {
        feature.starts_with("tx-checksum") || feature.starts_with("tx-") && feature.ends_with("-segmentation")
    };
    ethtool::Device::open(name)?.switch_off(chosen)
}
